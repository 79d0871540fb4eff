"""Checks of the rated data: other alert sources, complete weeks, floors and counts."""

from dataclasses import replace

import plotly.graph_objects as go
import streamlit as st

from multiloss_core import CountSurfaces, DataError, RatedCounts, RatedDocuments
from multiloss_core.datasets import RatedDataset, RatedSource
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
from multiloss_core.tables import ColumnMeanings, base_of
from multiloss_core.thresholds import DataFunnel, undecided_note
from ui.data.rated import build_dataset, rated_uploads
from ui.rated_data.alert_sources import show_rows
from ui.shared.formatting import as_text, named_floors, show_table, vocabulary
from ui.shared.page_setup import theme

FIRST_ROWS = 10


def ask_complete_weeks(source: RatedSource, choice: ColumnMeanings) -> ColumnMeanings:
    """Show the time zone and the first incomplete week; ask to leave these weeks out."""
    if choice.time is None or choice.is_counts:
        return choice
    try:
        dataset = build_dataset(source, choice)
    except DataError:
        return choice
    if dataset.zone:
        st.caption(f":material/schedule: Days and weeks are counted in {as_text(dataset.zone)}.")
    found = _incomplete(dataset.key, dataset)
    if found is not None:
        monday, waiting, alerts = found
        st.warning(
            f"**Incomplete from {monday} on:** {count(waiting)} of {plural(alerts, 'alert')} "
            f"({percent(waiting / alerts)}) undecided.",
            icon=":material/pending_actions:",
        )
    elif (late := dataset.late_ratings) is not None:
        monday = late.monday
        st.warning(f"{late.words}.", icon=":material/pending_actions:")
    else:
        return choice
    known = rated_uploads().choice_for(source).complete_until
    left_out = st.toggle(
        "Leave these weeks out",
        # What is not rated yet looks harmless: without these weeks unless the user wants them.
        value=known is not None or found is None,
        key=f"complete_until_{source.fingerprint[:12]}",
        persist_state="session",
        help="Ratings come late: what is decided first is rarely a fair part of all. Thresholds, counts and alerts per "
        f"day are then those of the weeks before {monday}.",
    )
    return replace(choice, complete_until=monday) if left_out else choice


def ask_earlier_files(source: RatedSource, choice: ColumnMeanings) -> ColumnMeanings:
    """Ask which other loaded files with these columns are earlier ones."""
    needed = (*choice.scores, *choice.alert_rules, choice.rating or "")
    others = [
        name
        for name, other in rated_uploads().state.sources.items()
        if other.fingerprint != source.fingerprint
        and not other.is_sample
        and all(base_of(other.frame, one) is not None for one in needed)
    ]
    known = rated_uploads().choice_for(source).earlier
    offered = [*known, *(name for name in others if name not in known)]
    if not offered or choice.is_counts or source.is_sample:
        return choice
    earlier = st.multiselect(
        "Earlier files (optional)",
        offered,
        known,
        key=f"earlier_{source.fingerprint[:12]}",
        help="Thresholds rest on these files as well, as far as files predict each other; counts stay those of this "
        "one. Choose the most recent one first, where there is no time column.",
        width=420,
    )
    return replace(choice, earlier=tuple(earlier))


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


def show_funnel(dataset: RatedDataset, choice: ColumnMeanings) -> None:
    """Show how many rows were read, why some are not used, and the floors, with warnings."""
    documents = dataset.documents
    _show_losses(documents.funnel)
    floors = ", ".join(
        f"*{as_text(score_name(name))}* {score_threshold(name, floor)}{' (estimated)' if given is None else ''}"
        for name, floor, given in zip(
            documents.names, documents.floors[: documents.score_count], choice.floors, strict=False
        )
    )
    if documents.alert_rules:
        floors += f"; {plural(documents.alert_rules, 'alert rule')} beside them"
    below = documents.below_floors
    others = "what lies left of one floor was raised by another source"
    nothing = "" if below.size else f": nothing is rated below every floor, {others}"
    st.caption(f"Rating floors: {floors}. **These ratings alone give no recall**{nothing}.")
    if below.size:
        with st.expander(f"{plural(below.size, f'rated {vocabulary().document}')} below all floors, left out"):
            show_rows(dataset.frame, below)
    if (documents.weights != 1).any():
        totals = documents.totals
        st.caption(
            f"With weights these stand for {count(totals.tp)} positive and {count(totals.fp)} negative "
            f"{vocabulary().documents}; TP and FP everywhere are sums of weights."
        )
    if documents.groups is not None:
        st.caption(
            f"These {plural(len(documents.groups), 'row', 'form')} {plural(documents.groups.max() + 1, 'group')} by "
            f"'{as_text(str(choice.group))}': rows of one group belong together, and held-out numbers and intervals "
            "respect it."
        )
    waiting = documents.funnel.read - documents.funnel.rated
    for note in dataset.notes:
        # The losses state it already.
        if note != undecided_note(str(choice.rating), waiting, waiting):
            st.info(as_text(note), icon=":material/info:")


def show_histograms(key: str, documents: RatedDocuments) -> None:
    """Draw a histogram by rating with the floor for each classifier; `key` is the dataset's."""
    for j, name in enumerate(documents.names[: documents.score_count]):
        st.plotly_chart(
            _histogram(key, j, theme(), vocabulary(), documents),
            theme=None,
            height=230,
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
    grid = " × ".join(str(len(axis)) for axis in counts.axes)
    st.caption(
        f"Rating floors: {named_floors(counts.names, counts.floors)}. Counted into "
        f"{plural(len(counts.counted.cells), 'cell')} of a grid of {grid} thresholds, most of them where positives "
        "have high scores; counts at each of them are exact."
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
        (funnel.rated - funnel.complete, "without a score"),
        (funnel.complete - funnel.at_or_above_floor, "below all floors"),
    )
    used = f"**{count(funnel.at_or_above_floor)} used, {count(funnel.positives)} of them fraud**"
    st.markdown(f"{plural(funnel.read, 'row')}: {', '.join([*(f'{count(n)} {why}' for n, why in lost if n), used])}")


def show_count_table(surfaces: CountSurfaces) -> None:
    """Show what a ready table of counts holds."""
    totals = surfaces.totals
    nodes = " × ".join(str(len(axis)) for axis in surfaces.axes)
    st.markdown(
        f"{nodes} nodes: **{plural(totals.tp, 'fraud')}, {plural(totals.fp, 'false alert')} at the floors**, precision "
        f"{share(totals.precision, totals.alerts)}"
    )
    st.caption(
        f"The counts behave like the rule '{surfaces.rule}'. Floors: {named_floors(surfaces.names, surfaces.floors)}."
    )


def show_first_rows(source: RatedSource) -> None:
    """Show the first rows of the table; messages count rows from 1 below the header."""
    shown = source.frame.head(FIRST_ROWS)
    st.markdown(f"#### First rows of {as_text(shortened(source.name))}")
    show_table(shown.set_index(shown.index + 1), alt=f"First rows of {source.name}.")
