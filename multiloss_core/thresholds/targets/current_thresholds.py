"""Check thresholds from elsewhere against the scores of the data."""

from collections.abc import Iterator
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.formatting import direction, score_name, shortened
from multiloss_core.numerics.arrays import Floats
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces
from multiloss_core.thresholds.data.counts import checked_thresholds
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.data.rated_documents import RatedDocuments


def on_precision_of_scores(source: RatedData, thresholds: ArrayLike) -> Floats:
    """Round thresholds (k,) to single precision where all scores of the classifier have it.

    0.7 in single precision lies below 0.7 in double precision, and an engine compares it with 0.7 as written. Scores
    that both precisions write alike are not affected. O(n k). Raises DataError: not one threshold for each score.
    """
    checked = checked_thresholds(thresholds, source.names)
    if not isinstance(source, RatedDocuments):
        return checked
    with np.errstate(over="ignore"):
        single = checked.astype(np.float32).astype(np.float64)
        is_single = (source.scores == source.scores.astype(np.float32)).all(axis=0)
    return np.where(is_single, single, checked)


def out_of_range(source: RatedData, thresholds: ArrayLike) -> Iterator[str]:
    """Describe each finite threshold (k,) that lies above or below all scores of the data."""
    for j, value in enumerate(np.asarray(thresholds, dtype=np.float64)[: len(source.names) - source.alert_rules]):
        low, high = _range_of(source, j)
        if np.isfinite(value) and not low <= value <= high:
            name = source.names[j]
            ends = sorted(direction(name) * end for end in (low, high))
            yield (
                f"The current threshold of '{shortened(score_name(name))}' lies outside of all rated scores: it is "
                f"{direction(name) * value:.6g}, they go from {ends[0]:.6g} to {ends[-1]:.6g}; check its scale."
            )


def _range_of(source: RatedData, j: int) -> tuple[float, float]:
    documents = source.documents
    ends = cast("CountSurfaces", source).axes[j] if documents is None else documents.ordered_scores[j]
    return float(ends[np.searchsorted(ends, -np.inf, "right")]), float(ends[-1])
