"""Read files and engine tables as sources, with all rows or a sample of many."""

import hashlib
from datetime import UTC, datetime
from typing import Any

from multiloss_core.datasets.source import RatedSource
from multiloss_core.engines import loading
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine
from multiloss_core.engines.columns import ALL_ROWS, RowWindow
from multiloss_core.engines.engine import Engine
from multiloss_core.engines.loading import EngineSample, EngineTable, load_sample
from multiloss_core.engines.run_queries import count_rows_of_values
from multiloss_core.formatting import plural, shortened
from multiloss_core.scratch import make_scratch, remove_scratch
from multiloss_core.tables import (
    COUNT_TABLE,
    READ_AS_IT_LOOKS,
    ColumnGuess,
    ReadOptions,
    TableFile,
    guess_columns,
    read_in_process,
    require_documents,
)
from multiloss_core.tables.guessing.column import columns_of
from multiloss_core.tables.guessing.repeats import document_columns
from multiloss_core.tables.kept_rows import Kept

# Memory to count the rows of one file; beyond it, DuckDB works on disk.
MEMORY_LIMIT = "512MB"
# Identifiers of a sample that are looked for in the whole table.
MAX_LOOKED_UP = 100


def read_rated_source(data: bytes, name: str, options: ReadOptions = READ_AS_IT_LOOKS) -> RatedSource:
    """Read a file of at most 200 MB as rated documents or counts, in a worker.

    Of documents in more than `MAX_HELD` rows, 10,000 are in memory. All lie in a folder of the file's own, which goes
    with the engine of the origin. Raises DataError if it is no usable table.
    """
    fingerprint = hashlib.sha256(data + options.key.encode()).hexdigest()
    folder = make_scratch("file")
    try:
        path = folder / "rows.parquet"
        file, guess = read_in_process(data, name, options=options, kept=Kept(path=path, most=loading.MAX_HELD))
        if guess is not None:
            require_documents(file.frame, file.ambiguous)
        if file.rows is None:
            remove_scratch(folder)
            return _source(name, fingerprint, file, guess)
        engine = DuckDBEngine(path, name=name, memory_limit=MEMORY_LIMIT, removed=folder)
    except BaseException:
        remove_scratch(folder)
        raise
    sample = EngineSample(table=name, window=ALL_ROWS, rows=file.rows, file=file, version=None)
    origin = EngineTable(connection=None, sample=sample, fetched_at=datetime.now(UTC), engine=engine)
    notes = (
        f"{plural(file.rows, 'row')}, too many to be held in memory: they are counted on disk. A sample of them is "
        "shown.",
        *file.notes,
        *repeated_documents(engine, sample),
    )
    return _source(name, fingerprint, file, guess, notes=notes, origin=origin, disk=path.stat().st_size)


def load_rated_source(engine: Engine, place: str, table: str, window: RowWindow = ALL_ROWS) -> RatedSource:
    """Fetch a window of a table, or a sample of too many rows, as a source of `place`.

    Raises DataError: no usable table of documents; and what `Engine.query` raises.
    """
    sample = load_sample(engine, table, window)
    origin = EngineTable(connection=place, sample=sample, fetched_at=datetime.now(UTC), engine=engine)
    file = sample.file
    require_documents(file.frame, file.ambiguous)
    guess = guess_columns(file.frame, file.ambiguous)
    notes = file.notes if sample.is_complete else (*file.notes, *repeated_documents(engine, sample))
    repeats = guess.columns.repeats
    if repeats is not None and repeats.by is None and not engine.dialect.keeps_order:
        notes += (
            f"Without times, the last row of each '{repeats.identifier}' is not known; count all rows, or add times.",
        )
    return _source(table, sample.fingerprint, file, guess, notes=notes, origin=origin)


def repeated_documents(engine: Engine, sample: EngineSample) -> tuple[str, ...]:
    """Report documents of a sample that stand in several rows of the whole table.

    One pass for each column that identifies documents.
    Where another column that identifies documents has one row each, the rows are documents.
    """
    notes = []
    for name in document_columns(columns_of(sample.file.frame)):
        known = sample.file.frame[name].dropna().astype("str").unique()[:MAX_LOOKED_UP].tolist()
        rows, found = count_rows_of_values(engine, sample.table, name, known, sample.window) if known else (0, 0)
        if 0 < rows == found:
            return ()
        if rows > found:
            notes.append(
                f"{plural(found, 'value')} of '{shortened(name)}' stand in {rows:,} rows, and each row counts: count a "
                "view with one row for each alert."
            )
    return tuple(notes[:1])


def _source(name: str, fingerprint: str, file: TableFile, guess: ColumnGuess | None, **more: Any) -> RatedSource:
    choice = COUNT_TABLE if guess is None else guess.columns
    return RatedSource(name, fingerprint, file.frame, choice, guess=guess, **file.about | more)
