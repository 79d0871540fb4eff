"""Some of the rated documents, with what they hold and how sure that is."""

from dataclasses import dataclass

import numpy as np

from multiloss_core.numerics.arrays import Bools, Indices, ratio
from multiloss_core.numerics.proportions import effective_size, precision_interval
from multiloss_core.thresholds.data.rated_documents import RatedDocuments


@dataclass(frozen=True, eq=False)
class Selection:
    """TP and FP (weights) of some rated documents.

    `positions` (m,) are those of the documents in the arrays of the `RatedDocuments`, rising; None where only counts are
    known. `interval` is the 95 % Wilson interval (low, high) of the precision, over as many documents as the weights are
    worth; not a number over nothing.
    """

    positions: Indices | None
    tp: float
    fp: float
    interval: tuple[float, float]

    @property
    def alerts(self) -> float:
        """TP + FP: how many documents they stand for."""
        return self.tp + self.fp

    @property
    def precision(self) -> float:
        """TP / (TP + FP); not a number over nothing."""
        return ratio(self.tp, self.alerts)


def selection(documents: RatedDocuments, chosen: Bools) -> Selection:
    """The documents of a mask (n,)."""
    positions = np.flatnonzero(chosen)
    weights, labels = documents.weights[positions], documents.labels[positions]
    tp, fp = float(weights[labels].sum()), float(weights[~labels].sum())
    return Selection(positions, tp, fp, precision_interval(ratio(tp, tp + fp), effective_size(weights)))


def counted_selection(tp: float, fp: float) -> Selection:
    """Counts without documents, each of which counts once."""
    return Selection(None, tp, fp, precision_interval(ratio(tp, tp + fp), tp + fp))
