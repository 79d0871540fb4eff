"""A point in each segment of the documents: channels, countries, products."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Indices, ratio, sums
from multiloss_core.numerics.proportions import precision_interval
from multiloss_core.thresholds.data.flagged_counts import Counts, Rule, checked_thresholds, flagged, require_rule
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

SIGNIFICANCE_LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Which of the segments `names` each of n documents is in: `code` (n,); worked out once, whatever is flagged."""

    names: tuple[str, ...]
    code: Indices


def segmentation(segments: NDArray[np.object_]) -> Segmentation:
    """Find the segments of documents (n,), in order of appearance. Time O(n)."""
    code, names = pd.factorize(segments)
    return Segmentation(tuple(map(str, names)), np.asarray(code, dtype=np.intp))


@dataclass(frozen=True, kw_only=True)
class Segment(Counts[float]):
    """TP and FP of a point in a segment, with its rated documents and positives (all of them weights).

    `size`: how many alerts of weight 1 its alerts are worth. `interval`: the 95 % Wilson interval of the precision, NaN
    without alerts. `differs`: the precision is clearly above or below that of all alerts together.
    """

    name: str
    documents: float
    positives: float
    size: float
    interval: tuple[float, float]
    differs: Literal["above", "below"] | None = None


def segment_counts(
    documents: RatedDocuments, segments: Segmentation, thresholds: ArrayLike, rule: Rule
) -> tuple[Segment, ...]:
    """Count what thresholds (k,), infinity for never, flag in each segment; most alerts first, then most documents.

    A segment differs where its interval, widened for the number of segments that have alerts (Bonferroni), does not
    hold the precision of all alerts together: if all segments are alike, some segment is said to differ in at most
    about one of twenty cases. Time O(n k).

    Raises
    ------
    DataError : not one usable threshold for each classifier, or segments of other documents.
    """
    require_rule(rule)
    if segments.code.shape != documents.labels.shape:
        raise DataError(
            f"There are segments of {segments.code.size:,} documents and not of these {documents.labels.size:,}; "
            "give one each."
        )
    chosen = flagged(documents.scores, checked_thresholds(thresholds, documents.names), rule)
    weights, count = documents.weights, len(segments.names)
    # Not flagged and flagged, in either negatives and positives, of a segment next to each other.
    kind = 4 * segments.code + 2 * chosen + documents.labels
    counts = sums(kind, weights, 4 * count).reshape(count, 2, 2)
    squares = sums(segments.code[chosen], weights[chosen] ** 2, count)
    found = [
        _segment(name, float(here.sum()), float(here[:, 1].sum()), float(here[1, 1]), float(here[1, 0]), float(spread))
        for name, here, spread in zip(segments.names, counts, squares, strict=True)
    ]
    found.sort(key=lambda segment: (-segment.alerts, -segment.documents, segment.name))
    overall = ratio(sum(s.tp for s in found), sum(s.alerts for s in found))
    looked_at = max(1, sum(s.alerts > 0 for s in found))
    return tuple(replace(s, differs=_difference(s, overall, SIGNIFICANCE_LEVEL / looked_at)) for s in found)


def folded(segments: Sequence[Segment], most: int) -> tuple[Segment, ...]:
    """Keep the first `most` segments and fold n >= 2 others into one, "(n others)"."""
    if len(segments) <= most + 1:
        return tuple(segments)
    others = segments[most:]
    whole, positives, tp, fp = (
        float(sum(getattr(segment, part) for segment in others)) for part in ("documents", "positives", "tp", "fp")
    )
    squares = sum(segment.alerts**2 / segment.size for segment in others if segment.alerts > 0)
    return (*segments[:most], _segment(f"({len(others)} others)", whole, positives, tp, fp, squares))


def _segment(name: str, documents: float, positives: float, tp: float, fp: float, squares: float) -> Segment:
    size = (tp + fp) ** 2 / squares if squares > 0 else 0.0
    interval = precision_interval(ratio(tp, tp + fp), size, 1 - SIGNIFICANCE_LEVEL)
    return Segment(tp, fp, name=name, documents=documents, positives=positives, size=size, interval=interval)


def _difference(segment: Segment, overall: float, level: float) -> Literal["above", "below"] | None:
    low, high = precision_interval(segment.precision, segment.size, 1 - level)
    if low > overall:
        return "above"
    return "below" if high < overall else None
