"""Deal documents at random to a part that chooses a path and one that tests it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.thresholds.data.counts import Counts, still_flagged, turning_points
from multiloss_core.thresholds.data.rated_counts import RatedCounts, rated_counts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

Test = Literal["exact", "betting"]
# Better than a half in simulations: `benchmarks/results/certificate.md`.
CHOOSING_SHARE = 1 / 3


@dataclass(frozen=True, eq=False, kw_only=True)
class Dealing:
    """Documents dealt at random to a selecting and a testing part; `rated` are all.

    `choosing` makes the documents that a path is found on, or raises DataError where they do not suffice. `parts`
    counts along a path those that choose, those that test, and all.
    """

    test: Test
    rated: int
    choosing: Callable[[], RatedDocuments | RatedCounts]
    parts: Callable[[ThresholdPath], "tuple[Counted, Counted, Counted]"]


def deal_documents(documents: RatedDocuments, generator: np.random.Generator) -> Dealing:
    """Deal documents, whole groups together."""
    units = np.arange(len(documents.labels)) if documents.groups is None else documents.groups
    count = int(units.max()) + 1
    rank = generator.permutation(count)[units]
    choosing = rank < round(CHOOSING_SHARE * count)
    independent = count == len(units) and documents.weights.min() == documents.weights.max()

    def parts(path: ThresholdPath) -> "tuple[Counted, Counted, Counted]":
        return (
            _part(documents, path, rank, choosing),
            _part(documents, path, rank, ~choosing),
            _part(documents, path, units, slice(None)),
        )

    return Dealing(
        test="exact" if independent else "betting",
        rated=len(documents.labels),
        choosing=lambda: documents.part(choosing),
        parts=parts,
    )


def deal_cells(counts: RatedCounts, generator: np.random.Generator) -> Dealing:
    """Deal documents that were counted in cells. Raises DataError for different weights."""
    unit = counts.counted.equal_weight
    if unit is None:
        raise DataError(
            "A guarantee on documents of different weights needs the documents themselves, and these were counted "
            "where they lie; choose no weight column, or a range of fewer rows."
        )
    first = counts.counted.dealt(round(1 / CHOOSING_SHARE), generator)[0]
    second = counts.counted.without(first)

    def parts(path: ThresholdPath) -> "tuple[Counted, Counted, Counted]":
        found = (counts.of(part).counts_along(path.thresholds, path.rule) for part in (first, second, counts.counted))
        choosing, testing, everything = (Counted(tp=tp, alerts=tp + fp, unit=unit) for tp, fp in found)
        return choosing, testing, everything

    def choosing() -> RatedCounts:
        return rated_counts(counts.axes, first, rule=counts.rule, names=counts.names)

    return Dealing(test="exact", rated=counts.funnel.at_or_above_floor, choosing=choosing, parts=parts)


@dataclass(frozen=True, eq=False, kw_only=True)
class Counted:
    """Weights `tp` and `alerts` (m,) at each vertex; each document weighs `unit`."""

    tp: Floats
    alerts: Floats
    unit: float

    @property
    def counts(self) -> Counts[Floats]:
        """TP and FP at each vertex, (m,)."""
        return Counts(self.tp, self.alerts - self.tp)

    @property
    def effective(self) -> Floats:
        """Effective numbers of units flagged at each vertex, (m,)."""
        return self.alerts / self.unit

    def counts_at(self, vertex: int) -> tuple[int, int]:
        """Count positives and documents flagged at a vertex, where all weights are equal."""
        return round(self.tp[vertex] / self.unit), round(self.alerts[vertex] / self.unit)

    def units_at(self, vertex: int) -> tuple[Floats, Floats]:
        """Weigh positives and flagged documents at a vertex by unit, in random order."""
        raise AssertionError("documents of one weight are tested exactly, without their units")


@dataclass(frozen=True, eq=False, kw_only=True)
class _Part(Counted):
    """Documents (n,) of a part: first vertex that no longer flags each, and unit ranks.

    A unit is a group, or a document where there are no groups.
    """

    turning: Indices
    labels: Bools
    weights: Floats
    rank: Indices
    vertices: int

    @cached_property
    def effective(self) -> Floats:
        """Compute effective numbers of units (m,): (sum of totals)^2 / sum of squares."""
        order = np.lexsort((-self.turning, self.rank))
        weights, rank = self.weights[order], self.rank[order]
        sums = np.cumsum(weights)
        starts = np.flatnonzero(np.diff(rank, prepend=-1))
        within = sums - np.repeat((sums - weights)[starts], np.diff(np.append(starts, len(rank))))
        squares = np.empty_like(weights)
        # What each document adds to the square of its unit's total as thresholds fall.
        squares[order] = weights * (2 * within - weights)
        return shares_of(np.square(self.alerts), still_flagged(self.turning, squares, self.vertices))

    def units_at(self, vertex: int) -> tuple[Floats, Floats]:
        """Weigh positives and flagged documents at a vertex by unit, in random order."""
        caught = self.turning > vertex
        weights, rank = self.weights[caught], self.rank[caught]
        totals = np.bincount(rank, weights).astype(np.float64)
        positives = np.bincount(rank, weights * self.labels[caught]).astype(np.float64)
        return positives[totals > 0], totals[totals > 0]


def _part(documents: RatedDocuments, path: ThresholdPath, rank: Indices, rows: Bools | slice) -> _Part:
    turning = turning_points(documents.scores, path.thresholds, path.rule)[rows]
    labels, weights = documents.labels[rows], documents.weights[rows]
    return _Part(
        tp=still_flagged(turning, weights * labels, len(path.tp)),
        alerts=still_flagged(turning, weights, len(path.tp)),
        unit=float(weights[0]) if weights.size else 1.0,
        turning=turning,
        labels=labels,
        weights=weights,
        rank=rank[rows],
        vertices=len(path.tp),
    )


def shares_of(part: Floats, whole: Floats) -> Floats:
    """Divide parts by wholes, 0 where a whole is 0."""
    return np.divide(part, whole, out=np.zeros_like(part, dtype=np.float64), where=whole > 0)
