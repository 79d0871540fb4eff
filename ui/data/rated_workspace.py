"""The rated data of one session, kept while moving between pages."""

from collections.abc import Callable

from ui.data.rated_datasets import ColumnChoice, Dataset, RatedSource, build_dataset
from ui.data.samples import SAMPLES, sample
from ui.data.uploads import UploadStore
from ui.shared.session import session


def rated_uploads() -> UploadStore[ColumnChoice]:
    """Return this session's rated data."""
    return UploadStore(
        state=session().rated,
        key="data",
        limit=3,
        samples=dict.fromkeys(SAMPLES, sample),
        label="Data",
        hint="Simulated samples with one to four classifiers, a ready table of counts, and the files you uploaded in "
        "this session.",
    )


def choose_source(load: Callable[[], None] | None = None) -> RatedSource:
    """Let the user pick a sample or one of the uploads; `load` draws what brings files in."""
    return rated_uploads().pick(load)


def dataset_of(source: RatedSource) -> Dataset:
    """Return the dataset in use for a source. Raises DataError where its columns need the user's help."""
    return build_dataset(source, rated_uploads().choice_for(source))
