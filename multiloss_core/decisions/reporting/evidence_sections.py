"""Describe the evidence of a decision: changes, money, undecided alerts, weeks, segments."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from multiloss_core.decisions.evidence import RecordedAlerts, RecordedEvidence
from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.formatting import UNDEFINED, Vocabulary, count, money, plural, share, signed
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
