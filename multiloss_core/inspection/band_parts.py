"""Count parts of documents: those of a comparison, and those of a review band."""

from dataclasses import dataclass

import numpy as np

from multiloss_core.inspection.drift import AlertTrend
from multiloss_core.inspection.periods import Calendar, DailyAlerts, daily_alerts
from multiloss_core.numerics.arrays import Bools, Indices
from multiloss_core.numerics.proportions import effective_size, precision_interval
from multiloss_core.thresholds.data.counts import Counts, flagged
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.targets.busy_days import DailyCap
from multiloss_core.thresholds.targets.review_band import ReviewBand


@dataclass(frozen=True, eq=False, kw_only=True)
class DocumentSubset(Counts[float]):
    """TP and FP (weights) of some rated documents.

    `positions` (m,) are those of the documents in the arrays of the `RatedDocuments`, rising; None where only counts
    `positions` (m,) of the documents in the arrays of the `RatedDocuments`, rising; None if only counts are known.
    `interval`: 95 % Wilson interval (low, high) of the precision, over the effective number of documents; NaN where
    there is none. `weight`: effective number of documents per unit, 1 without weights.
    """

    positions: Indices | None
    interval: tuple[float, float]
    weight: float = 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class BandParts:
    """Rated documents of each part with TP, FP and intervals; `passed`: flagged by no cut."""

    blocked: DocumentSubset
    reviewed: DocumentSubset
    passed: DocumentSubset


def band_parts(source: RatedData, band: ReviewBand) -> BandParts:
    """Count the rated documents of each part, in documents even if the points count money.

    For a table of counts these are the points' own counts, which are of documents. O(n k).
    """
    documents = source.documents
    if documents is None:
        rest = source.totals.tp - band.review.tp, source.totals.fp - band.review.fp
        return BandParts(
            blocked=counted_subset(band.block.tp, band.block.fp),
            reviewed=counted_subset(*band.reviewed),
            passed=counted_subset(*(max(value, 0.0) for value in rest)),
        )
    blocked, both = (flagged(documents.scores, point.thresholds, point.rule) for point in (band.block, band.review))
    return BandParts(
        blocked=document_subset(documents, blocked),
        reviewed=document_subset(documents, both & ~blocked),
        passed=document_subset(documents, ~both),
    )


def daily_reviews(documents: RatedDocuments, days: Calendar, band: ReviewBand) -> DailyAlerts:
    """Count the documents between the cuts on every day, including undecided ones. O(n k).

    Raises DataError: a calendar of other documents.
    """
    lower, upper = (daily_alerts(documents, days, point.thresholds, point.rule) for point in (band.review, band.block))
    # Sums in another order differ by rounding.
    return DailyAlerts(lower.dates, np.maximum(lower.alerts - upper.alerts, 0.0))


def held_on_nine_of_ten(days: DailyAlerts, trend: AlertTrend | None = None) -> float:
    """Find the smallest daily cap (`DailyCap`) that holds on nine days of ten to come."""
    count = len(days.alerts)
    to_come = days.alerts if trend is None else days.alerts / trend.levels
    allowed = DailyCap(day=np.arange(count), days=count, most=0.0).busy_allowed
    return float(np.sort(to_come)[count - 1 - allowed])


def document_subset(documents: RatedDocuments, chosen: Bools) -> DocumentSubset:
    """Count the documents of a mask (n,)."""
    return _subset(documents.counts_of(chosen), np.flatnonzero(chosen), effective_size(documents.weights[chosen]))


def counted_subset(tp: float, fp: float) -> DocumentSubset:
    """Make a subset of unit-weight documents from counts alone."""
    return _subset(Counts(tp, fp), None, tp + fp)


def _subset(counts: Counts[float], positions: Indices | None, size: float) -> DocumentSubset:
    interval = precision_interval(counts.precision, size)
    weight = counts.alerts / size if size else 1.0
    return DocumentSubset(counts.tp, counts.fp, positions=positions, interval=interval, weight=weight)
