"""Find which sources raise which rated documents at thresholds."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.numerics.arrays import Bools, Floats
from multiloss_core.thresholds.data.counts import checked_thresholds
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
