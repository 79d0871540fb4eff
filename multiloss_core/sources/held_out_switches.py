"""Count what switches of sources change, on documents that did not choose them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.generalisation.interval import Interval
from multiloss_core.numerics.arrays import Floats, ratio
from multiloss_core.sources.rule_set import RaisedAlerts, RuleSet, precision_estimate, raised_alerts
from multiloss_core.thresholds.data.counts import Rule, checked_thresholds
from multiloss_core.thresholds.data.folds import document_folds
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments


def held_out_switches(
    source: RatedDocuments | RatedCounts,
    thresholds: ArrayLike,
    of_folds: Floats,
    *,
    rule: Rule = "any",
    seed: int = 0,
) -> tuple[Interval, ...]:
    """Estimate `switch_off` of each source (k,) on documents that did not choose the rules.

    `of_folds` (f, k): thresholds chosen without each fold, of `CrossFittedCounts.thresholds` with the same seed; a fold
    of NaN is left out. A fold counts for a source that is on, or off, in its thresholds as in `thresholds` (k,). The
    share of positives among the alerts of a rule that these documents chose is too high, that of one they left out too
    low. NaN where no fold counts, or without alerts. With the 95 % Wilson interval. O(n k).

    Raises DataError: not one usable threshold for each source.
    """
    is_active = np.isfinite(checked_thresholds(thresholds, source.names))
    order = tuple(range(len(is_active)))
    caught, total, squares = np.zeros((3, len(order)))
    for alerts in _alerts_of_folds(source, of_folds, seed):
        rules = RuleSet(alerts=alerts, order=order, rule=rule)
        for place in np.flatnonzero(alerts.is_active == is_active).tolist():
            rows = rules.unique(place)
            caught[place] += alerts.weights[rows, 1].sum()
            total[place] += alerts.weights[rows].sum()
            squares[place] += alerts.squares[rows].sum()
    shares, sizes = ratio(caught, total), np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    return tuple(map(precision_estimate, shares.tolist(), sizes.tolist()))


def _alerts_of_folds(source: RatedDocuments | RatedCounts, of_folds: Floats, seed: int) -> Iterator[RaisedAlerts]:
    """Find what sources raise in each fold, dealt out as in `cross_fit`."""
    if isinstance(source, RatedCounts):
        parts = source.counted.dealt(len(of_folds), np.random.default_rng(seed))
        for part, chosen in zip(parts, of_folds, strict=True):
            if not np.isnan(chosen).any():
                yield raised_alerts(source.of(part), chosen)
        return
    fold = document_folds(source, len(of_folds), seed)
    for number, chosen in enumerate(of_folds):
        if not np.isnan(chosen).any():
            yield raised_alerts(source, chosen).of(fold == number)
