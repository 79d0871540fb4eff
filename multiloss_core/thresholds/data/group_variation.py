"""Measure how counts of random parts of the groups vary."""

from dataclasses import dataclass

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats, Indices, ratio
from multiloss_core.thresholds.data.counts import Rule
from multiloss_core.thresholds.data.grid_counts import Axes


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupParts:
    """Documents counted along a path by p random parts, each group in one part.

    `thresholds` (m, k) of the path, rising, under `rule`. `weights` and `squares` (p, m + 1, 2): the sum of weights and
    that of their squares by part, by the first vertex that no longer flags them, and by class, negatives first.
    """

    thresholds: Floats
    rule: Rule
    weights: Floats
    squares: Floats

    def __post_init__(self) -> None:
        if len(self.weights) < 2:
            raise DataError("The group column holds one group only; choose another column or none.")

    def vertices(self, thresholds: Floats) -> Indices:
        """Find the vertices (t,) of the path that have these thresholds (t, k).

        Raises DataError: thresholds that no vertex has.
        """
        same = (thresholds[:, np.newaxis] == self.thresholds).all(axis=2)
        if not same.any(axis=1).all():
            raise DataError("The groups were counted along another path; count them again.")
        return np.asarray(same.argmax(axis=1))

    def steps(self, axes: Axes, cells: Indices) -> Indices:
        """Find the first vertex (c,), 0 to m, that no longer flags cells (c, k) of a grid."""
        known = [
            np.searchsorted(np.searchsorted(axis, column), cells[:, j])
            for j, (axis, column) in enumerate(zip(axes, self.thresholds.T, strict=True))
        ]
        return np.asarray((np.max if self.rule == "any" else np.min)(known, axis=0))

    def design_effects(self, thresholds: Floats) -> Floats:
        """Compute the factors (2, t) by which groups widen the variances of TP and FP.

        The variance between parts over that of independent documents, for a fixed number of documents.
        """
        effects = np.ones((2, len(thresholds)))
        everything, all_squares = self.weights.sum(axis=(1, 2)), float(self.squares.sum())
        for i, vertex in enumerate(self.vertices(thresholds)):
            for row, kind in enumerate((1, 0)):
                # Where none of a class is flagged, the first ones come in groups as all others do.
                first = vertex + 1 if self.weights[:, vertex + 1 :, kind].any() else 0
                counted = self.weights[:, first:, kind].sum(axis=1)
                share = ratio(float(counted.sum()), float(everything.sum()))
                squares = float(self.squares[:, first:, kind].sum())
                alone = squares * (1 - 2 * share) + share**2 * all_squares
                effects[row, i] = self._effect(counted - share * everything, alone)
        return effects

    def effect_on_share(self, inside: Floats) -> float:
        """Compute the factor by which groups widen the variance of the share of positives, >= 1.

        `inside` (m + 1, 2): part of the documents of each step and class among those of the share.
        """
        counted, squares = (self.weights * inside).sum(axis=1), (self.squares * inside).sum(axis=(0, 1))
        share = ratio(float(counted[:, 1].sum()), float(counted.sum()))
        deviations = counted[:, 1] - share * counted.sum(axis=1)
        return self._effect(deviations, float(squares[1] * (1 - share) ** 2 + squares[0] * share**2))

    def _effect(self, deviations: Floats, alone: float) -> float:
        parts = len(deviations)
        between = float(np.square(deviations).sum()) * parts / (parts - 1)
        return max(1.0, between / alone) if alone > 0 else 1.0
