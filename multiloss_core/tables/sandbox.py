"""Read a file in a worker process with limits, as it may be hostile."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import pandas as pd
import pyarrow as arrow
from pyarrow import csv as arrow_csv

from multiloss_core.errors import DataError
from multiloss_core.scratch import scratch
from multiloss_core.tables.guess_columns import ColumnGuess, guess_columns, is_count_table
from multiloss_core.tables.item_columns import ItemColumns, require_few_items
from multiloss_core.tables.kept_rows import Kept, keep_rows
from multiloss_core.tables.read_items import guess_item_columns
from multiloss_core.tables.reading.limits import KEEP_LESS, require_file_size
from multiloss_core.tables.reading.read_file import decode_file
from multiloss_core.tables.reading.table_file import READ_AS_IT_LOOKS, ReadNotes, ReadOptions, TableFile, frame_of
from multiloss_core.workers import WorkerLostError, memory_limited, shared_pool

# Memory for reading besides the file; together at most four times the largest file.
MEMORY = 450 * 2**20
SECONDS = 60
THREADS = 2

_SOURCE, _TARGET = "file", "columns"

Guess = TypeVar("Guess")
# Guesses the columns of a frame, given the name of its file and its ambiguous columns.
GuessColumns = Callable[[pd.DataFrame, str, Sequence[str]], Guess]


def read_in_process(
    data: bytes, name: str, *, options: ReadOptions = READ_AS_IT_LOOKS, kept: Kept | None = None
) -> tuple[TableFile, ColumnGuess | None]:
    """Read a file and guess its columns in a worker with limits.

    The guess is None for a table of counts. Of documents in more rows than `kept.most`, all rows are written to its
    file as Parquet, times as such; the frame then holds 10,000 of them, from which the columns are guessed. Only Linux
    limits the memory of a process; other systems limit its time.

    Raises DataError: as `read_file` and `guess_columns`, or more than 450 MB of memory or 60 seconds were needed.
    """
    return _read_bounded(data, name, options, guess_documents, kept)


def read_items_in_process(
    data: bytes, name: str, *, options: ReadOptions = READ_AS_IT_LOOKS
) -> tuple[TableFile, ItemColumns]:
    """Read a file as `read_items` does, in a worker with limits. Raises DataError."""
    if not data.strip():
        raise DataError(f"'{name}' is empty; choose a file with a header and one row for each item.")
    return _read_bounded(data, name, options, _guess_items)


def _read_bounded(
    data: bytes, name: str, options: ReadOptions, guess: GuessColumns[Guess], kept: Kept | None = None
) -> tuple[TableFile, Guess]:
    require_file_size(len(data), name)
    try:
        # A path, which every system can hand to another process; of the columns one at a time is held twice.
        with scratch("reading") as folder:
            Path(folder, _SOURCE).write_bytes(data)
            asked = (folder, name, options, guess, kept)
            answer = shared_pool().submit(_inside, *asked, MEMORY, seconds=SECONDS).result()
            with Path(folder, _TARGET).open("rb") as target:
                return read(answer, target), answer.guess
    except (TimeoutError, MemoryError, WorkerLostError) as error:
        raise _too_much(name) from error
    except OSError as error:
        raise DataError(f"'{name}' cannot be read now ({error.strerror or error}); try again later.") from error
    except CancelledError as error:
        raise DataError(f"'{name}' is no longer read.") from error
    except DataError:
        raise
    # A strange table may break the guess in unforeseen ways.
    except Exception as error:
        raise DataError(f"'{name}' was read, but its columns cannot be recognised; save it again as CSV.") from error


def _inside(
    folder: Path, name: str, options: ReadOptions, guess: GuessColumns[Guess], kept: Kept | None, memory: int
) -> "Answer[Guess]":
    """Read the file in a folder inside a worker, and write its columns beside it."""
    arrow.set_memory_pool(arrow.system_memory_pool())
    arrow.set_cpu_count(THREADS)
    arrow.set_io_thread_count(1)
    # Arrow waits without end for a thread for which there is no memory left: they start before the limit holds.
    arrow_csv.read_csv(BytesIO(b"a,b\n1,2\n"))
    source = Path(folder, _SOURCE)
    with memory_limited(memory), source.open("rb") as file, Path(folder, _TARGET).open("wb") as target:
        return write_answer(file, source.stat().st_size, name, options, guess, target, kept)


def _too_much(name: str) -> DataError:
    return DataError(
        f"'{name}' takes more than {MEMORY / 2**20:.0f} MB of memory or {SECONDS} seconds to read, which is the limit; "
        f"{KEEP_LESS}, or save it as Parquet."
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Answer(ReadNotes, Generic[Guess]):
    """State where columns start in a file of Arrow streams, and all else about a table."""

    starts: list[int]
    rows: int | None
    guess: Guess


def write_answer(
    file: BinaryIO,
    size: int,
    name: str,
    options: ReadOptions,
    guess: GuessColumns[Guess],
    target: BinaryIO,
    kept: Kept | None = None,
) -> Answer[Guess]:
    """Write the columns to `target` as Arrow streams, and return the rest.

    Of too many documents, all go to `kept` and some to `target`.

    Raises DataError: the file is no table, or none of items where these are wanted.
    """
    decoded = decode_file(file, size, name, options)
    columns, rows, about = dict(decoded.columns), None, decoded.about
    if kept is not None and kept.takes(columns):
        rows = len(next(iter(columns.values())))
        columns = keep_rows(columns, kept)
    del decoded
    starts = []
    for title, column in columns.items():
        starts.append(target.tell())
        table = arrow.table({title: column}).unify_dictionaries()
        with arrow.ipc.new_stream(target, table.schema) as stream:
            stream.write_table(table)
    del column, table
    # No column is held twice for longer than it takes to copy it.
    frame = frame_of((title, columns.pop(title)) for title in list(columns))
    return Answer(starts=starts, rows=rows, guess=guess(frame, name, about["ambiguous"]), **about)


def guess_documents(frame: pd.DataFrame, name: str, ambiguous: Sequence[str]) -> ColumnGuess | None:
    """Guess the columns of documents; None for a table of counts."""
    return None if is_count_table(frame) else guess_columns(frame, ambiguous)


def _guess_items(frame: pd.DataFrame, name: str, ambiguous: Sequence[str]) -> ItemColumns:
    require_few_items(len(frame), f"'{name}'")
    return guess_item_columns(frame)


def read(answer: Answer[Any], source: BinaryIO) -> TableFile:
    """Read what `write_answer` has written; of the columns one at a time is held twice."""
    return TableFile(frame=frame_of(_columns(answer.starts, source)), rows=answer.rows, **answer.about)


def _columns(starts: list[int], source: BinaryIO) -> Iterator[tuple[str, arrow.ChunkedArray]]:
    for start in starts:
        source.seek(start)
        table = arrow.ipc.open_stream(source).read_all()
        yield table.column_names[0], table.column(0)
