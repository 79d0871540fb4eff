"""Estimate unknown rating floors from the empty corner of the scores and density jumps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.formatting import count, plural, score_name, score_threshold, shortened
from multiloss_core.numerics.arrays import Bools, Floats, Indices

FloorMethod: TypeAlias = Literal["corner", "jump"]

MAX_MINIMAL_POINTS = 100
# Each corner is compared with each: 10 MB for ten scores.
MAX_CORNERS = 1_000
FINEST_QUANTILES = 128
# An empty corner that would be expected to hold fewer documents may well be empty by chance.
MIN_EXPECTED = 20.0
# From this rank correlation on scores are one: their lowest document shows the floor of each.
ONE_SCORE = 0.95
# Both estimates are the same where their ranks differ by at most this share of the documents.
SAME_RANK = 0.03
# A jump: this many documents above a place are JUMP times as dense as those below ...
MAX_ABOVE, MIN_ABOVE, MAX_BELOW, JUMP = 60, 10, 5, 6.0
# ... and not much less dense than the documents above them, as on a slope.
MAX_RISE = 3.0
# With more different values a score is continuous, and a value that many documents share is no jump.
FEW_VALUES, HEAP, NEIGHBOURS = 200, 4, 5
MAX_SEARCHED = 20_000
MAX_ROUNDS = 8
START_QUANTILES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)


@dataclass(frozen=True, kw_only=True, eq=False)
class FloorEstimate:
    """Rating floors (k,) by two methods, and whether they leave a question open.

    `corner` holds where the scores alone raised all alerts, `jump` also where something else raised some.
    `below` (n,) marks the documents below all floors of `jump`. `is_certain`: both methods agree, and none lies there.
    """

    names: tuple[str, ...]
    corner: Floats
    jump: Floats
    below: Bools
    is_certain: bool

    def floors(self, method: FloorMethod) -> Floats:
        """Return the floors (k,) of a method."""
        return self.jump if method == "jump" else self.corner

    @property
    def is_found(self) -> bool:
        """Whether the density jumps anywhere: else no floor shows above the lowest scores."""
        return bool(self.below.any())

    @property
    def sentence(self) -> str:
        """State what the two methods find."""
        corner, jump = (_listed(self.names, floors) for floors in (self.corner, self.jump))
        if not self.is_found:
            return f"The scores do not show from which values on documents were rated: they reach down to {corner}"
        rows = plural(int(self.below.sum()), "rated document")
        return f"Rated documents reach down to {corner}, but become dense only from {jump} on: {rows} below that"


class UncertainFloorsError(DataError):
    """Report floors that scores cannot settle: ask whether anything else raised alerts.

    `rows` are the positions in the table of the documents below all floors of the density jump.
    """

    def __init__(self, estimate: FloorEstimate, rows: Indices) -> None:
        self.estimate, self.rows, self.sentence = estimate, rows, estimate.sentence
        first = f" (first: row {count(int(rows[0]) + 1)})" if len(rows) else ""
        super().__init__(
            f"{estimate.sentence}{first}. Were alerts raised by anything else than these scores? If not, take the "
            "floors of the empty corner; if so, those of the density jump; or give your own."
        )


def estimate_floors(scores: Floats, names: Sequence[str]) -> FloorEstimate:
    """Estimate rating floors (k,) of documents (n, k) by the empty corner and density jumps.

    The density jump of a score is looked for among documents below the floors of all other scores: only that score can
    have brought them to review, or something outside the scores did. Rounds are repeated until floors stay; they start
    from the corner and, where this does not settle it, from common quantiles of at most 20,000 documents. Where no
    score jumps so, the highest percentile of each document's scores may: floors are then that percentile of each score.
    O(k n log n) for each round, of which there are at most 8 for each start. A blank (-inf) lies below all scores.
    """
    lowest = lowest_scores(scores)
    scores = _with_low_blanks(scores, lowest)
    corner = suggest_floors(scores)
    has_floor = bool((corner > scores.min(axis=0)).any())
    jump, ratios = _stable_jumps(scores, corner)
    if scores.shape[1] > 1 and not (has_floor and _agree(scores, corner, jump, ratios)):
        jump, ratios = _searched_jumps(scores)
    below = np.asarray((scores < jump).all(axis=1))
    is_certain = _agree(scores, corner, jump, ratios) and not below.any()
    if scores.shape[1] > 1 and not has_floor:
        is_certain &= bool(np.corrcoef(pd.DataFrame(scores).rank().to_numpy(), rowvar=False).min() >= ONE_SCORE)
    corner, jump = np.maximum(corner, lowest), np.maximum(jump, lowest)
    return FloorEstimate(names=tuple(names), corner=corner, jump=jump, below=below, is_certain=is_certain)


def floor_evidence(scores: Floats, counts: Indices | None = None) -> Bools:
    """Mark the documents (n,) with all scores (n, k), or all where most have blanks (-inf).

    A document may have been rated for a score that it has no more. `counts` (n,): documents with these scores, one each
    when left out.
    """
    counts = np.ones(len(scores), dtype=np.intp) if counts is None else counts
    complete = np.asarray((scores > -np.inf).all(axis=1))
    return complete if 2 * counts[complete].sum() >= counts.sum() else np.ones(len(scores), dtype=bool)


def lowest_scores(scores: Floats) -> Floats:
    """Find the lowest scores (k,) of documents (n, k) that are not blank (NaN or -inf)."""
    return np.min(scores, axis=0, where=scores > -np.inf, initial=np.inf)


def _with_low_blanks(scores: Floats, lowest: Floats) -> Floats:
    """Put blanks (n, k) a little below the lowest scores (k,)."""
    # Parts first, as the difference could overflow.
    return np.where(scores > -np.inf, scores, lowest - (scores.max(axis=0) / 20 - lowest / 20))


def explaining_scores(scores: Floats, others: Mapping[str, Floats]) -> tuple[str, ...]:
    """Name the columns (n,) of `others` that explain documents (n, k) below the floors.

    With such a column as one more score, high or low values of which are suspicious, both methods agree on its floor.
    Documents without a number are left out.
    O(c k n log n) for c columns.
    """
    found = []
    for name, column in others.items():
        known = np.isfinite(column)
        if not known.any() or column[known].min() == column[known].max():
            continue
        for directed in (column[known], -column[known]):
            estimate = estimate_floors(np.column_stack([scores[known], directed]), [""] * (scores.shape[1] + 1))
            if estimate.is_certain and estimate.corner[-1] > directed.min():
                found.append(name)
                break
    return tuple(found)


def suggest_floors(scores: Floats, counts: Indices | None = None) -> Floats:
    """Suggest floors (k,) for documents (n, k), each rated as some score reached its floor.

    No rated document lies below all floors at once, so the floors span an empty lower-left corner of score space.
    Of the maximal empty corners this takes the most surprising one: the one that would hold the most documents if
    the scores were independent (the product of the shares below each floor). Where even that corner would be
    expected to hold fewer than 20 documents, nothing suggests a floor inside the data and the smallest score of
    each classifier is returned. Exact for k <= 2 in O(n log n); for more classifiers the corner is found on
    quantiles of the scores first and then made exact near there, in O(n log n) but for a factor of at most 100.
    `counts` (n,): documents with these scores, one each when left out. A blank (-inf) lies below all scores.
    """
    lowest = lowest_scores(scores)
    return np.maximum(_suggested(_with_low_blanks(scores, lowest), counts), lowest)


def _suggested(scores: Floats, counts: Indices | None) -> Floats:
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
    return corners[best] if expected[best] >= MIN_EXPECTED else scores.min(axis=0)


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
    """List maximal empty corners of scores rounded to quantiles, also empty unrounded.

    As fine as at most 100 documents, below which no other lies in every score, bound at most 1,000 corners.
    """
    levels = FINEST_QUANTILES
    while True:
        rounded = np.unique(np.column_stack([_rounded_down(column, levels) for column in scores.T]), axis=0)
        points = _minimal_points(rounded)
        if points is not None:
            corners = _split(scores.max(axis=0)[np.newaxis], points, np.ones(points.shape, dtype=bool))
            if corners is not None:
                return corners
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
    while (corners := _split(bounds[np.newaxis], points[order], choices[order])) is None:
        order = order[: len(order) // 2]
    still_empty = [not (scores < found).all(axis=1).any() for found in corners]
    return np.vstack([corner, corners[still_empty]])


def _split(corners: Floats, points: Floats, choices: Bools) -> Floats | None:
    """Shrink corners until they hold none of the points, in every maximal way.

    None if there are more than `MAX_CORNERS`. The local upper bounds of Klamroth, Lacour, Vanderpooten 2015; `choices`:
    the scores in which a point may bound.
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
        corners = np.unique(np.concatenate([corners[~hit], *children]), axis=0)
        if len(corners) > MAX_CORNERS:
            return None
        contained = (corners[:, np.newaxis] <= corners[np.newaxis]).all(axis=2)
        corners = corners[contained.sum(axis=1) == 1]
    return corners


