"""Put new scores in the place of those of a decision: thresholds, swapped alerts, what to rate first."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from multiloss_core.datasets.rated import RatedDataset
from multiloss_core.decisions.making import columns_from_record, record_of
from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.record_fields import RecordedSettings
from multiloss_core.errors import DataError
from multiloss_core.formatting import count, percent, plural, score_name, shortened
from multiloss_core.numerics.arrays import UNDEFINED, Bools, Floats, Indices, ratio
from multiloss_core.numerics.proportions import NORMAL_95, share_interval
from multiloss_core.numerics.rounding import shortest_between
from multiloss_core.tables import ColumnMeanings, values_and_blanks
from multiloss_core.tables.column_values import base_of
from multiloss_core.tables.rating_column import ratings_so_far
from multiloss_core.thresholds.data.counts import Rule, flagged
from multiloss_core.thresholds.data.document_columns import read_scores, read_weights
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.operating_point import operating_point
from multiloss_core.thresholds.paths.smooth.smooth_path import smooth_path

SEED = 0
MIN_POSITIVES = 10


@dataclass(frozen=True, kw_only=True)
class AlertSet:
    """Count alerts, `positives` and `negatives` among them; the others have no rating.

    `unreached` of them lay below all rating floors of the decision, `unreached_rated` of these have a rating, of which
    `unreached_positives` are positive.
    """

    alerts: float
    positives: float
    negatives: float
    unreached: float = 0.0
    unreached_rated: float = 0.0
    unreached_positives: float = 0.0

    @property
    def unrated(self) -> float:
        """The alerts without a rating."""
        return self.alerts - self.positives - self.negatives

    @property
    def precision(self) -> float:
        """The share of positives among the rated ones; NaN without any."""
        return ratio(self.positives, self.positives + self.negatives)

    @property
    def bounds(self) -> tuple[float, float]:
        """The precision where all without a rating are negative, and where all are positive."""
        return ratio(self.positives, self.alerts), ratio(self.alerts - self.negatives, self.alerts)

    @property
    def interval(self) -> tuple[float, float]:
        """A 95 % interval (low, high) of the precision, where those rated below the floors are a random sample.

        Alerts above a floor without a rating may be either; without a rating below the floors, so may those.
        """
        low, high = self.bounds
        if self.unreached_rated > 0:
            positives, rated = self.unreached_positives, self.unreached_rated
            shares = sample_interval(positives, rated, self.unreached)
            left = self.unreached - rated
            least, most = np.clip(shares * self.unreached, positives, positives + left)
            low += ratio(least - positives, self.alerts)
            high -= ratio(positives + left - most, self.alerts)
        return float(low), float(high)


def sample_interval(positives: float, rated: float | Floats, documents: float) -> Floats:
    """Compute Wilson bounds (2, ...) of a share in `documents` from a random sample of `rated` (...) of them.

    The sample counts for the more the less is left (finite population correction); all of them leave no doubt.
    """
    some = np.asarray(rated, dtype=np.float64)
    left = documents - some
    size = np.divide(some * max(documents - 1.0, 1.0), left, out=np.full_like(some, 1e18), where=left > 1e-9)
    return share_interval(size * np.asarray(positives) / some, size)


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelChange:
    """Thresholds of new scores that flag as many rows of a table as a decision does, and what that swaps.

    `columns`: those of the table with the new scores; `thresholds` (k,), infinity for never; `old` and `new` (n,): which
    rows the decision and the new thresholds flag, None for `old` where the old scores are not in the table. `alerts`:
    those of the new thresholds, with the 95 % interval of their number in as long a period to come; `wanted`: those of
    the decision. `at_marginal_precision` (k,): thresholds of the new scores at the decision's marginal precision among
    the rated rows; None where that is not known. `to_rate`: rows of the swapped-in alerts without a rating, in random
    order, of which those below the decision's rating floors come first.
    """

    columns: ColumnMeanings
    rule: Rule
    thresholds: Floats
    old: Bools | None
    new: Bools
    wanted: float
    alerts: float
    alerts_interval: tuple[float, float]
    at_marginal_precision: Floats | None
    both: AlertSet
    only_old: AlertSet
    only_new: AlertSet
    to_rate: Indices

    @property
    def precision_interval(self) -> tuple[float, float]:
        """The precision of all alerts of the new thresholds: bounds, or a 95 % interval once a sample is rated."""
        sets = [self.both, self.only_new]
        low, high = (sum(one.alerts * one.interval[end] for one in sets if one.alerts) for end in range(2))
        return ratio(low, self.alerts), ratio(high, self.alerts)

    def ratings_for(self, width: float) -> int | None:
        """Count the ratings after which the swapped-in alerts' precision is known within `width` (0 to 1).

        It is the number of rows of `to_rate` for the least known share, one half. None where alerts above the floors
        without a rating leave more doubt than that.
        """
        swapped = self.only_new
        share = ratio(swapped.unreached, swapped.alerts)
        doubt = ratio(swapped.unrated - (swapped.unreached - swapped.unreached_rated), swapped.alerts)
        if not swapped.alerts or doubt > width:
            return None
        sizes = np.arange(1, int(swapped.unreached) + 1, dtype=np.float64)
        low, high = sample_interval(0.5, 1.0, swapped.unreached) if not sizes.size else _half(sizes, swapped.unreached)
        enough = np.flatnonzero(share * (high - low) + doubt <= width)
        return max(int(sizes[enough[0]] - swapped.unreached_rated), 0) if enough.size else len(self.to_rate)

    @property
    def words(self) -> str:
        """Describe the change in two sentences."""
        if self.old is None:
            return (
                f"{plural(self.alerts, 'alert')} with the new scores; which alerts are new is not known, as the table "
                "has no old scores."
            )
        swapped = self.only_new
        never = f", {percent(ratio(swapped.unrated, swapped.alerts))} of them never rated" if swapped.alerts else ""
        low, high = self.precision_interval
        return (
            f"Of {plural(self.wanted, 'alert')} {count(self.both.alerts)} stay, {count(self.only_old.alerts)} go and "
            f"{count(swapped.alerts)} come{never}. The precision of the new alerts lies between {percent(low)} and "
            f"{percent(high)}."
        )


def _half(sizes: Floats, documents: float) -> Floats:
    return sample_interval(sizes / 2, sizes, documents)


def model_change(
    record: DecisionRecord,
    frame: pd.DataFrame,
    new_scores: Mapping[str, str],
    *,
    alerts: float | None = None,
) -> ModelChange:
    """Find thresholds of new scores at the alert volume of a decision, and compare the rows that both flag.

    `new_scores` names for each score of the decision that changes its new column, "minus column" where low values are
    suspicious; other scores and alert rules keep their threshold. Each changed threshold is reached by c times as many
    rows as the old one, with the one c at which the rule flags as many rows; where the table has no old scores, by as
    many rows as the other new ones. `alerts`: the number to flag, by default that of the decision in this table.

    Ratings below the decision's floors count as a random sample: rate the rows of `to_rate` in their order.

    Time O(n k + n log n).

    Raises
    ------
    DataError : a decision by segments, with two cuts or of counts, a score that is no score of the decision, a column
        that is missing, or a number of alerts that is neither given nor known from old scores.
    """
    columns, old_columns = _new_columns(record, frame, new_scores), record.columns
    rows, ratings, weights, groups = _read(frame, columns)
    known = frame.iloc[rows]
    thresholds, rule = record.threshold_array, record.settings.rule
    has_old = all(base_of(frame, name) is not None for name in old_columns.read_columns)
    old = record.flags(known) if has_old else None
    if alerts is None and old is None:
        raise DataError(
            f"The table has no column '{shortened(score_name(_missing(frame, old_columns.read_columns)))}', so that the "
            "number of alerts is not known; give it, or a table with old and new scores."
        )
    wanted = float(weights[old].sum()) if alerts is None and old is not None else float(alerts or 0.0)
    scores = _scores(known, columns)
    changed = np.array([name in new_scores for name in old_columns.scores])
    reached = _reached(record, known, weights) if has_old else np.ones(len(thresholds))
    places = _places(scores, thresholds, changed, reached, weights)
    each = places.min(axis=1) if rule == "any" else places.max(axis=1)
    found = _at(_place_for(each, weights, wanted), places, scores, thresholds, changed)
    new = flagged(scores, found, rule)
    above = _above_floor(record, known) if has_old else np.zeros(len(rows), dtype=bool)
    swapped = new & ~old if old is not None else np.zeros(len(rows), dtype=bool)

    def counted(members: Bools) -> AlertSet:
        below = members & ~above
        rated = ~np.isnan(ratings)
        return AlertSet(
            alerts=float(weights[members].sum()),
            positives=float(weights[members & (ratings == 1)].sum()),
            negatives=float(weights[members & (ratings == 0)].sum()),
            unreached=float(weights[below].sum()),
            unreached_rated=float(weights[below & rated].sum()),
            unreached_positives=float(weights[below & (ratings == 1)].sum()),
        )

    total = float(weights[new].sum())
    # A random order of all rows, so that it stays when some of them have got a rating.
    order = np.random.default_rng(SEED).permutation(len(rows))
    to_rate = order[(swapped & np.isnan(ratings))[order]]
    to_rate = to_rate[np.argsort(above[to_rate], kind="stable")]
    precision = record.target.marginal_precision
    at = None
    if precision is not None:
        place = _place_at_precision(each, ratings, weights, precision)
        at = None if place is None else _at(place, places, scores, thresholds, changed)
    if old is None:
        old_or_new = new
        sets = (counted(np.zeros_like(new)), counted(np.zeros_like(new)), counted(old_or_new))
    else:
        sets = (counted(old & new), counted(old & ~new), counted(swapped))
    return ModelChange(
        columns=columns,
        rule=rule,
        thresholds=found,
        old=_on_all_rows(old, rows, len(frame)),
        new=_required(_on_all_rows(new, rows, len(frame))),
        wanted=wanted,
        alerts=total,
        alerts_interval=_alerts_interval(new, weights, groups),
        at_marginal_precision=at,
        both=sets[0],
        only_old=sets[1],
        only_new=sets[2],
        to_rate=rows[to_rate],
    )
