"""Measure the cost of weights in precision, and plan which documents to rate next."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.formatting import NEUTRAL, Vocabulary
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.numerics.proportions import effective_size
from multiloss_core.thresholds.data.counts import Counts, flagged, turning_points
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.operating_point import Point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

Advice = Literal["rate_a_band", "new_documents", "below_the_floors", "nothing_flagged"]

SENTENCES: dict[Advice, str] = {
    "rate_a_band": "Rating more of the {documents} in the bands named first sharpens the choice most.",
    "new_documents": "Every flagged {document} is rated: only new {documents}, or lower floors, sharpen the choice.",
    "below_the_floors": "The point lies at the rating floors: rate {documents} below them. Nothing is rated there, so "
    "the distance is unknown.",
    "nothing_flagged": "Nothing is flagged at this point, so rated {documents} do not affect its net benefit.",
}


@dataclass(frozen=True, kw_only=True)
class RatedSize(Counts[float]):
    """Information in flagged documents: `documents` rated, for a weight of TP + FP alerts.

    Rates over them are as uncertain as those over `effective` documents of equal weight.
    """

    documents: int
    effective: float


@dataclass(frozen=True, eq=False, kw_only=True)
class RatingBand:
    """Flagged documents between two vertices of a path, with the effect of rating more of them.

    A document is in the band if it is flagged at `lower` (k,) but not at `upper` (k,). `sampling_variance` of the net
    benefit at the point falls to 0 as all of the band gets rated, `data_variance` falls with new documents only;
    `share_of_variance` in [0, 1] is their sum over that of all bands. `more` further ratings here, at most the
    unrated documents, would remove `share_removed` of the whole variance.
    """

    lower: Floats
    upper: Floats
    size: RatedSize
    sampling_variance: float
    data_variance: float
    share_of_variance: float
    more: int
    share_removed: float


@dataclass(frozen=True, eq=False, kw_only=True)
class RatingPlan:
    """Bands of ratings that reduce the variance of the net benefit at a point, best first.

    `advice`: `rate_a_band`, `new_documents` (all flagged documents are rated), `below_the_floors` (the point lies at
    the floors) or `nothing_flagged`. `standard_error` is that of the net benefit, in documents.
    """

    bands: tuple[RatingBand, ...]
    advice: Advice
    standard_error: float

    @property
    def sentence(self) -> str:
        """Return the advice as a sentence, in neutral words."""
        return self.sentence_in(NEUTRAL)

    def sentence_in(self, vocabulary: Vocabulary) -> str:
        """Write the advice as a sentence."""
        return vocabulary.in_words(SENTENCES[self.advice])


def rated_size(documents: RatedDocuments, chosen: Bools) -> RatedSize:
    """Measure the size of a set of documents, a mask (n,)."""
    weights = documents.weights[chosen]
    return RatedSize(*documents.counts_of(chosen), documents=len(weights), effective=effective_size(weights))


def rating_plan(
    documents: RatedDocuments, point: Point, path: ThresholdPath, *, bands: int = 8, more: int = 100
) -> RatingPlan:
    """Rank bands of a path's score by the certainty of net benefit that ratings add.

    The net benefit is TP - m / (1 - m) FP at target m. A weight is one over the share of its kind that was rated.
    The flagged documents are cut at vertices of the path into at most `bands` bands of about equally many rated
    documents. Each is a stratum: n documents in effect, rated at random among N = sum w. Its net benefit has the
    sampling variance N^2 s^2 (1 / n - 1 / N) (Cochran 1977), s^2 the variance between documents, and, were new
    documents drawn, the further variance N E[z^2], z the net benefit of one document. s^2 is taken at a precision of
    (positives + 1/2) / (n + 1), so that a band with few ratings does not appear certain. Unflagged documents are
    ignored: to judge a looser point, plan for that one. Groups are not considered. Repeatedly
    rating in the band named first gives the Neyman allocation, n in proportion to N s.

    Raises DataError: weights below 1, which are no numbers of documents; fewer than 1 band or rating; a path for
    another rule.
    """
    if bands < 1 or more < 1:
        raise DataError("A rating plan needs at least one band and one more rating.")
    if (documents.weights < 1 - 1e-9).any():
        raise DataError(
            f"{(documents.weights < 1 - 1e-9).sum():,} documents weigh less than 1; to plan ratings, a weight must be "
            "the number of documents that each one stands for (1 / the share that was rated)."
        )
    if path.rule != point.rule:
        raise DataError(
            f"The path is for rule '{path.rule}', the point for '{point.rule}'; take both for the same rule."
        )
    members = flagged(documents.scores, point.thresholds, point.rule)
    # The first vertex that no longer flags a document closes its band.
    turning = turning_points(documents.scores, path.thresholds, path.rule)
    edges = _edges(turning[members], bands)
    strata = [
        _stratum(documents, members & (turning > low) & (turning <= high), low, high, point.slope)
        for low, high in pairwise(edges)
    ]
    whole = sum(stratum.sampling_variance + stratum.data_variance for stratum in strata)
    ranked = sorted((_band(stratum, path, more, whole) for stratum in strata), key=lambda band: -band.share_removed)
    return RatingPlan(bands=tuple(ranked), advice=_advice(point, ranked), standard_error=float(np.sqrt(whole)))


@dataclass(frozen=True, kw_only=True)
class _Stratum:
    """Documents of a band, from vertex `low` to `high`; variance and mean square of benefits."""

    low: int
    high: int
    size: RatedSize
    variance: float
    mean_square: float

    @property
    def sampling_variance(self) -> float:
        size = self.size
        return size.alerts**2 * self.variance * max(1 / size.effective - 1 / size.alerts, 0.0)

    @property
    def data_variance(self) -> float:
        return self.size.alerts * self.mean_square

    def removed(self, further: int) -> float:
        """Compute the sampling variance removed by further ratings; exact for equal weights."""
        size = self.size
        return size.alerts**2 * self.variance * (1 / size.effective - 1 / (size.effective + further))


def _edges(turning: Indices, bands: int) -> list[int]:
    """Choose bands (low, high] between vertices with about equally many documents."""
    if not turning.size:
        return []
    highs = np.unique(np.quantile(turning, np.arange(1, bands + 1) / bands, method="inverted_cdf"))
    return [int(turning.min()) - 1, *highs.astype(int).tolist()]


def _stratum(documents: RatedDocuments, chosen: Bools, low: int, high: int, slope: float) -> _Stratum:
    size = rated_size(documents, chosen)
    share = (size.precision * size.effective + 1 / 2) / (size.effective + 1)
    return _Stratum(
        low=low,
        high=high,
        size=size,
        variance=share * (1 - share) * (1 + slope) ** 2,
        mean_square=share + (1 - share) * slope**2,
    )


def _band(stratum: _Stratum, path: ThresholdPath, more: int, whole: float) -> RatingBand:
    size = stratum.size
    further = min(more, int(size.alerts - size.documents + 1e-6))
    never = np.full(len(path.names), np.inf)
    return RatingBand(
        lower=path.thresholds[stratum.low],
        upper=path.thresholds[stratum.high] if stratum.high < len(path.thresholds) else never,
        size=size,
        sampling_variance=stratum.sampling_variance,
        data_variance=stratum.data_variance,
        share_of_variance=(stratum.sampling_variance + stratum.data_variance) / whole,
        more=further,
        share_removed=stratum.removed(further) / whole,
    )


def _advice(point: Point, bands: Sequence[RatingBand]) -> Advice:
    if point.status == "at_floor":
        return "below_the_floors"
    if not bands:
        return "nothing_flagged"
    return "rate_a_band" if any(band.more for band in bands) else "new_documents"