def _minimal_points(points: Floats) -> Floats | None:
    """Keep points with no other point below in every score; None if more than 100."""
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


def _searched_jumps(scores: Floats) -> tuple[Floats, Floats]:
    """Find the floors (k,) with the clearest jumps from several starts, and how clear each is."""
    few = scores[:: -(-len(scores) // MAX_SEARCHED)]
    share, jump = _jump_of_highest_percentile(few)
    starts = [np.quantile(few, start, axis=0, method="inverted_cdf") for start in (share, *START_QUANTILES)]
    found = [_stable_jumps(few, start) for start in starts]
    best, ratios = max(found, key=lambda one: float(np.log(np.maximum(one[1] / JUMP, 1)).sum()))
    if (ratios < JUMP).all() and jump >= JUMP:
        return starts[0], np.full(len(best), jump)
    return (best, ratios) if len(few) == len(scores) else _stable_jumps(scores, best)


def _jump_of_highest_percentile(scores: Floats) -> tuple[float, float]:
    """Find the largest density jump of documents by the highest percentile of their scores."""
    percentiles = np.column_stack([np.searchsorted(np.sort(column), column, side="right") for column in scores.T])
    highest = percentiles.max(axis=1) / len(scores)
    share, jump = _Axis(highest).jump(np.ones(len(scores), dtype=bool))
    return (share, jump) if share > highest.min() else (share, 0.0)


def _stable_jumps(scores: Floats, start: Floats) -> tuple[Floats, Floats]:
    """Find each score's density jump below the other floors, until floors (k,) are stable."""
    axes = [_Axis(column) for column in scores.T]
    floors = np.where(start >= scores.max(axis=0), np.inf, start)
    ratios = np.zeros(len(axes))
    for _ in range(MAX_ROUNDS):
        before = floors.copy()
        for j, axis in enumerate(axes):
            others = np.arange(len(axes)) != j
            floors[j], ratios[j] = axis.jump((scores[:, others] < floors[others]).all(axis=1))
        if (floors == before).all():
            break
    return floors, ratios


class _Axis:
    """The values of one score: documents of a value are spread evenly up to the next one."""

    def __init__(self, column: Floats) -> None:
        values, self.codes = np.unique(column, return_inverse=True)
        top = 2 * values[-1] - values[-2] if len(values) > 1 else values[-1]
        self.edges = np.append(values, top)
        self.is_continuous = len(values) > FEW_VALUES

    def jump(self, chosen: Bools) -> tuple[float, float]:
        """Find the largest density jump of documents (n,): its value and its factor.

        The lowest value where they jump nowhere. Below the lowest document, the range down to the lowest value of the
        score counts as holding one.
        """
        counts = np.bincount(self.codes[chosen], minlength=len(self.edges) - 1).astype(np.float64)
        if self.is_continuous:
            next_ones = np.lib.stride_tricks.sliding_window_view(np.pad(counts[1:], (0, NEIGHBOURS)), NEIGHBOURS)
            counts = np.minimum(counts, np.maximum(HEAP * next_ones.max(axis=1), 1))
        above = min(MAX_ABOVE, counts.sum() // 3)
        lowest = float(self.edges[0])
        if above < MIN_ABOVE:
            return lowest, 0.0
        at = np.flatnonzero(counts)
        after = np.cumsum(counts)[at]
        first, value = after - counts[at], self.edges[at]
        ranks = np.column_stack([first, after]).ravel()
        places = np.column_stack([value, self.edges[at + 1]]).ravel()
        below = np.minimum(MAX_BELOW, first)
        reach_down = value - np.interp(first - below, ranks, places)
        reach_down[0], below[0] = value[0] - lowest, 1
        end = np.interp(first + above, ranks, places)
        reach_up, reach_further = end - value, np.interp(first + 2 * above, ranks, places) - end
        usable = (first + 2 * above <= after[-1]) & (reach_up > 0) & (reach_up <= MAX_RISE * reach_further)
        ratios = np.divide(above * reach_down, below * reach_up, out=np.zeros(len(at)), where=usable)
        best = int(ratios.argmax())
        return (float(value[best]) if ratios[best] >= JUMP else lowest), float(ratios[best])


def _agree(scores: Floats, corner: Floats, jump: Floats, ratios: Floats) -> bool:
    """Whether both estimates separate nearly the same documents, with jumps at the floors."""
    ranks_apart = np.abs((scores < corner).mean(axis=0) - (scores < jump).mean(axis=0))
    inside = corner > scores.min(axis=0)
    has_jumps = len(corner) == 1 or (ratios[inside] >= JUMP).all()
    return bool((ranks_apart <= SAME_RANK).all() and has_jumps)


def _listed(names: Sequence[str], floors: Floats) -> str:
    named = zip(names, floors, strict=True)
    return " and ".join(f"'{shortened(score_name(name))}' {score_threshold(name, floor)}" for name, floor in named)
