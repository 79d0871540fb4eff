"""Compare current with proposed thresholds: both counts, and the documents between the two."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.formatting import direction, score_name
from multiloss_core.inspection.band_parts import DocumentSubset, counted_subset, document_subset
from multiloss_core.numerics.arrays import UNDEFINED, Floats
from multiloss_core.numerics.proportions import NORMAL_95
from multiloss_core.thresholds.data.counts import Counts, Rule, checked_thresholds, flagged, rated_in_full, require_rule
from multiloss_core.thresholds.data.rated_data import RatedData


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedThresholds(Counts[float]):
    """Thresholds (k,), infinity for never, with TP and FP (weights) of flagged documents.

    For a table of counts the thresholds are those of the counted node. `complete` is false where they also flag unrated
    documents: then the counts are lower bounds and the precision is unknown.
    """

    thresholds: Floats
    complete: bool

    @property
    def precision(self) -> float:
        """Compute TP / (TP + FP); NaN if nothing is flagged or some flagged documents are unrated."""
        return super().precision if self.complete else UNDEFINED


@dataclass(frozen=True, eq=False, kw_only=True)
class Comparison:
    """Two sets of thresholds under one rule. Differences are proposed less current.

    `added`: flagged by the proposed thresholds only; `dropped`: by the current ones only. Where thresholds reach below
    the floors, these are the rated ones among them.
    """

    current: CountedThresholds
    proposed: CountedThresholds
    added: DocumentSubset
    dropped: DocumentSubset
    rule: Rule


def compare(source: RatedData, current: ArrayLike, proposed: ArrayLike, rule: Rule) -> Comparison:
    """Compare current and proposed thresholds (k,) on the same data, infinity for never.

    For documents everything is exact. A table of counts has no documents, and thresholds between its nodes are counted
    at the next node up; the number in between is still known: the union is, under `any`, flagged by the lower of each
    two thresholds, and the intersection, under `all`, by the higher ones.

    Raises DataError: not one usable threshold for each classifier, another rule than the table's, or a threshold below
    the first node of a table.
    """
    require_rule(rule)
    first, second = (checked_thresholds(values, source.names) for values in (current, proposed))
    documents = source.documents
    if documents is None:
        return _compare_counts(source, first, second, rule)
    before, after = flagged(documents.scores, first, rule), flagged(documents.scores, second, rule)
    return Comparison(
        current=_counted(source, first, rule),
        proposed=_counted(source, second, rule),
        added=document_subset(documents, after & ~before),
        dropped=document_subset(documents, before & ~after),
        rule=rule,
    )


def gain_interval(found: Comparison, marginal_precision: float) -> tuple[float, float]:
    """Bound with 95 % confidence the gain of the proposed thresholds at a target in (0, 1).

    The gain is TP - FP m / (1 - m), proposed less current. Only documents flagged by one of both decide it; their
    numbers vary by chance as Poisson numbers (with weights, of the effective number of documents).
    """
    price = marginal_precision / (1 - marginal_precision)
    parts = (found.added, 1.0), (found.dropped, -1.0)
    gain = sum(sign * (part.tp - price * part.fp) for part, sign in parts)
    variance = sum(part.weight * (part.tp + price**2 * part.fp) for part, _ in parts)
    return gain - NORMAL_95 * sqrt(variance), gain + NORMAL_95 * sqrt(variance)


def _counted(source: RatedData, thresholds: Floats, rule: Rule) -> CountedThresholds:
    counts = source.counts_at(thresholds, rule)
    complete = rated_in_full(source.floors, thresholds, rule)
    return CountedThresholds(counts.tp, counts.fp, thresholds=source.counted_thresholds(thresholds), complete=complete)


def _compare_counts(source: RatedData, current: Floats, proposed: Floats, rule: Rule) -> Comparison:
    before, after = (_counted(source, thresholds, rule) for thresholds in (current, proposed))
    for thresholds in (current, proposed):
        for name, floor, value in zip(source.names, source.floors, thresholds, strict=True):
            if value < floor:
                raise DataError(
                    f"The threshold of '{score_name(name)}', {direction(name) * value:g}, lies "
                    f"{'below' if direction(name) > 0 else 'above'} the first one of the table, "
                    f"{direction(name) * floor:g}; its counts are unknown."
                )
    meeting = np.minimum(current, proposed) if rule == "any" else np.maximum(current, proposed)
    common = source.counts_at(meeting, rule)
    more, fewer = (before, after) if rule == "any" else (after, before)
    added, dropped = (counted_subset(abs(common.tp - other.tp), abs(common.fp - other.fp)) for other in (more, fewer))
    return Comparison(current=before, proposed=after, added=added, dropped=dropped, rule=rule)
