"""Give each batch of items a cut of its own, and compare it with one cut for all."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.losses.batches import batch_expected_losses
from multiloss_core.losses.constant_threshold import observed_loss
from multiloss_core.losses.expected.windowed import scaled_tolerance
from multiloss_core.losses.formulas import promised_counts
from multiloss_core.losses.multivariate import Loss
from multiloss_core.losses.scored_items import ScoredItems
from multiloss_core.losses.separable import SEPARABLE, separable_losses, separable_top_k
from multiloss_core.losses.top_k import best_k, probability_order
from multiloss_core.numerics.arrays import Bools, Floats, Indices

MAX_BATCHES = 10_000
_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class BatchCuts:
    """A prediction for the items of B batches, with its losses in each and in all.

    Of each batch (B,): `names`, `items`, `k` flagged items, `cut` (the smallest flagged probability, NaN for none),
    `expected` loss and `observed` loss on its labelled items (NaN without). `selected` (n,): the flagged items.
    `micro_expected` and `micro_observed`: the loss of all items taken together, at their mean counts and on the
    labelled items (NaN without).
    """

    names: tuple[str, ...]
    items: Indices
    k: Indices
    cut: Floats
    expected: Floats
    observed: Floats
    selected: Bools
    micro_expected: float
    micro_observed: float

    @property
    def macro_expected(self) -> float:
        """Return the mean of the expected losses of the batches."""
        return float(self.expected.mean())

    @property
    def macro_observed(self) -> float:
        """Return the mean of the observed losses of batches with outcomes; NaN without any."""
        known = self.observed[~np.isnan(self.observed)]
        return float(known.mean()) if known.size else float("nan")


def batch_cuts(
    items: ScoredItems,
    batches: ArrayLike,
    loss: Loss,
    common: ArrayLike,
    *,
    at_least: int = 0,
    order: Indices | None = None,
) -> tuple[BatchCuts, BatchCuts]:
    """Find the best top-k prediction of each batch, and judge one prediction for all beside it.

    `batches` (n,) names the batch of each item; blank cells are one batch. `common` (n,) bool flags the items above
    one cut for all. `at_least` items are flagged in each batch, or all of a smaller one. `order` (n,): the positions
    of the items by falling probability; without it, ties as in the input. Batches are in the order of their
    first items. Raises DataError for arrays of another length, for more than 10,000 batches, and as
    `batch_expected_losses` does. Time: that of `batch_expected_losses` and O(n log n).

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import F, ScoredItems
    >>> from multiloss_core.losses import batch_cuts
    >>> items = ScoredItems(np.array([0.9, 0.2, 0.4, 0.3]))
    >>> own, one = batch_cuts(items, ["a", "a", "b", "b"], F(), items.probabilities > 0.5, at_least=1)
    >>> own.k.tolist(), one.k.tolist()
    ([1, 2], [1, 0])
    """
    probabilities, shared = items.probabilities, np.asarray(common, dtype=bool)
    codes, names = pd.factorize(np.asarray(batches, dtype=object), use_na_sentinel=False)
    if not codes.size == shared.size == probabilities.size:
        raise DataError(f"{codes.size:,} batch names do not fit {probabilities.size:,} items; give one for each.")
    if len(names) > MAX_BATCHES:
        raise DataError(f"There are {len(names):,} batches, more than the limit of {MAX_BATCHES:,}; merge some.")
    order = probability_order(probabilities) if order is None else order
    order = order[np.argsort(codes[order], kind="stable")]
    sizes = np.bincount(codes)
    rows = np.split(order, np.cumsum(sizes)[:-1])
    if loss in SEPARABLE:
        losses = [separable_losses(probabilities[row], loss).values for row in rows]
        least = [min(at_least, row.size) for row in rows]
        own = [separable_top_k(probabilities[row], loss, at_least=few).k for row, few in zip(rows, least, strict=True)]
    else:
        tolerance = scaled_tolerance(loss, int(sizes.max()), _TOLERANCE)
        found = batch_expected_losses([probabilities[row] for row in rows], loss, tolerance=tolerance)
        losses = [one.values for one in found]
        own = [best_k(values, min(at_least, values.size - 1)) for values in losses]
    titles = tuple("(blank)" if pd.isna(name) else str(name) for name in names)
    selected = np.zeros(probabilities.size, dtype=bool)
    selected[np.concatenate([row[:k] for row, k in zip(rows, own, strict=True)])] = True
    return (_judged(items, loss, titles, rows, losses, selected), _judged(items, loss, titles, rows, losses, shared))


def _judged(
    items: ScoredItems, loss: Loss, names: tuple[str, ...], rows: list[Indices], losses: list[Floats], selected: Bools
) -> BatchCuts:
    probabilities = items.probabilities
    k = np.array([np.count_nonzero(selected[row]) for row in rows])
    cut = np.array([probabilities[row[selected[row]]].min(initial=np.inf) for row in rows])
    *observed, micro = _observed(items, loss, selected, [*rows, np.arange(probabilities.size)])
    return BatchCuts(
        names=names,
        items=np.array([row.size for row in rows]),
        k=k,
        cut=np.where(k > 0, cut, np.nan),
        expected=np.array([values[flagged] for values, flagged in zip(losses, k, strict=True)]),
        observed=np.array(observed),
        selected=selected,
        micro_expected=promised_counts(probabilities, selected).loss(loss),
        micro_observed=micro,
    )


def _observed(items: ScoredItems, loss: Loss, selected: Bools, rows: list[Indices]) -> Iterator[float]:
    """Compute the loss on the labelled items of each row."""
    for row in rows:
        known = row if items.labelled is None else row[items.labelled[row]]
        labels = items.labels
        yield float("nan") if labels is None or not known.size else observed_loss(selected[known], labels[known], loss)
