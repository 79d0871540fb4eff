"""Read a file in a worker process with limits, as it may be hostile."""

from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Literal

import pandas as pd
import pyarrow as arrow
from pyarrow import csv as arrow_csv
from pydantic import TypeAdapter

from multiloss_core.errors import DataError
from multiloss_core.scratch import scratch
from multiloss_core.tables.guess_columns import ColumnGuess, guess_columns, is_count_table
from multiloss_core.tables.item_columns import ItemColumns, require_few_items
from multiloss_core.tables.kept_rows import Kept, keep_rows
from multiloss_core.tables.read_items import guess_item_columns
from multiloss_core.tables.reading.limits import KEEP_LESS, require_file_size
from multiloss_core.tables.reading.read_file import decode_file
from multiloss_core.tables.reading.table_file import READ_AS_IT_LOOKS, ReadOptions, TableFile, frame_of
from multiloss_core.workers import WorkerLostError, memory_limited, shared_pool

# Memory for reading besides the file; together at most four times the largest file.
MEMORY = 450 * 2**20
SECONDS = 60
THREADS = 2

Purpose = Literal["documents", "items"]
Guess = ColumnGuess | ItemColumns | None

_GUESS: TypeAdapter[Guess] = TypeAdapter(ColumnGuess | ItemColumns | None)
_SOURCE, _TARGET = "file", "columns"


def read_in_process(
    data: bytes, name: str, *, options: ReadOptions = READ_AS_IT_LOOKS, kept: Kept | None = None
) -> tuple[TableFile, ColumnGuess | None]:
    """Read a file and guess its columns in a worker with limits.

    The guess is None for a table of counts. Of documents in more rows than `kept.most`, all rows are written to its
    file as Parquet, times as such; the frame then holds 10,000 of them, from which the columns are guessed. Only Linux
    limits the memory of a process; other systems limit its time.

    Raises
    ------
    DataError : as `read_file` and `guess_columns`, or more than 450 MB of memory or 60 seconds were needed.
    """
    file, guess = _read_bounded(data, name, options, "documents", kept)
    if isinstance(guess, ItemColumns):
        raise TypeError("Documents were asked for.")
    return file, guess


def read_items_in_process(
    data: bytes, name: str, *, options: ReadOptions = READ_AS_IT_LOOKS
) -> tuple[TableFile, ItemColumns]:
    """Read a file as `read_items` does, in a worker with limits. Raises DataError."""
    if not data.strip():
        raise DataError(f"'{name}' is empty; choose a file with a header and one row for each item.")
    file, guess = _read_bounded(data, name, options, "items")
    if not isinstance(guess, ItemColumns):
        raise TypeError("Items were asked for.")
    return file, guess


def _read_bounded(
    data: bytes, name: str, options: ReadOptions, purpose: Purpose, kept: Kept | None = None
) -> tuple[TableFile, Guess]:
    require_file_size(len(data), name)
    try:
        # A path, which every system can hand to another process; of the columns one at a time is held twice.
        with scratch("reading") as folder:
            Path(folder, _SOURCE).write_bytes(data)
            asked = (folder, name, options, purpose, kept)
            content = shared_pool().submit(_inside, *asked, MEMORY, seconds=SECONDS).result()
            with Path(folder, _TARGET).open("rb") as target:
                return read(content, target)
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
    folder: Path, name: str, options: ReadOptions, purpose: Purpose, kept: Kept | None, memory: int
) -> dict[str, Any]:
    """Read the file in a folder inside a worker, and write its columns beside it."""
    arrow.set_memory_pool(arrow.system_memory_pool())
    arrow.set_cpu_count(THREADS)
    arrow.set_io_thread_count(1)
    # Arrow waits without end for a thread for which there is no memory left: they start before the limit holds.
    arrow_csv.read_csv(BytesIO(b"a,b\n1,2\n"))
    source = Path(folder, _SOURCE)
    with memory_limited(memory), source.open("rb") as file, Path(folder, _TARGET).open("wb") as target:
        return write_answer(file, source.stat().st_size, name, options, purpose, target, kept)


def _too_much(name: str) -> DataError:
    return DataError(
        f"'{name}' takes more than {MEMORY / 2**20:.0f} MB of memory or {SECONDS} seconds to read, which is the limit; "
        f"{KEEP_LESS}, or save it as Parquet."
    )


def write_answer(
    file: BinaryIO,
    size: int,
    name: str,
    options: ReadOptions | None,
    purpose: Purpose,
    target: BinaryIO,
    kept: Kept | None = None,
) -> dict[str, Any]:
    """Write the columns to `target` as Arrow streams, and return the rest as JSON values.

    Of too many documents, all go to `kept` and some to `target`.

    Raises
    ------
    DataError : the file is no table, or none of items where these are wanted.
    """
    decoded = decode_file(file, size, name, options)
    columns, rows = dict(decoded.columns), None
    if kept is not None and kept.takes(columns):
        rows = len(next(iter(columns.values())))
        columns = keep_rows(columns, kept)
    content = {
        "rows": rows,
        "notes": decoded.notes,
        "ambiguous": (ambiguous := decoded.ambiguous),
        "units": dict(decoded.units),
        "sheets": decoded.sheets,
        "sheet": decoded.sheet,
    }
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
    return content | {
        "starts": starts,
        "guess": _GUESS.dump_python(_guess(frame, name, purpose, ambiguous), mode="json"),
    }


def _guess(frame: pd.DataFrame, name: str, purpose: Purpose, ambiguous: Sequence[str]) -> Guess:
    if purpose == "items":
        require_few_items(len(frame), f"'{name}'")
        return guess_item_columns(frame)
    return None if is_count_table(frame) else guess_columns(frame, ambiguous)


def read(content: dict[str, Any], source: BinaryIO) -> tuple[TableFile, Guess]:
    """Read what `write_answer` has written; of the columns one at a time is held twice."""
    frame = frame_of(_columns(content["starts"], source))
    return TableFile(
        frame=frame,
        notes=tuple(content["notes"]),
        ambiguous=tuple(content["ambiguous"]),
        units=content["units"],
        sheets=tuple(content["sheets"]),
        sheet=content["sheet"],
        rows=content["rows"],
    ), _GUESS.validate_python(content["guess"])


def _columns(starts: list[int], source: BinaryIO) -> Iterator[tuple[str, arrow.ChunkedArray]]:
    for start in starts:
        source.seek(start)
        table = arrow.ipc.open_stream(source).read_all()
        yield table.column_names[0], table.column(0)
