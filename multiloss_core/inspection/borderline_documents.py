"""Find the documents nearest to the thresholds on either side, for a manual check."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.thresholds.data.counts import Rule, checked_thresholds, flagged, require_rule
from multiloss_core.thresholds.data.rated_documents import RatedDocuments


@dataclass(frozen=True, eq=False, kw_only=True)
class BorderlineDocuments:
    """Documents on one side of the thresholds, nearest first.

    `positions` (m,) in the arrays of the `RatedDocuments`; `deciding` (m,): the classifier with the deciding score;
    `distances` (m,): number of documents (weights), this one included, that its threshold would pass.
    """

    positions: Indices
    deciding: Indices
    distances: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class BorderlineSides:
    """The nearest documents that are just flagged, and the nearest that are just not flagged."""

    flagged: BorderlineDocuments
    not_flagged: BorderlineDocuments


def borderline_documents(
    documents: RatedDocuments, thresholds: ArrayLike, rule: Rule, *, most: int = 50
) -> BorderlineSides:
    """Find at most `most` documents on either side of thresholds (k,), nearest in ranks first.

    The distance of a score from its threshold is the weight of the documents between them in that classifier's ranking,
    ties included, so that scores of all kinds compare. Under `any`, a document stays flagged as long as one score
    reaches its threshold and is added as soon as one does: its furthest reaching score decides, or else its nearest
    one. Under `all`, a document is lost as soon as one score fails and stays out as long as one does: its nearest
    reaching score decides, or else its furthest failing one. A threshold of never is near to no score; documents that
    need a threshold below a floor are left out, as the ranks there are unknown. Ties keep the order of the documents.
    Time O(k n log n), the sort being done once.

    Raises DataError: not one usable threshold for each classifier, or `most` below 1.
    """
    require_rule(rule)
    if most < 1:
        raise DataError("At least one document near the thresholds must be asked for.")
    values = checked_thresholds(thresholds, documents.names)
    above, below = _distances(documents, values)
    chosen = flagged(documents.scores, values, rule)
    if rule == "any":
        # A score on the other side does not affect the decision.
        above[np.isinf(above)] = -np.inf
        deciding_above, deciding_below = above.argmax(axis=1), below.argmin(axis=1)
    else:
        out_of_reach = np.isinf(below) & np.isinf(above)
        below[np.isinf(below) & ~out_of_reach] = -np.inf
        deciding_above, deciding_below = above.argmin(axis=1), below.argmax(axis=1)
    return BorderlineSides(
        flagged=_nearest(above, deciding_above, chosen, most),
        not_flagged=_nearest(below, deciding_below, ~chosen, most),
    )


def _distances(documents: RatedDocuments, thresholds: Floats) -> tuple[Floats, Floats]:
    """Measure in ranks how far scores (n, k) lie above and below their thresholds.

    The distance is the weight of the documents between the two in the ranking of that classifier.
    """
    above, below = (np.full(documents.scores.shape, np.inf) for _ in range(2))
    for j, (scores, order) in enumerate(zip(documents.ordered_scores, documents.order, strict=True)):
        if np.isinf(thresholds[j]):
            continue
        ranks = np.concatenate([[0.0], np.cumsum(documents.weights[order])])
        first = int(np.searchsorted(scores, thresholds[j]))
        floor = int(np.searchsorted(scores, documents.floors[j]))
        reaching, failing = scores[first:], scores[floor:first]
        above[order[first:], j] = ranks[np.searchsorted(scores, reaching, side="right")] - ranks[first]
        below[order[floor:first], j] = ranks[first] - ranks[np.searchsorted(scores, failing)]
    return above, below


def _nearest(distances: Floats, deciding: Indices, side: Bools, most: int) -> BorderlineDocuments:
    decided = distances[np.arange(len(distances)), deciding]
    members = np.flatnonzero(side & np.isfinite(decided))
    if members.size > most:
        limit = np.partition(decided[members], most - 1)[most - 1]
        members = members[decided[members] <= limit]
    members = members[np.argsort(decided[members], kind="stable")][:most]
    return BorderlineDocuments(positions=members, deciding=deciding[members], distances=decided[members])
