"""Find columns that name the rules that raised a row: yes and no, or words of reasons."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from multiloss_core.formatting import HAS, shortened
from multiloss_core.numerics.arrays import Bools, Floats
from multiloss_core.tables.column_values import column_of, sampled, words_of
from multiloss_core.tables.guessing.column import Column, columns_of
from multiloss_core.tables.vocabulary import listed
from multiloss_core.tables.yes_no import is_yes_no, only_word, rule_cells

MAX_ALERT_RULES = 20
# Limits of a column of reasons: different words, and their letters. Proposed words have at least this share of rows.
MAX_WORDS, MAX_LETTERS, MIN_SHARE = 40, 40, 0.001
# A rule that is independent of a score stands only above a value of it by less than this chance, and raises fewer than
# this share of the rows above it. A score raises at least this share of all rows.
CHANCE, MIN_ABOVE, MIN_OF_SCORE = 1e-6, 0.5, 0.1


def guess_alert_rules(columns: Sequence[Column], scores: Sequence[Floats]) -> tuple[tuple[str, ...], str]:
    """Propose columns of yes and no named like rules, and the words of alert reasons.

    Returns the rules and the reason to ask about them; empty without any. Such columns may as well describe a row, so
    that they are always asked about. A word that stands only where one of the `scores` (m,) is high names that score.
    The rules proposed never raise every row, as some score raised others.
    """
    named = {column.name: _named_rules(column) for column in columns}
    if not any(named.values()):
        return (), ""
    doubt = f"'{shortened(next(filter(None, named.values()))[0])}' may be a rule that raises alerts beside the scores"
    frame = pd.DataFrame({column.name: column.cells for column in columns if named[column.name]}, copy=False)
    raised = {rule: rule_cells(column_of(frame, rule))[0] == 1 for rules in named.values() for rule in rules}
    kept = {rule: rows for rule, rows in raised.items() if not any(_names_score(rows, score) for score in scores)}
    while _any([*kept.values()]).all():
        # The rules of the column that raises most rows are among others that are none.
        most = max(named, key=lambda name: _any([rows for rule, rows in kept.items() if rule in named[name]]).sum())
        kept = {rule: rows for rule, rows in kept.items() if rule not in named[most]}
    return tuple(kept)[:MAX_ALERT_RULES], doubt


def possible_alert_rules(frame: pd.DataFrame) -> tuple[str, ...]:
    """List all columns of yes and no, and the words of all columns of few words.

    At most 10,000 rows of each column are looked at.
    """
    return tuple(rule for column in columns_of(frame) for rule in _rules_of(column, 0.0))


def _named_rules(column: Column) -> list[str]:
    words = set(column.words)
    if not words & listed("alert_rule"):
        return []
    if words & listed("alert_reason") or is_yes_no(column.cells) or only_word(column.cells):
        return [*_rules_of(column, MIN_SHARE)]
    return []


def _rules_of(column: Column, least: float) -> Iterator[str]:
    """Name the rules of a column; of words, those in `least` rows that name no score."""
    if is_yes_no(column.cells):
        yield column.name
    elif column.is_text:
        yield from _reasons(column, least)


def _reasons(column: Column, least: float) -> Iterator[str]:
    codes, words = words_of(sampled(column.cells))
    rows = np.bincount(codes[codes >= 0], minlength=len(words))
    counts: Counter[str] = Counter()
    for listed_words, number in zip(words, rows.tolist(), strict=True):
        counts.update(dict.fromkeys(listed_words, number))
    if not counts or len(counts) > MAX_WORDS or max(map(len, counts)) > MAX_LETTERS:
        return
    if len(counts) == 1 and only_word(column.cells) is None:
        return
    scores = listed("score", "model")
    for word in sorted(counts, key=lambda word: (-counts[word], word)):
        is_common = counts[word] >= least * max(column.filled, 1)
        if not least or (is_common and not set(word.lower().replace("_", " ").split()) & scores):
            yield f"{column.name}{HAS}{word}"


def _any(raised: Sequence[Bools]) -> Bools:
    return np.any(raised, axis=0) if raised else np.zeros(1, dtype=bool)


def _names_score(raised: Bools, score: Floats) -> bool:
    """Whether the rows (m,) of a word are most of those above a value of a score."""
    known = raised & np.isfinite(score)
    if known.mean() < MIN_OF_SCORE:
        return False
    above = score >= score[known].min()
    is_chance = float(np.mean(above)) ** int(known.sum()) > CHANCE
    return not is_chance and bool(raised[above].mean() >= MIN_ABOVE)
