"""Choose two cuts on one path: block above both, review between them, pass the rest."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, rounding_tolerance
from multiloss_core.thresholds.data.counts import Counts, flagged
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.operating_point import Point, operating_point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath
from multiloss_core.thresholds.targets.busy_days import DailyCap, busy_days_along
from multiloss_core.thresholds.targets.goals import point_of_vertex
from multiloss_core.thresholds.targets.payoffs import Number, Payoffs
from multiloss_core.thresholds.targets.profit_curve import CasesAlong

BLOCK, REVIEW, PASS = "block", "review", "pass"


@dataclass(frozen=True, eq=False, kw_only=True)
class ReviewBand:
    """Two points: `block` has no lower thresholds than `review`, so it flags a subset.

    Raises DataError: a threshold of `block` below that of `review`, or points of other scores or rules.
    """

    review: Point
    block: Point

    def __post_init__(self) -> None:
        if (self.review.names, self.review.rule) != (self.block.names, self.block.rule):
            raise DataError("Both cuts must be of the same scores under the same rule.")
        if (self.block.thresholds < self.review.thresholds).any():
            raise DataError("The upper cut lies below the lower one; raise it, or lower the operating point.")

    @property
    def reviewed(self) -> Counts[float]:
        """Count TP and FP between the two cuts."""
        # Sums in another order differ by rounding.
        return Counts(max(self.review.tp - self.block.tp, 0.0), max(self.review.fp - self.block.fp, 0.0))

    def actions(self, scores: ArrayLike) -> NDArray[np.str_]:
        """Return the action for documents with scores (n, k): "block", "review" or "pass", (n,).

        Raises DataError: not k scores for each document.
        """
        return np.where(self.block.flags(scores), BLOCK, np.where(self.review.flags(scores), REVIEW, PASS))


@dataclass(frozen=True, kw_only=True)
class BandCosts:
    """Payoffs of both parts.

    Reviewed alerts bring the `payoffs`. A blocked true positive brings its value without a review, a blocked false
    alert costs `false_block`.

    Raises DataError: a cost that is not above 0 and finite.
    """

    payoffs: Payoffs
    false_block: float

    def __post_init__(self) -> None:
        if not 0 < self.false_block < np.inf:
            raise DataError("The cost of a false block must be above 0; otherwise everything would be blocked.")

    def blocked(self, tp: Number, fp: Number, amount: Number | float = 0.0) -> Number:
        """Compute the value of blocked documents against passing them; as `Payoffs.total`."""
        return tp * self.payoffs.catch + amount * self.payoffs.recovered - fp * self.false_block

    def of_blocking(self, cases: CasesAlong) -> Floats:
        """Compute the value of blocking all documents of a vertex against reviewing them, (m,)."""
        reviewed, amount = cases.totals(self.payoffs), 0.0 if cases.amount is None else cases.amount
        return self.blocked(cases.counts.tp, cases.counts.fp, amount) - reviewed


def band_at(path: ThresholdPath, review: Point, marginal_precision: float) -> ReviewBand:
    """Put the upper cut at a marginal precision, in (0, 1).

    Raises DataError: the path is not monotone, or the cut lies below `review`.
    """
    _require_monotone(path)
    return ReviewBand(review=review, block=operating_point(path, marginal_precision))


def band_for_precision(path: ThresholdPath, review: Point, least: float) -> ReviewBand:
    """Block as much as this minimum precision, in (0, 1), allows.

    With a fit, the expected precision must reach it, too, so that luck alone lifts no vertex. O(m).

    Raises DataError: a precision outside (0, 1), or one that no vertex above `review` has.
    """
    if not 0 < least < 1:
        raise DataError("The precision of what is blocked must lie between 0 % and 100 %.")
    above = _above(path, review) & (path.tp > 0)
    for tp, fp in ((path.tp, path.fp), (path.smooth_tp, path.smooth_fp)):
        if tp is not None and fp is not None:
            above &= tp >= least * (tp + fp) * (1 - 1e-12)
    found = np.flatnonzero(above)
    if not found.size:
        raise DataError(f"Nothing above the operating point has a precision of {100 * least:g} %; lower it.")
    return _band(path, review, int(found[0]))


def band_for_payoffs(path: ThresholdPath, cases: CasesAlong, costs: BandCosts, review: Point) -> ReviewBand:
    """Block above the best vertex at or above `review`; ties go to the strictest. O(m).

    Raises DataError: a share of unknown amounts.
    """
    above = np.flatnonzero(_above(path, review))
    gained = costs.of_blocking(cases)[above]
    return _band(path, review, int(above[_last_best(gained)]))


def review_for_busy_days(path: ThresholdPath, block: Point, documents: RatedDocuments, cap: DailyCap) -> ReviewBand:
    """Review as much below an upper cut as keeps a daily cap; as `point_for_busy_days`.

    Raises DataError: every lower cut exceeds the cap on more days.
    """
    scores = np.concatenate([documents.scores, documents.undecided.scores])
    weights = np.concatenate([documents.weights, documents.undecided.weights])
    rest = ~flagged(scores, block.thresholds, path.rule)
    own = replace(cap, day=cap.day[rest])
    busy = busy_days_along(scores[rest], weights[rest], path.thresholds, path.rule, own)
    return _reviewing(path, block, _below(path, block) & (busy <= cap.busy_allowed), cap.most)


def _reviewing(path: ThresholdPath, block: Point, met: Bools, most: float) -> ReviewBand:
    vertex = int(np.flatnonzero(met)[0])
    band = ReviewBand(review=point_of_vertex(path, vertex), block=block)
    if not band.reviewed.alerts > 0:
        raise DataError(f"Every cut below this one reviews more than {most:,.6g}; allow more.")
    return band


def _band(path: ThresholdPath, review: Point, vertex: int) -> ReviewBand:
    block = point_of_vertex(path, vertex)
    # A point at the floor stands for all vertices with as many alerts and may lie below the requested one.
    return ReviewBand(review=review, block=review if (block.thresholds < review.thresholds).any() else block)


def _above(path: ThresholdPath, point: Point) -> Bools:
    """Return the mask (m,) of vertices without lower thresholds than a point."""
    _require_monotone(path)
    above = np.asarray((path.thresholds >= point.thresholds).all(axis=1))
    if not above.any():
        raise DataError("No two cuts fit here: the manual thresholds lie above the path; lower them.")
    return above


def _below(path: ThresholdPath, point: Point) -> Bools:
    _require_monotone(path)
    below = np.asarray((path.thresholds <= point.thresholds).all(axis=1))
    if not below.any():
        raise DataError("No two cuts fit here: the upper cut lies below the path; raise it.")
    return below


def _require_monotone(path: ThresholdPath) -> None:
    if not path.monotone:
        raise DataError(
            f"Thresholds of the {path.method} path fall in places, so it holds no two cuts; choose another."
        )


def _last_best(values: Floats) -> int:
    return int(np.flatnonzero(values >= values.max() - rounding_tolerance(np.abs(values)))[-1])
