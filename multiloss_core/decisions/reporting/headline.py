"""A decision in one sentence: which thresholds move, and what that gains and gives up."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from multiloss_core.formatting import (
    NEUTRAL,
    Unit,
    Vocabulary,
    count,
    direction,
    plural,
    score_name,
    score_threshold,
    shortened,
)
from multiloss_core.thresholds.data.counts import Counts, Rule

_NAMED = {"any": " or ", "all": " and "}
_WHOLE_FROM = 100


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
) -> str:
    """Write what is decided as one sentence of plain text, without a full stop.

    "Raise model A from 800 to 852 and rule score from 55 to 59.1: 1,258 fewer alerts, 213 frauds given up, 7.9 alerts a
    day". `names`, `thresholds`, `present` (k,): None and infinity are never. `difference`: TP and FP at the thresholds
    less those at the present ones; without present thresholds (None) the counts themselves; None where it is not
    known. `unit` is what they count. `alerts_a_day`: with those not yet decided; left out where None or NaN.
    """
    if present is None:
        decided = _flags(names, thresholds, rule)
        effects = [] if difference is None else _counted(difference, unit, vocabulary)
    else:
        decided = _moves(names, present, thresholds)
        moved = [_number(one) != _number(other) for one, other in zip(present, thresholds, strict=True)]
        effects = _changes(difference, unit, vocabulary) if any(moved) else []
    if alerts_a_day is not None and not math.isnan(alerts_a_day):
        effects.append(f"{alerts_a_day_words(alerts_a_day)} a day")
    return f"{decided}: {', '.join(effects)}" if effects else decided


def alerts_a_day_words(alerts: float) -> str:
    """Write a mean of alerts a day with its noun: one decimal below 100, where it has one."""
    rounded = round(alerts, 1 if alerts < _WHOLE_FROM else 0)
    return plural(rounded, "alert")


def _flags(names: Sequence[str], thresholds: Sequence[float | None], rule: Rule) -> str:
    on = [(name, _number(value)) for name, value in zip(names, thresholds, strict=True)]
    if all(value == math.inf for _, value in on) or (rule == "all" and any(value == math.inf for _, value in on)):
        return "Flag nothing"
    told = (
        f"{shortened(score_name(name))} {'from' if direction(name) > 0 else 'up to'} {score_threshold(name, value)}"
        for name, value in on
        if value != math.inf
    )
    return f"Flag {_NAMED[rule].join(told)}"


def _moves(names: Sequence[str], present: Sequence[float | None], thresholds: Sequence[float | None]) -> str:
    moves = [
        _move(name, _number(before), _number(after))
        for name, before, after in zip(names, present, thresholds, strict=True)
    ]
    if all(verb == "leave" for verb, _ in moves):
        return f"Leave {_listed([words for _, words in moves])}"
    # One verb for all neighbours that move the same way.
    told = [f"{verb} {_listed([words for _, words in same])}" for verb, same in groupby(moves, lambda move: move[0])]
    sentence = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
    return sentence[0].upper() + sentence[1:]


def _move(name: str, before: float, after: float) -> tuple[str, str]:
    """Return the verb for a threshold, and the words after it."""
    words = shortened(score_name(name))
    old, new = (score_threshold(name, value) for value in (before, after))
    if before == after:
        return "leave", f"{words} at {new}"
    if after == math.inf:
        return "switch off", f"{words} ({old} today)"
    if before == math.inf:
        return "switch on", f"{words} at {new}"
    return "raise" if (after > before) == (direction(name) > 0) else "lower", f"{words} from {old} to {new}"


def _changes(difference: Counts[float] | None, unit: Unit, vocabulary: Vocabulary) -> list[str]:
    if difference is None:
        return ["what changes is not known"]
    alerts, caught = (unit.rounded(value) for value in (difference.alerts, difference.tp))
    return [*_alerts_changed(alerts, unit), _caught_changed(caught, unit, vocabulary)]


def _alerts_changed(alerts: float, unit: Unit) -> Iterator[str]:
    if unit is Unit.MONEY:
        yield f"{unit.number(abs(alerts))} {'less' if alerts < 0 else 'more'} money flagged"
    elif not alerts:
        yield "as many alerts"
    else:
        yield f"{count(abs(alerts))} {'fewer' if alerts < 0 else 'more'} alert{'' if abs(alerts) == 1 else 's'}"


def _caught_changed(caught: float, unit: Unit, vocabulary: Vocabulary) -> str:
    if not caught:
        return f"as much {vocabulary.positives} caught" if unit is Unit.MONEY else f"as many {_many(vocabulary)} caught"
    if unit is Unit.MONEY:
        amount = f"{unit.number(abs(caught))} of money"
        return f"{amount} {'given up' if caught < 0 else 'more caught'}"
    if caught < 0:
        return f"{plural(-caught, vocabulary.positive)} given up"
    return f"{count(caught)} more {vocabulary.positive if caught == 1 else _many(vocabulary)} caught"


def _counted(counts: Counts[float], unit: Unit, vocabulary: Vocabulary) -> list[str]:
    if unit is Unit.MONEY:
        return [f"{unit.number(counts.alerts)} of money flagged", f"{unit.number(counts.tp)} of it caught"]
    return [plural(counts.alerts, "alert"), f"{plural(counts.tp, vocabulary.positive)} caught"]


def _many(vocabulary: Vocabulary) -> str:
    return f"{vocabulary.positive}s"


def _number(value: float | None) -> float:
    return math.inf if value is None else value


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
