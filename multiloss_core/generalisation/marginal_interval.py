"""Compute an interval of the marginal precision from the fit, from the counts, or none."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from multiloss_core.numerics.arrays import UNDEFINED, Floats
from multiloss_core.numerics.proportions import share_interval
from multiloss_core.thresholds.data.counts import Counts


# Minimum effective documents next to a point: below it coverage is untested.
@dataclass(frozen=True, kw_only=True)
class Interval:
    """An estimate between two bounds; NaN where there is nothing to estimate.

    `reason`: explains a missing interval; a sentence without its first capital.
    """

    estimate: float
    low: float
    high: float
    reason: str = ""


MIN_DOCUMENTS = 15.0
# Below this share of documents next to the point precision falls too steeply for the fit, which places the band's ends.
# Counts alone then need this minimum.
STEEP, MIN_COUNTED = 0.25, 20.0
# The fit must lie within this interval of the counts, or the interval spans both.
LEVEL_OF_AGREEMENT = 0.8


@dataclass(frozen=True, eq=False, kw_only=True)
class MarginalEvidence:
    """Evidence about the documents next to t points.

    `fitted` (t,): the share of positives expected by the model. `errors` (b, t): log odds of that share by the fit to a
    resample, next to its own point, less those by the fit to the data, next to the same point. `counted`: effective
    numbers (t,) of positives and of negatives among them, a group as one document. `shares` (t,): documents next to the
    point as a share of all documents down to there.
    """

    fitted: Floats
    errors: Floats
    counted: Counts[Floats]
    shares: Floats


def marginal_interval(evidence: MarginalEvidence, point: int, level: float) -> Interval:
    """Compute the interval of the share of positives next to a point, at a level in (0, 1).

    Where precision falls smoothly the fit is about twice as certain as the counts next to the point, which it smooths.
    In log odds the interval extends on both sides by the larger tail of its errors, so that it holds for any skew;
    where the counts contradict the fit, the interval includes theirs (Wilson 1927). Where precision falls steeply the
    fit has a bias that resamples do not show, as they smooth in the same way: there the interval is that of the counts,
    or none with few of them. O(b log b).
    """
    positives, negatives = (float(counts[point]) for counts in evidence.counted)
    documents, fitted = positives + negatives, float(evidence.fitted[point])
    errors = evidence.errors[:, point]
    known = errors[~np.isnan(errors)]
    if documents < MIN_DOCUMENTS:
        return _none(f"next to the point lie {_about(documents)}; an interval takes at least {MIN_DOCUMENTS:g}.")
    low, high = map(float, share_interval(positives, documents, level))
    if evidence.shares[point] < STEEP:
        if documents < MIN_COUNTED:
            return _none(
                f"precision falls steeply here and next to the point lie {_about(documents)}; an interval by counting "
                f"takes at least {MIN_COUNTED:g}."
            )
        return Interval(estimate=positives / documents, low=low, high=high)
    if 2 * len(known) < len(errors):
        return _none("in most resamples no document lies next to the point.")
    reach = _larger_tail(known, level)
    odds = float(logit(np.clip(fitted, 1e-12, 1 - 1e-12)))
    of_fit = float(expit(odds - reach)), float(expit(odds + reach))
    agreed, agreed_high = share_interval(positives, documents, LEVEL_OF_AGREEMENT)
    if agreed <= fitted <= agreed_high:
        low, high = of_fit
    return Interval(estimate=fitted, low=min(low, of_fit[0]), high=max(high, of_fit[1]))


def marginal_band(evidence: MarginalEvidence, level: float) -> Floats:
    """Compute the intervals (3, t) of all points: estimate, low, high, NaN where there is none."""
    found = [marginal_interval(evidence, point, level) for point in range(len(evidence.fitted))]
    return np.array([[one.estimate, one.low, one.high] for one in found]).T


def _larger_tail(errors: Floats, level: float) -> float:
    """Find the larger tail of the errors, leaving out (1 - level) / 2 on each side."""
    low, high = np.quantile(errors, [(1 - level) / 2, (1 + level) / 2])
    return float(max(-low, high))


def _about(documents: float) -> str:
    if not documents:
        return "no documents"
    # Rounded down: 9.7 must not appear sufficient.
    whole = int(documents + 1e-9)
    return f"{whole or 'less than one'} effective document{'' if whole < 2 else 's'}"


def _none(reason: str) -> Interval:
    return Interval(estimate=UNDEFINED, low=UNDEFINED, high=UNDEFINED, reason=reason)
