"""An interval of the marginal precision: from the fit where the counts bear it out, from the counts, or none."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from multiloss_core.generalisation.interval import Interval
from multiloss_core.numerics.arrays import UNDEFINED, Floats
from multiloss_core.numerics.proportions import share_interval
from multiloss_core.thresholds.data.counts import Counts

# Below so many effective documents next to a point neither the fit nor the counts have been seen to cover.
LEAST_DOCUMENTS = 15.0
# Where fewer than this share of all documents down to there lie next to the point, precision falls too steeply for the
# fit to be believed. Counts alone must then be so many: the fit sets the ends of the band where they suit it.
STEEP, LEAST_COUNTED = 0.25, 20.0
# The fit must lie within such an interval of the counts, or the interval spans both.
LEVEL_OF_AGREEMENT = 0.8


@dataclass(frozen=True, eq=False, kw_only=True)
class MarginalEvidence:
    """What is known of the documents next to t points.

    `fitted` (t,): the share of positives that the model expects among them. `errors` (b, t): in the log odds of that
    share, what the fit to a resample says of the documents next to its own point less what the fit to the data says of
    them. `counted`: effective numbers (t,) of positives and of negatives among them, a group as one document.
    `shares` (t,): of all documents down to there, the share that lies next to the point.
    """

    fitted: Floats
    errors: Floats
    counted: Counts[Floats]
    shares: Floats


def marginal_interval(evidence: MarginalEvidence, point: int, level: float) -> Interval:
    """Give the interval of the share of positives next to a point, at a level in (0, 1).

    Where precision falls smoothly the fit is about twice as sure as the counts next to the point, which it smooths. In
    log odds the interval reaches as far on both sides as the larger tail of its errors, so that it holds whichever way
    they are skewed; where the counts contradict the fit, the interval reaches over theirs too (Wilson 1927).
    Where precision falls steeply the fit is biased by an amount that resamples do not show, as they smooth in the same
    way. There the interval is that of the counts, and with few of them there is none. O(b log b).
    """
    positives, negatives = (float(counts[point]) for counts in evidence.counted)
    documents, fitted = positives + negatives, float(evidence.fitted[point])
    errors = evidence.errors[:, point]
    known = errors[~np.isnan(errors)]
    if documents < LEAST_DOCUMENTS:
        return _none(f"next to the point lie {_about(documents)}; an interval takes at least {LEAST_DOCUMENTS:g}.")
    low, high = map(float, share_interval(positives, documents, level))
    if evidence.shares[point] < STEEP:
        if documents < LEAST_COUNTED:
            return _none(
                f"precision falls steeply here and next to the point lie {_about(documents)}; an interval by counting "
                f"takes at least {LEAST_COUNTED:g}."
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
    """Give the intervals (3, t) of all points: estimate, low, high, NaN where there is none."""
    found = [marginal_interval(evidence, point, level) for point in range(len(evidence.fitted))]
    return np.array([[one.estimate, one.low, one.high] for one in found]).T


def _larger_tail(errors: Floats, level: float) -> float:
    """Find how far the errors reach on their longer side, leaving out (1 - level) / 2 on each."""
    low, high = np.quantile(errors, [(1 - level) / 2, (1 + level) / 2])
    return float(max(-low, high))


def _about(documents: float) -> str:
    if not documents:
        return "no documents"
    # Rounded down: 9.7 would not look too few.
    whole = int(documents + 1e-9)
    return f"{whole or 'less than one'} effective document{'' if whole < 2 else 's'}"


def _none(reason: str) -> Interval:
    return Interval(estimate=UNDEFINED, low=UNDEFINED, high=UNDEFINED, reason=reason)
