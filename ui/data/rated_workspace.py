"""The rated data of one session, kept while moving between pages."""

from collections.abc import Callable
from dataclasses import replace

from multiloss_core import DataError
from ui.data.engines.tables import counted_dataset
from ui.data.rated_datasets import (
    ColumnChoice,
    Dataset,
    RatedSource,
    build_dataset,
    dataset_key,
    read_upload,
    require_answers,
)
from ui.data.samples import SAMPLES, sample
from ui.data.uploads import UploadStore
from ui.shared.formatting import vocabulary
from ui.shared.session import session


def rated_uploads() -> UploadStore[ColumnChoice, Dataset]:
    """Return this session's rated data."""
    return UploadStore(
        state=session().rated,
        key="data",
        samples=dict.fromkeys(SAMPLES, sample),
        label="Data",
        hint="Simulated samples with one to four classifiers, a ready table of counts, and the files you uploaded in "
        "this session.",
        read=read_upload,
        build=build,
        upload_key="upload",
        upload_label="Your own file: CSV, Excel or Parquet",
        upload_hint=f"Rated {vocabulary().documents}, or a ready table of counts (T1, T2, …, TP, FP).",
        choice_type=ColumnChoice,
        of_other_files=_of_other_files,
    )


def choose_source(load: Callable[[], None] | None = None) -> RatedSource:
    """Let the user pick a sample or one of the uploads; `load` draws what brings files in."""
    return rated_uploads().pick(load)


def needs_answers(source: RatedSource) -> bool:
    """Whether what some column means could not be told for certain, and the user has not confirmed it yet."""
    unsure = source.guess is not None and bool(source.guess.unsure or source.first_choice.decimal_signs)
    return unsure and source.fingerprint not in rated_uploads().state.confirmed


def confirm(source: RatedSource) -> None:
    """Take the choice of columns of a table for confirmed by the user."""
    rated_uploads().confirm(source)


def dataset_of(source: RatedSource) -> Dataset:
    """Return the dataset in use for a source. Raises DataError where its columns need the user's help."""
    if needs_answers(source):
        raise DataError(
            f"What some columns of '{source.name}' mean could not be told for certain; check them on Rated data first."
        )
    return build(source, rated_uploads().choice_for(source))


def build(source: RatedSource, choice: ColumnChoice) -> Dataset:
    """Build and check the dataset of a source under a choice of columns, counted where its rows lie.

    Raises DataError, and Cancelled where the user stopped the engine.
    """
    if not source.is_sample:
        return build_dataset(source, choice)
    require_answers(choice)
    return counted_dataset(source, choice, dataset_key(source, choice))


def _of_other_files(choice: ColumnChoice) -> ColumnChoice:
    """Leave out what holds for one file alone."""
    return replace(choice, floors=(None,) * len(choice.floors), floor_method=None, since=None, complete_until=None)
