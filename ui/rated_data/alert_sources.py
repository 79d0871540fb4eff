"""Ask whether anything but the chosen scores raised alerts, where the scores leave their rating floors uncertain."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import DataError
from multiloss_core.formatting import plural, score_name, score_threshold, shortened
from multiloss_core.numerics import Floats, Indices
from multiloss_core.tables import column_of, numbers
from multiloss_core.thresholds import FloorEstimate, FloorMethod, UncertainFloorsError, explaining_scores
from ui.data.rated_datasets import ColumnChoice, RatedSource, dataset_key
from ui.data.rated_workspace import build
from ui.rated_data.checks import show_rows
from ui.shared.formatting import as_text, show_table, vocabulary

ANSWERS: dict[FloorMethod, str] = {"corner": "No: only by these scores", "jump": "Yes: also by something else"}
MOST_SCORES, MAX_CANDIDATES, MAX_ROWS = 4, 12, 20_000


@dataclass(frozen=True, kw_only=True, eq=False)
class _Question:
    """Both estimates of the floors, the rows below those of the density jump, and columns that explain these rows."""

    estimate: FloorEstimate
    rows: Indices
    explained_by: tuple[str, ...]


def ask_alert_sources(source: RatedSource, choice: ColumnChoice, place: DeltaGenerator) -> ColumnChoice:
    """Show both estimates of the floors with the rows below them, and ask; nothing where the floors are certain."""
    if choice.is_counts or None not in choice.floors:
        return choice
    unanswered = replace(choice, floor_method=None)
    # Rows of an engine are counted with progress shown, and their counts are kept already.
    find = _find_question if source.is_sample else _kept_question
    question = find(dataset_key(source, unanswered), source, unanswered)
    if question is None:
        return choice
    names = question.estimate.names
    with place.container(key="alert_sources"):
        st.markdown("#### Were alerts raised by anything else than these scores?")
        st.markdown(
            f"{as_text(question.estimate.sentence)}. Rules, complaints, audits and unused scores raise such alerts."
        )
        show_table(
            pd.DataFrame(
                {
                    "Score": [shortened(score_name(name)) for name in names],
                    "Floor if no (empty corner)": [*map(score_threshold, names, question.estimate.corner)],
                    "Floor if yes (density jump)": [*map(score_threshold, names, question.estimate.jump)],
                }
            ),
            hide_index=True,
            alt="Rating floors of each score by both estimates.",
        )
        for name in question.explained_by:
            st.info(
                f"*{as_text(shortened(name))}* explains these {vocabulary().documents}. Add it to the scores below to "
                "settle the question.",
                icon=":material/add_chart:",
            )
        if question.rows.size:
            with st.expander(f"{plural(question.rows.size, f'rated {vocabulary().document}')} below the density jump"):
                show_rows(source.frame, question.rows)
        answer = st.segmented_control(
            "Were alerts raised by anything else than these scores?",
            list(ANSWERS),
            default=choice.floor_method,
            format_func=lambda method: ANSWERS.get(method, method),
            key=f"alert_sources_{source.fingerprint[:12]}",
            persist_state="session",
            label_visibility="collapsed",
        )
    return replace(choice, floor_method=answer)


def _find_question(key: str, _source: RatedSource, _choice: ColumnChoice) -> _Question | None:
    """Find out whether the floors of a choice without a method are uncertain. `key` names both, for the cache."""
    try:
        build(_source, _choice)
    except UncertainFloorsError as question:
        return _Question(
            estimate=question.estimate, rows=question.rows, explained_by=_explained_by(_source.frame, _choice)
        )
    except DataError:
        return None
    return None


@st.cache_data(scope="session", max_entries=6, show_spinner="Looking for rating floors …")
def _kept_question(key: str, _source: RatedSource, _choice: ColumnChoice) -> _Question | None:
    return _find_question(key, _source, _choice)


def _explained_by(frame: pd.DataFrame, choice: ColumnChoice) -> tuple[str, ...]:
    """Name the numeric columns in no use of which one more score would settle the floors."""
    if len(choice.scores) == MOST_SCORES:
        return ()
    rows = frame.iloc[:: -(-len(frame) // MAX_ROWS)]
    used = {*choice.scores, choice.rating, choice.weight, choice.group, choice.amount, choice.time}
    free = [name for name in map(str, frame.columns) if name not in used][:MAX_CANDIDATES]
    scores = np.column_stack([numbers(column_of(rows, name))[0] for name in choice.scores])
    known = np.isfinite(scores).all(axis=1) & rows[choice.rating].notna().to_numpy()
    others: dict[str, Floats] = {name: numbers(rows[name])[0][known] for name in free}
    return explaining_scores(scores[known], others)
