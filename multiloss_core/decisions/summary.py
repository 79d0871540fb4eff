"""A decision in words and tables, plain text throughout: what the report and the Markdown summary both say."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from multiloss_core.decisions.record import DecisionRecord, ExpectedCounts, RecordedInterval
from multiloss_core.formatting import UNDEFINED, count, money, plural, price, share, signed, threshold
from multiloss_core.thresholds.points.thresholds_file import MEANING

Row = tuple[str, ...]


class _RowNames(NamedTuple):
    caught: str
    false_alerts: str
    alerts: str
    precision: str


_DOCUMENTS = _RowNames("Caught (TP)", "False alerts (FP)", "Alerts", "Precision")
_MONEY = _RowNames("Money caught (TP)", "Money in false alerts (FP)", "Money flagged", "Fraud in the money flagged")

_STATUS = {
    "at_floor": "The point is at the floor: even the last documents that were rated are worth their false alerts at "
    "this target, so the best point lies below what was rated.",
    "unreachable": "No part of the path reaches this target, so nothing is flagged.",
}


@dataclass(frozen=True)
class Section:
    """A heading, sentences, a text in its author's own lines, and a table (its first column names the rows)."""

    key: str
    title: str
    sentences: tuple[str, ...] = ()
    quotation: str = ""
    header: Row = ()
    rows: tuple[Row, ...] = ()


def title_of(record: DecisionRecord) -> str:
    """Write the heading of the whole."""
    return f"Thresholds for {record.data.name}"


def sections(record: DecisionRecord) -> tuple[Section, ...]:
    """Write everything that a record says, in the order in which it is read."""
    return (
        _thresholds(record),
        _meaning(record),
        _counts(record),
        _reason(record),
        _unknown(record),
        _data(record),
        _origin(record),
    )


def _thresholds(record: DecisionRecord) -> Section:
    alone = "flag a document when its score is at or above its threshold"
    sentence = alone if len(record.thresholds) == 1 else MEANING[record.settings.rule]
    header, columns = ["Classifier", "Threshold"], [record.columns.scores, tuple(map(threshold, record.thresholds))]
    if record.current is not None:
        header += ["Current", "Change"]
        before = record.current.thresholds
        columns += [
            tuple(map(threshold, before)),
            tuple(_change(new, old) for new, old in zip(record.thresholds, before, strict=True)),
        ]
    header.append("Rating floor")
    columns.append(tuple(map(threshold, record.columns.floors)))
    return Section(
        "thresholds",
        "Thresholds",
        (f"{sentence.capitalize()}; no score reaches a threshold of never.",),
        header=tuple(header),
        rows=tuple(zip(*columns, strict=True)),
    )


def _meaning(record: DecisionRecord) -> Section:
    expected = record.expected
    if expected.alerts > 0 and record.settings.amount is not None:
        counted = (
            f"Of the money in rated documents, {money(expected.alerts)} would be flagged: {money(expected.tp)} of it "
            f"in documents rated fraud and {money(expected.fp)} in false alerts, so that "
            f"{share(expected.precision, _base(record, expected.alerts))} of the money flagged is fraud."
        )
    elif expected.alerts > 0:
        counted = (
            f"Of the rated documents, {plural(expected.alerts, 'document')} would be flagged: {count(expected.tp)} of "
            f"them were rated fraud and {count(expected.fp)} are false alerts, a precision of "
            f"{share(expected.precision, expected.alerts)}."
        )
    else:
        counted = "No rated document would be flagged."
    return Section("meaning", "What it means", (counted, *_target_sentences(record), *_difference_sentences(record)))


def _target_sentences(record: DecisionRecord) -> Iterator[str]:
    target = record.target
    if target.by_hand:
        yield "The thresholds were set by hand, not optimised."
    else:
        wishes = ", ".join(
            f"{threshold(wish.value)}" if wish.name == target.driver else f"{wish.name} {threshold(wish.value)}"
            for wish in target.wishes
        )
        yield f"The point was driven by {target.driver}: {wishes}."
    if target.marginal_precision is not None:
        percent = f"{100 * target.marginal_precision:.4g}\N{NO-BREAK SPACE}%"
        if record.settings.amount is None:
            worth = price(target.marginal_precision, "fraud")
            yield f"The last alerts added are worth it where {percent} of them are fraud: {worth}."
        else:
            yield f"The last money flagged is worth it where {percent} of it is fraud."
    if target.status in _STATUS:
        yield _STATUS[target.status]


def _difference_sentences(record: DecisionRecord) -> Iterator[str]:
    before = _counted_before(record)
    if before is None:
        return
    caught, false = record.expected.tp - before.tp, record.expected.fp - before.fp
    if record.settings.amount is None:
        more, less = f"{signed(caught, count(caught))} caught", f"{signed(false, count(false))} false alerts"
    else:
        more = f"{signed(caught, money(caught))} of money caught"
        less = f"{signed(false, money(false))} of money in false alerts"
    yield f"Against the current thresholds on the same data: {more}, {less}."


