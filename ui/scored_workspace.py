"""The scored items that one user loaded, kept while moving between pages."""

from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from multiloss_core import DataError
from multiloss_core.scored_items import ItemColumns
from ui.scored_sources import (
    SAMPLES,
    ScoredDataset,
    ScoredSource,
    pasted_source,
    scored_dataset,
    scored_sample,
    uploaded_source,
)

MOST_UPLOADS = 2
DATA = "scored_data"


@dataclass
class ScoredWorkspace:
    """Uploaded and pasted sources by name, the last valid choice of columns of each source (by fingerprint), what became
    of the last upload and of the last paste, and which comparisons of all losses were made already."""

    uploads: dict[str, ScoredSource] = field(default_factory=dict)
    choices: dict[str, ItemColumns] = field(default_factory=dict)
    last_upload: str | None = None
    upload_complaint: str | None = None
    paste_complaint: str | None = None
    compared: set[tuple[str, float]] = field(default_factory=set)


def scored_workspace() -> ScoredWorkspace:
    """This session's scored items."""
    found: ScoredWorkspace = st.session_state.setdefault("scored_workspace", ScoredWorkspace())
    return found


def choose_scored_source() -> ScoredSource:
    """Let the user pick a sample or what was loaded; the pick is in the URL."""
    uploads = scored_workspace().uploads
    options = list(dict.fromkeys([*SAMPLES, *uploads]))
    wanted = st.query_params.get(DATA)
    picked = st.selectbox(
        "Items",
        options,
        key=DATA,
        bind="query-params",
        help="Two simulated samples, and what you uploaded or pasted in this session.",
    )
    if wanted is not None and wanted not in options:
        st.info(f"The link was made with '{wanted[:80]}', which is not loaded in this session; upload it again.")
    name = picked if picked in options else options[0]
    return uploads[name] if name in uploads else scored_sample(name)


def columns_of(source: ScoredSource) -> ItemColumns:
    """The last valid choice of columns of a source, or the first one to try."""
    return scored_workspace().choices.get(source.fingerprint, source.first_choice)


def dataset_under(source: ScoredSource, choice: ItemColumns) -> ScoredDataset:
    """The items under a choice of columns, which is remembered when it is valid. Raises DataError."""
    dataset = scored_dataset(source, choice)
    scored_workspace().choices[source.fingerprint] = choice
    return dataset


def take_upload(uploaded: UploadedFile) -> None:
    """Take an uploaded file and pick it; a bad one leaves everything as it was.

    Must run before the picker is drawn, as must `take_paste`.
    """
    space = scored_workspace()
    space.last_upload = uploaded.file_id
    space.upload_complaint = _take(lambda: uploaded_source(uploaded.getvalue(), uploaded.name))


def take_paste(text: str) -> None:
    """Take pasted text and pick it; unusable text leaves everything as it was."""
    scored_workspace().paste_complaint = _take(lambda: pasted_source(text))


def _take(read: Callable[[], ScoredSource]) -> str | None:
    """Take what was read, or return why it could not be."""
    try:
        source = read()
    except DataError as error:
        return str(error)
    uploads = scored_workspace().uploads
    uploads.pop(source.name, None)
    uploads[source.name] = source
    for oldest in list(uploads)[:-MOST_UPLOADS]:
        del uploads[oldest]
    st.session_state[DATA] = source.name
    return None
