"""Ask which rules raised alerts beside the scores, and what lies below uncertain floors."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import DataError
from multiloss_core.datasets import RatedSource, source_key
from multiloss_core.formatting import HAS, count, plural, score_name, score_threshold, share, shortened
from multiloss_core.numerics import Floats, Indices
from multiloss_core.tables import MAX_ALERT_RULES, ColumnMeanings, column_of, numbers, possible_alert_rules, rule_cells
from multiloss_core.thresholds import FloorEstimate, FloorMethod, UncertainFloorsError, explaining_scores
from ui.data.rated import build
from ui.shared.formatting import as_text, show_table, vocabulary

QUESTION = "Were alerts raised by anything else than these scores?"
# Below both, rows under the floors are strays.
MAX_STRAYS, MAX_STRAY_SHARE = 20, 0.01
ANSWERS: dict[FloorMethod, str] = {"corner": "No: only by these scores", "jump": "Yes: also by something else"}
MAX_SCORES, MAX_CANDIDATES, MAX_ROWS = 4, 12, 20_000
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


def ask_alert_sources(source: RatedSource, choice: ColumnMeanings, place: DeltaGenerator) -> ColumnMeanings:
    """Show both estimates of uncertain floors with the rows below them, and ask for one."""
    unanswered = replace(choice, floor_method=None)
    if choice.is_counts or None not in choice.floors:
        return unanswered
    # Rows of an engine are counted with progress shown, and their counts are kept already.
    find = _find_question if source.is_sample else _kept_question
    question = find(source_key(source.fingerprint, unanswered), source, unanswered)
    if question is None:
        return unanswered
    names, settled = question.estimate.names, _settled(question, len(source.frame))
    holder = place.container(key="alert_sources")
    if settled is not None:
        left_out = f" {plural(question.rows.size, 'alert', 'lie')} below them, left out here."
        holder.caption(f"The rating floors are those of the scores.{left_out if question.rows.size else ''}")
        holder = holder.expander("Other rating floors", icon=":material/more_horiz:")
    with holder:
        st.markdown(f"#### {QUESTION}")
        st.markdown(
            f"{as_text(question.estimate.sentence)}. Rules, complaints, audits and unused scores raise such alerts."
        )
        show_table(
            pd.DataFrame(
                {
                    "Score": [shortened(score_name(name)) for name in names],
                    "Floor if no": [*map(score_threshold, names, question.estimate.corner)],
                    "Floor if yes": [*map(score_threshold, names, question.estimate.jump)],
                }
            ),
            hide_index=True,
            alt="Rating floors of each score by both estimates.",
        )
        for name in question.explained_by:
            st.info(
                f"*{as_text(shortened(name))}* explains these {vocabulary().documents}. Add it to the scores to "
                "settle the question.",
                icon=":material/add_chart:",
            )
        size = question.rows.size
        for name, raised in question.rules:
            st.info(
                f"*{as_text(shortened(name))}* raised {share(raised / size, size)} of the alerts in question. "
                "If it is a rule that raises alerts, add it to the alert rules.",
                icon=":material/add_circle:",
            )
        if question.rows.size:
            with st.expander(f"{plural(question.rows.size, f'rated {vocabulary().document}')} in question"):
                show_rows(source.frame, question.rows)
        answer = st.segmented_control(
            QUESTION,
            list(ANSWERS),
            default=choice.floor_method or settled,
            format_func=lambda method: ANSWERS.get(method, method),
            key=f"alert_sources_{source.fingerprint[:12]}",
            persist_state="session",
            label_visibility="collapsed",
        )
    return replace(choice, floor_method=answer or settled)


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


def ask_alert_rules(
    place: DeltaGenerator, source: RatedSource, known: ColumnMeanings, used: set[str | None], *, key: str
) -> tuple[str, ...]:
    """Ask which columns are rules that raised alerts; nothing where no column can be one."""
    possible = [
        name for name in _possible_alert_rules(source.fingerprint, source.frame) if name.partition(HAS)[0] not in used
    ]
    offered = list(dict.fromkeys([*known.alert_rules, *possible]))
    if not offered:
        return ()
    picked = place.multiselect(
        "Alert rules (optional)",
        offered,
        default=list(known.alert_rules),
        key=key,
        persist_state="session",
        max_selections=MAX_ALERT_RULES,
        placeholder="None: only scores raise alerts",
        help=f"Rules that raise {vocabulary().documents} whatever their scores: columns of 0 and 1, or words in a "
        "column of reasons. A rule is switched on or off together with the thresholds.",
    )
    return tuple(picked)


@st.cache_data(scope="session", max_entries=20, show_spinner=False)
def _possible_alert_rules(fingerprint: str, _frame: pd.DataFrame) -> tuple[str, ...]:
    return possible_alert_rules(_frame)


def show_rows(frame: pd.DataFrame, rows: Indices) -> None:
    """List rows of a table by their numbers below the header."""
    shown = frame.iloc[rows[:PREVIEW_ROWS]]
    show_table(shown.set_axis(pd.Index(rows[:PREVIEW_ROWS] + 1, name="Row")), alt="Rated rows below all rating floors.")
    if rows.size > PREVIEW_ROWS:
        st.caption(f"The first {PREVIEW_ROWS} of {count(rows.size)} rows are listed.")
