"""Find expected losses and optimal predictions for many rows of items at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.methods import ExpectedLosses, checked_probabilities, expected_losses
from multiloss_core.losses.multivariate import Loss, LossFunction
from multiloss_core.losses.top_k import TopK, optimal_top_k
from multiloss_core.numerics.arrays import Bools, Floats, Indices

Rows = ArrayLike | Sequence[ArrayLike]


@dataclass(frozen=True, eq=False)
class BatchTopK:
    """The prediction of each of B rows that minimises its expected loss.

    `k` (B,), `cut` (B,), `expected_loss` (B,) and `error_bound` (B,) are those of `TopK`. `selected`: masks of the
    items predicted positive, (B, n) bool for a matrix of rows, else one (n,) bool for each row.
    """

    k: Indices
    cut: Floats
    expected_loss: Floats
    error_bound: Floats
    selected: Bools | tuple[Bools, ...]


def batch_expected_losses(
    rows: Rows,
    loss: Loss | LossFunction,
    *,
    mask: ArrayLike | None = None,
    method: str = "auto",
    tolerance: float = 1e-9,
    threads: int = 2,
) -> tuple[ExpectedLosses, ...]:
    """Find the `expected_losses` of each row."""
    return tuple(expected_losses(row, loss, method=method, tolerance=tolerance) for row in _rows(rows, mask)[0])


def batch_top_k(
    rows: Rows,
    loss: Loss | LossFunction,
    *,
    mask: ArrayLike | None = None,
    at_least: int = 0,
    method: str = "auto",
    tolerance: float = 1e-9,
    threads: int = 2,
) -> BatchTopK:
    """Find the `optimal_top_k` of each row."""
    parts, items = _rows(rows, mask)
    found = [optimal_top_k(row, loss, at_least=at_least, method=method, tolerance=tolerance) for row in parts]
    if items is None:
        selected: Bools | tuple[Bools, ...] = tuple(top.selected for top in found)
    else:
        selected = np.zeros(items.shape, dtype=bool)
        selected[items] = np.concatenate([top.selected for top in found])
    return BatchTopK(np.array([top.k for top in found], dtype=np.intp), *_columns(found), selected)


def _columns(found: list[TopK]) -> tuple[Floats, Floats, Floats]:
    return tuple(np.array([getattr(t, n) for t in found]) for n in ("cut", "expected_loss", "error_bound"))


def _rows(rows: Rows, mask: ArrayLike | None) -> tuple[list[Floats], Bools | None]:
    if mask is None and not isinstance(rows, np.ndarray):
        return [checked_probabilities(row) for row in rows], None
    table = np.asarray(rows, dtype=np.float64)
    items = np.ones(table.shape, dtype=bool) if mask is None else np.asarray(mask, dtype=bool)
    if items.shape != table.shape or table.ndim != 2:
        raise DataError("bad shape")
    return [checked_probabilities(row[kept]) for row, kept in zip(table, items, strict=True)], items
