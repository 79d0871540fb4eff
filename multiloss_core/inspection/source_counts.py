"""Count sources of alerts, scores and alert rules, in priority order: first match wins."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools
from multiloss_core.numerics.proportions import precision_interval
from multiloss_core.thresholds.data.counts import Counts, Rule, checked_thresholds, require_rule
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.data.undecided_documents import no_documents


@dataclass(frozen=True, eq=False, kw_only=True)
class SourceCounts:
    """Alerts of one source (weights).

    `incremental`: alerts that no active source before it raises, with `undecided` ones beside. `raised`: all that it
    raises, also with others; of an inactive rule, what it would raise. `unique`: what no other active source raises,
    which is lost when it is switched off, or added when it is switched on. The precision of these is the marginal
    precision of the switch, and `switch_interval` its 95 % Wilson interval over the effective number of documents; NaN
    without any. Where every score must reach its threshold, `unique` is what this score alone holds back.
    """

    name: str
    is_active: bool
    incremental: Counts[float]
    undecided: float
    raised: Counts[float]
    unique: Counts[float]
    switch_interval: tuple[float, float]

    @property
    def is_shadowed(self) -> bool:
        """Whether an active source raises alerts, but is never the first to do so."""
        return self.is_active and self.raised.alerts > 0 and self.incremental.alerts + self.undecided == 0

    @property
    def is_known(self) -> bool:
        """Whether rated alerts of this source exist; without any, nothing is known about it."""
        return self.raised.alerts > 0


def source_counts(
    source: RatedDocuments | RatedCounts,
    thresholds: ArrayLike,
    order: Sequence[str] | None = None,
    rule: Rule = "any",
) -> tuple[SourceCounts, ...]:
    """Count the alerts of each source in priority order at thresholds (k,). O(n k).

    Infinity is off. `order` names all sources or the first ones. The first active source that raises an alert takes it:
    the order decides which source an alert counts for, and not whether it is one. An inactive score raises nothing.

    Raises DataError: an order with unknown or repeated names, or not one usable threshold for each source.

    Examples
    --------
    >>> from multiloss_core import RatedDocuments
    >>> from multiloss_core.inspection import source_counts
    >>> scores = [[0.9, 1], [0.8, 0], [0.2, 1], [0.6, 0]]
    >>> documents = RatedDocuments(scores, [1, 0, 0, 1], names=["model", "velocity"], floors=[0.5], alert_rules=1)
    >>> found = source_counts(documents, [0.7, 1], order=["velocity", "model"])
    >>> [(one.name, *one.incremental, *one.unique) for one in found]
    [('velocity', 1.0, 1.0, 0.0, 1.0), ('model', 0.0, 1.0, 0.0, 1.0)]
    """
    require_rule(rule)
    names, places = source.names, _places(source.names, order or ())
    limits = checked_thresholds(thresholds, names).copy()
    is_active = np.isfinite(limits)
    # An inactive rule is counted as if it were on.
    limits[source.score_count :] = 1.0
    if isinstance(source, RatedCounts):
        nodes = np.array([np.searchsorted(axis, limit) for axis, limit in zip(source.axes, limits, strict=True)])
        raises, waiting = source.counted.cells > nodes, no_documents(len(names))
        weights, squares = source.counted.weights, source.counted.squares
    else:
        raises, waiting = source.scores >= limits, source.undecided
        weights = np.column_stack([~source.labels, source.labels]) * source.weights[:, np.newaxis]
        squares = np.square(weights)

    def counts(chosen: Bools) -> Counts[float]:
        fp, tp = weights[chosen].sum(axis=0)
        return Counts(float(tp), float(fp))

    def interval(chosen: Bools) -> tuple[float, float]:
        spread = float(squares[chosen].sum())
        size = float(weights[chosen].sum()) ** 2 / spread if spread > 0 else 0.0
        return precision_interval(counts(chosen).precision, size)

    active, undecided = raises & is_active, (waiting.scores >= limits) & is_active
    taken, undecided_taken = np.zeros(len(active), dtype=bool), np.zeros(len(undecided), dtype=bool)
    # How many active sources raise each document.
    number, found = active.sum(axis=1), []
    for place in places:
        own, by_others = raises[:, place], number - active[:, place]
        unique = own & (by_others == 0) if rule == "any" else ~own & (by_others == len(names) - 1)
        first, undecided_first = active[:, place] & ~taken, undecided[:, place] & ~undecided_taken
        taken, undecided_taken = taken | first, undecided_taken | undecided_first
        found.append(
            SourceCounts(
                name=names[place],
                is_active=bool(is_active[place]),
                incremental=counts(first),
                undecided=float(waiting.weights[undecided_first].sum()),
                raised=counts(own),
                unique=counts(unique),
                switch_interval=interval(unique),
            )
        )
    return tuple(found)


def _places(names: Sequence[str], first: Sequence[str]) -> list[int]:
    """Find the positions of sources, those named `first` in front. Raises DataError."""
    wrong = next((name for name in first if name not in names or list(first).count(name) > 1), None)
    if wrong is not None:
        raise DataError(f"The order holds '{wrong}', which is no source or stands there twice; name each once.")
    return [names.index(name) for name in (*first, *(name for name in names if name not in first))]
