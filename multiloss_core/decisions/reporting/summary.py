"""Describe a decision in sentences and tables, for the report and the Markdown summary."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.record_fields import SET_MANUALLY, ExpectedCounts, GoalValue, RecordedColumns
from multiloss_core.decisions.reporting.evidence_sections import (
    Row,
    Section,
    audit_sections,
    evidence_sections,
    interval_cells,
    listed_sentences,
    recall_sentences,
    segment_sections,
)
from multiloss_core.formatting import (
    MINUS,
    NEUTRAL,
    NEVER,
    UNDEFINED,
    Vocabulary,
    count,
    money,
    plural,
    points,
    price,
    score_name,
    score_value,
    share,
    shortened,
    signed,
    threshold,
)
from multiloss_core.numerics.arrays import ratio
from multiloss_core.thresholds.paths.age_weights import AgeWeights
from multiloss_core.thresholds.paths.earlier_files import EarlierWeights
from multiloss_core.thresholds.targets.thresholds_file import rule_in_words

_COUNTED = ("tp", "fp", "alerts", "precision")
_DOCUMENTS = ("Caught (TP)", "False alerts (FP)", "Alerts", "Precision")
_MONEY = ("Money caught (TP)", "Money in false alerts (FP)", "Money flagged", "{positive} in the money flagged")

_SHARES = ("marginal precision", "guaranteed precision", "confidence of the guarantee")

_STATUS = {
    "at_floor": "The point is at the floor: even the last {documents} that were rated are worth their false alerts at "
    "this target, so the best point lies below what was rated.",
    "unreachable": "No part of the path reaches this target, so nothing is flagged.",
}


def title_of(record: DecisionRecord) -> str:
    """Write the heading of the whole."""
    return f"Thresholds for {record.data.name}"


def decided_by(record: DecisionRecord) -> str:
    """Write the author and the time of the decision."""
    author = f"Decided by {record.author}" if record.author.strip() else "The author is not given"
    return f"{author}, {record.created:%Y-%m-%d %H:%M} UTC."


def sections(record: DecisionRecord, vocabulary: Vocabulary = NEUTRAL) -> tuple[Section, ...]:
    """Write all sections of a record in reading order."""
    return (
        _thresholds(record, vocabulary),
        *segment_sections(record, vocabulary),
        _meaning(record, vocabulary),
        _counts(record, vocabulary.positive),
        *audit_sections(record, vocabulary),
        *evidence_sections(record, vocabulary),
        _reason(record),
        _unknown(record, vocabulary),
        _data(record, vocabulary.positive),
        _origin(record),
    )


def _thresholds(record: DecisionRecord, vocabulary: Vocabulary) -> Section:
    scores, words = record.columns.scores, record.columns.threshold_words
    inverted = [name for name in scores if name.startswith(MINUS)]
    side = "at or below" if inverted else "at or above"
    alone = f"flag {vocabulary.a_document} when its score is {side} its threshold"
    is_alone = len(record.thresholds) == 1
    sentence = alone if is_alone else rule_in_words(record.settings.rule, vocabulary.a_document, inverted)
    columns = {"Classifier": map(score_name, scores), "Threshold": words(record.thresholds)}
    if record.current is not None:
        before = record.current.thresholds
        columns |= {
            "Current": words(before),
            "Change": map(_change, map(score_value, scores, record.thresholds), map(score_value, scores, before)),
        }
    shown = words(record.thresholds) + (() if record.current is None else words(record.current.thresholds))
    never = "; no score reaches a threshold of never" if NEVER in shown else ""
    if record.block is not None:
        columns["Block from"] = words(record.block.thresholds)
    columns["Rating floor"] = words(record.columns.floors)
    return Section(
        "thresholds",
        "Thresholds",
        (f"{sentence.capitalize()}{never}.", *listed_sentences(record)),
        header=tuple(columns),
        rows=tuple(zip(*columns.values(), strict=True)),
    )


def _meaning(record: DecisionRecord, vocabulary: Vocabulary) -> Section:
    expected, positive, documents = record.expected, vocabulary.positive, vocabulary.documents
    if expected.alerts > 0 and record.settings.amount is not None:
        counted = (
            f"Of the money in rated {documents}, {money(expected.alerts)} would be flagged: {money(expected.tp)} of it "
            f"in {documents} rated {positive} and {money(expected.fp)} in false alerts, so that "
            f"{share(expected.precision, _base(record, expected.alerts))} of the money flagged is {positive}."
        )
    elif expected.alerts > 0:
        counted = (
            f"Of the rated {documents}, {plural(expected.alerts, vocabulary.document)} would be flagged: "
            f"{count(expected.tp)} rated {positive} and {plural(expected.fp, 'false alert')}, a "
            f"precision of {share(expected.precision, expected.alerts)}."
        )
    else:
        counted = f"No rated {vocabulary.document} would be flagged."
    sentences = (
        counted,
        *_block_sentences(record, vocabulary),
        *_kept_sentences(record, vocabulary),
        *_target_sentences(record, vocabulary),
        *_difference_sentences(record),
    )
    return Section("meaning", "What it means", sentences)


def _block_sentences(record: DecisionRecord, vocabulary: Vocabulary) -> Iterator[str]:
    """Describe the alerts between and above two cuts."""
    block, expected = record.block, record.expected
    if block is None:
        return
    in_money = record.settings.amount is not None
    for words, tp, fp in (
        ("blocked without a review", block.tp, block.fp),
        ("reviewed", max(expected.tp - block.tp, 0.0), max(expected.fp - block.fp, 0.0)),
    ):
        alerts = tp + fp
        precision = share(ratio(tp, alerts), _base(record, alerts))
        yield (
            f"Of these, {f'{money(alerts)} of money' if in_money else plural(alerts, vocabulary.document)} would be "
            f"{words}: {(money if in_money else count)(tp)} {vocabulary.positive} and "
            f"{f'{money(fp)} in false alerts' if in_money else plural(fp, 'false alert')}, a precision of "
            f"{precision}."
        )
    goal_values = ", ".join(f"{goal.name} {threshold(goal.value)}" for goal in block.target.goal_values)
    yield f"The upper cut was derived from {block.target.goal}{f': {goal_values}' if goal_values else ''}."
    if block.reviews_per_day is not None:
        yield f"At most {block.reviews_per_day:g} a day can be reviewed."


def _kept_sentences(record: DecisionRecord, vocabulary: Vocabulary) -> Iterator[str]:
    """Describe the share of rated positives kept, of all under either rule, and its maximum."""
    expected = record.expected
    rated, reachable = expected.rated_positives, expected.reachable_positives
    if not rated or reachable is None:
        return
    number, digits = (count, rated) if record.settings.amount is None else (money, 1_000.0)
    what = f"{'' if record.settings.amount is None else 'of money in '}{vocabulary.documents}"
    kept = f"That keeps {share(expected.tp / rated, digits)} of all {number(rated)} {what} rated {vocabulary.positive}"
    if reachable < rated:
        kept += f"; at most {share(reachable / rated, digits)} can be kept when every score must agree"
    yield f"{kept}."


def _target_sentences(record: DecisionRecord, vocabulary: Vocabulary) -> Iterator[str]:
    target, positive = record.target, vocabulary.positive
    if target.by_hand:
        yield "The thresholds were set manually, not optimised."
    else:
        yield f"Chosen by: {chosen_by(record)}."
    if target.marginal_precision is not None:
        percent = f"{100 * target.marginal_precision:.4g}\N{NO-BREAK SPACE}%"
        if record.settings.amount is None:
            worth = price(target.marginal_precision, positive)
            yield f"The last alerts added are worth it where {percent} of them are {positive}: {worth}."
        else:
            yield f"The last money flagged is worth it where {percent} of it is {positive}."
    if target.status in _STATUS:
        yield vocabulary.in_words(_STATUS[target.status])


def chosen_by(record: DecisionRecord) -> str:
    """Write the active goal and the other goal values: "marginal precision 20 %"."""
    target = record.target
    if target.by_hand:
        return SET_MANUALLY
    own = [goal for goal in target.goal_values if goal.name == target.goal]
    others = [f"{goal.name} {_value_words(goal)}" for goal in target.goal_values if goal not in own]
    return ", ".join([" ".join([target.goal, *map(_value_words, own)]), *others])


def _value_words(goal: GoalValue) -> str:
    if goal.name in _SHARES:
        return f"{100 * goal.value:.4g}\N{NO-BREAK SPACE}%"
    return threshold(goal.value)


def _difference_sentences(record: DecisionRecord) -> Iterator[str]:
    before = _counted_before(record)
    if before is None:
        return
    caught, false = record.expected.tp - before.tp, record.expected.fp - before.fp
    if record.settings.amount is None:
        more, less = f"{signed(caught, count(caught))} caught", signed(false, plural(false, "false alert"))
    else:
        more = f"{signed(caught, money(caught))} of money caught"
        less = f"{signed(false, money(false))} of money in false alerts"
    yield f"Against the current thresholds on the same data: {more}, {less}."


def _counts(record: DecisionRecord, positive: str) -> Section:
    expected, before = record.expected, _counted_before(record)
    header = ["", "On this data"]
    if expected.level is not None:
        header += ["Expected on new data", f"{100 * expected.level:.4g} % interval"]
    if before is not None:
        header += ["Current thresholds", "Difference"]
    waiting, waiting_before = undecided_of(record)
    is_waiting = bool(waiting or waiting_before)
    decided = (*_DOCUMENTS[:2], "Decided alerts", _DOCUMENTS[3])
    names = _MONEY if record.settings.amount is not None else decided if is_waiting else _DOCUMENTS
    rows = tuple(
        _count_row(record, before, name.format(positive=positive.capitalize()), key)
        for name, key in zip(names, _COUNTED, strict=True)
    )
    if is_waiting:
        new, old = expected.alerts + waiting, None if before is None else before.alerts + waiting_before
        blank = ("", "") if expected.level is not None else ()
        change = () if old is None else (count(old), signed(new - old, count(new - old)))
        rows = (*rows, ("Alerts, undecided ones included", count(new), *blank, *change))
    return Section("counts", "What it catches and costs", header=tuple(header), rows=rows)


def _counted_before(record: DecisionRecord) -> ExpectedCounts | None:
    """Count the current thresholds on the same data, if known."""
    current = record.current
    if current is None or current.tp is None or current.fp is None:
        return None
    return ExpectedCounts.of(current.tp, current.fp)


def _count_row(record: DecisionRecord, before: ExpectedCounts | None, name: str, key: str) -> Row:
    """Write a row: the number recorded, on new data, of the current thresholds, the difference."""
    value: float | None = getattr(record.expected, key)
    written = _writer(record, record.expected, key)
    cells: Row = (name, written(value))
    if record.expected.level is not None:
        estimate = written if key == "precision" else lambda number: count(round(number))
        cells += interval_cells(getattr(record.expected, f"{key}_interval"), estimate)
    if before is None:
        return cells
    old: float | None = getattr(before, key)
    cells += (_writer(record, before, key)(old),)
    if value is None or old is None:
        return (*cells, UNDEFINED)
    change = value - old
    return (*cells, points(change) if key == "precision" else signed(change, written(change)))


def _writer(record: DecisionRecord, counts: ExpectedCounts, key: str) -> Callable[[Any], str]:
    """Choose the format of a number: as a share of alerts, or in the unit of the record."""
    if key == "precision":
        return partial(share, out_of=_base(record, counts.alerts))
    return count if record.settings.amount is None else money


def _base(record: DecisionRecord, alerts: float) -> float:
    """Return the number of documents behind a share of `alerts`; unknown for money."""
    return alerts if record.settings.amount is None else 0.0 if not alerts else 1_000.0


def _reason(record: DecisionRecord) -> Section:
    reason = record.reason.strip()
    sentences = (decided_by(record), *(() if reason else ("No reason is given.",)))
    return Section("reason", "Why", sentences, quotation=reason)


def _unknown(record: DecisionRecord, vocabulary: Vocabulary) -> Section:
    by_hand = record.target.by_hand
    source, flattered = (
        ("this data", "") if by_hand else ("the data that chose the thresholds", ", which flatters them")
    )
    # Intervals of thresholds per segment leave the choice of these out.
    is_corrected = record.expected.level and not by_hand and record.segments is None
    corrected = " The expectations on new data are corrected for it." if is_corrected else ""
    return Section(
        "unknown",
        "What cannot be known",
        (
            *recall_sentences(record, vocabulary),
            f"The counts are those of {source}{flattered}; new data will differ.{corrected}",
        ),
    )


def _data(record: DecisionRecord, positive: str) -> Section:
    data, columns = record.data, record.columns
    steps = data.funnel.steps if data.funnel is not None else ()
    meaning: tuple[Row, ...] = (("Kind of data", "table of counts"),)
    if columns.rating is not None:
        meaning = (
            ("Rating column", columns.rating),
            *_rating_rows(columns, positive),
            ("Weight column", columns.weight or "none: each row counts once"),
            ("Group column", columns.group or "none: rows are independent"),
            *_other_columns(record),
        )
    counted = ((step.capitalize(), count(rows)) for step, rows in steps)
    rows = (
        ("Name", data.name),
        *_source_rows(record),
        *counted,
        *meaning,
        ("SHA-256 of data and columns", data.fingerprint),
    )
    return Section("data", "The data", header=("", "Value"), rows=rows)


def _rating_rows(columns: RecordedColumns, positive: str) -> Iterator[Row]:
    """List the meanings of ratings in the words of the column."""
    if columns.meanings is None:
        usual = "as usual (1, true, yes)" if columns.positive is None else columns.positive
        yield f"Rating that means {positive}", usual
        return
    for meaning, words in (("positive", positive), ("negative", f"not {positive}"), ("undecided", "undecided")):
        found = [word for word, meant in columns.meanings.items() if meant == meaning]
        if found:
            name = "Ratings that mean" if len(found) > 1 else "Rating that means"
            yield f"{name} {words}", ", ".join(found)


def undecided_of(record: DecisionRecord) -> tuple[float, float]:
    """Count undecided alerts at the thresholds and at the current ones; unknown for money."""
    if record.evidence is None or record.settings.amount is not None:
        return 0.0, 0.0
    return record.evidence.undecided, record.evidence.current_undecided or 0.0


def _other_columns(record: DecisionRecord) -> Iterator[Row]:
    evidence = record.evidence
    if evidence is not None:
        named = (("Amount", evidence.amount), ("Time", evidence.time), ("Segment", evidence.segment))
        yield from ((f"{words} column", name or "none") for words, name in named)


def _source_rows(record: DecisionRecord) -> Iterator[Row]:
    """List the place and state of a table, and its days and rows."""
    data = record.data
    named = (("Source", data.source), ("State of the source", data.snapshot), ("Read at", data.counted_at))
    yield from ((words, value) for words, value in named if value is not None)
    if data.time is not None:
        first = "the first day" if data.since is None else data.since
        end = "the last day" if data.until is None else f"before {data.until}"
        yield f"Days by '{data.time}'", f"{first} to {end}"
    if data.late_from is not None:
        yield "Ratings may not be in yet", f"from {data.late_from} on: precision falls there"
    if data.half_life is not None:
        yield "Age of alerts", AgeWeights(half_life=data.half_life).words
    if data.earlier is not None:
        yield "Earlier files", ", ".join(shortened(name) for name in data.earlier)
        yield "Their weight", EarlierWeights(half_life=data.earlier_half_life or 0.0, files=len(data.earlier)).words
    for entry in data.filters or ():
        yield f"Only rows where '{entry.column}' is", entry.words


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
                f"{settings.resolution:,}" if settings.resolution else "as in the table",
            ),
            ("Record", record.record_id),
            ("Program version", record.program_version),
        ),
    )


def _change(new: float | None, old: float | None) -> str:
    if new is None or old is None:
        return "none" if new == old else "\N{EM DASH}"
    return signed(new - old, f"{new - old:.6g}")
