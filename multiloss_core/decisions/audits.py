"""Record a random audit: its strata, and what it estimates at the thresholds of a decision."""

from dataclasses import KW_ONLY
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from multiloss_core.audit import MAX_STRATA, AuditEstimates, AuditReading
from multiloss_core.decisions.record_fields import RecordedInterval, require_at_most
from multiloss_core.decisions.validation import Count, LongText, as_tuple, disagreement, recorded
from multiloss_core.errors import DataError
from multiloss_core.generalisation.marginal_interval import Interval


@recorded
class AuditedStratum:
    """Documents that were not rated as alerts, and a random sample of them that was rated."""

    condition: LongText
    """Their scores, in words."""
    blocked: bool
    """Whether they reach a block threshold; the others lie below the floors."""
    documents: Count
    ratings: Count
    positives: Count
    """Positives among the ratings."""

    @model_validator(mode="after")
    def _require_parts(self) -> Self:
        require_at_most("ratings", self.ratings, "documents", self.documents)
        require_at_most("positives", self.positives, "ratings", self.ratings)
        return self


@recorded
class RecordedAudit:
    """A random audit and its estimates at the thresholds of the decision, with 95 % bounds."""

    strata: Annotated[tuple[AuditedStratum, ...], BeforeValidator(as_tuple), Field(min_length=1, max_length=MAX_STRATA)]
    _: KW_ONLY
    caught: Count
    """Rated positives that are flagged and not blocked."""
    recall: RecordedInterval
    """Share of all positives that are flagged or blocked."""
    f1: RecordedInterval
    missed: RecordedInterval
    """Positives that are neither flagged nor blocked, in the period of the data."""
    prevalence: RecordedInterval
    """Share of positives among all documents."""
    false_blocks: RecordedInterval | None = None
    """Negatives among blocked documents; null where none are blocked."""

    @model_validator(mode="after")
    def _require_shares(self) -> Self:
        for name in ("recall", "f1", "prevalence"):
            require_at_most(f"audit.{name}.high", getattr(self, name).high, "1", 1.0)
        if any(not one.ratings and one.documents for one in self.strata):
            raise disagreement("audit.strata should have ratings wherever there are documents")
        return self


def recorded_audit(reading: AuditReading, estimates: AuditEstimates) -> RecordedAudit:
    """Record an audit with its estimates at the thresholds of a decision."""
    audit, strata = reading.audit, reading.audit.strata
    each = zip(strata.labels, strata.blocked, audit.sizes, audit.rated, audit.positives, strict=True)
    blocks = RecordedInterval.of(estimates.false_blocks, reading.level)
    return RecordedAudit(
        tuple(
            AuditedStratum(words, bool(blocked), float(size), float(rated), float(positives))
            for words, blocked, size, rated, positives in each
        ),
        caught=estimates.caught,
        recall=_known(estimates.recall, reading.level),
        f1=_known(estimates.f1, reading.level),
        missed=_known(estimates.missed, reading.level),
        prevalence=_known(estimates.prevalence, reading.level),
        false_blocks=blocks,
    )


def _known(interval: Interval, level: float) -> RecordedInterval:
    found = RecordedInterval.of(interval, level)
    if found is None:
        raise DataError("The audit leaves an estimate undefined, so it cannot be recorded; check its counts.")
    return found
