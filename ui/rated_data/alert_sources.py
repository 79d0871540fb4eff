"""Ask what raised the alerts below uncertain floors."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import DataError
from multiloss_core.datasets import RatedSource, source_key
from multiloss_core.formatting import (
    HAS,
    count,
    direction,
    plural,
    score_name,
    score_threshold,
    score_value,
    share,
    shortened,
    threshold,
)
from multiloss_core.numerics import Floats, Indices
from multiloss_core.tables import ColumnMeanings, column_of, numbers, possible_alert_rules, rule_cells
from multiloss_core.thresholds import FloorEstimate, FloorMethod, UncertainFloorsError, explaining_scores
from ui.data.rated import build, rated_uploads
from ui.rated_data.column_table import MAX_SCORES, key_of, use_as
from ui.shared.choices import choose, chosen
from ui.shared.formatting import as_label, as_text, named_floors, show_table

# Below both, rows under the floors are strays.
MAX_STRAYS, MAX_STRAY_SHARE = 20, 0.01
# The floors of answers that name no column.
METHODS: dict[str, FloorMethod] = {"corner": "corner", "jump": "jump", "unknown": "jump"}
MAX_CANDIDATES, MAX_ROWS = 12, 20_000
# Rules to mention raised this share of the rows below the floors, and so much more often than all rows.
MIN_RAISED, MIN_LIFT, MAX_LIKELY = 0.05, 2.0, 5
PREVIEW_ROWS = 100


@dataclass(frozen=True, kw_only=True, eq=False)
class _Question:
    """Hold two estimates of the floors, the rows below the jump, and columns explaining them.

    `rules`: columns that may be alert rules, and how many of the rows they raised.
    """

    estimate: FloorEstimate
    rows: Indices
    explained_by: tuple[str, ...]
    rules: tuple[tuple[str, int], ...]


def ask_alert_sources(source: RatedSource, choice: ColumnMeanings) -> ColumnMeanings:
    """Ask what raised the alerts below uncertain floors; the answer sets the floors."""
    unanswered = replace(choice, floor_method=None)
    # Rows of an engine are counted with progress shown, and their counts are kept already.
    find = _find_question if source.is_sample else _kept_question
    is_open = not choice.is_counts and None in choice.floors
    question = find(source_key(source.fingerprint, unanswered), source, unanswered) if is_open else None
    if question is None:
        return unanswered
    settled, rows = _settled(question, len(source.frame)), question.rows.size
    with st.container(key="alert_sources"):
        if settled is None:
            return _ask(source, unanswered, question, choice.floor_method)
        left_out = f" {plural(rows, 'alert', 'lie')} below them, left out here."
        st.caption(f"The rating floors are those of the scores.{left_out if rows else ''}")
        with st.expander("Other rating floors", icon=":material/more_horiz:"):
            return _ask(source, unanswered, question, choice.floor_method or settled)


def _ask(
    source: RatedSource, choice: ColumnMeanings, question: _Question, preset: FloorMethod | None
) -> ColumnMeanings:
    key, options = key_of(source, "alert_sources"), _options(question)
    if chosen(key) not in options:
        # Only one score that explains all of these alerts is likely enough.
        likely = [option for option in options if option.startswith("score ")]
        choose(key, preset or (likely[0] if len(likely) == 1 else None))
    st.markdown(f"#### {as_text(_sentence(question))}")
    answer = st.radio(
        "What raised these alerts?",
        list(options),
        format_func=lambda option: options.get(option, (option, ""))[0],
        captions=[caption for _, caption in options.values()],
        key=key,
        persist_state="session",
        on_change=_use_answer,
        args=(source.name, key),
        label_visibility="visible" if question.rows.size else "collapsed",
    )
    if name := str(answer).partition(" ")[2]:
        label, given = f"Use {as_label(shortened(name))}", (source.name, key)
        st.button(label, key=f"use_{key}", type="primary", icon=":material/add:", on_click=_use_answer, args=given)
    _show_estimates(source, question)
    return replace(choice, floor_method=METHODS.get(str(answer)))


def _options(question: _Question) -> dict[str, tuple[str, str]]:
    """Return the label of each answer, and what it changes."""
    rows = question.rows.size
    jump, corner = (
        named_floors(question.estimate.names, of) for of in (question.estimate.jump, question.estimate.corner)
    )
    left_out, counted = ("They are left out. ", "They count as well. ") if rows else ("", "")
    options = {
        f"score {name}": (f"Another score: {as_label(shortened(name))}", "It explains all of them.")
        for name in question.explained_by
    }
    for name, raised in question.rules:
        label = f"The rule {as_label(shortened(name))}"
        options[f"alert_rule {name}"] = (label, f"It raised {share(raised / rows, rows)} of them.")
    return options | {
        "jump": ("Rules, complaints or audits", f"{left_out}Rating floors: {jump}."),
        "corner": ("These scores alone", f"{counted}Rating floors: {corner}."),
        "unknown": ("I do not know", f"{left_out}The floors are those for rules, complaints or audits."),
    }


def _use_answer(data: str, key: str) -> None:
    """Add the score or the rule of an answer; other answers stay as they are."""
    kind, _, name = str(chosen(key)).partition(" ")
    if name:
        use_as(rated_uploads().source(data), kind, name)
        choose(key, None)


def _sentence(question: _Question) -> str:
    if not question.rows.size:
        return "The scores do not show from which values on alerts were rated."
    sides = [
        f"{shortened(score_name(name))} {'below' if direction(name) > 0 else 'above'} "
        f"{threshold(score_value(name, floor))}"
        for name, floor in zip(question.estimate.names, question.estimate.jump, strict=True)
    ]
    return f"{plural(question.rows.size, 'alert', 'have')} {' and '.join(sides)}."


def _show_estimates(source: RatedSource, question: _Question) -> None:
    """Show both estimates of the floors and the rows that they differ about."""
    names, floors = question.estimate.names, question.estimate
    with st.expander("More about these alerts", icon=":material/more_horiz:"):
        estimates = {
            "Score": [shortened(score_name(name)) for name in names],
            "Empty corner (these scores alone)": [*map(score_threshold, names, floors.corner)],
            "Density jump (also something else)": [*map(score_threshold, names, floors.jump)],
        }
        show_table(pd.DataFrame(estimates), hide_index=True, alt="Rating floors of each score by both estimates.")
        if question.rows.size:
            show_rows(source.frame, question.rows)


def _settled(question: _Question, rows: int) -> FloorMethod | None:
    """Answer a question that changes nothing or is about few rows; None for others."""
    if not question.rows.size and np.array_equal(question.estimate.corner, question.estimate.jump):
        return "corner"
    return "jump" if 0 < question.rows.size < min(MAX_STRAYS, MAX_STRAY_SHARE * rows) else None


def _find_question(key: str, _source: RatedSource, _choice: ColumnMeanings) -> _Question | None:
    """Return whether the floors of a choice without a method are uncertain; `key` for the cache."""
    try:
        build(_source, _choice)
    except UncertainFloorsError as question:
        return _Question(
            estimate=question.estimate,
            rows=question.rows,
            explained_by=_explained_by(_source.frame, _choice),
            rules=_likely_rules(_source.frame, _choice, question.rows),
        )
    except DataError:
        return None
    return None


@st.cache_data(scope="session", max_entries=6, show_spinner="Looking for rating floors …")
def _kept_question(key: str, _source: RatedSource, _choice: ColumnMeanings) -> _Question | None:
    return _find_question(key, _source, _choice)


def _explained_by(frame: pd.DataFrame, choice: ColumnMeanings) -> tuple[str, ...]:
    """Name the numeric columns in no use of which one more score would settle the floors."""
    if len(choice.scores) == MAX_SCORES:
        return ()
    rows = frame.iloc[:: -(-len(frame) // MAX_ROWS)]
    used = {*choice.scores, *choice.alert_rules, choice.rating, choice.weight, choice.group, choice.amount, choice.time}
    free = [name for name in map(str, frame.columns) if name not in used][:MAX_CANDIDATES]
    scores = np.column_stack([numbers(column_of(rows, name))[0] for name in choice.scores])
    known = np.isfinite(scores).all(axis=1) & rows[choice.rating].notna().to_numpy()
    for rule in choice.alert_rules:
        known &= rule_cells(column_of(rows, rule))[0] != 1
    others: dict[str, Floats] = {name: numbers(rows[name])[0][known] for name in free}
    return explaining_scores(scores[known], others)


def _likely_rules(frame: pd.DataFrame, choice: ColumnMeanings, rows: Indices) -> tuple[tuple[str, int], ...]:
    """Find the unused rules that raised rows below the floors far more often than others."""
    used = {*choice.scores, *choice.alert_rules, choice.rating, choice.segment, choice.group}
    found = []
    for name in possible_alert_rules(frame):
        if name in used or name.partition(HAS)[0] in used:
            continue
        raised = rule_cells(column_of(frame, name))[0] == 1
        inside = int(raised[rows].sum())
        if inside and inside >= MIN_RAISED * len(rows) and inside * len(frame) >= MIN_LIFT * raised.sum() * len(rows):
            found.append((name, inside))
    return tuple(sorted(found, key=lambda one: -one[1])[:MAX_LIKELY])


def show_rows(frame: pd.DataFrame, rows: Indices) -> None:
    """List rows of a table by their numbers below the header."""
    shown = frame.iloc[rows[:PREVIEW_ROWS]]
    show_table(shown.set_axis(pd.Index(rows[:PREVIEW_ROWS] + 1, name="Row")), alt="Rated rows below all rating floors.")
    if rows.size > PREVIEW_ROWS:
        st.caption(f"The first {PREVIEW_ROWS} of {count(rows.size)} rows are listed.")
