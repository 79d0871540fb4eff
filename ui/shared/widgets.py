"""Shared widgets: lazy sections, column pickers, loss pickers."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import LOSSES, DataError, F
from multiloss_core.losses import ConfusionMatrix, Loss, formula_with_numbers, has_empty_rate, loss_formula
from multiloss_core.tables import rating_values
from ui.shared.choices import ask_number

Parameters = ParamSpec("Parameters")
Part = Callable[Parameters, None]

LESSON = Path(__file__).parents[2] / "docs" / "lesson.md"
MAX_COLUMNS = 200
MAX_VALUES = 50
# "F" instead of "F1" keeps links valid for any beta. The four losses of the paper's figure 1 come first.
LOSS_CHOICES = tuple("F" if isinstance(loss, F) else name for name, loss in LOSSES.items())


def shown_when_open(
    label: str | Callable[[], str], *, key: str, icon: str | None = None
) -> Callable[[Part[Parameters]], Part[Parameters]]:
    """Wrap a function in an expander with this label, and call it only while that is open."""

    def folded(show: Part[Parameters]) -> Part[Parameters]:
        @wraps(show)
        def show_when_open(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
            expander = st.expander(label if isinstance(label, str) else label(), icon=icon, key=key, on_change="rerun")
            if expander.open:
                with expander:
                    show(*args, **kwargs)

        return show_when_open

    return folded


def lesson_plan() -> None:
    """Show the lesson plan with links to the pages of each step."""
    _, _, plan = LESSON.read_text(encoding="utf-8").partition("\n")
    st.markdown(plan)


def show_chart(figure: go.Figure, *, key: str, alt: str, place: DeltaGenerator | None = None) -> None:
    """Draw a chart without tools, which would cover its title."""
    draw = st.plotly_chart if place is None else place.plotly_chart
    draw(figure, theme=None, key=key, alt=alt, config={"displayModeBar": False})


def offered_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of the columns to choose from."""
    return [str(column) for column in frame.columns[:MAX_COLUMNS]]


def ask_column(
    place: DeltaGenerator,
    label: str,
    columns: list[str],
    known: str | None,
    *,
    key: str,
    placeholder: str | None = None,
) -> str | None:
    """Ask for a column, starting with the known one if present."""
    return place.selectbox(
        label,
        columns,
        index=columns.index(known) if known in columns else None,
        key=key,
        persist_state="session",
        placeholder=placeholder,
    )


def ask_optional_column(
    place: DeltaGenerator, label: str, columns: list[str], known: str | None, *, none: str, key: str, hint: str
) -> str | None:
    """Ask for a column or `none`, starting with the known one if present."""
    picked = place.selectbox(
        label,
        [none, *columns],
        index=1 + columns.index(known) if known in columns else 0,
        key=key,
        persist_state="session",
        help=hint,
    )
    return picked if picked in columns else None


def ask_positive(
    label: str, frame: pd.DataFrame, column: str, guess: str | None, tag: str, noun: str, *, key: str
) -> str | None:
    """Ask for the positive value of a column; `tag` identifies the table."""
    values = _values(tag, column, frame)
    return st.selectbox(
        label,
        values,
        index=values.index(guess) if guess in values else None,
        key=key,
        persist_state="session",
        placeholder=f"Choose the positive {noun}",
    )


@st.cache_data(scope="session", max_entries=20, show_spinner=False)
def _values(tag: str, column: str, _frame: pd.DataFrame) -> list[str]:
    return rating_values(_frame[column])[1][:MAX_VALUES]


def named_loss(choice: str, beta: float) -> Loss:
    """Return the loss of a choice, F with its beta."""
    return F(beta) if choice == "F" else LOSSES[choice]


def ask_beta(place: DeltaGenerator, key: str) -> float:
    """Ask for beta of F, within 0.1 to 10."""
    hint = "The weight of recall relative to precision. 1 gives F1."
    return ask_number(place.number_input, "Beta of F", (0.1, 10.0), 1.0, 0.1, key=key, help=hint)


def show_formula(loss: Loss, counts: ConfusionMatrix | None = None, about: str = "") -> None:
    """Show the formula of a loss in counts and rates, and with the numbers of `counts`."""
    formula = loss_formula(loss)
    st.markdown(f"**{loss.name}**: {formula.sentence}", width=860)
    st.latex(rf"\text{{loss}} = {formula.in_counts}")
    st.caption("TP, FP: flagged correctly and wrongly. FN: missed. TN: correctly not flagged.")
    st.latex(rf"\phi(u, v, p) = {formula.in_rates}")
    st.caption("The same in shares of all items: u = TP, v flagged (TP + FP), p positive (TP + FN).")
    if counts is None:
        return
    try:
        st.latex(rf"\text{{loss}} = {formula_with_numbers(loss, counts)}")
    except DataError:  # A denominator of 0 at mean counts, which no outcome has.
        return
    empty = " A rate over nothing (0/0) counts as 1." if has_empty_rate(loss, counts) else ""
    st.caption(f"{about}{empty}", width=860)
