"""Widgets that ask what the columns of a table mean; the picks are kept for the session."""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core.tables import rating_values

MAX_COLUMNS = 200
MAX_VALUES = 50


def offered_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns to choose from."""
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
    """Ask for a column, at first the known one if it is there."""
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
    """Ask for a column or `none`, at first the known one if it is there."""
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
    """Ask which value of a column is the positive one; `tag` tells the table."""
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
