"""A decision in words and tables, plain text throughout: what the report and the Markdown summary both say."""

from collections.abc import Iterator
from dataclasses import dataclass

from multiloss_core.decisions.record import DecisionRecord, RecordedInterval
from multiloss_core.formatting import UNDEFINED, count, money, plural, price, share, signed, threshold
from multiloss_core.numerics.arrays import ratio
from multiloss_core.thresholds.points.thresholds_file import MEANING

Row = tuple[str, ...]

_DOCUMENTS = ("Caught (TP)", "False alerts (FP)", "Alerts", "Precision")
_MONEY = ("Money caught (TP)", "Money in false alerts (FP)", "Money flagged", "Fraud in the money flagged")

_STATUS = {
    "at_floor": "The point is at the floor: even the last documents that were rated are worth their false alerts at this "
    "target, so the best point lies below what was rated.",
    "unreachable": "No part of the path reaches this target, so nothing is flagged.",
}


@dataclass(frozen=True)
class Section:
    """A heading, sentences, a text in its author's own lines, and a table (its first column names the rows)."""

    title: str
    sentences: tuple[str, ...] = ()
    quotation: str = ""
    header: Row = ()
    rows: tuple[Row, ...] = ()


def title_of(record: DecisionRecord) -> str:
    """The heading of the whole."""
    return f"Thresholds for {record.data.name}"


def sections(record: DecisionRecord) -> tuple[Section, ...]:
    """Everything that a record says, in the order in which it is read."""
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
        "Thresholds",
        (f"{sentence.capitalize()}; no score reaches a threshold of never.",),
        header=tuple(header),
        rows=tuple(zip(*columns, strict=True)),
    )


def _meaning(record: DecisionRecord) -> Section:
    expected = record.expected
    if expected.alerts > 0 and record.settings.amount is not None:
        counted = (
            f"Of the money in rated documents, {money(expected.alerts)} would be flagged: {money(expected.tp)} of it in "
            f"documents rated fraud and {money(expected.fp)} in false alerts, so that "
            f"{share(expected.precision, _base(record, expected.alerts))} of the money flagged is fraud."
        )
    elif expected.alerts > 0:
        counted = (
            f"Of the rated documents, {plural(expected.alerts, 'document')} would be flagged: {count(expected.tp)} of them "
            f"were rated fraud and {count(expected.fp)} are false alerts, a precision of "
            f"{share(expected.precision, expected.alerts)}."
        )
    else:
        counted = "No rated document would be flagged."
    return Section("What it means", (counted, *_target_sentences(record), *_difference_sentences(record)))


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
            yield f"The last alerts added are worth it where {percent} of them are fraud: {price(target.marginal_precision)}."
        else:
            yield f"The last money flagged is worth it where {percent} of it is fraud."
    if target.status in _STATUS:
        yield _STATUS[target.status]


def _difference_sentences(record: DecisionRecord) -> Iterator[str]:
    current, expected = record.current, record.expected
    if current is None or current.tp is None or current.fp is None:
        return
    caught, false = expected.tp - current.tp, expected.fp - current.fp
    if record.settings.amount is None:
        more, less = f"{signed(caught, count(caught))} caught", f"{signed(false, count(false))} false alerts"
    else:
        more = f"{signed(caught, money(caught))} of money caught"
        less = f"{signed(false, money(false))} of money in false alerts"
    yield f"Against the current thresholds on the same data: {more}, {less}."


def _counts(record: DecisionRecord) -> Section:
    expected, current, level = record.expected, record.current, record.expected.level
    header = ["", "On this data"]
    if level is not None:
        header += ["Expected on new data", f"{100 * level:.4g} % interval"]
    compared = current is not None and current.tp is not None and current.fp is not None
    old_tp, old_fp = (current.tp or 0.0, current.fp or 0.0) if current is not None else (0.0, 0.0)
    if compared:
        header += ["Current thresholds", "Difference"]
    number, names = (count, _DOCUMENTS) if record.settings.amount is None else (money, _MONEY)
    rows = []
    for name, value, interval, old in zip(
        names,
        (expected.tp, expected.fp, expected.alerts),
        (expected.tp_interval, expected.fp_interval, expected.alerts_interval),
        (old_tp, old_fp, old_tp + old_fp),
        strict=False,
    ):
        cells = [name, number(value)]
        if level is not None:
            cells += _interval_cells(interval, expected.alerts, as_share=False)
        if compared:
            cells += [number(old), signed(value - old, number(value - old))]
        rows.append(tuple(cells))
    cells = [names[-1], share(expected.precision, _base(record, expected.alerts))]
    if level is not None:
        cells += _interval_cells(expected.precision_interval, _base(record, expected.alerts), as_share=True)
    if compared:
        cells += _precision_cells(expected.precision, ratio(old_tp, old_tp + old_fp), _base(record, old_tp + old_fp))
    rows.append(tuple(cells))
    return Section("What it catches and costs", header=tuple(header), rows=tuple(rows))


def _base(record: DecisionRecord, alerts: float) -> float:
    """What the digits of a share of `alerts` rest on; of how many documents money is, no record tells."""
    return alerts if record.settings.amount is None else 0.0 if not alerts else 1_000.0


def _interval_cells(interval: RecordedInterval | None, alerts: float, *, as_share: bool) -> Row:
    if interval is None:
        return UNDEFINED, UNDEFINED
    estimate, low, high = (
        share(value, alerts) if as_share else count(round(value))
        for value in (interval.estimate, interval.low, interval.high)
    )
    return estimate, f"{low} to {high}"


def _precision_cells(precision: float | None, old: float, old_alerts: float) -> Row:
    if precision is None or not old_alerts:
        return share(old, old_alerts), UNDEFINED
    points = 100 * (precision - old)
    return share(old, old_alerts), signed(points, f"{points:.1f} points")


def _reason(record: DecisionRecord) -> Section:
    author = f"Decided by {record.author}" if record.author.strip() else "The author is not given"
    moment = f"{record.created:%Y-%m-%d %H:%M} UTC"
    reason = record.reason.strip()
    return Section("Why", (f"{author}, {moment}.", *(() if reason else ("No reason is given.",))), quotation=reason)


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
        "What cannot be known",
        (
            "People rated only documents that scored at or above a rating floor. How much fraud lies below the floors is "
            "unknown, so recall, the false positive rate and F1 cannot be computed, and none is given here.",
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
    return Section("The data", header=("", "Value"), rows=rows)


def _origin(record: DecisionRecord) -> Section:
    settings = record.settings
    return Section(
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
