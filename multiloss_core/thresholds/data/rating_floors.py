"""Suggest rating floors when nobody wrote them down."""

import numpy as np

from multiloss_core.numerics.arrays import Bools, Floats, Indices

MAX_MINIMAL_POINTS = 100
FINEST_QUANTILES = 128
# An empty corner that would be expected to hold fewer documents may well be empty by chance.
FEWEST_EXPECTED = 20.0


def suggest_floors(scores: Floats, counts: Indices | None = None) -> Floats:
    """Suggest rating floors (k,) for documents (n, k) that were rated because some score reached its floor.

    No rated document lies below all floors at once, so the floors span an empty lower-left corner of score space.
    Of the maximal empty corners this takes the most surprising one: the one that would hold the most documents if
    the scores were independent (the product of the shares below each floor). Where even that corner would be
    expected to hold fewer than 20 documents, nothing suggests a floor inside the data and the smallest score of
    each classifier is returned. Exact for k <= 2 in O(n log n); for more classifiers the corner is found on
    quantiles of the scores first and then made exact near there, in O(n log n) but for a factor of at most 100.
    `counts` (n,) says how many documents have these scores, one each when left out.
    """
    counts = np.ones(len(scores), dtype=np.intp) if counts is None else counts
    if scores.shape[1] == 1:
        return scores.min(axis=0)
    if scores.shape[1] == 2:
        return _most_surprising(scores, counts, _staircase_corners(scores))
    coarse = _most_surprising(scores, counts, _corners_on_quantiles(scores))
    if (coarse == scores.min(axis=0)).any():
        return coarse
    return _most_surprising(scores, counts, _corners_from(scores, coarse))


def _most_surprising(scores: Floats, counts: Indices, corners: Floats) -> Floats:
    if not len(corners):
        return scores.min(axis=0)
    total = counts.sum()
    shares_below = np.column_stack([_shares_below(column, counts, corners[:, j]) for j, column in enumerate(scores.T)])
    expected = total * shares_below.prod(axis=1)
    best = int(expected.argmax())
    return corners[best] if expected[best] >= FEWEST_EXPECTED else scores.min(axis=0)


def _shares_below(column: Floats, counts: Indices, limits: Floats) -> Floats:
    order = np.argsort(column, kind="stable")
    below = np.concatenate([[0], np.cumsum(counts[order])])
    return np.asarray(below[np.searchsorted(column[order], limits)] / below[-1])


def _staircase_corners(scores: Floats) -> Floats:
    """List all maximal empty corners for k = 2, one for each score of the first classifier."""
    order = np.argsort(scores[:, 0], kind="stable")
    first, second = scores[order, 0], scores[order, 1]
    lowest_so_far = np.minimum.accumulate(second)
    new_score = np.flatnonzero(np.diff(first) > 0) + 1
    return np.column_stack([first[new_score], lowest_so_far[new_score - 1]])


def _corners_on_quantiles(scores: Floats) -> Floats:
    """List maximal empty corners of scores rounded down to quantiles, empty for the scores themselves as well.

    As fine as at most 100 documents bound them: those that no other document lies below in every score.
    """
    levels = FINEST_QUANTILES
    while True:
        rounded = np.unique(np.column_stack([_rounded_down(column, levels) for column in scores.T]), axis=0)
        points = _minimal_points(rounded)
        if points is not None:
            return _split(scores.max(axis=0)[np.newaxis], points, np.ones(points.shape, dtype=bool))
        levels //= 2


def _corners_from(scores: Floats, corner: Floats) -> Floats:
    """List the maximal empty corners that contain a given empty corner.

    A document that reaches the given corner in one score alone bounds that score; only the few that reach it in
    several scores leave a choice.
    """
    reaching = scores >= corner
    alone = reaching.sum(axis=1) == 1
    bounds = np.array([column[alone & reaching[:, j]].min(initial=column.max()) for j, column in enumerate(scores.T)])
    open_choice = (np.maximum(scores, corner) < bounds).all(axis=1) & ~alone
    points, choices = scores[open_choice], reaching[open_choice]
    order = np.argsort(points.sum(axis=1), kind="stable")[:MAX_MINIMAL_POINTS]
    corners = _split(bounds[np.newaxis], points[order], choices[order])
    still_empty = [not (scores < found).all(axis=1).any() for found in corners]
    return np.vstack([corner, corners[still_empty]])


def _split(corners: Floats, points: Floats, choices: Bools) -> Floats:
    """Shrink corners until they hold none of the points, in every maximal way.

    The local upper bounds of Klamroth, Lacour, Vanderpooten 2015; `choices` says in which scores a point may bound.
    """
    for point, choice in zip(points, choices, strict=True):
        hit = (point < corners).all(axis=1)
        if not hit.any():
            continue
        children = []
        for j in np.flatnonzero(choice):
            child = corners[hit].copy()
            child[:, j] = point[j]
            children.append(child)
        corners = _without_contained(np.concatenate([corners[~hit], *children]))
    return corners


def _without_contained(corners: Floats) -> Floats:
    corners = np.unique(corners, axis=0)
    contained = (corners[:, np.newaxis] <= corners[np.newaxis]).all(axis=2)
    return corners[contained.sum(axis=1) == 1]


def _minimal_points(points: Floats) -> Floats | None:
    """Keep the points that no other lies below in every score; None where there are more than 100."""
    ranks = sum(np.unique(column, return_inverse=True)[1] for column in points.T)
    points = points[np.argsort(ranks, kind="stable")]
    kept: list[Floats] = []
    while len(points):
        if len(kept) == MAX_MINIMAL_POINTS:
            return None
        kept.append(points[0])
        points = points[~(points >= points[0]).all(axis=1)]
    return np.array(kept)


def _rounded_down(column: Floats, levels: int) -> Floats:
    edges = np.unique(np.quantile(column, np.linspace(0, 1, levels), method="inverted_cdf"))
    return edges[np.searchsorted(edges, column, side="right") - 1]
