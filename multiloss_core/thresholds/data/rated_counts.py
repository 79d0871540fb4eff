"""Hold rated documents counted in an engine: the cells of a grid and their documents."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats, Indices, sums
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces, surfaces_from_buckets
from multiloss_core.thresholds.data.counts import Counts, Rule, flagged_weights, require_rule
from multiloss_core.thresholds.data.grid_counts import MAX_NODES, Axes, BucketCounts
from multiloss_core.thresholds.data.undecided_documents import DataFunnel

Numbers = TypeVar("Numbers", Indices, Floats)


@dataclass(frozen=True, eq=False)
class CellCounts:
    """Documents in the occupied cells of a grid, by class, negatives first.

    `cells` (c, k): how many nodes of each axis lie at or below the scores. `documents`, `weights` and `squares` (c, 2):
    how many documents, the sum of their weights and that of the squares of these; without sampling weights all three
    are the same.
    """

    cells: Indices
    documents: Indices
    weights: Floats
    squares: Floats

    def __add__(self, other: "CellCounts") -> "CellCounts":
        """Count two sets of documents in the cells of one grid together: O(c log c)."""
        cells = np.vstack([self.cells, other.cells])
        occupied, places = np.unique(cells, axis=0, return_inverse=True)
        return CellCounts(
            occupied,
            _together(places, np.vstack([self.documents, other.documents]), len(occupied)),
            _together(places, np.vstack([self.weights, other.weights]), len(occupied)),
            _together(places, np.vstack([self.squares, other.squares]), len(occupied)),
        )

    @property
    def equal_weight(self) -> float | None:
        """Weight of each document where all are equal, else None."""
        weights, squares = float(self.weights.sum()), float(self.squares.sum())
        unit = weights / float(self.documents.sum())
        # Among weights with this sum, equal ones have the smallest sum of squares.
        return unit if squares <= unit * weights * (1 + 1e-12) else None

    def dealt(self, parts: int, generator: np.random.Generator) -> "list[CellCounts]":
        """Deal documents at random to parts of nearly equal size. O(c parts)."""
        left = self.documents.ravel().copy()
        result = []
        for number in range(parts, 0, -1):
            size = round(int(left.sum()) / number)
            taken = left if number == 1 else generator.multivariate_hypergeometric(left, size, method="marginals")
            left = left - taken
            result.append(self._share(taken.reshape(-1, 2)))
        return result

    def without(self, part: "CellCounts") -> "CellCounts":
        """Take away a part that was dealt of these."""
        return self._share(self.documents - part.documents)

    def _share(self, documents: Indices) -> "CellCounts":
        # Which of the documents of a cell are taken is not known: each weighs what they weigh on average.
        share = np.divide(documents, self.documents, out=np.zeros(documents.shape), where=self.documents > 0)
        return CellCounts(self.cells, documents, self.weights * share, self.squares * share)


@dataclass(frozen=True, eq=False)
class RatedCounts(CountSurfaces):
    """Hold surfaces of rated documents counted in cells, beyond a ready table of counts.

    What a table of counts can do, it can do; beyond that it knows how many documents there are in each cell and how
    much they weigh. Thresholds are nodes of the grid. The axes of the last `alert_rules` have one node, 1: surfaces
    have these rules on; counts at thresholds also have them off, at infinity. See `rated_counts`.
    """

    counted: CellCounts = field(kw_only=True)
    funnel: DataFunnel = field(kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)

    def __repr__(self) -> str:
        return (
            f"RatedCounts({self.funnel.at_or_above_floor:,} documents, {self.funnel.positives:,} positive, in "
            f"{len(self.counted.cells):,} cells; rule {self.rule})"
        )

    @property
    def buckets(self) -> BucketCounts:
        """Weights of positives and negatives in the occupied cells."""
        negatives, positives = self.counted.weights.T
        return BucketCounts(axes=self.axes, cells=self.counted.cells, positives=positives, negatives=negatives)

    @property
    def squares(self) -> Floats:
        """Sum of the squared weights in each cell by class, (c, 2), negatives first."""
        return self.counted.squares

    def under(self, rule: Rule) -> "RatedCounts":
        """Count the same documents under a rule."""
        if rule == self.rule:
            return self
        return rated_counts(
            self.axes, self.counted, rule=rule, names=self.names, funnel=self.funnel, notes=self.notes,
            alert_rules=self.alert_rules,
        )  # fmt: skip

    def counts_along(self, thresholds: Floats, rule: Rule | None = None) -> Counts[Floats]:
        """Count as `counts_at` does at each row of thresholds (m, k); with alert rules O(c k log m)."""
        if not self.alert_rules:
            return super().counts_along(thresholds, rule)
        self.require_own(rule)
        # Cell index i lies at or above node i - 1: cells act as documents with their indices as scores.
        nodes = np.column_stack([np.searchsorted(axis, thresholds[:, j]) for j, axis in enumerate(self.axes)]) + 1
        cells, limits = self.counted.cells.astype(np.float64), nodes.astype(np.float64)
        fp, tp = (flagged_weights(cells, weights, limits, self.rule) for weights in self.counted.weights.T)
        return Counts(tp, fp)

    def counted_thresholds(self, thresholds: Floats) -> Floats:
        """Find the nodes (k,) at which thresholds (k,) are counted; rules are on or off."""
        nodes = super().counted_thresholds(thresholds)
        return np.where((np.arange(len(nodes)) >= self.score_count) & np.isinf(thresholds), np.inf, nodes)

    @property
    def without_alert_rules(self) -> "RatedCounts":
        """Count the documents at or above the floor of some score, by their scores alone."""
        scored = self.score_count
        kept = (self.counted.cells[:, :scored] > 0).any(axis=1)
        counted = self.counted
        cells, places = np.unique(counted.cells[kept, :scored], axis=0, return_inverse=True)
        alone = CellCounts(
            cells,
            _together(places, counted.documents[kept], len(cells)),
            _together(places, counted.weights[kept], len(cells)),
            _together(places, counted.squares[kept], len(cells)),
        )
        return rated_counts(
            self.axes[:scored], alone, rule=self.rule, names=self.names[:scored], funnel=self.funnel, notes=self.notes
        )

    def flagged_or_not(self, thresholds: Floats, rule: Rule) -> CellCounts:
        """Count two cells: documents not flagged by thresholds (k,), at their nodes, then others."""
        self.require_own(rule)
        nodes = [int(np.searchsorted(axis, value)) for axis, value in zip(self.axes, thresholds, strict=True)]
        above = self.counted.cells > nodes
        chosen = above.any(axis=1) if rule == "any" else above.all(axis=1)
        tables = (self.counted.documents, self.counted.weights, self.counted.squares)
        documents, weights, squares = (
            np.array([table[~chosen].sum(axis=0), table[chosen].sum(axis=0)]) for table in tables
        )
        return CellCounts(np.array([[0], [1]]), documents, weights, squares)

    def of(self, counted: CellCounts) -> Self:
        """Count other documents on the same grid, such as a part of these."""
        surfaces = _surfaces(self.axes, counted, self.rule, self.names, self.alert_rules)
        return replace(self, tp=surfaces.tp, fp=surfaces.fp, rated=_totals(counted), counted=counted)


def rated_counts(
    axes: Axes,
    counted: CellCounts,
    *,
    rule: Rule = "any",
    names: Sequence[str],
    funnel: DataFunnel | None = None,
    notes: Sequence[str] = (),
    alert_rules: int = 0,
) -> RatedCounts:
    """Make surfaces of documents counted in grid cells: O(k N) for N nodes.

    The first node of each axis is its floor, the last lies above every score; the axes of the last `alert_rules` have
    the node 1 alone.

    Raises
    ------
    DataError : an unknown rule, one class only, or more than 4 million nodes.
    """
    require_rule(rule)
    nodes = np.prod([len(axis) for axis in axes], dtype=np.float64)
    if nodes > MAX_NODES:
        raise DataError(f"A grid of {nodes:,.0f} nodes is larger than {MAX_NODES:,}; choose fewer nodes or scores.")
    negatives, positives = (int(number) for number in counted.documents.sum(axis=0))
    if not negatives or not positives:
        raise DataError("All documents are of one class; true and false positives are both needed.")
    count = positives + negatives
    known = funnel or DataFunnel(read=count, rated=count, complete=count, at_or_above_floor=count, positives=positives)
    surfaces = _surfaces(axes, counted, rule, tuple(names), alert_rules)
    return RatedCounts(
        axes, surfaces.tp, surfaces.fp, rule, tuple(names), _totals(counted),
        counted=counted, funnel=known, notes=tuple(notes), alert_rules=alert_rules,
    )  # fmt: skip


def _together(places: Indices, values: Numbers, count: int) -> Numbers:
    """Sum rows of values (n, 2) to the places (n,) of `count` cells."""
    table = np.zeros((count, 2), dtype=values.dtype)
    np.add.at(table, places, values)
    return table


def _surfaces(axes: Axes, counted: CellCounts, rule: Rule, names: tuple[str, ...], alert_rules: int) -> CountSurfaces:
    # Above the last node of each axis there is no document.
    negatives, positives = counted.weights.T
    if not alert_rules:
        buckets = BucketCounts(axes=axes, cells=counted.cells, positives=positives, negatives=negatives)
        return surfaces_from_buckets(buckets, rule, names)
    scored = len(axes) - alert_rules
    raised = (counted.cells[:, scored:] > 0).any(axis=1)
    cells, places = np.unique(counted.cells[~raised, :scored], axis=0, return_inverse=True)
    positives_alone, negatives_alone = (sums(places, part[~raised], len(cells)) for part in (positives, negatives))
    alone = surfaces_from_buckets(
        BucketCounts(axes=axes[:scored], cells=cells, positives=positives_alone, negatives=negatives_alone),
        rule,
        names[:scored],
    )
    tp, fp = (
        (own + float(part[raised].sum())).reshape(*own.shape, *[1] * alert_rules)
        for own, part in ((alone.tp, positives), (alone.fp, negatives))
    )
    return CountSurfaces(axes, tp, fp, rule, names)


def _totals(counted: CellCounts) -> Counts[float]:
    negatives, positives = counted.weights.sum(axis=0)
    return Counts(float(positives), float(negatives))
