"""A suggestion for the rating floors when nobody wrote them down."""

import numpy as np
from numpy.typing import NDArray

MOST_MINIMAL_POINTS = 300


def suggest_floors(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Suggest rating floors (k,) for documents (n, k) that were rated because some score reached its floor.

    No rated document lies below all floors at once, so the floors span an empty lower-left corner of score space.
    Of the maximal empty corners this takes the most surprising one: the one that would hold the most documents if
    the scores were independent (the product of the shares below each floor). Where even that corner would be
    expected to hold fewer than one document, nothing suggests a floor inside the data and the smallest score of
    each classifier is returned. Exact for k <= 2; for more classifiers exact unless thousands of
    documents are minimal. Time O(n log n) for k <= 2, O(n p) with p <= 300 minimal documents otherwise.
    """
    if scores.shape[1] == 1:
        return scores.min(axis=0)
    corners = _staircase_corners(scores) if scores.shape[1] == 2 else _maximal_empty_corners(scores)
    if not len(corners):
        return scores.min(axis=0)
    shares = np.column_stack(
        [np.searchsorted(np.sort(column), corners[:, j]) for j, column in enumerate(scores.T)]
    ) / len(scores)
    expected = len(scores) * shares.prod(axis=1)
    best = int(expected.argmax())
    return corners[best] if expected[best] >= 1.0 else scores.min(axis=0)


def _staircase_corners(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """All maximal empty corners for k = 2, one for each score of the first classifier."""
    order = np.argsort(scores[:, 0], kind="stable")
    first, second = scores[order, 0], scores[order, 1]
    lowest_so_far = np.minimum.accumulate(second)
    new_score = np.flatnonzero(np.diff(first) > 0) + 1
    return np.column_stack([first[new_score], lowest_so_far[new_score - 1]])


def _maximal_empty_corners(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """All maximal empty corners (the local upper bounds of Klamroth, Lacour, Vanderpooten 2015)."""
    points = _minimal_points(scores)
    corners = scores.max(axis=0)[np.newaxis, :]
    for point in points:
        hit = (point < corners).all(axis=1)
        if not hit.any():
            continue
        children = np.repeat(corners[hit][np.newaxis], scores.shape[1], axis=0)
        for j in range(scores.shape[1]):
            children[j, :, j] = point[j]
        corners = _without_dominated(np.concatenate([corners[~hit], children.reshape(-1, scores.shape[1])]))
    return corners


def _without_dominated(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    corners = np.unique(corners, axis=0)
    inside = (corners[:, np.newaxis] <= corners[np.newaxis]).all(axis=2)
    return corners[inside.sum(axis=1) == 1]


def _minimal_points(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The documents that no other document lies below in every score: only they bound an empty corner.

    Where there are too many of them, scores are rounded down to ever fewer quantiles, which keeps corners empty.
    """
    levels = None
    while True:
        rounded = scores if levels is None else np.column_stack([_rounded_down(c, levels) for c in scores.T])
        found = _pareto_minima(np.unique(rounded, axis=0))
        if found is not None:
            return found
        levels = 128 if levels is None else levels // 2


def _pareto_minima(points: NDArray[np.float64]) -> NDArray[np.float64] | None:
    ranks = sum(np.unique(column, return_inverse=True)[1] for column in points.T)
    points = points[np.argsort(ranks, kind="stable")]
    kept: list[NDArray[np.float64]] = []
    while len(points):
        if len(kept) == MOST_MINIMAL_POINTS:
            return None
        kept.append(points[0])
        points = points[~(points >= points[0]).all(axis=1)]
    return np.array(kept)


def _rounded_down(column: NDArray[np.float64], levels: int) -> NDArray[np.float64]:
    edges = np.unique(np.quantile(column, np.linspace(0, 1, levels), method="inverted_cdf"))
    return edges[np.searchsorted(edges, column, side="right") - 1]
