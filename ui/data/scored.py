"""Hold the scored items of one session: simulated samples, uploaded files and pasted text."""

import streamlit as st

from multiloss_core.datasets import SCORED_SAMPLES, ScoredDataset, ScoredSource, read_scored_source, source_key
from multiloss_core.tables import MAX_ITEMS, ItemColumns
from ui.data.uploader import Uploader
from ui.shared.session import session


def scored_dataset(source: ScoredSource, choice: ItemColumns) -> ScoredDataset:
    """Check the items of a source under a choice of columns. Raises DataError."""
    return _checked(source_key(source.fingerprint, choice), source, choice)


@st.cache_resource(scope="session", max_entries=4, show_spinner="Checking and sorting the items …")
def _checked(key: str, _source: ScoredSource, _choice: ItemColumns) -> ScoredDataset:
    return ScoredDataset.of(_source, _choice)


@st.cache_resource(max_entries=4, show_spinner=False)
def scored_sample(name: str) -> ScoredSource:
    """Simulate a sample, shared by all sessions."""
    return SCORED_SAMPLES[name](name)


def is_built_in(dataset: ScoredDataset) -> bool:
    """Return whether a dataset is a built-in sample, whose results all sessions share."""
    return dataset.name in SCORED_SAMPLES and scored_sample(dataset.name).frame is dataset.frame


def scored_uploads() -> Uploader[ItemColumns, ScoredDataset]:
    """Return this session's scored items."""
    return Uploader(
        state=session().scored,
        key="scored_data",
        samples=dict.fromkeys(SCORED_SAMPLES, scored_sample),
        label="Items",
        hint="Two simulated samples, and what you uploaded or pasted in this session.",
        read=read_scored_source,
        build=scored_dataset,
        upload_key="scored_upload",
        upload_label="Your own items: CSV, Excel or Parquet",
        upload_hint=f"One row for each item, one column with its probability, up to {MAX_ITEMS:,} rows; if outcomes "
        "are known, a column with them (0/1, true/false or two words).",
        choice_type=ItemColumns,
        of_other_files=lambda choice: choice,
    )
