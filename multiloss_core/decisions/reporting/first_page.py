"""Write the first page of a decision: a sentence, four numbers with intervals, and caveats."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf, isnan
from operator import itemgetter

import numpy as np

from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.record_fields import RecordedInterval
from multiloss_core.decisions.reporting.evidence_sections import pending_sentence, recall_sentences
from multiloss_core.decisions.reporting.summary import undecided_of
from multiloss_core.formatting import (
    NEUTRAL,
    Unit,
    Vocabulary,
    direction,
    plural,
    rules_named,
    score_name,
    score_threshold,
    several,
    share,
    shortened,
)
from multiloss_core.thresholds.data.counts import Counts, Rule, rated_in_full

_NAMED = {"any": " or ", "all": " and "}
_WHOLE_FROM = 100
_FROM = {1.0: "from", -1.0: "up to"}
_NO_INTERVAL = "no interval was found"
_UNITS = {
    Unit.DOCUMENTS: ("Caught (TP)", "False alerts (FP)"),
    Unit.MONEY: ("Money caught (TP)", "Money in false alerts (FP)"),
}


@dataclass(frozen=True)
class Tile:
    """One of the four numbers: its name, the number, and the words of its interval."""

    name: str
    number: str
    interval: str


@dataclass(frozen=True)
class FirstPage:
    """The sentence, the four numbers, and what to bear in mind."""

    headline: str
    tiles: tuple[Tile, ...]
    caveats: tuple[str, ...]


def first_page(record: DecisionRecord, vocabulary: Vocabulary) -> FirstPage:
    """Write the headline and the numbers of the first page."""
    return FirstPage(record_headline(record, vocabulary), _tiles(record), _caveats(record, vocabulary))


def record_headline(record: DecisionRecord, vocabulary: Vocabulary) -> str:
    """Write a record as one sentence, see `headline_of`, with the upper of two cuts."""
    current = record.current
    days = None if record.evidence is None else record.evidence.days
    sentence = headline_of(
        record.columns.scores,
        None if current is None else current.thresholds,
        record.thresholds,
        _difference(record),
        None if days is None else days.mean,
        rule=record.settings.rule,
        unit=_unit(record),
        vocabulary=vocabulary,
        alert_rules=record.columns.alert_rule_names,
        besides="" if record.segments is None else f", with other thresholds for {record.segments.listed_words}",
    )
    return sentence + _blocked_words(record)


def _blocked_words(record: DecisionRecord) -> str:
    """Write what the upper cut blocks; nothing where there is one cut only."""
    block, unit = record.block, _unit(record)
    if block is None:
        return ""
    joined = " or " if record.settings.rule == "any" else " and "
    reached = joined.join(
        f"{score_name(name)} {words}"
        for name, value, words in zip(
            record.columns.scores, block.thresholds, record.columns.threshold_words(block.thresholds), strict=True
        )
        if value is not None or record.settings.rule == "all"
    )
    return f"; from {reached or 'nowhere'} on {unit.number(block.tp + block.fp)} of them are blocked without a review"


def _difference(record: DecisionRecord) -> Counts[float] | None:
    """Count changes against the current thresholds, or all without these, with undecided alerts."""
    expected, current = record.expected, record.current
    waiting, waiting_before = undecided_of(record)
    if current is None:
        return Counts(expected.tp, expected.fp + waiting)
    if current.tp is None or current.fp is None or not _rated(record, current.thresholds):
        return None
    return Counts(expected.tp - current.tp, expected.fp + waiting - current.fp - waiting_before)


def _rated(record: DecisionRecord, thresholds: tuple[float | None, ...]) -> bool:
    """Return whether all documents flagged by thresholds were rated; otherwise counts are low."""
    values = np.array([inf if value is None else value for value in thresholds])
    return rated_in_full(np.array(record.columns.floors), values, record.settings.rule)


def _unit(record: DecisionRecord) -> Unit:
    return Unit.DOCUMENTS if record.settings.amount is None else Unit.MONEY


def _tiles(record: DecisionRecord) -> tuple[Tile, ...]:
    expected, unit, chance = record.expected, _unit(record), _chance(record)
    caught, false = _UNITS[unit]
    base = expected.alerts if unit is Unit.DOCUMENTS else 1_000.0
    return (
        _alerts_tile(record),
        Tile(caught, unit.number(expected.tp), _interval(expected.tp_interval, chance.get("tp"), unit.estimate)),
        Tile(false, unit.number(expected.fp), _interval(expected.fp_interval, chance.get("fp"), unit.estimate)),
        Tile(
            "Precision",
            share(expected.precision, base),
            _interval(expected.precision_interval, chance.get("precision"), lambda value: share(value, base)),
        ),
    )


def _chance(record: DecisionRecord) -> dict[str, tuple[float, float] | None]:
    found = None if record.evidence is None else record.evidence.chance
    return {} if found is None else {"tp": found.tp, "fp": found.fp, "precision": found.precision}


def _alerts_tile(record: DecisionRecord) -> Tile:
    days = None if record.evidence is None else record.evidence.days
    if days is None:
        unit, expected = _unit(record), record.expected
        waiting, _ = undecided_of(record)
        words = "Money flagged" if unit is Unit.MONEY else "Decided alerts" if waiting else "Alerts"
        return Tile(words, unit.number(expected.alerts), _interval(expected.alerts_interval, None, unit.estimate))
    mean, low, high = (alerts_a_day_words(value).split()[0] for value in (days.mean, days.low, days.high))
    return Tile("Alerts a day", mean, f"{low} to {high} on eight of ten days")


def _interval(
    expected: RecordedInterval | None, chance: tuple[float, float] | None, words: Callable[[float], str]
) -> str:
    """Write what is expected on new data, else what chance alone explains at these thresholds."""
    if expected is not None:
        level = f"{100 * expected.level:.4g}\N{NO-BREAK SPACE}%"
        return f"{words(expected.low)} to {words(expected.high)} on new data, {level}"
    if chance is not None:
        return f"{words(chance[0])} to {words(chance[1])} by chance, 95\N{NO-BREAK SPACE}%"
    return _NO_INTERVAL


def _caveats(record: DecisionRecord, vocabulary: Vocabulary) -> tuple[str, ...]:
    caveats = [*recall_sentences(record, vocabulary)]
    evidence = record.evidence
    if evidence is not None and pending_sentence(evidence):
        caveats.append(pending_sentence(evidence))
    if evidence is not None and evidence.incomplete_from is not None:
        caveats.append(f"Ratings are incomplete from the week of {evidence.incomplete_from} on.")
    if record.current is not None and not _rated(record, record.current.thresholds):
        caveats.append("The current thresholds reach below a rating floor: their alerts there are unknown.")
    if (
        evidence is not None
        and evidence.chance is not None
        and record.expected.level is None
        and not record.target.by_hand
    ):
        caveats.append("These data chose the thresholds, which flatters them; the intervals hold chance alone.")
    elif not record.target.by_hand:
        caveats.append("These data chose the thresholds, which flatters the counts on them.")
    return tuple(caveats)


def headline_of(
    names: Sequence[str],
    present: Sequence[float | None] | None,
    thresholds: Sequence[float | None],
    difference: Counts[float] | None,
    alerts_a_day: float | None = None,
    *,
    rule: Rule = "any",
    unit: Unit = Unit.DOCUMENTS,
    vocabulary: Vocabulary = NEUTRAL,
    alert_rules: Sequence[str] = (),
    besides: str = "",
) -> str:
    """Write what is decided as one sentence of plain text, without a full stop.

    "Raise model A from 800 to 852 and rule score from 55 to 59.1: 1,258 fewer alerts, 213 frauds given up, 7.9 alerts a
    day". `names`, `thresholds`, `present` (k,): None and infinity are never. `difference`: TP and FP at the thresholds
    less those at the current ones; without current thresholds (None) the counts themselves; None where it is not
    known. `unit` is what they count. `alerts_a_day`: undecided ones included; left out where None or NaN.
    `alert_rules`: the names that are switched on or off. `besides`: words on further thresholds, which change the
    alerts, too.
    """
    if present is None:
        decided = _flags(names, thresholds, rule, alert_rules)
        effects = [] if difference is None else _counted(difference, unit, vocabulary)
    else:
        decided = _moves(names, present, thresholds, alert_rules)
        moved = [_or_never(one) != _or_never(other) for one, other in zip(present, thresholds, strict=True)]
        effects = _changes(difference, unit, vocabulary) if any(moved) or besides else []
    if alerts_a_day is not None and not isnan(alerts_a_day):
        effects.append(f"{alerts_a_day_words(alerts_a_day)} a day")
    decided += besides
    return f"{decided}: {', '.join(effects)}" if effects else decided


def alerts_a_day_words(alerts: float) -> str:
    """Write a mean of alerts a day with its noun: one decimal below 100, where it has one."""
    rounded = round(alerts, 1 if alerts < _WHOLE_FROM else 0)
    return plural(rounded, "alert")


def _flags(names: Sequence[str], thresholds: Sequence[float | None], rule: Rule, alert_rules: Sequence[str]) -> str:
    on = [(name, _or_never(value)) for name, value in zip(names, thresholds, strict=True)]
    if all(value == inf for _, value in on) or (rule == "all" and any(value == inf for _, value in on)):
        return "Flag nothing"
    parts = (
        f"{shortened(score_name(name))} "
        + ("rule" if name in alert_rules and value == 1 else f"{_FROM[direction(name)]} {score_threshold(name, value)}")
        for name, value in on
        if value != inf
    )
    return f"Flag {_NAMED[rule].join(parts)}"


def _moves(
    names: Sequence[str],
    present: Sequence[float | None],
    thresholds: Sequence[float | None],
    alert_rules: Sequence[str],
) -> str:
    moves, switches = [], []
    for name, before, after in zip(names, map(_or_never, present), map(_or_never, thresholds), strict=True):
        if name in alert_rules and {before, after} <= {1, inf}:
            switches.append((f"{'leave' if before == after else 'switch'} {'off' if after == inf else 'on'}", name))
        else:
            moves.append(_move(name, before, after))
    moves += _switched(switches)
    if all(verb == "leave" for verb, _ in moves):
        return f"Leave {_listed([words for _, words in moves])}"
    # One verb for all neighbours that move the same way.
    parts = [f"{verb} {_listed([words for _, words in same])}" for verb, same in groupby(moves, lambda move: move[0])]
    sentence = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return sentence[0].upper() + sentence[1:]


def _switched(switches: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Write a verb and its words for alert rules by state; count more than two."""
    for state, same in groupby(sorted(switches, key=itemgetter(0)), key=itemgetter(0)):
        verb, _, kept = state.partition(" ") if state.startswith("leave") else (state, "", "")
        for words in rules_named([name for _, name in same]):
            yield verb, f"{words} {kept}".rstrip()


