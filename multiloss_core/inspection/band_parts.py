"""Count documents blocked, reviewed and passed by two cuts, and daily reviews."""

from dataclasses import dataclass

import numpy as np

from multiloss_core.inspection.document_subset import DocumentSubset, counted_subset, document_subset
from multiloss_core.inspection.drift import AlertTrend
from multiloss_core.inspection.periods import Calendar, DailyAlerts, daily_alerts
from multiloss_core.thresholds.data.counts import flagged
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.targets.busy_days import DailyCap
from multiloss_core.thresholds.targets.review_band import ReviewBand


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
