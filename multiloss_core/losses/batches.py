"""Find expected losses and optimal predictions for many rows of items at once."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.methods import ExpectedLosses, checked_probabilities, losses_of_rows
from multiloss_core.losses.monotonicity import warn_of_gain
from multiloss_core.losses.multivariate import Loss, LossFunction, as_loss
from multiloss_core.losses.top_k import best_ks, checked_least, flag_first
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.numerics.rounding import is_probability

T = TypeVar("T")

# Rows of one length are taken together up to this number of rows x items^2: tables of 8 MB.
_BLOCK = 2**20


@dataclass(frozen=True, eq=False)
class BatchTopK:
    """The prediction of each of B rows that minimises its expected loss.

    `k`, `cut`, `expected_loss` and `error_bound` (B,) are those of `TopK`. `selected`: the items predicted positive, as
    one mask (B, n) for a matrix of rows, else a mask (n,) for each row.

    Examples
    --------
    >>> from multiloss_core import JACCARD, batch_top_k
    >>> batch_top_k([[0.1, 0.9], [0.2, 0.3]], JACCARD).k.tolist()
    [1, 0]
    """

    k: Indices
    cut: Floats
    expected_loss: Floats
    error_bound: Floats
    selected: Bools | tuple[Bools, ...]


def batch_expected_losses(
    rows: ArrayLike | Sequence[ArrayLike],
    loss: Loss | LossFunction,
    *,
    mask: ArrayLike | None = None,
    method: str = "auto",
    tolerance: float = 1e-9,
    threads: int = 2,
) -> tuple[ExpectedLosses, ...]:
    """Find the `expected_losses` of each row of a batch.

    Parameters, cost and exceptions as in `batch_top_k`.

    Examples
    --------
    >>> from multiloss_core import F, batch_expected_losses
    >>> [found.values.round(3).tolist() for found in batch_expected_losses([[0.9, 0.4], [0.5]], F())]
    [[0.94, 0.22, 0.253], [0.5, 0.5]]
    """
    batch = _Batch(rows, mask)

    def found(block: Indices) -> list[ExpectedLosses]:
        descending = np.sort(batch.probabilities[batch.positions(block)], axis=1)[:, ::-1].copy()
        results = losses_of_rows(descending, as_loss(loss), method, tolerance)
        return [ExpectedLosses(row, float(bound), str(name)) for row, bound, name in zip(*results, strict=True)]

    blocks = batch.blocks()
    results = [one for part in _mapped(found, blocks, threads) for one in part]
    return tuple(results[place] for place in np.argsort(np.concatenate(blocks)))


def batch_top_k(
    rows: ArrayLike | Sequence[ArrayLike],
    loss: Loss | LossFunction,
    *,
    mask: ArrayLike | None = None,
    at_least: int = 0,
    empty: ArrayLike | None = None,
    method: str = "auto",
    tolerance: float = 1e-9,
    threads: int = 2,
) -> BatchTopK:
    """Find the `optimal_top_k` of each row of a batch, such as the labels of a document.

    `rows`: a matrix (B, n) of probabilities, or a sequence of rows (n,) of any lengths. `mask` (B, n) bool: the items
    that exist, by default those that a masked array does not mask; what stands elsewhere in the matrix is ignored and
    never selected. Each row has its own `error_bound`, at most `tolerance`; `at_least`, `method` and `tolerance` are
    those of `optimal_top_k`. Rows of equal length share the losses of their outcomes, so that "auto" is exact up to
    n = 100 for 10 such rows and more. `threads` >= 1.

    `empty` (B,) in [0, 1]: the probability that no item of a row is positive, where that is known from elsewhere. The
    product of independent items overstates it where labels exclude or follow each other. Outcomes with a positive keep
    their odds to each other; for a given k the best items stay the most probable ones. `error_bound` grows with the
    odds.

    Time is that of its rows, O(n) each for F, Jaccard, AM and G-TP/PR; memory beside input and result is some 40 MB, or
    O(n) of the longest row, for each thread. Raises DataError as `optimal_top_k` does, with the row, and for a row
    without items, a mask of another shape, or `threads` < 1. Source: Natarajan et al. 2016, Theorem 1, by row.

    Examples
    --------
    >>> from multiloss_core import F, batch_top_k
    >>> found = batch_top_k([[0.1, 0.9, 0.6], [0.4]], F())
    >>> found.k.tolist(), [mask.tolist() for mask in found.selected]
    ([2, 0], [[False, True, True], [False]])
    """
    batch = _Batch(rows, mask)
    none_positive = None if empty is None else _checked_empty(empty, batch.lengths.size)
    checked_least(at_least, int(batch.lengths.min()))
    warn_of_gain(loss)
    selected = np.zeros(batch.probabilities.size, dtype=bool)

    def found(block: Indices) -> tuple[Any, ...]:
        places = batch.positions(block)
        probabilities = batch.probabilities[places]
        descending = np.sort(probabilities, axis=1)[:, ::-1].copy()
        values, bounds, _ = losses_of_rows(descending, as_loss(loss), method, tolerance)
        if none_positive is not None:
            values, bounds = _given_empty(values, bounds, descending, as_loss(loss), none_positive[block])
        k = best_ks(values, at_least)
        cuts, selected[places] = flag_first(probabilities, descending, k)
        return k, cuts, values[np.arange(len(k)), k], bounds

    blocks = batch.blocks()
    place = np.argsort(np.concatenate(blocks))
    k, cut, loss_of_k, bound = (
        np.concatenate(parts)[place] for parts in zip(*_mapped(found, blocks, threads), strict=True)
    )
    return BatchTopK(k, cut, loss_of_k, bound, batch.shaped(selected))


class _Batch:
    """Checked rows, one behind the other: `probabilities` (items,), `lengths` and `starts` (B,).

    `items` (B, n): those that exist in a matrix of rows, else None.
    """

    def __init__(self, rows: ArrayLike | Sequence[ArrayLike], mask: ArrayLike | None) -> None:
        self.items: Bools | None = None
        parts: Sequence[ArrayLike]
        if mask is not None or getattr(rows, "ndim", 0) > 1:
            parts = self._parts_of_matrix(rows, mask)
        else:
            parts = list(cast(Sequence[ArrayLike], rows)) if np.iterable(rows) else []
        if not len(parts):
            raise DataError("There are no rows of probabilities; give a matrix or a list with at least one row.")
        checked = [_checked_row(row, part) for row, part in enumerate(parts, start=1)]
        self.probabilities = np.concatenate(checked)
        self.lengths = np.array([part.size for part in checked])
        self.starts = np.cumsum(self.lengths) - self.lengths

    def _parts_of_matrix(self, rows: ArrayLike | Sequence[ArrayLike], mask: ArrayLike | None) -> list[Floats]:
        try:
            table = np.asarray(rows, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(
                "Rows with a mask must be a matrix of numbers; fill missing items with any number."
            ) from None
        items = ~np.ma.getmaskarray(cast(Any, rows)) if mask is None else np.asarray(mask)
        if table.ndim != 2 or items.shape != table.shape or items.dtype != bool:
            raise DataError(
                f"The rows have the shape {table.shape} and the mask has {items.shape} and type {items.dtype}; give a "
                "matrix (B, n) of probabilities and truth values of the same shape."
            )
        self.items = items
        # Messages name the column, so what does not exist is not cut out before the check.
        wrong = np.flatnonzero((items & ~is_probability(table)).any(axis=1))
        if wrong.size:
            _checked_row(int(wrong[0]) + 1, np.where(items, table, 0.0)[wrong[0]])
        return [row[kept] for row, kept in zip(table, items, strict=True)]

    def blocks(self) -> list[Indices]:
        """Part the rows into blocks of equal length and bounded size."""
        order = np.argsort(self.lengths, kind="stable")
        of_length = np.split(order, np.flatnonzero(np.diff(self.lengths[order])) + 1)
        return [
            rows[start : start + size]
            for rows in of_length
            for size in [max(1, _BLOCK // int(self.lengths[rows[0]]) ** 2)]
            for start in range(0, rows.size, size)
        ]

    def positions(self, block: Indices) -> Indices:
        """Return the positions in `probabilities` of rows of equal length, (rows, n)."""
        return self.starts[block, np.newaxis] + np.arange(self.lengths[block[0]])

    def shaped(self, values: Bools) -> Bools | tuple[Bools, ...]:
        """Part values (items,) into rows: a matrix if one was given, false where no item exists."""
        if self.items is None:
            return tuple(np.split(values, self.starts[1:]))
        table = np.zeros(self.items.shape, dtype=bool)
        table[self.items] = values
        return table


def _checked_row(row: int, probabilities: ArrayLike) -> Floats:
    try:
        return checked_probabilities(probabilities)
    except DataError as error:
        raise DataError(f"Row {row}: {error}") from None


def _checked_empty(empty: ArrayLike, rows: int) -> Floats:
    values = checked_probabilities(empty)
    if values.size != rows:
        raise DataError(
            f"There are {values.size:,} probabilities of an empty row for {rows:,} rows; give one for each."
        )
    return values


def _given_empty(
    values: Floats, bounds: Floats, probabilities: Floats, loss: Loss, empty: Floats
) -> tuple[Floats, Floats]:
    """Change expected losses (B, n + 1) of independent items to those with `empty` (B,).

    Of independent items, the outcome without a positive is taken out, and put back with the other probability.
    """
    flagged = np.linspace(0.0, 1.0, probabilities.shape[1] + 1)
    of_empty = loss(np.zeros_like(flagged), flagged, np.zeros_like(flagged))
    with np.errstate(divide="ignore"):
        some = -np.expm1(np.log1p(-probabilities).sum(axis=1))
    odds = np.divide(1 - empty, some, out=np.zeros_like(some), where=some > 0)[:, np.newaxis]
    # A row of zeros is empty.
    rest = np.where(some > 0, empty, 1.0)[:, np.newaxis]
    return odds * (values - (1 - some)[:, np.newaxis] * of_empty) + rest * of_empty, odds[:, 0] * bounds


def _mapped(work: Callable[[Indices], T], blocks: list[Indices], threads: int) -> list[T]:
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1:
        raise DataError(f"threads is {threads!r}; give a whole number from 1.")
    if threads == 1 or len(blocks) == 1:
        return [work(block) for block in blocks]
    with ThreadPoolExecutor(int(threads)) as pool:
        return list(pool.map(work, blocks))
