"""Find columns that name the rules that raised a row: 0 and 1, or words of reasons."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from multiloss_core.formatting import HAS, shortened
from multiloss_core.tables.column_values import sampled, words_of
from multiloss_core.tables.guessing.column import Column, columns_of
from multiloss_core.tables.vocabulary import listed

MAX_ALERT_RULES = 20
# Limits of a column of reasons: different words, and their letters. Proposed words have at least this share of rows.
MAX_WORDS, MAX_LETTERS, MIN_SHARE = 40, 40, 0.001


@dataclass(frozen=True, kw_only=True)
class RuleGuess:
    """Alert rules that names propose, and the reason to ask about them; empty without any."""

    names: tuple[str, ...] = ()
    doubt: str = ""


def guess_alert_rules(columns: Sequence[Column]) -> RuleGuess:
    """Propose columns of 0 and 1 named like rules, and the words of alert reasons.

    Such columns may as well describe a row, so that they are always asked about.
    """
    found: list[str] = []
    for column in columns:
        words = set(column.words)
        if _is_switch(column) and words & listed("alert_rule"):
            found.append(column.name)
        elif column.is_text and words & listed("alert_reason") and words & listed("alert_rule"):
            found += _reasons(column, MIN_SHARE)
    if not found:
        return RuleGuess()
    doubt = f"'{shortened(found[0])}' may be a rule that raises alerts beside the scores"
    return RuleGuess(names=tuple(found[:MAX_ALERT_RULES]), doubt=doubt)


def possible_alert_rules(frame: pd.DataFrame) -> tuple[str, ...]:
    """List all columns of 0 and 1, and the words of all columns of few words.

    At most 10,000 rows of each column are looked at.
    """
    found: list[str] = []
    for column in columns_of(frame):
        if _is_switch(column):
            found.append(column.name)
        elif column.is_text:
            found += _reasons(column, 0.0)
    return tuple(found)


def _is_switch(column: Column) -> bool:
    if pd.api.types.is_bool_dtype(column.cells.dtype):
        return True
    return column.is_number and column.numbers.size > 0 and bool(np.isin(column.numbers, (0, 1)).all())


def _reasons(column: Column, least: float) -> list[str]:
    """Name the rules of a column of few words; those in `least` rows that name no score."""
    codes, words = words_of(sampled(column.cells))
    rows = np.bincount(codes[codes >= 0], minlength=len(words))
    counts: dict[str, int] = {}
    for one, number in zip(words, rows.tolist(), strict=True):
        for word in one:
            counts[word] = counts.get(word, 0) + number
    if not 1 < len(counts) <= MAX_WORDS or max(map(len, counts)) > MAX_LETTERS:
        return []
    scores = listed("score", "model")
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return [
        f"{column.name}{HAS}{word}"
        for word in ranked
        if not least
        or (counts[word] >= least * max(column.filled, 1) and not set(word.lower().replace("_", " ").split()) & scores)
    ]
