"""Weeks at the end of the data whose ratings are incomplete, and the choice to leave them out."""

from dataclasses import replace

import streamlit as st

from multiloss_core import DataError
from multiloss_core.formatting import count, percent
from multiloss_core.inspection import calendar, incomplete_from, weekly_counts
from ui.data.rated_datasets import ColumnChoice, Dataset, RatedSource, build_dataset
from ui.data.rated_workspace import rated_uploads
from ui.shared.formatting import as_text


def ask_complete_weeks(source: RatedSource, choice: ColumnChoice) -> ColumnChoice:
    """Say in which zone days are counted and from which week on ratings are incomplete; ask to leave these out."""
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
def _incomplete(key: str, _dataset: Dataset) -> tuple[str, float, float] | None:
    """Find the Monday of the first incomplete week, and how many of the documents since then are not yet decided."""
    documents = _dataset.source.documents
    if documents is None or _dataset.times is None or not len(documents.undecided):
        return None
    days = calendar(_dataset.times, _dataset.undecided_times)
    weeks = weekly_counts(documents, days, documents.floors, "any")
    first = incomplete_from(weeks)
    if first is None:
        return None
    return str(weeks.mondays[first]), float(weeks.undecided[first:].sum()), float(weeks.all_alerts[first:].sum())
