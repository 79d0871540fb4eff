"""Count some of the rated documents, with an interval of their precision."""

from dataclasses import dataclass

import numpy as np

from multiloss_core.numerics.arrays import Bools, Indices
from multiloss_core.numerics.proportions import effective_size, precision_interval
from multiloss_core.thresholds.data.counts import Counts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments


@dataclass(frozen=True, eq=False, kw_only=True)
class DocumentSubset(Counts[float]):
    """TP and FP (weights) of some rated documents.

    `positions` (m,) are those of the documents in the arrays of the `RatedDocuments`, rising; None where only counts
    `positions` (m,) of the documents in the arrays of the `RatedDocuments`, rising; None if only counts are known.
    `interval`: 95 % Wilson interval (low, high) of the precision, over the effective number of documents; NaN where
    there is none. `weight`: effective number of documents per unit, 1 without weights.
    """

    positions: Indices | None
    interval: tuple[float, float]
    weight: float = 1.0


def document_subset(documents: RatedDocuments, chosen: Bools) -> DocumentSubset:
    """Count the documents of a mask (n,)."""
    return _subset(documents.counts_of(chosen), np.flatnonzero(chosen), effective_size(documents.weights[chosen]))


def counted_subset(tp: float, fp: float) -> DocumentSubset:
    """Make a subset of unit-weight documents from counts alone."""
    return _subset(Counts(tp, fp), None, tp + fp)


def _subset(counts: Counts[float], positions: Indices | None, size: float) -> DocumentSubset:
    interval = precision_interval(counts.precision, size)
    weight = counts.alerts / size if size else 1.0
    return DocumentSubset(counts.tp, counts.fp, positions=positions, interval=interval, weight=weight)
