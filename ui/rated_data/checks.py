"""Checks of the rated data: other alert sources, complete weeks, floors and counts."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import CountSurfaces, DataError, RatedCounts, RatedDocuments
from multiloss_core.datasets import RatedDataset, RatedSource, source_key
from multiloss_core.figures import Theme, score_histogram
from multiloss_core.formatting import (
    Vocabulary,
    count,
    direction,
    percent,
    plural,
    score_name,
    score_threshold,
    share,
    shortened,
)
from multiloss_core.numerics import Floats, Indices
from multiloss_core.tables import ColumnMeanings, column_of, numbers
from multiloss_core.thresholds import (
    DataFunnel,
    FloorEstimate,
    FloorMethod,
    UncertainFloorsError,
    explaining_scores,
    undecided_note,
)
from ui.data.rated import build, build_dataset, rated_uploads
from ui.rated_data.column_roles import ask_noun, offer_template
from ui.shared.formatting import as_text, show_table, vocabulary
from ui.shared.page_setup import theme
from ui.shared.widgets import shown_when_open

ANSWERS: dict[FloorMethod, str] = {"corner": "No: only by these scores", "jump": "Yes: also by something else"}
MAX_SCORES, MAX_CANDIDATES, MAX_ROWS = 4, 12, 20_000


@dataclass(frozen=True, kw_only=True, eq=False)
class _Question:
    """Hold two estimates of the floors, the rows below the jump, and columns explaining them."""

    estimate: FloorEstimate
    rows: Indices
    explained_by: tuple[str, ...]


def ask_alert_sources(source: RatedSource, choice: ColumnMeanings, place: DeltaGenerator) -> ColumnMeanings:
    """Show both estimates of uncertain floors with the rows below them, and ask for one."""
    if choice.is_counts or None not in choice.floors:
        return choice
    unanswered = replace(choice, floor_method=None)
    # Rows of an engine are counted with progress shown, and their counts are kept already.
    find = _find_question if source.is_sample else _kept_question
    question = find(source_key(source.fingerprint, unanswered), source, unanswered)
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


def _find_question(key: str, _source: RatedSource, _choice: ColumnMeanings) -> _Question | None:
    """Return whether the floors of a choice without a method are uncertain; `key` for the cache."""
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
def _kept_question(key: str, _source: RatedSource, _choice: ColumnMeanings) -> _Question | None:
    return _find_question(key, _source, _choice)


def _explained_by(frame: pd.DataFrame, choice: ColumnMeanings) -> tuple[str, ...]:
    """Name the numeric columns in no use of which one more score would settle the floors."""
    if len(choice.scores) == MAX_SCORES:
        return ()
    rows = frame.iloc[:: -(-len(frame) // MAX_ROWS)]
    used = {*choice.scores, choice.rating, choice.weight, choice.group, choice.amount, choice.time}
    free = [name for name in map(str, frame.columns) if name not in used][:MAX_CANDIDATES]
    scores = np.column_stack([numbers(column_of(rows, name))[0] for name in choice.scores])
    known = np.isfinite(scores).all(axis=1) & rows[choice.rating].notna().to_numpy()
    others: dict[str, Floats] = {name: numbers(rows[name])[0][known] for name in free}
    return explaining_scores(scores[known], others)


def ask_complete_weeks(source: RatedSource, choice: ColumnMeanings) -> ColumnMeanings:
    """Show the time zone and the first incomplete week; ask to exclude incomplete weeks."""
    if choice.time is None or choice.is_counts:
        return choice
    try:
        dataset = build_dataset(source, choice)
    except DataError:
        return choice
    if dataset.zone:
        st.caption(f":material/schedule: Days and weeks are counted in {as_text(dataset.zone)}.")
    found = _incomplete(dataset.key, dataset)
    if found is None:
        return choice
    monday, waiting, alerts = found
    st.warning(
        f"**Incomplete from {monday} on:** {count(waiting)} of {count(alerts)} alerts ({percent(waiting / alerts)}) "
        "are undecided.",
        icon=":material/pending_actions:",
    )
    known = rated_uploads().choice_for(source).complete_until
    left_out = st.toggle(
        "Leave these weeks out",
        value=known is not None,
        key=f"complete_until_{source.fingerprint[:12]}",
        persist_state="session",
        help=f"A larger share is undecided there than before, and what is decided first is rarely a fair part of all. "
        f"Thresholds, counts and alerts per day are then those of the weeks before {monday}.",
    )
    return replace(choice, complete_until=monday) if left_out else choice


@st.cache_data(scope="session", max_entries=6, show_spinner=False)
def _incomplete(key: str, _dataset: RatedDataset) -> tuple[str, float, float] | None:
    """Find the Monday of the first incomplete week, and the undecided documents since then."""
    if not (_dataset.supports("documents") and _dataset.supports("time") and _dataset.undecided_weight):
        return None
    found = _dataset.over_time(_dataset.source.floors, "any")
    weeks, first = found.weeks, found.incomplete
    if first is None:
        return None
    return str(weeks.mondays[first]), float(weeks.undecided[first:].sum()), float(weeks.all_alerts[first:].sum())


PREVIEW_ROWS = 100


def show_funnel(documents: RatedDocuments, choice: ColumnMeanings, frame: pd.DataFrame) -> None:
    """Show how many rows were read, why some are not used, and the floors, with warnings."""
    _show_losses(documents.funnel)
    floors = ", ".join(
        f"*{as_text(score_name(name))}* {score_threshold(name, floor)}{' (estimated)' if given is None else ''}"
        for name, floor, given in zip(documents.names, documents.floors, choice.floors, strict=True)
    )
    below = documents.below_floors
    nothing = "" if below.size else ": nothing is rated below every floor"
    st.caption(f"Rating floors: {floors}. **Recall is unknown**{nothing}.")
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
    waiting = documents.funnel.read - documents.funnel.rated
    for note in documents.notes:
        # The losses state it already.
        if note != undecided_note(str(choice.rating), waiting, waiting):
            st.info(as_text(note), icon=":material/info:")


def show_rows(frame: pd.DataFrame, rows: Indices) -> None:
    """List rows of a table by their numbers below the header."""
    shown = frame.iloc[rows[:PREVIEW_ROWS]]
    show_table(shown.set_axis(pd.Index(rows[:PREVIEW_ROWS] + 1, name="Row")), alt="Rated rows below all rating floors.")
    if rows.size > PREVIEW_ROWS:
        st.caption(f"The first {PREVIEW_ROWS} of {count(rows.size)} rows are listed.")


@shown_when_open("Scores by rating", icon=":material/bar_chart:", key="histograms")
def show_histograms(key: str, documents: RatedDocuments) -> None:
    """Draw a histogram by rating with the floor for each classifier; `key` is the dataset's."""
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


