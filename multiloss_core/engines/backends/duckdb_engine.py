"""DuckDB in this process: folders of Parquet or CSV files, and DuckDB files."""

import gzip
import hashlib
import re
import tempfile
import weakref
import zlib
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path

import duckdb
import pyarrow as arrow
from pyarrow import parquet

from multiloss_core.engines.engine import Cancelled, EngineError, QuestionedEngine, first_sentence, require_table
from multiloss_core.errors import DataError
from multiloss_core.scratch import make_scratch, remove_scratch
from multiloss_core.sql_dialects import DUCKDB, Dialect
from multiloss_core.tables import MAX_FILE_BYTES, read_in_process
from multiloss_core.tables.kept_rows import Kept

MEMORY_LIMIT = "2GB"
PARQUET, CSV = (".parquet", ".pq"), (".csv", ".csv.gz")
# Files that the command writes: no table of alerts.
WRITTEN = re.compile(r"decision-.+-thresholds\.csv")
# Limits on a folder's files, as its writers could exhaust the program.
MAX_FILES = 100_000
COMPARED_FILES, MAX_HEADER = 100, 2**20


class DuckDBEngine(QuestionedEngine):
    """Query the tables of a folder (files or folders of files) or a DuckDB file, read-only.

    A folder that holds nothing but files with the same columns, or but folders such as `month=3`, is one table.

    What is reached is the folder and nothing else: no extension is loaded, no other file opened, no setting changed by
    a statement. Operators should grant read access only, as DuckDB could write a file into it.

    `name`: what a table that is one file is called, its own name when left out. `removed`: a folder that is removed
    with the engine, when it is closed or collected.
    """

    dialect: Dialect = DUCKDB

    def __init__(
        self,
        path: Path | str,
        *,
        memory_limit: str = MEMORY_LIMIT,
        name: str | None = None,
        removed: Path | None = None,
    ) -> None:
        super().__init__()
        self._path = Path(path).resolve()
        self._name = name or self._path.name
        if not self._path.exists():
            raise EngineError(f"There is no file or folder '{self._path.name}'; check where the source is set up.")
        self._is_database = self._path.is_file() and not _is_data(self._path)
        self._is_asked = False
        self._read: dict[tuple[Path, int, int], Path | None] = {}
        self._spill = make_scratch("duckdb")
        left_over = ExitStack()
        for folder in filter(None, (self._spill, removed)):
            left_over.callback(remove_scratch, folder)
        self._end = weakref.finalize(self, left_over.close)
        try:
            self._connection = (
                duckdb.connect(str(self._path), read_only=True) if self._is_database else duckdb.connect()
            )
            left_over.callback(self._connection.close)
            self._secure(memory_limit)
        except duckdb.Error as error:
            self._end()
            raise EngineError(
                f"'{self._path.name}' cannot be opened as a DuckDB file: {first_sentence(error)}"
            ) from None

    def _secure(self, memory_limit: str) -> None:
        settings: dict[str, str] = {
            "TimeZone": "'UTC'",
            "memory_limit": DUCKDB.word(memory_limit),
            "temp_directory": DUCKDB.word(str(self._spill)),
            "enable_progress_bar": "true",
            "enable_progress_bar_print": "false",
            "progress_bar_time": "0",
            "preserve_insertion_order": "true",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
        }
        if not self._is_database:
            folder = self._path if self._path.is_dir() else self._path.parent
            settings["allowed_directories"] = f"[{DUCKDB.word(f'{folder}/')}, {DUCKDB.word(f'{self._spill}/')}]"
        # These must come last: they lock the configuration.
        settings |= {"enable_external_access": "false", "lock_configuration": "true"}
        for name, value in settings.items():
            self._connection.execute(f"SET {name} = {value}")

    def tables(self) -> tuple[str, ...]:
        """Name the tables: of a folder its files and folders with data, by name."""
        if self._is_database:
            found = self.query(
                "SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() WHERE NOT internal "
                "UNION ALL SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1"
            )
            return tuple(found["name"].to_pylist())
        return tuple(self._files())

    def source(self, table: str) -> str:
        """Write the table as it stands after FROM."""
        require_table(table, self.tables())
        if self._is_database:
            return DUCKDB.table(table.split(".", 1))
        files = self._files()[table]
        if len({_is_parquet(file) for file in files}) > 1:
            raise EngineError(f"Table '{table}' holds CSV and Parquet files; keep one kind in its folder.")
        if not _is_parquet(files[0]) and sum(file.stat().st_size for file in files) <= MAX_FILE_BYTES:
            read = [self._as_parquet(file) for file in files]
            files = [file for file in read if file is not None] if None not in read else files
        names = ", ".join(DUCKDB.word(str(file)) for file in files)
        if _is_parquet(files[0]):
            return f"read_parquet([{names}], union_by_name = true, hive_partitioning = true)"
        return f"read_csv([{names}], union_by_name = true, hive_partitioning = true, sample_size = 100000)"

    def _as_parquet(self, file: Path) -> Path | None:
        """Write a text file's rows as Parquet, read as an upload; None if SQL cannot name a column.

        DuckDB reads another encoding, other quotes and rows of other widths otherwise, or not at all.
        """
        state = file.stat()
        key = (file, state.st_size, state.st_mtime_ns)
        if key not in self._read:
            # Folders such as `month=3` are columns.
            target = Path(tempfile.mkdtemp(dir=self._spill)) / file.relative_to(self._path.parent).with_suffix(
                PARQUET[0]
            )
            target.parent.mkdir(parents=True)
            found, _ = read_in_process(file.read_bytes(), file.name, kept=Kept(path=target, most=0))
            self._read[key] = None if found.rows is None else target
        return self._read[key]

    def version(self, table: str) -> str | None:
        """Hash names, sizes and times of the table's files; of a DuckDB file, of this file."""
        files = [self._path] if self._is_database else self._files()[require_table(table, self.tables())]
        digest = hashlib.sha256()
        for file in files:
            state = file.stat()
            name = file.name if file == self._path else str(file.relative_to(self._path))
            digest.update(f"{name}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
        return digest.hexdigest()

    def query(self, sql: str) -> arrow.Table:
        """Answer one SELECT."""
        with self.asked() as question:
            # A cursor would have another time zone and no progress.
            self._is_asked, question.stop = True, self._connection.interrupt
            try:
                # Into a folder that it reads, DuckDB could also write.
                if [statement.type for statement in duckdb.extract_statements(sql)] != [duckdb.StatementType.SELECT]:
                    raise DataError("Sources are only read: a question is one SELECT.")
                found = self._connection.sql(sql)
                if question.is_withdrawn:
                    raise Cancelled
                return found.to_arrow_table()
            except duckdb.InterruptException:
                raise Cancelled from None
            except duckdb.OutOfMemoryException:
                raise EngineError(
                    "Counting needs more memory than this source may use; choose a shorter range of dates or raise "
                    "its memory_limit."
                ) from None
            except duckdb.Error as error:
                reason = first_sentence(error).replace(str(self._path), self._name)
                raise EngineError(f"The source cannot be read: {reason}") from None
            finally:
                self._is_asked = False

    def progress(self) -> float | None:
        """Return the answered share of the question; None before DuckDB knows it."""
        if not self._is_asked:
            return None
        try:
            percent = float(self._connection.query_progress())
        except duckdb.Error:
            return None
        return min(percent / 100, 1.0) if percent >= 0 else None

    def close(self) -> None:
        """Close the database and remove what it wrote to disk."""
        self.cancel()
        self._end()

    def _files(self) -> Mapping[str, list[Path]]:
        """Find the files of each table: all below a folder."""
        if self._path.is_file():
            return {self._name: [self._path]}
        own = _data_files(self._path.iterdir(), self._path)
        found = {file.name: [file] for file in own}
        for folder in sorted(path for path in self._path.iterdir() if path.is_dir() and _is_shown(path)):
            files = _data_files(folder.rglob("*"), self._path)
            if files:
                found[folder.name] = files
        parts = [file for files in found.values() for file in files]
        are_parts = all("=" in name for name in found) or (1 < len(own) == len(found) and _have_same_columns(own))
        return {self._path.name: parts} if parts and are_parts else found


def _data_files(paths: Iterable[Path], folder: Path) -> list[Path]:
    files: list[Path] = []
    for path in paths:
        is_shown = all(_is_shown(Path(part)) for part in path.relative_to(folder).parts)
        # DuckDB refuses what a link leads to out of the folder.
        is_drawn = path.name == "audit.csv" and path.with_name("audit-plan.json").exists()
        if _is_data(path) and is_shown and not is_drawn and path.is_file() and path.resolve().is_relative_to(folder):
            files.append(path)
        if len(files) > MAX_FILES:
            raise DataError(f"A folder of the source has more than {MAX_FILES:,} files; join them into fewer.")
    return sorted(files)


def _have_same_columns(files: list[Path]) -> bool:
    if len({_is_parquet(file) for file in files}) > 1:
        return False
    some = files[:: -(-len(files) // COMPARED_FILES)]
    # A damaged file is named when it is read.
    return len({columns for columns in map(_columns, some) if columns is not None}) <= 1


def _columns(file: Path) -> tuple[str, ...] | None:
    try:
        if _is_parquet(file):
            return tuple(sorted(parquet.read_schema(file).names))
        unpacked = gzip.open if file.suffix.lower() == ".gz" else open
        with unpacked(file, "rt", encoding="utf-8", errors="replace") as opened:
            return (opened.readline(MAX_HEADER).strip(),)
    except (OSError, EOFError, zlib.error, arrow.ArrowException):
        return None


def _is_data(path: Path) -> bool:
    return path.name.lower().endswith(PARQUET + CSV)


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() in PARQUET


def _is_shown(path: Path) -> bool:
    # As Spark and Hive do, skip unfinished files and marks of success.
    return not path.name.startswith(("_", ".")) and not WRITTEN.fullmatch(path.name)
