"""What one user loaded and chose: the only session state of ours, defined here."""

from dataclasses import dataclass, field

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from multiloss_core import DataError
from ui.sources import SAMPLES, ColumnChoice, Dataset, Source, build_dataset, read_upload, sample

MOST_UPLOADS = 3


@dataclass
class Workspace:
    """Uploaded sources by name, the last valid choice of columns of each source (by fingerprint), and what became of
    the last upload."""

    uploads: dict[str, Source] = field(default_factory=dict)
    choices: dict[str, ColumnChoice] = field(default_factory=dict)
    last_upload: str | None = None
    complaint: str | None = None


def workspace() -> Workspace:
    """This session's workspace."""
    found: Workspace = st.session_state.setdefault("workspace", Workspace())
    return found


def choose_source() -> Source:
    """Let the user pick a sample or one of the uploads; the pick is kept across pages and in the URL."""
    uploads = workspace().uploads
    options = [*SAMPLES, *uploads]
    # The words on the screen are the words in the URL, so nothing is reformatted on the way.
    wanted = st.query_params.get("data")
    picked = st.selectbox(
        "Data",
        options,
        key="data",
        bind="query-params",
        help="Simulated samples with one to four classifiers, a ready table of counts, and the files you uploaded in "
        "this session.",
    )
    if wanted is not None and wanted not in options:
        st.info(f"The link was made with '{wanted[:80]}', which is not loaded in this session; upload it again.")
    name = picked if picked in options else options[0]
    return uploads[name] if name in uploads else sample(name)


def choice_for(source: Source) -> ColumnChoice:
    """The last valid choice of columns of a source, or the first one to try."""
    return workspace().choices.get(source.fingerprint, source.first_choice)


def dataset_of(source: Source) -> Dataset:
    """The dataset in use for a source. Raises DataError where its columns need the user's help."""
    return build_dataset(source, choice_for(source))


def take_upload(uploaded: UploadedFile) -> None:
    """Take an uploaded file into the workspace and pick it; a bad one leaves everything as it was.

    Must run before the picker of `choose_source` is drawn.
    """
    space = workspace()
    space.last_upload = uploaded.file_id
    try:
        source = read_upload(uploaded.getvalue(), uploaded.name)
    except DataError as error:
        space.complaint = str(error)
        return
    space.complaint = None
    space.uploads.pop(source.name, None)
    space.uploads[source.name] = source
    for oldest in list(space.uploads)[:-MOST_UPLOADS]:
        del space.uploads[oldest]
    st.session_state["data"] = source.name