def _move(name: str, before: float, after: float) -> tuple[str, str]:
    """Return the verb for a threshold, and the words after it."""
    words = shortened(score_name(name))
    old, new = (score_threshold(name, value) for value in (before, after))
    if before == after:
        return "leave", f"{words} at {new}"
    if after == inf:
        return "switch off", f"{words} ({old} today)"
    if before == inf:
        return "switch on", f"{words} at {new}"
    return "raise" if (after > before) == (direction(name) > 0) else "lower", f"{words} from {old} to {new}"


def _changes(difference: Counts[float] | None, unit: Unit, vocabulary: Vocabulary) -> list[str]:
    if difference is None:
        return ["the changes are unknown"]
    alerts, caught = (unit.rounded(value) for value in (difference.alerts, difference.tp))
    return [*_alerts_changed(alerts, unit), _caught_changed(caught, unit, vocabulary)]


def _alerts_changed(alerts: float, unit: Unit) -> Iterator[str]:
    if unit is Unit.MONEY:
        yield f"{unit.number(abs(alerts))} {'less' if alerts < 0 else 'more'} money flagged"
    elif not alerts:
        yield "as many alerts"
    else:
        yield plural(abs(alerts), f"{'fewer' if alerts < 0 else 'more'} alert")


def _caught_changed(caught: float, unit: Unit, vocabulary: Vocabulary) -> str:
    if not caught:
        return f"as much {vocabulary.positives} caught" if unit is Unit.MONEY else f"as many {_many(vocabulary)} caught"
    if unit is Unit.MONEY:
        amount = f"{unit.number(abs(caught))} of money"
        return f"{amount} {'given up' if caught < 0 else 'more caught'}"
    if caught < 0:
        return f"{plural(-caught, vocabulary.positive)} given up"
    return f"{plural(caught, f'more {vocabulary.positive}')} caught"


def _counted(counts: Counts[float], unit: Unit, vocabulary: Vocabulary) -> list[str]:
    if unit is Unit.MONEY:
        return [f"{unit.number(counts.alerts)} of money flagged", f"{unit.number(counts.tp)} of it caught"]
    return [plural(counts.alerts, "alert"), f"{plural(counts.tp, vocabulary.positive)} caught"]


def _many(vocabulary: Vocabulary) -> str:
    return several(vocabulary.positive)


def _or_never(value: float | None) -> float:
    return inf if value is None else value


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
