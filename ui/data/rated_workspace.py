"""The rated data that one user loaded, kept while moving between pages."""

import streamlit as st

from ui.data.rated_datasets import SAMPLES, ColumnChoice, Dataset, RatedSource, build_dataset, sample
from ui.data.uploads import Shelf

MAX_UPLOADS = 3


def workspace() -> Shelf[ColumnChoice]:
    """This session's rated data."""
    found: Shelf[ColumnChoice] = st.session_state.setdefault("workspace", Shelf("data", MAX_UPLOADS))
    return found


def choose_source() -> RatedSource:
    """Let the user pick a sample or one of the uploads."""
    hint = (
        "Simulated samples with one to four classifiers, a ready table of counts, and the files you uploaded in this "
        "session."
    )
    return workspace().pick("Data", SAMPLES, sample, hint=hint)


def dataset_of(source: RatedSource) -> Dataset:
    """The dataset in use for a source. Raises DataError where its columns need the user's help."""
    return build_dataset(source, workspace().choice_for(source))
