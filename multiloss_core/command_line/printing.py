"""Print short tables of plain text."""

import math
from collections.abc import Callable, Iterator, Sequence

from multiloss_core.command_line.actions import Watched
from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.reporting.summary import sections
from multiloss_core.decisions.then_and_now import PER_DAY
from multiloss_core.formatting import (
    FRAUD,
    count,
    money,
    percent,
    plural,
    points,
    rate,
    score_name,
    score_threshold,
    signed,
)
from multiloss_core.model_change import ModelChange

LEVEL_WORDS = "95 %"
NAMES = {"tp": "Caught (TP)", "fp": "False alerts (FP)", "alerts": "Alerts", "precision": "Precision"}


def choice_lines(record: DecisionRecord) -> Iterator[str]:
    """Write the thresholds of a record and what they are expected to do."""
    written = {section.key: section for section in sections(record, FRAUD)}
    data = record.data
    rows = "" if data.funnel is None else f"{plural(data.funnel.at_or_above_floor, 'rated document')}"
    positives = "" if data.funnel is None else f", {count(data.funnel.positives)} of them {FRAUD.positive}"
    days = "" if data.days is None else f", in {plural(data.days, 'day')}"
    yield f"{data.name}: {rows}{positives}{days}"
    for section in (written[key] for key in ("thresholds", "segment thresholds", "counts") if key in written):
        yield ""
        yield from section.sentences
        yield from table_lines(section.header, section.rows)


def watch_lines(watched: Watched) -> Iterator[str]:
    """Write the old and the new value of each number, and the verdict."""
    scale = "" if watched.sizes is None else f", {watched.sizes.unit}"
    yield f"Then expected, now observed{scale}, at the thresholds of the decision"
    header = ("", "Then", LEVEL_WORDS, "Now", LEVEL_WORDS, "Difference", LEVEL_WORDS)
    rows = []
    for name, change in watched.changes.items():
        words, differing = (
            (percent, points) if name == "precision" else (rate, lambda value: signed(value, rate(value)))
        )
        rows.append(
            (
                NAMES[name],
                *(words(change.then), _between(change.then_bounds, words)),
                *(words(change.now), _between(change.now_bounds, words)),
                *(differing(change.difference), _between(change.bounds, differing)),
            )
        )
    yield from table_lines(header, rows)
    yield ""
    yield _counted_words(watched)
    yield watched.verdict
    yield from watched.notes


def change_lines(record: DecisionRecord, change: ModelChange) -> Iterator[str]:
    """Write new thresholds, the sets of alerts that old and new ones flag, and what to rate."""
    yield change.words
    yield ""
    at = change.at_marginal_precision
    rows = [
        [score_name(name), *(score_threshold(name, one[j]) for one in (change.thresholds, at) if one is not None)]
        for j, name in enumerate(change.columns.scores)
    ]
    target = record.target.marginal_precision
    header = ["", "Same alerts", *([] if at is None or target is None else [f"Marginal precision {percent(target)}"])]
    yield from table_lines(header, rows)
    yield ""
    named = {"Both": change.both, "Only before": change.only_old, "Only now": change.only_new}
    cells = [
        [name, *map(count, (one.alerts, one.positives, one.negatives, one.unrated)), percent(one.precision)]
        for name, one in named.items()
    ]
    yield from table_lines(("", "Alerts", "Fraud", "No fraud", "Not rated", "Precision of rated"), cells)
    yield ""
    low, high = map(round, change.alerts_interval)
    yield f"In as long a period to come: {count(low)} to {plural(high, 'alert')} ({LEVEL_WORDS} interval)."
    yield from filter(None, [change.rating_words])


def table_lines(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Write a table: the first column from the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in (header, *rows):
        first, *others = (
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(["", first, *others]).rstrip()


def _counted_words(watched: Watched) -> str:
    """Write the counts behind the numbers."""
    sizes, then, now = watched.sizes, watched.record.expected, watched.now
    if sizes is None:
        return "How much was rated then is not known, so only the precision is compared."
    number = count if watched.record.settings.amount is None else money
    size_then, size_now = (
        f"in {plural(size, 'day')}" if sizes.unit == PER_DAY else f"of {count(1_000 * size)} rated"
        for size in (sizes.then, sizes.now)
    )
    alerts_then, alerts_now = number(then.alerts + sizes.undecided[0]), number(now.alerts + sizes.undecided[1])
    return (
        f"Counted then: {number(then.tp)} caught among {alerts_then} flagged {size_then}; now {number(now.tp)} among "
        f"{alerts_now} {size_now}."
    )


def _between(bounds: tuple[float, float], words: Callable[[float], str]) -> str:
    return "" if math.isnan(bounds[0]) else f"{words(bounds[0])} to {words(bounds[1])}"
