"""Write the sections of a decision on thresholds by segment and on its random audit."""

from collections.abc import Callable, Iterator

from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.record_fields import RecordedInterval
from multiloss_core.decisions.reporting.evidence_sections import Row, Section
from multiloss_core.decisions.segments import RecordedGain
from multiloss_core.formatting import (
    UNDEFINED,
    Unit,
    Vocabulary,
    count,
    percent,
    plural,
    score_name,
    share,
    short_percent,
    shortened,
)
from multiloss_core.numerics.arrays import ratio


def listed_sentences(record: DecisionRecord) -> Iterator[str]:
    """Limit the common thresholds to the values without thresholds of their own."""
    if record.segments is not None:
        yield (
            f"These are the common thresholds; {record.segments.listed_words} "
            f"{'has' if record.segments.count == 1 else 'have'} other ones, see thresholds per segment."
        )


def segment_sections(record: DecisionRecord, vocabulary: Vocabulary) -> Iterator[Section]:
    """Write the table of thresholds per segment; nothing where there are only common ones."""
    segments = record.segments
    if segments is None:
        return
    unit = Unit.DOCUMENTS if record.settings.amount is None else Unit.MONEY
    yield Section(
        "segment thresholds",
        "Thresholds per segment",
        (
            f"The value of '{shortened(segments.column)}' decides which thresholds a {vocabulary.document} must reach; "
            "values that are not listed use the common ones.",
            _gain_sentence(segments.gain),
        ),
        header=(
            shortened(segments.column),
            *map(score_name, record.columns.scores),
            "Caught (TP)",
            "False alerts (FP)",
            "Precision",
        ),
        rows=tuple(_row(record, unit, *row) for row in segment_rows(record)),
    )


def segment_rows(record: DecisionRecord) -> Iterator[tuple[str, tuple[float | None, ...], float, float]]:
    """List values, thresholds (k,), TP and FP of each segment, all others last."""
    if record.segments is None:
        return
    tp, fp = record.expected.tp, record.expected.fp
    for one in record.segments.own:
        tp, fp = tp - one.tp, fp - one.fp
        yield one.words, one.thresholds, one.tp, one.fp
    # Sums of weights differ by rounding.
    yield "All others", record.thresholds, max(0.0, tp), max(0.0, fp)


def _row(
    record: DecisionRecord, unit: Unit, name: str, thresholds: tuple[float | None, ...], tp: float, fp: float
) -> Row:
    written = record.columns.threshold_words(thresholds)
    base = tp + fp if unit is Unit.DOCUMENTS else 1_000.0
    return name, *written, unit.number(tp), unit.number(fp), share(ratio(tp, tp + fp), base)


def _gain_sentence(gain: RecordedGain | None) -> str:
    if gain is None:
        return "What they gain over common thresholds on new data is unknown."
    estimate, low, high = (
        f"{value:,.1f}".replace("-", "\N{MINUS SIGN}") for value in (gain.estimate, gain.low, gain.high)
    )
    chance = ", so that chance may explain it" if gain.low <= 0 <= gain.high else ""
    return (
        f"On held-out data, the gain in value over common thresholds is {estimate}, with bounds from {low} to {high}"
        f"{chance}."
    )


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
