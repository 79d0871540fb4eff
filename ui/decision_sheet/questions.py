"""The questions that the data answer: what is fraud, which scores and from where, and what is in force today."""

import streamlit as st

from multiloss_core.formatting import count, score_name, score_side, score_threshold, shortened
from ui.data.rated_datasets import Dataset, RatedSource
from ui.operating_point.analysis import Analysis
from ui.operating_point.baseline import ask_thresholds_in_use, baseline_of
from ui.shared.formatting import as_label, as_text

MEANINGS = (("positive", "fraud"), ("negative", "not fraud"), ("undecided", "not known yet"))


def show_meaning(source: RatedSource, dataset: Dataset) -> None:
    """Say what counts as fraud, and what does not."""
    st.markdown("#### 1 · What counts as fraud?")
    totals, choice = dataset.source.totals, dataset.choice
    numbers = {"positive": totals.tp, "negative": totals.fp}
    if dataset.source.documents is not None:
        numbers["undecided"] = dataset.source.documents.undecided.weights.sum()
    lines = []
    for meaning, words in MEANINGS:
        values = ", ".join(f"*{as_text(shortened(value))}*" for value, found in choice.meanings if found == meaning)
        if numbers.get(meaning):
            lines.append(f"**{count(numbers[meaning])} {words}**{f' ({values})' if values else ''}")
    st.markdown(" · ".join(lines))


def show_scores(analysis: Analysis) -> None:
    """Say which scores there are, and from which value on people looked."""
    st.markdown("#### 2 · From which score on did people look?")
    floors, choice = analysis.rated.source.floors, analysis.rated.choice
    suggested = [floor is None for floor in choice.floors] or [not choice.is_counts] * len(floors)
    st.markdown(
        " · ".join(
            f"{as_text(shortened(score_name(name)))} **{score_threshold(name, floor)}**"
            f"{' (estimated)' if guessed else ''}"
            for name, floor, guessed in zip(analysis.surfaces.names, floors, suggested, strict=True)
        )
    )
    st.page_link("pages/rated_data.py", label="Change what the columns mean", icon=":material/edit:")


def ask_in_force(analysis: Analysis) -> None:
    """Ask for the thresholds in force today; what is known of them stands there already."""
    st.markdown("#### 4 · What is in force today?")
    kept = baseline_of(analysis)
    ask_thresholds_in_use(analysis, lambda name: as_label(score_side(shortened(name))), key="in_force")
    if kept.origin:
        st.caption(f"From {as_text(kept.origin)}.")
