"""Files that people bring, for screen and command: read alike; of few documents the rows, of many a table to count."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from multiloss_core.engines import loading
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine
from multiloss_core.engines.columns import ALL_ROWS
from multiloss_core.engines.loading import EngineSample
from multiloss_core.tables import READ_AS_IT_LOOKS, ColumnGuess, ReadOptions, TableFile, read_in_process
from multiloss_core.tables.kept_rows import Kept

# What counting the rows of one file may take; of more, DuckDB works on disk.
MEMORY_LIMIT = "512MB"


@dataclass(frozen=True, kw_only=True, eq=False)
class FileTable:
    """A file as it was read, and what its columns seem to be; None for a table of counts.

    `engine` and `sample` are there for documents in more than `MOST_HELD` rows: `file` then holds 10,000 of them.
    All lie in a folder of the file's own, which takes `disk` bytes and goes with the engine.
    """

    file: TableFile
    guess: ColumnGuess | None
    engine: DuckDBEngine | None = None
    sample: EngineSample | None = None
    disk: int = 0


def read_file_table(data: bytes, name: str, options: ReadOptions = READ_AS_IT_LOOKS) -> FileTable:
    """Read a file of at most 200 MB as `read_in_process` does; many documents are kept on disk, never in memory.

    Raises
    ------
    DataError : as `read_in_process` does.
    """
    folder = Path(tempfile.mkdtemp(prefix="multiloss-file-"))
    try:
        path = folder / "rows.parquet"
        file, guess = read_in_process(data, name, options=options, kept=Kept(path=path, most=loading.MOST_HELD))
        if file.rows is None:
            shutil.rmtree(folder)
            return FileTable(file=file, guess=guess)
        engine = DuckDBEngine(path, name=name, memory_limit=MEMORY_LIMIT, removed=folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    sample = EngineSample(table=name, window=ALL_ROWS, rows=file.rows, file=file, version=None)
    return FileTable(file=file, guess=guess, engine=engine, sample=sample, disk=path.stat().st_size)
