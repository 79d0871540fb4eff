"""Describe a random audit: recall or why it is not given, estimates, strata."""

from collections.abc import Callable, Iterator

from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.record_fields import RecordedInterval
from multiloss_core.decisions.reporting.evidence_sections import Row, Section
from multiloss_core.formatting import UNDEFINED, Unit, Vocabulary, count, percent, plural, short_percent


def recall_sentences(record: DecisionRecord, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Give recall where a random audit allows it; else say why it is not given."""
    audit = record.audit
    if audit is None:
        return (
            f"People rated only {vocabulary.documents} that reached the rating floor of a score"
            f"{' or were raised by an alert rule' if record.columns.alert_rules else ''}. "
            f"{vocabulary.how_many_lie} elsewhere is unknown, so recall, the false positive rate and F1 cannot "
            "be computed, and none is given here.",
        )
    recall, ratings = audit.recall, sum(one.ratings for one in audit.strata)
    return (
        f"A random audit of {plural(ratings, vocabulary.document)} estimates recall: between "
        f"{percent(recall.low)} and {percent(recall.high)} of all {vocabulary.positive} is caught, at "
        f"{percent(recall.level)} confidence.",
    )


def audit_sections(record: DecisionRecord, vocabulary: Vocabulary) -> Iterator[Section]:
    """Write what a random audit estimates, and its strata."""
    audit = record.audit
    if audit is None:
        return
    estimates = [
        ("Recall", audit.recall, percent),
        ("F1", audit.f1, percent),
        (f"Missed {vocabulary.positive}", audit.missed, Unit.DOCUMENTS.estimate),
        ("Prevalence", audit.prevalence, short_percent),
        *([("False blocks", audit.false_blocks, Unit.DOCUMENTS.estimate)] if audit.false_blocks is not None else []),
    ]
    yield Section(
        "audit",
        "Random audit",
        recall_sentences(record, vocabulary),
        header=("", "Estimate", f"{100 * audit.recall.level:.4g} %"),
        rows=tuple((name, *interval_cells(interval, words)) for name, interval, words in estimates),
    )
    yield Section(
        "audited strata",
        "Strata of the audit",
        ("Each stratum is a range of scores; a random sample of it was rated.",),
        header=("Scores", "Documents", "Ratings", "Positive"),
        rows=tuple(
            (
                f"{one.condition}{' (blocked)' if one.blocked else ''}",
                *map(count, (one.documents, one.ratings, one.positives)),
            )
            for one in audit.strata
        ),
    )


def interval_cells(interval: RecordedInterval | None, words: Callable[[float], str]) -> Row:
    """Write an estimate and its bounds as two cells."""
    if interval is None:
        return UNDEFINED, UNDEFINED
    return words(interval.estimate), f"{words(interval.low)} to {words(interval.high)}"
