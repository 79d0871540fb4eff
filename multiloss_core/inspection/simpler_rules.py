"""Compare a chosen point with simpler rules at equal false positives."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from multiloss_core.numerics.arrays import Floats, ratio, rounding_tolerance
from multiloss_core.thresholds.data.counts import Counts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.operating_point import Point

Kind = Literal["common", "alone"]


@dataclass(frozen=True, eq=False, kw_only=True)
class SimplerRule(Counts[float]):
    """A simpler rule with about the FP of a chosen point, with exact TP and FP (weights).

    `kind`: `common`, every classifier flags its top documents, equally many; `alone`, one classifier (`name`) without
    the others. `thresholds` (k,), infinity for never and minus infinity for ignored, have the FP nearest to the
    point's; TP and FP are theirs. `tp_at_equal_fp` is interpolated linearly between the two thresholds on either
    side of the point's FP, as ties are never split. `tp_lost` is the point's TP less that, below 0 where the simpler
    rule has more; `share_lost` is `tp_lost` over the point's TP, NaN where that is 0. `reaches` is false where the rule
    has fewer false positives even at the floor: then the counts there stand for both.
    """

    kind: Kind
    name: str
    thresholds: Floats
    tp_at_equal_fp: float
    tp_lost: float
    share_lost: float
    reaches: bool


def compare_with_simpler_rules(documents: RatedDocuments, point: Point) -> tuple[SimplerRule, ...]:
    """Compare TP at equal FP with one common cut in ranks, then with each classifier alone.

    The common cut is the diagonal in ranks: every classifier flags the same weight of documents, the top of its own
    ranking (as many as ties allow, and none below its floor). Ranks of rated documents are ranks of all documents, as
    everything above a floor was rated. Alone, a classifier flags by its own score, under any rule. With one
    classifier both are the same, and only `alone` is returned. The point was chosen on these documents from more
    candidates than the simpler rules have, so its lead is slightly optimistic: check a small loss on held-out
    documents. Exact counts; time O(n k log n).
    """
    classifiers = len(documents.names)
    others = np.inf if point.rule == "any" else -np.inf
    cuts = []
    if classifiers > 1:
        cuts.append(_at_equal_fp(documents, point, "common", "all classifiers", _common_thresholds(documents)))
    for j, name in enumerate(documents.names):
        values = _cuts_of(documents, j)
        thresholds = np.full((len(values), classifiers), others)
        thresholds[:, j] = values
        cuts.append(_at_equal_fp(documents, point, "alone", name, thresholds))
    return tuple(cuts)


def _at_equal_fp(documents: RatedDocuments, point: Point, kind: Kind, name: str, thresholds: Floats) -> SimplerRule:
    tp, fp = documents.counts_along(thresholds, point.rule)
    # The loosest thresholds with at most the point's FP, and the next looser ones.
    within = int(np.argmax(fp <= point.fp + rounding_tolerance(fp)))
    reaches = within > 0 or fp[0] >= point.fp - rounding_tolerance(fp)
    nearest, equal = within, float(tp[within])
    if within > 0:
        beyond = within - 1
        share = float(np.clip((point.fp - fp[within]) / (fp[beyond] - fp[within]), 0.0, 1.0))
        equal += share * float(tp[beyond] - tp[within])
        nearest = beyond if share > 1 / 2 else within
    lost = point.tp - equal
    return SimplerRule(
        float(tp[nearest]),
        float(fp[nearest]),
        kind=kind,
        name=name,
        thresholds=thresholds[nearest],
        tp_at_equal_fp=equal,
        tp_lost=lost,
        share_lost=ratio(lost, point.tp),
        reaches=bool(reaches),
    )


def _cuts_of(documents: RatedDocuments, j: int) -> Floats:
    """List every distinct cut of classifier j: its floor, the scores above it, and never."""
    floor = documents.floors[j]
    scores = documents.ordered_scores[j]
    return np.concatenate([[floor], np.unique(scores[scores > floor]), [np.inf]])


def _common_thresholds(documents: RatedDocuments) -> Floats:
    """Find thresholds (m, k), loosest first: the lowest cuts that each flag some volume."""
    cuts = [_cuts_of(documents, j) for j in range(len(documents.names))]
    volumes = []
    for j, values in enumerate(cuts):
        scores, weights = documents.ordered_scores[j], documents.weights[documents.order[j]]
        above = np.append(np.cumsum(weights[::-1])[::-1], 0.0)
        volumes.append(above[np.searchsorted(scores, values)])
    levels = np.unique(np.concatenate(volumes))[::-1]
    tolerance = rounding_tolerance(levels)
    columns = [
        values[np.searchsorted(-volume, -(levels + tolerance))] for values, volume in zip(cuts, volumes, strict=True)
    ]
    thresholds = np.column_stack(columns)
    return thresholds[np.append(True, (thresholds[1:] != thresholds[:-1]).any(axis=1))]
