"""Lists of documents: the rows of the table as it was uploaded, on the screen and as a file."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import ArrayLike, NDArray

from multiloss_core.datasets import RatedDataset
from multiloss_core.formatting import Vocabulary, plural
from multiloss_core.numerics import Indices
from multiloss_core.tables import frame_as_csv
from ui.shared.formatting import EXACT, show_table, vocabulary

MAX_ROWS = 1_000
ROW = "row"


def no_documents(words: Vocabulary) -> str:
    """Return the reason why no rows can be listed."""
    return (
        f"This is a table of counts, so which {words.documents} are behind them is not known; load the rated "
        f"{words.documents} themselves to see them."
    )


def rows_of(dataset: RatedDataset, positions: Indices, beside: Mapping[str, ArrayLike] | None = None) -> pd.DataFrame:
    """Return the rows of the uploaded table that hold the rated documents at `positions` (m,).

    Rows are numbered from 1 below the header. `beside` are columns (m,) to put before its own.
    """
    rows = dataset.documents.rows[positions]
    return _with_columns(dataset.frame.iloc[rows].set_axis(pd.Index(rows + 1, name=ROW), axis=0), beside or {})


def show_documents(
    dataset: RatedDataset, positions: Indices, *, what: str, beside: Mapping[str, NDArray[np.generic]] | None = None
) -> None:
    """Show a sortable list with a download; `what` names the documents, file and button."""
    beside = beside or {}
    shown = rows_of(dataset, positions[:MAX_ROWS], {name: values[:MAX_ROWS] for name, values in beside.items()})
    _show(shown, len(positions), lambda: frame_as_csv(rows_of(dataset, positions, beside), ROW), what)


def show_rows(frame: pd.DataFrame, *, what: str, beside: Mapping[str, ArrayLike]) -> None:
    """Show rows that were fetched from a source as `show_documents` does; they have no numbers."""
    shown = _with_columns(frame.set_axis(pd.RangeIndex(1, len(frame) + 1, name="nearest"), axis=0), beside)
    _show(shown, len(shown), lambda: frame_as_csv(shown, "nearest"), what)


def _show(shown: pd.DataFrame, number: int, as_csv: Callable[[], str], what: str) -> None:
    # With all their digits: near a threshold a rounded score may seem to lie on the other side.
    exact = {name: st.column_config.NumberColumn(format=EXACT) for name in shown.select_dtypes("float").columns}
    show_table(
        shown,
        column_config=exact,
        height=min(320, 40 + 35 * min(number, MAX_ROWS)),
        alt=f"Rows of the table that are {what}.",
    )
    left, right = st.columns([3, 1], vertical_alignment="center")
    if number > MAX_ROWS:
        left.caption(f"The first {MAX_ROWS:,} of {plural(number, vocabulary().document)}; the file holds all.")
    right.download_button(
        f"{plural(number, 'row')} as CSV",
        as_csv,
        f"{what.replace(' ', '_')}.csv",
        "text/csv",
        key=f"download_{what.replace(' ', '_')}",
        icon=":material/download:",
        on_click="ignore",
        width="stretch",
    )


def _with_columns(frame: pd.DataFrame, beside: Mapping[str, ArrayLike]) -> pd.DataFrame:
    """Put columns before those of a table."""
    frame = frame.copy()
    for name, values in reversed(list(beside.items())):
        frame.insert(0, _free_name(name, frame), np.asarray(values))
    return frame


def _free_name(name: str, frame: pd.DataFrame) -> str:
    while name in frame.columns:
        name += " "
    return name
