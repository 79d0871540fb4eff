"""Count sources of alerts, and which documents each raises, in priority order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.generalisation.marginal_interval import Interval
from multiloss_core.numerics.arrays import Bools, Floats, ratio
from multiloss_core.numerics.proportions import precision_interval
from multiloss_core.thresholds.data.counts import Counts, Rule, checked_thresholds, require_rule
from multiloss_core.thresholds.data.folds import document_folds
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments


@dataclass(frozen=True, eq=False, kw_only=True)
class RaisedAlerts:
    """Documents, or cells of counted ones, by the sources that raise them.

    `names` and `is_active` (s,) of the sources: scores, then alert rules. `raises` (n, s): whether a source does; an
    inactive rule is looked at as if it were on, an inactive score raises nothing. `weights` and `squares` (n, 2): sums
    of weights and of their squares, negatives first. `undecided` (u, s) and `undecided_weights` (u,) likewise.
    """

    names: tuple[str, ...]
    is_active: Bools
    raises: Bools
    weights: Floats
    squares: Floats
    undecided: Bools
    undecided_weights: Floats

    def of(self, rows: Bools) -> Self:
        """Keep some documents (n,)."""
        return replace(self, raises=self.raises[rows], weights=self.weights[rows], squares=self.squares[rows])


def raised_alerts(source: RatedDocuments | RatedCounts, thresholds: ArrayLike) -> RaisedAlerts:
    """Find the sources of documents at thresholds (k,), infinity for off. O(n k).

    Raises DataError: not one usable threshold for each source.
    """
    checked = checked_thresholds(thresholds, source.names)
    limits = checked.copy()
    scored = len(source.names) - source.alert_rules
    limits[scored:] = 1.0
    is_active = np.isfinite(checked)
    if isinstance(source, RatedCounts):
        nodes = np.array([np.searchsorted(axis, limit) for axis, limit in zip(source.axes, limits, strict=True)])
        return RaisedAlerts(
            names=source.names,
            is_active=is_active,
            raises=source.counted.cells > nodes,
            weights=source.counted.weights,
            squares=source.counted.squares,
            undecided=np.empty((0, len(source.names)), dtype=bool),
            undecided_weights=np.empty(0),
        )
    kinds = np.column_stack([~source.labels, source.labels])
    weights = source.weights[:, np.newaxis]
    return RaisedAlerts(
        names=source.names,
        is_active=is_active,
        raises=source.scores >= limits,
        weights=kinds * weights,
        squares=kinds * weights**2,
        undecided=source.undecided.scores >= limits,
        undecided_weights=source.undecided.weights,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class SourceCounts:
    """Alerts of one source (weights).

    `incremental`: alerts that no active source before it raises, with `undecided` ones beside. `raised`: all that it
    raises, also with others; of an inactive rule, what it would raise. `unique`: what no other active source raises,
    which is lost when it is switched off, or added when it is switched on. `switch_off`: the share of positives in
    these, the marginal precision of the switch, with its 95 % Wilson interval over the effective number of documents;
    NaN without any. Where every score must reach its threshold, `unique` is what this score alone holds back.
    """

    name: str
    is_active: bool
    incremental: Counts[float]
    undecided: float
    raised: Counts[float]
    unique: Counts[float]
    switch_off: Interval

    @property
    def is_shadowed(self) -> bool:
        """Whether an active source raises alerts, but is never the first to do so."""
        return self.is_active and self.raised.alerts > 0 and self.incremental.alerts + self.undecided == 0

    @property
    def is_known(self) -> bool:
        """Whether rated alerts of this source exist; without any, nothing is known about it."""
        return self.raised.alerts > 0


@dataclass(frozen=True, eq=False, kw_only=True)
class RuleSet:
    """Sources of alerts, scores and alert rules, in priority order.

    The first active source that raises an alert takes it. The order decides which source an alert counts for, and not
    whether it is one.

    Examples
    --------
    >>> from multiloss_core import RatedDocuments
    >>> from multiloss_core.sources import RuleSet
    >>> scores = [[0.9, 1], [0.8, 0], [0.2, 1], [0.6, 0]]
    >>> documents = RatedDocuments(scores, [1, 0, 0, 1], names=["model", "velocity"], floors=[0.5], alert_rules=1)
    >>> rules = RuleSet.of(documents, [0.7, 1], order=["velocity", "model"])
    >>> [(source.name, *source.incremental, *source.unique) for source in rules.sources]
    [('velocity', 1.0, 1.0, 0.0, 1.0), ('model', 0.0, 1.0, 0.0, 1.0)]
    """

    alerts: RaisedAlerts
    order: tuple[int, ...]
    rule: Rule = "any"

    @classmethod
    def of(
        cls,
        source: RatedDocuments | RatedCounts,
        thresholds: ArrayLike,
        order: Sequence[str] | None = None,
        rule: Rule = "any",
    ) -> Self:
        """Find what sources raise at thresholds (k,), infinity for off.

        `order` names all sources or the first ones.

        Raises DataError: an order with unknown or repeated names, or not one usable threshold for each source.
        """
        require_rule(rule)
        first = tuple(order or ())
        unknown = [name for name in first if name not in source.names]
        if unknown or len(set(first)) < len(first):
            name = (unknown or [next(name for name in first if first.count(name) > 1)])[0]
            raise DataError(f"The order holds '{name}', which is no source or stands there twice; name each once.")
        left = [name for name in source.names if name not in first]
        places = tuple(source.names.index(name) for name in (*first, *left))
        return cls(alerts=raised_alerts(source, thresholds), order=places, rule=rule)

    @property
    def sources(self) -> tuple[SourceCounts, ...]:
        """Count each source in its position. O(n s) for s sources."""
        alerts, found = self.alerts, []
        active = alerts.raises & alerts.is_active
        undecided = alerts.undecided & alerts.is_active
        taken, waiting = np.zeros(len(active), dtype=bool), np.zeros(len(undecided), dtype=bool)
        for place in self.order:
            own = alerts.raises[:, place]
            unique = self.unique(place)
            first, first_waiting = active[:, place] & ~taken, undecided[:, place] & ~waiting
            taken, waiting = taken | first, waiting | first_waiting
            counts = self._counts(unique)
            found.append(
                SourceCounts(
                    name=alerts.names[place],
                    is_active=bool(alerts.is_active[place]),
                    incremental=self._counts(first),
                    undecided=float(alerts.undecided_weights[first_waiting].sum()),
                    raised=self._counts(own),
                    unique=counts,
                    switch_off=_precision_estimate(counts.precision, self._size(unique)),
                )
            )
        return tuple(found)

    def unique(self, place: int) -> Bools:
        """Find the documents (n,) that a switch of one source changes, see `SourceCounts.unique`."""
        active, own = self.alerts.raises & self.alerts.is_active, self.alerts.raises[:, place]
        others = np.delete(active, place, axis=1)
        return np.asarray(own & ~others.any(axis=1) if self.rule == "any" else ~own & others.all(axis=1))

    def _counts(self, chosen: Bools) -> Counts[float]:
        fp, tp = self.alerts.weights[chosen].sum(axis=0)
        return Counts(float(tp), float(fp))

    def _size(self, chosen: Bools) -> float:
        weights: Floats = self.alerts.weights[chosen]
        squares = float(self.alerts.squares[chosen].sum())
        return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def held_out_switches(
    source: RatedDocuments | RatedCounts, thresholds: ArrayLike, of_folds: Floats, *, rule: Rule = "any", seed: int = 0
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
    return tuple(map(_precision_estimate, shares.tolist(), sizes.tolist()))


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


def _precision_estimate(precision: float, size: float) -> Interval:
    """Put a precision between the bounds of its 95 % Wilson interval; NaN without documents."""
    low, high = precision_interval(precision, size)
    return Interval(estimate=precision, low=low, high=high)
