"""Write the sections of a summary on evidence, thresholds by segment and the random audit."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from multiloss_core.decisions.evidence import RecordedAlerts, RecordedEvidence
from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.record_fields import RecordedInterval
from multiloss_core.decisions.segments import RecordedGain
from multiloss_core.formatting import (
    UNDEFINED,
    Unit,
    Vocabulary,
    count,
    money,
    percent,
    plural,
    score_name,
    share,
    short_percent,
    shortened,
    signed,
)
from multiloss_core.numerics.arrays import ratio

Row = tuple[str, ...]
MAX_WEEKS, MAX_SEGMENTS = 8, 10
INTERVAL = "Precision, 95 %"


@dataclass(frozen=True)
class Section:
    """A heading, sentences, a text with its own lines, and a table with row names first."""

    key: str
    title: str
    sentences: tuple[str, ...] = ()
    quotation: str = ""
    header: Row = ()
    rows: tuple[Row, ...] = ()


def evidence_sections(record: DecisionRecord, vocabulary: Vocabulary) -> Iterator[Section]:
    """Write the sections on the evidence of a record; none for older records."""
    evidence = record.evidence
    if evidence is None:
        return
    yield from _changes(evidence, vocabulary)
    yield from _other_unit(record, evidence, vocabulary)
    yield from _waiting(evidence)
    yield from _weeks(evidence)
    yield from _segments(evidence)


def pending_sentence(evidence: RecordedEvidence) -> str:
    """Count the undecided alerts in a sentence; empty without any."""
    if not evidence.undecided:
        return ""
    return (
        f"{plural(evidence.undecided, 'more alert', 'are')} undecided at these thresholds and counted neither as right "
        "nor as wrong."
    )


def _changes(evidence: RecordedEvidence, vocabulary: Vocabulary) -> Iterator[Section]:
    if evidence.dropped is None or evidence.added is None:
        return
    sides = (("Dropped", evidence.dropped), ("Added", evidence.added))
    is_waiting = any(found.undecided for _, found in sides)
    yield Section(
        "changes",
        "What changes against the current thresholds",
        (f"{'Alerts' if is_waiting else f'Rated {vocabulary.documents}'} that only one of the two flags.",),
        header=(
            "",
            "Alerts",
            *(("Undecided",) if is_waiting else ()),
            f"Rated {vocabulary.positive}",
            "Precision",
            INTERVAL,
        ),
        rows=tuple(
            (
                name,
                count(found.tp + found.fp + found.undecided),
                *((count(found.undecided),) if is_waiting else ()),
                count(found.tp),
                _precision(found),
                _interval(found),
            )
            for name, found in sides
        ),
    )


def _other_unit(record: DecisionRecord, evidence: RecordedEvidence, vocabulary: Vocabulary) -> Iterator[Section]:
    found = evidence.other_unit
    if found is None:
        return
    in_money = record.settings.amount is None
    number = money if in_money else count
    known = found.current_tp is not None and found.current_fp is not None
    now, before = (found.tp, found.fp), (found.current_tp or 0.0, found.current_fp or 0.0)
    rows = []
    for name, value, old in (
        ("Money in alerts" if in_money else "Alerts", sum(now), sum(before)),
        (f"Rated {vocabulary.positive}", now[0], before[0]),
        ("False alerts", now[1], before[1]),
    ):
        change = (number(old), signed(value - old, number(value - old))) if known else ()
        rows.append((name, number(value), *change))
    header = ("", "At these thresholds", *(("Current thresholds", "Difference") if known else ()))
    title = "In money" if in_money else f"In {vocabulary.documents}"
    yield Section("other unit", title, header=header, rows=tuple(rows))


def _waiting(evidence: RecordedEvidence) -> Iterator[Section]:
    sentences = []
    days = evidence.days
    if days is not None:
        low, high = (plural(_short(value), "alert") for value in (days.low, days.high))
        sentences.append(
            f"{plural(_short(days.mean), 'alert')} a day on average, {low} to {high} on eight of ten days, undecided "
            "ones included."
        )
    if pending_sentence(evidence):
        sentences.append(pending_sentence(evidence))
    if evidence.current_undecided:
        sentences.append(f"At the current thresholds {plural(evidence.current_undecided, 'alert', 'are')} undecided.")
    if sentences:
        yield Section("waiting", "Alerts a day, and undecided ones", tuple(sentences))


def _weeks(evidence: RecordedEvidence) -> Iterator[Section]:
    weeks = evidence.weeks
    if not weeks:
        return
    shown = weeks[-MAX_WEEKS:]
    sentences = [f"The last {len(shown)} of {len(weeks)} weeks."] if len(weeks) > len(shown) else []
    if evidence.incomplete_from is not None:
        sentences.append(f"Ratings are incomplete from the week of {evidence.incomplete_from} on.")
    named = [(f"{week.monday}{'' if week.complete else ' (in part)'}", week) for week in shown]
    yield Section("weeks", "Week by week", tuple(sentences), header=_header("Week of"), rows=tuple(_rows(named)))


def _segments(evidence: RecordedEvidence) -> Iterator[Section]:
    segments = evidence.segments
    if not segments:
        return
    shown = segments[:MAX_SEGMENTS]
    sentence = f"Values of '{evidence.segment}', most alerts first"
    sentence += f"; the first {len(shown)} of {len(segments)}." if len(shown) < len(segments) else "."
    named = [(segment.name, segment) for segment in shown]
    yield Section("segments", "By segment", (sentence,), header=_header("Segment"), rows=tuple(_rows(named)))


def _header(first: str) -> Row:
    return first, "Caught (TP)", "False alerts (FP)", "Undecided", "Precision", INTERVAL


def _rows(named: Sequence[tuple[str, RecordedAlerts]]) -> Iterator[Row]:
    for name, found in named:
        counts = (count(value) for value in (found.tp, found.fp, found.undecided))
        yield name, *counts, _precision(found), _interval(found)


def _precision(found: RecordedAlerts) -> str:
    alerts = found.tp + found.fp
    return share(ratio(found.tp, alerts), alerts)


def _interval(found: RecordedAlerts) -> str:
    if found.low is None or found.high is None:
        return UNDEFINED
    alerts = found.tp + found.fp
    return f"{share(found.low, alerts)} to {share(found.high, alerts)}"


def _short(value: float) -> float:
    return round(value, 1 if value < 100 else 0)


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
