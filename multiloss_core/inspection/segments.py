"""Count a point in each segment of the documents: channels, countries, products."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from multiloss_core.errors import DataError
from multiloss_core.formatting import plural
from multiloss_core.numerics.arrays import Floats, Indices, ratio, sums
from multiloss_core.numerics.proportions import precision_interval
from multiloss_core.thresholds.data.counts import Counts, Rule, checked_thresholds, flagged, require_rule
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

SIGNIFICANCE_LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Positions in the segments `names` of n documents, `code` (n,), without thresholds.

    `undecided_code` (u,) does so for undecided documents.
    """

    names: tuple[str, ...]
    code: Indices
    undecided_code: Indices


def segmentation(segments: NDArray[np.object_], undecided: NDArray[np.object_] | None = None) -> Segmentation:
    """Find the segments of documents (n,) and undecided ones (u,). Time O(n + u)."""
    both = segments if undecided is None else np.concatenate([segments, undecided])
    code, names = pd.factorize(both)
    code = np.asarray(code, dtype=np.intp)
    return Segmentation(tuple(map(str, names)), code[: segments.size], code[segments.size :])


@dataclass(frozen=True, kw_only=True)
class Segment(Counts[float]):
    """TP and FP of a point in a segment, with rated documents and positives (weights).

    `undecided`: its undecided alerts, which `alerts` and `precision` leave out. `size`: effective number of its alerts.
    `interval`: the 95 % Wilson interval of the precision, NaN without alerts. `differs`: whether the precision is
    clearly above or below that of all alerts together.
    """

    name: str
    documents: float
    positives: float
    undecided: float
    size: float
    interval: tuple[float, float]
    differs: Literal["above", "below"] | None = None


def segment_counts(
    documents: RatedDocuments, segments: Segmentation, thresholds: ArrayLike, rule: Rule
) -> tuple[Segment, ...]:
    """Count flagged documents per segment at thresholds (k,), most alerts first.

    Ties go to the segment with more documents. A segment differs if its interval, widened for the number of segments
    with alerts (Bonferroni), excludes the precision of all alerts together: among equal segments, some segment differs
    by chance in at most about one of twenty cases. Time O(n k).

    Raises DataError: not one usable threshold for each classifier, or segments of other documents.
    """
    require_rule(rule)
    given = segments.code.size, segments.undecided_code.size
    needed = documents.labels.size, len(documents.undecided)
    if given != needed:
        raise DataError(
            f"There are segments of {given[0]:,} documents ({given[1]:,} undecided) and not of these {needed[0]:,} "
            f"({needed[1]:,} undecided); give one each."
        )
    checked = checked_thresholds(thresholds, documents.names)
    chosen, waiting = flagged(documents.scores, checked, rule), documents.undecided.flagged(checked, rule)
    weights, count = documents.weights, len(segments.names)
    # Order within a segment: not flagged, flagged; in each negatives, positives.
    kind = 4 * segments.code + 2 * chosen + documents.labels
    counts = sums(kind, weights, 4 * count).reshape(count, 2, 2)
    squares = sums(segments.code[chosen], weights[chosen] ** 2, count)
    undecided = sums(segments.undecided_code[waiting], documents.undecided.weights[waiting], count)
    return segments_of_sums(segments.names, counts, squares, undecided)


def segments_of_sums(
    names: Sequence[str], counts: Floats, squares: Floats, undecided: Floats | None = None
) -> tuple[Segment, ...]:
    """Describe segments (s,) as `segment_counts` does, from sums of weights.

    `counts` (s, 2, 2): not flagged and flagged, in each negatives and positives. `squares` (s,): sums of the squared
    weights of flagged documents. `undecided` (s,): weight of undecided alerts, 0 when left out.
    """
    found = [
        _segment(
            name,
            Counts(float(here[1, 1]), float(here[1, 0])),
            float(spread),
            documents=float(here.sum()),
            positives=float(here[:, 1].sum()),
            undecided=float(without),
        )
        for name, here, spread, without in zip(
            names, counts, squares, np.zeros(len(names)) if undecided is None else undecided, strict=True
        )
    ]
    found.sort(key=lambda segment: (-segment.alerts, -segment.documents, segment.name))
    overall = ratio(sum(s.tp for s in found), sum(s.alerts for s in found))
    with_alerts = max(1, sum(s.alerts > 0 for s in found))
    return tuple(replace(s, differs=_difference(s, overall, SIGNIFICANCE_LEVEL / with_alerts)) for s in found)


def folded(segments: Sequence[Segment], most: int) -> tuple[Segment, ...]:
    """Keep the first `most` segments and fold n >= 2 others into one, "(n others)"."""
    if len(segments) <= most + 1:
        return tuple(segments)
    others = segments[most:]
    added = {
        part: float(sum(getattr(segment, part) for segment in others))
        for part in ("tp", "fp", "documents", "positives", "undecided")
    }
    squares = sum(segment.alerts**2 / segment.size for segment in others if segment.alerts > 0)
    counts = Counts(added.pop("tp"), added.pop("fp"))
    return (*segments[:most], _segment(f"({plural(len(others), 'other')})", counts, squares, **added))


def _segment(
    name: str, counts: Counts[float], squares: float, *, documents: float, positives: float, undecided: float
) -> Segment:
    size = counts.alerts**2 / squares if squares > 0 else 0.0
    interval = precision_interval(counts.precision, size, 1 - SIGNIFICANCE_LEVEL)
    return Segment(
        counts.tp,
        counts.fp,
        name=name,
        documents=documents,
        positives=positives,
        undecided=undecided,
        size=size,
        interval=interval,
    )


def _difference(segment: Segment, overall: float, level: float) -> Literal["above", "below"] | None:
    low, high = precision_interval(segment.precision, segment.size, 1 - level)
    if low > overall:
        return "above"
    return "below" if high < overall else None
