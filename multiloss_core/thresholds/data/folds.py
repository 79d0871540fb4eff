"""Split rated documents into equal folds with equal shares of positives, groups whole."""

import heapq
from collections.abc import Iterable

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Indices
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

Numbers = Indices


def document_folds(documents: RatedDocuments, folds: int = 5, seed: int = 0, *, whole_groups: bool = True) -> Numbers:
    """Assign each document a fold, (n,) in 0..f-1; f is `folds` or the number of groups.

    Positives and negatives are spread evenly over the folds. Documents of one group share a fold unless `whole_groups`
    is false; groups are placed from the one with most positives to the one with fewest, each where there are fewest so
    far. The folds depend on scores, labels, weights and the seed, not on the order of the documents (except among equal
    ones). Time O(n log n).

    Raises
    ------
    DataError : fewer than two folds, or one group only.
    """
    if folds < 2:
        raise DataError(f"At least 2 folds are needed to hold documents out, not {folds}.")
    generator = np.random.default_rng(seed)
    order = np.lexsort((documents.weights, documents.labels, *documents.scores.T))
    if documents.groups is None or not whole_groups:
        return _spread(documents.labels, order, min(folds, len(order)), generator)
    groups = int(documents.groups.max()) + 1
    if groups < 2:
        raise DataError(
            "All documents belong to one group, so none can be held out; choose another group column or none."
        )
    return _spread_groups(documents.groups, documents.labels, order, min(folds, groups), generator)[documents.groups]


def _spread(labels: Bools, order: Numbers, folds: int, generator: np.random.Generator) -> Numbers:
    fold = np.empty(len(labels), dtype=np.intp)
    start = 0
    for kind in (True, False):
        members = generator.permutation(order[labels[order] == kind])
        # The negatives go on where the positives ended, so that sizes differ by one at most.
        fold[members] = (start + np.arange(len(members))) % folds
        start += len(members)
    return fold


def _spread_groups(
    groups: Numbers, labels: Bools, order: Numbers, folds: int, generator: np.random.Generator
) -> Numbers:
    """Assign each group a fold, (g,)."""
    sizes = np.bincount(groups)
    positives = np.bincount(groups, labels).astype(np.intp)
    by_content = np.unique(groups[order], return_index=True)[1].argsort()
    shuffled = generator.permutation(by_content)
    shuffled = shuffled[np.lexsort((-sizes[shuffled], -positives[shuffled]))]
    fold = np.empty(len(sizes), dtype=np.intp)
    with_positives = positives[shuffled] > 0
    loads = [(0, 0, number) for number in range(folds)]
    _place(shuffled[with_positives], positives, sizes, loads, fold)
    # Among groups without a positive the number of documents alone is left to even out.
    loads = [(0, documents, number) for _, documents, number in loads]
    heapq.heapify(loads)
    _place(shuffled[~with_positives], positives, sizes, loads, fold)
    return fold


def _place(
    members: Iterable[np.intp], positives: Numbers, sizes: Numbers, loads: list[tuple[int, int, int]], fold: Numbers
) -> None:
    """Put each group into the least loaded fold of the heap (positives, documents, number)."""
    for group in members:
        caught, documents, number = loads[0]
        fold[group] = number
        heapq.heapreplace(loads, (caught + int(positives[group]), documents + int(sizes[group]), number))
