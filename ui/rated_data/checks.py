"""What was read: funnel, histograms, counts of a ready table, and what such data cannot tell."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from multiloss_core import CountSurfaces, RatedCounts, RatedDocuments
from multiloss_core.figures import Theme, score_histogram
from multiloss_core.formatting import (
    Vocabulary,
    count,
    direction,
    plural,
    score_name,
    score_threshold,
    share,
    shortened,
)
from multiloss_core.numerics import Indices
from multiloss_core.thresholds import DataFunnel
from ui.data.rated_datasets import ColumnChoice, RatedSource
from ui.shared.formatting import as_text, show_table, vocabulary
from ui.shared.page_setup import theme

PREVIEW_ROWS = 100


def show_funnel(documents: RatedDocuments, choice: ColumnChoice, frame: pd.DataFrame) -> None:
    """Rows read -> rated -> complete -> at or above a floor -> positives, and what was noticed on the way."""
    _show_steps(documents.funnel)
    floors = ", ".join(
        f"{score_name(name)} {score_threshold(name, floor)}{' (estimated)' if given is None else ''}"
        for name, floor, given in zip(documents.names, documents.floors, choice.floors, strict=True)
    )
    below = documents.below_floors
    nothing = "" if below.size else " Below all of them nothing was rated."
    st.caption(f"Rating floors: {as_text(floors)}.{nothing}")
    if below.size:
        with st.expander(f"{plural(below.size, f'rated {vocabulary().document}')} below all floors, left out"):
            show_rows(frame, below)
    if (documents.weights != 1).any():
        totals = documents.totals
        st.caption(
            f"With weights these stand for {count(totals.tp)} positive and {count(totals.fp)} negative "
            f"{vocabulary().documents}; TP and FP everywhere are sums of weights."
        )
    if documents.groups is not None:
        st.caption(
            f"These {count(len(documents.groups))} rows form {count(documents.groups.max() + 1)} groups by "
            f"'{as_text(str(choice.group))}': rows of one group belong together, and held-out numbers and intervals "
            "respect it."
        )
    for note in documents.notes:
        st.info(as_text(note), icon=":material/info:")


def show_rows(frame: pd.DataFrame, rows: Indices) -> None:
    """List rows of a table by their numbers below the header."""
    shown = frame.iloc[rows[:PREVIEW_ROWS]]
    show_table(shown.set_axis(pd.Index(rows[:PREVIEW_ROWS] + 1, name="Row")), alt="Rated rows below all rating floors.")
    if rows.size > PREVIEW_ROWS:
        st.caption(f"The first {PREVIEW_ROWS} of {count(rows.size)} rows are listed.")


def show_histograms(key: str, documents: RatedDocuments) -> None:
    """One histogram for each classifier, split by rating, with its floor; `key` is the dataset's."""
    width = min(2, len(documents.names))
    for j, name in enumerate(documents.names):
        if j % width == 0:
            # A row of its own for each pair keeps the order where columns are stacked, as on a phone.
            columns = st.columns(width)
        columns[j % width].plotly_chart(
            _histogram(key, j, theme(), vocabulary(), documents),
            theme=None,
            key=f"histogram_{j}",
            alt=f"Histogram of the scores of {score_name(name)}: rated positives and negatives, rating floor at "
            f"{direction(name) * documents.floors[j]:.6g}.",
        )


@st.cache_resource(scope="session", max_entries=20, show_spinner=False)
def _histogram(key: str, classifier: int, shade: Theme, words: Vocabulary, _documents: RatedDocuments) -> go.Figure:
    return score_histogram(_documents, classifier, theme=shade, vocabulary=words)


def show_counted(counts: RatedCounts, choice: ColumnChoice) -> None:
    """Show what was counted where the rows lie, and what that leaves out."""
    _show_steps(counts.funnel)
    floors = ", ".join(
        f"{score_name(name)} {score_threshold(name, floor)}"
        for name, floor in zip(counts.names, counts.floors, strict=True)
    )
    grid = " × ".join(str(len(axis)) for axis in counts.axes)
    st.caption(
        f"Rating floors: {as_text(floors)}. Counted into {count(len(counts.counted.cells))} cells of a grid of {grid} "
        "thresholds, most of them where positives have high scores; counts at each of them are exact."
    )
    for note in counts.notes:
        st.info(as_text(note), icon=":material/info:")
    if choice.amount is not None:
        st.info(
            f"Money is not counted in so many rows: '{as_text(shortened(choice.amount))}' is not used. With fewer "
            "rows, such as those of some months, it is.",
            icon=":material/info:",
        )


def _show_steps(funnel: DataFunnel) -> None:
    for column, (words, number) in zip(st.columns(5), funnel.steps, strict=True):
        column.metric(words.capitalize(), count(number), border=True)


def show_count_table(surfaces: CountSurfaces) -> None:
    """Show what a ready table of counts holds."""
    totals = surfaces.totals
    cells = (
        ("Nodes", count(surfaces.tp.size)),
        ("Grid", " × ".join(str(len(axis)) for axis in surfaces.axes)),
        ("TP at the floors", count(totals.tp)),
        ("FP at the floors", count(totals.fp)),
        ("Precision at the floors", share(totals.precision, totals.alerts)),
    )
    for column, (words, value) in zip(st.columns(len(cells)), cells, strict=True):
        column.metric(words, value, border=True)
    st.caption(
        f"The counts behave like the rule '{surfaces.rule}'. Floors: "
        + ", ".join(
            f"{score_name(name)} {score_threshold(name, floor)}"
            for name, floor in zip(surfaces.names, surfaces.floors, strict=True)
        )
        + "."
    )


def show_limits() -> None:
    """Say once what cannot be known from rated predicted positives."""
    st.info(
        "**What such data cannot tell:** nobody looked at what lies below every floor, so missed fraud (false "
        "negatives) and true negatives are unknown, and so are recall, the false positive rate and F1. True and "
        "false positives and precision are known from the floors up.",
        icon=":material/visibility_off:",
    )


def show_columns_preview(source: RatedSource) -> None:
    """Show the first rows of the table as they were read."""
    st.subheader("Preview")
    shown = source.frame.head(PREVIEW_ROWS)
    show_table(shown.set_index(shown.index + 1), height=280, alt=f"First rows of {source.name}.")
    st.caption(
        f"The first {min(PREVIEW_ROWS, len(source.frame)):,} of {len(source.frame):,} rows. Messages count rows from "
        "1 below the header."
    )
