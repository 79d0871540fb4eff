"""Hold the rated data of one session, kept while moving between pages."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from multiloss_core import DataError
from multiloss_core.datasets import RATED_SAMPLES, RatedDataset, RatedSource, source_key
from multiloss_core.engines import read_rated_source
from multiloss_core.formatting import shortened
from multiloss_core.tables import ColumnMeanings, written_ratings
from ui.data.engine_connections import counted_dataset
from ui.data.uploader import Uploader
from ui.shared.formatting import as_text, vocabulary
from ui.shared.session import session


@st.cache_resource(max_entries=8, show_spinner="Simulating a population …")
def sample(name: str) -> RatedSource:
    """Return a built-in sample, shared by all sessions."""
    return RATED_SAMPLES[name](name)


def is_built_in(dataset: RatedDataset) -> bool:
    """Return whether a dataset is a built-in sample, whose results all sessions share."""
    return dataset.name in RATED_SAMPLES and sample(dataset.name).fingerprint == dataset.fingerprint


def rated_uploads() -> Uploader[ColumnMeanings, RatedDataset]:
    """Return this session's rated data."""
    return Uploader(
        state=session().rated,
        key="data",
        samples=dict.fromkeys(RATED_SAMPLES, sample),
        label="Data",
        hint="Simulated samples with one to four classifiers, a ready table of counts, and the files you uploaded in "
        "this session.",
        read=read_rated_source,
        build=build,
        upload_key="upload",
        upload_label="Your own file",
        upload_hint=f"Rated {vocabulary().documents}, or a ready table of counts (T1, T2, …, TP, FP).",
        choice_type=ColumnMeanings,
        of_other_files=_of_other_files,
        companions=lambda choice: choice.earlier,
    )


def written_words(source: RatedSource, column: str) -> dict[str, str]:
    """Map each rating's lower-case word to its spelling in the file, if it occurs."""
    return _written_in_frame(source.fingerprint, column, source.frame)


@st.cache_data(scope="session", max_entries=20, show_spinner=False)
def _written_in_frame(fingerprint: str, column: str, _frame: pd.DataFrame) -> dict[str, str]:
    return written_ratings(_frame[column])


def choose_source(load: Callable[[], None] | None = None) -> RatedSource:
    """Let the user pick a sample or one of the uploads; `load` draws what brings files in."""
    return rated_uploads().pick(load)


def needs_answers(source: RatedSource) -> bool:
    """Return whether some columns are ambiguous and not yet confirmed by the user."""
    unsure = source.guess is not None and bool(source.guess.unsure or source.first_choice.decimal_signs)
    return unsure and source.fingerprint not in rated_uploads().state.confirmed


def confirm(source: RatedSource) -> None:
    """Take the choice of columns of a table for confirmed by the user."""
    rated_uploads().confirm(source)


def dataset_of(source: RatedSource) -> RatedDataset:
    """Return the dataset of a source. Raises DataError if its columns need confirmation."""
    if needs_answers(source):
        raise DataError(f"Some columns of '{source.name}' are ambiguous; check them on Rated data first.")
    return build(source, rated_uploads().choice_for(source))


def build(source: RatedSource, columns: ColumnMeanings) -> RatedDataset:
    """Build and check the data of a source, counted where its rows lie.

    Raises DataError, and Cancelled where the user stopped the engine.
    """
    if not source.is_sample:
        return build_dataset(source, columns)
    columns.require_answers()
    return counted_dataset(source, columns)


def build_dataset(source: RatedSource, columns: ColumnMeanings, *, one_class: bool = False) -> RatedDataset:
    """Build and check the data of a source with loaded rows, cached by session.

    `one_class`: accept documents that are all positive or all negative, to count given thresholds. Raises DataError.
    """
    if columns.earlier:
        newest = build_dataset(source, replace(columns, earlier=()), one_class=one_class)
        files = [_earlier(name, newest) for name in columns.earlier if name in rated_uploads().state.sources]
        key = " ".join([*(file.key for file in (newest, *files)), *columns.earlier])
        return _with_earlier(key, newest, files, columns).named(source.name)
    key = source_key(source.fingerprint, columns)
    return _checked(key, one_class, source, columns).named(source.name)


@st.cache_resource(scope="session", max_entries=6, show_spinner="Checking the data …")
def _checked(key: str, one_class: bool, _source: RatedSource, _columns: ColumnMeanings) -> RatedDataset:
    return RatedDataset.of(_source, _columns, one_class=one_class)


def _earlier(name: str, newest: RatedDataset) -> RatedDataset:
    """Read an earlier file as the newest one was read. Raises DataError."""
    source = rated_uploads().source(name)
    if source.is_sample:
        raise DataError(f"'{shortened(name)}' is counted where it lies; choose earlier files that are loaded.")
    return build_dataset(source, newest.earlier_columns, one_class=True)


@st.cache_resource(scope="session", max_entries=3, show_spinner=False)
def _with_earlier(
    key: str, _newest: RatedDataset, _files: list[RatedDataset], _columns: ColumnMeanings
) -> RatedDataset:
    return replace(_newest.with_earlier(_files), columns=_columns)


def say_missing_earlier(dataset: RatedDataset) -> None:
    """Warn of chosen earlier files that are not loaded."""
    if dataset.missing_earlier:
        st.warning(f"{as_text(dataset.missing_earlier)}. Pick them once under *Data*.", icon=":material/description:")


def change_columns(name: str, **changes: Any) -> None:
    """Change fields of the choice of columns of loaded data or a sample."""
    store = rated_uploads()
    source = store.source(name)
    store.remember(source, replace(store.choice_for(source), **changes))


def in_money(dataset: RatedDataset) -> RatedDataset:
    """Weigh documents by their amounts (see `RatedDataset.in_money`)."""
    return _in_money(dataset.key, dataset).named(dataset.name)


# Kept, so that the same documents are not held once more for every grid and rule that they are counted with.
@st.cache_resource(scope="session", max_entries=3, show_spinner=False)
def _in_money(key: str, _dataset: RatedDataset) -> RatedDataset:
    return _dataset.in_money()


def _of_other_files(choice: ColumnMeanings) -> ColumnMeanings:
    """Leave out what holds for one file alone."""
    return replace(
        choice,
        floors=(None,) * len(choice.floors),
        floor_method=None,
        since=None,
        complete_until=None,
        age_weights=True,
        earlier=(),
    )