def _counts(record: DecisionRecord) -> Section:
    expected, before = record.expected, _counted_before(record)
    header = ["", "On this data"]
    if expected.level is not None:
        header += ["Expected on new data", f"{100 * expected.level:.4g} % interval"]
    if before is not None:
        header += ["Current thresholds", "Difference"]
    old_tp, old_fp, old_alerts = (None,) * 3 if before is None else (before.tp, before.fp, before.alerts)
    names = _DOCUMENTS if record.settings.amount is None else _MONEY
    rows = (
        _count_row(record, names.caught, expected.tp, expected.tp_interval, old_tp),
        _count_row(record, names.false_alerts, expected.fp, expected.fp_interval, old_fp),
        _count_row(record, names.alerts, expected.alerts, expected.alerts_interval, old_alerts),
        _precision_row(record, names.precision, before),
    )
    return Section("counts", "What it catches and costs", header=tuple(header), rows=rows)


def _counted_before(record: DecisionRecord) -> ExpectedCounts | None:
    """Count what the thresholds that were in use do on the same data, where it is known."""
    current = record.current
    if current is None or current.tp is None or current.fp is None:
        return None
    return ExpectedCounts.of(current.tp, current.fp)


def _count_row(
    record: DecisionRecord, name: str, value: float, interval: RecordedInterval | None, old: float | None
) -> Row:
    number = count if record.settings.amount is None else money
    cells: Row = (name, number(value))
    if record.expected.level is not None:
        cells += _interval_cells(interval, lambda estimate: count(round(estimate)))
    return cells if old is None else (*cells, number(old), signed(value - old, number(value - old)))


def _precision_row(record: DecisionRecord, name: str, before: ExpectedCounts | None) -> Row:
    expected = record.expected
    out_of = _base(record, expected.alerts)
    cells: Row = (name, share(expected.precision, out_of))
    if expected.level is not None:
        cells += _interval_cells(expected.precision_interval, lambda estimate: share(estimate, out_of))
    if before is None:
        return cells
    old = share(before.precision, _base(record, before.alerts))
    if expected.precision is None or before.precision is None:
        return (*cells, old, UNDEFINED)
    points = 100 * (expected.precision - before.precision)
    return (*cells, old, signed(points, f"{points:.1f} points"))


def _interval_cells(interval: RecordedInterval | None, words: Callable[[float], str]) -> Row:
    if interval is None:
        return UNDEFINED, UNDEFINED
    return words(interval.estimate), f"{words(interval.low)} to {words(interval.high)}"


def _base(record: DecisionRecord, alerts: float) -> float:
    """Give what the digits of a share of `alerts` rest on; of how many documents money is, no record tells."""
    return alerts if record.settings.amount is None else 0.0 if not alerts else 1_000.0


def _reason(record: DecisionRecord) -> Section:
    author = f"Decided by {record.author}" if record.author.strip() else "The author is not given"
    moment = f"{record.created:%Y-%m-%d %H:%M} UTC"
    reason = record.reason.strip()
    return Section(
        "reason", "Why", (f"{author}, {moment}.", *(() if reason else ("No reason is given.",))), quotation=reason
    )


def _unknown(record: DecisionRecord) -> Section:
    flattery = (
        "The counts are those of this data; new data will differ."
        if record.target.by_hand
        else "The counts are those of the data that chose the thresholds, which flatters them; new data will differ."
    )
    corrected = (
        " The expectations on new data are corrected for it."
        if record.expected.level and not record.target.by_hand
        else ""
    )
    return Section(
        "unknown",
        "What cannot be known",
        (
            "People rated only documents that scored at or above a rating floor. How much fraud lies below the floors "
            "is unknown, so recall, the false positive rate and F1 cannot be computed, and none is given here.",
            flattery + corrected,
        ),
    )


def _data(record: DecisionRecord) -> Section:
    data, columns = record.data, record.columns
    steps = data.funnel.steps if data.funnel is not None else ()
    counted = tuple((step.capitalize(), count(rows)) for step, rows in steps)
    if columns.rating is None:
        meaning: tuple[Row, ...] = (("Kind of data", "table of counts"),)
    else:
        meaning = (
            ("Rating column", columns.rating),
            (
                "Rating that means fraud",
                columns.positive if columns.positive is not None else "as usual (1, true, yes)",
            ),
            ("Weight column", columns.weight or "none: each row counts once"),
            ("Group column", columns.group or "none: rows are independent"),
        )
    rows = (("Name", data.name), *counted, *meaning, ("SHA-256 of data and columns", data.fingerprint))
    return Section("data", "The data", header=("", "Value"), rows=rows)


def _origin(record: DecisionRecord) -> Section:
    settings = record.settings
    return Section(
        "origin",
        "How it was found",
        header=("", "Value"),
        rows=(
            ("Rule", f"{settings.rule} score reaches its threshold"),
            *(() if settings.amount is None else (("Counted", f"money: sums of '{settings.amount}'"),)),
            ("Method", settings.method),
            ("Spacing of the grid", settings.spacing),
            (
                "Nodes for each classifier, at most",
                count(settings.resolution) if settings.resolution else "as in the table",
            ),
            ("Record", record.record_id),
            ("Program version", record.program_version),
        ),
    )


def _change(new: float | None, old: float | None) -> str:
    if new is None or old is None:
        return "none" if new == old else "\N{EM DASH}"
    return signed(new - old, f"{new - old:.6g}")
