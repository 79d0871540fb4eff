"""Hold undecided alerts, and count the rows from a table to rated documents."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.thresholds.data.counts import Rule, flagged, flagged_weights


@dataclass(frozen=True, eq=False, kw_only=True)
class UndecidedDocuments:
    """Hold documents at or above some rating floor with a blank or undecided rating.

    `scores` (u, k), `weights` (u,) > 0, `rows` (u,) of the table that they come from, counted from 0, and `groups`
    (u,), numbered as those of the rated documents; None where there are none.
    """

    scores: Floats
    weights: Floats
    rows: Indices
    groups: Indices | None = None

    def __len__(self) -> int:
        return len(self.weights)

    def flagged(self, thresholds: ArrayLike, rule: Rule) -> Bools:
        """Flag documents (u,) at thresholds (k,), infinity for never."""
        return flagged(self.scores, thresholds, rule)

    def count_along(self, thresholds: Floats, rule: Rule) -> Floats:
        """Sum the weights (m,) flagged at thresholds (m, k), as `RatedDocuments.counts_along`."""
        return flagged_weights(self.scores, self.weights, thresholds, rule)

    def part(self, rows: Indices | Bools) -> Self:
        """Take some of the documents (positions or a mask)."""
        groups = None if self.groups is None else self.groups[rows]
        return type(self)(scores=self.scores[rows], weights=self.weights[rows], rows=self.rows[rows], groups=groups)

    def with_groups_of(self, groups: Indices | None) -> Self:
        """Let each document stand alone where rated ones have groups (n,) and these have none."""
        if groups is None or self.groups is not None:
            return self
        return replace(self, groups=groups.max() + 1 + np.arange(len(self)))


def no_documents(classifiers: int) -> UndecidedDocuments:
    """Make an empty set for k classifiers."""
    return UndecidedDocuments(scores=np.empty((0, classifiers)), weights=np.empty(0), rows=np.empty(0, dtype=np.intp))


@dataclass(frozen=True, kw_only=True)
class DataFunnel:
    """Count the rows that survive each step from the file to rated documents (no weights)."""

    read: int
    rated: int
    complete: int
    at_or_above_floor: int
    positives: int

    @property
    def steps(self) -> tuple[tuple[str, int], ...]:
        """The steps in order, each with its words and its count."""
        return (
            ("rows read", self.read),
            ("rated", self.rated),
            ("complete scores", self.complete),
            ("at or above a floor", self.at_or_above_floor),
            ("positives", self.positives),
        )