def show_counted(counts: RatedCounts, choice: ColumnMeanings) -> None:
    """Show what was counted where the rows lie, and what that leaves out."""
    _show_losses(counts.funnel)
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
            f"Too many rows for money: '{as_text(shortened(choice.amount))}' is not used. With fewer "
            "rows, such as those of some months, it is.",
            icon=":material/info:",
        )


def _show_losses(funnel: DataFunnel) -> None:
    lost = (
        (funnel.read - funnel.rated, "undecided"),
        (funnel.rated - funnel.complete, "with incomplete scores"),
        (funnel.complete - funnel.at_or_above_floor, "below all floors"),
    )
    used = f"**{count(funnel.at_or_above_floor)} used, {count(funnel.positives)} of them fraud**"
    st.markdown(f"{count(funnel.read)} rows: {', '.join([*(f'{count(n)} {why}' for n, why in lost if n), used])}")


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


@shown_when_open("More", icon=":material/more_horiz:", key="more_of_data")
def show_more(source: RatedSource) -> None:
    """Show what few users need: the noun for a row, a template, the limits and the first rows."""
    ask_noun()
    offer_template()
    _show_limits()
    _show_preview(source)


def _show_limits() -> None:
    st.info(
        f"**Limits of rated data:** {vocabulary().documents} below every floor are not rated, so false negatives and "
        "true negatives are unknown. So are recall, the false positive rate and F1. True and false positives and "
        "precision are known from the floors up.",
        icon=":material/visibility_off:",
    )


def _show_preview(source: RatedSource) -> None:
    shown = source.frame.head(PREVIEW_ROWS)
    show_table(shown.set_index(shown.index + 1), height=280, alt=f"First rows of {source.name}.")
    st.caption(
        f"The first {min(PREVIEW_ROWS, len(source.frame)):,} of {len(source.frame):,} rows. Messages count rows from "
        "1 below the header."
    )
