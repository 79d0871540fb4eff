"""Hold a table as it was read, with a first proposal for the meanings of its columns."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import pandas as pd

from multiloss_core.tables import ColumnGuess, ColumnMeanings, ItemColumns
from multiloss_core.tables.reading.table_file import ReadNotes

Choice = TypeVar("Choice")


class Origin(Protocol):
    """A table in an engine that rows were fetched from, or are counted in."""

    @property
    def rows(self) -> int:
        """The number of rows of the table."""

    @property
    def is_complete(self) -> bool:
        """Whether all rows were fetched."""

    @property
    def recorded(self) -> dict[str, Any]:
        """The origin as the fields of `RecordedData`."""


@dataclass(frozen=True, eq=False)
class Source(ReadNotes, Generic[Choice]):
    """Hold a table with its first choice of columns and the SHA-256 of its input.

    `guess`: the guessed meanings of its columns, if they were guessed. `origin`: the table in an engine; of too many
    rows `frame` is a sample. `disk`: bytes on disk beside the frame.
    """

    name: str
    fingerprint: str
    frame: pd.DataFrame
    first_choice: Choice
    guess: ColumnGuess | None = None
    origin: Origin | None = None
    disk: int = 0

    @property
    def rows(self) -> int:
        """The number of rows, here or in an engine."""
        return len(self.frame) if self.origin is None else self.origin.rows

    @property
    def is_sample(self) -> bool:
        """Whether the rows lie in an engine and the frame holds a sample of them."""
        return self.origin is not None and not self.origin.is_complete


RatedSource: TypeAlias = Source[ColumnMeanings]
ScoredSource: TypeAlias = Source[ItemColumns]


def source_key(fingerprint: str, choice: ColumnMeanings | ItemColumns) -> str:
    """Name a table under a choice of columns, for caches."""
    return hashlib.sha256(f"{fingerprint}{json.dumps(asdict(choice), sort_keys=True)}".encode()).hexdigest()
