"""Copy an SQLite log while it is open, and restore a copy while it is closed."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import URL

from decision_log.connection import checked_url, code_of
from decision_log.store import DecisionLog
from decision_log.tables import FIRST
from multiloss_core import DataError


def back_up(address: str, file: Path) -> None:
    """Copy the SQLite log at `address` to a new file in one snapshot.

    Raises DataError: the log is missing or not an SQLite file, or the new file exists or cannot be written.
    """
    source = _file_of(address, "pg_dump")
    if not source.is_file():
        raise DataError(f"There is no decision log at {source}; check its address.")
    try:
        file.touch(mode=0o600, exist_ok=False)
        with closing(sqlite3.connect(source)) as log, closing(sqlite3.connect(file)) as copy:
            log.backup(copy)
    except FileExistsError:
        raise DataError(f"{file} is there already; choose another name.") from None
    except (OSError, sqlite3.Error) as error:
        raise DataError(f"The decision log cannot be copied to {file}: {error}.") from None


def restore(address: str, file: Path, *, head: str | None = None, older: bool = False) -> Path | None:
    """Replace the SQLite log at `address` by the copy in `file`, and keep what it replaces.

    Returns the file that the old log is kept in, None where there was none. `head`: as in `DecisionLog.audit`. `older`:
    whether the copy may be a former state of the log.

    Raises DataError: the log is open or not an SQLite file, or the copy cannot be read, is no decision log as the
    program wrote it, or is a former state of the log.
    """
    target = _file_of(address, "psql")
    if not file.is_file() or (target.exists() and file.samefile(target)):
        raise DataError(f"There is no copy of a decision log at {file}; check its name.")
    kept = target.with_name(f"{target.name}.before-{datetime.now(UTC):%Y-%m-%dT%H%M%S.%f}") if target.exists() else None
    try:
        with TemporaryDirectory(dir=target.parent, prefix=".restoring-") as folder:
            checked = Path(folder, target.name)
            with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as copy:
                copy.execute("SELECT count(*) FROM decision_log_entries, decision_log_version").fetchone()
                with closing(sqlite3.connect(checked)) as found:
                    copy.backup(found)
            last = _checked_head(checked, file, head)
            if kept is not None and not _is_database(target):
                for ending in ("", "-wal", "-shm", "-journal"):
                    part = target.with_name(f"{target.name}{ending}")
                    if part.exists():
                        part.rename(kept.with_name(f"{kept.name}{ending}"))
            with closing(sqlite3.connect(checked)) as copy, closing(sqlite3.connect(target, timeout=0)) as log:
                target.chmod(0o600)
                # Fails unless all others closed the log; then SQLite applies and deletes its journals.
                log.execute("PRAGMA locking_mode = EXCLUSIVE")
                log.execute("PRAGMA journal_mode = DELETE").fetchone()
                log.execute("BEGIN EXCLUSIVE").connection.rollback()
                if not older:
                    _require_no_former(log, last, file)
                if kept is not None and not kept.exists():
                    kept.touch(mode=0o600)
                    with closing(sqlite3.connect(kept)) as old:
                        log.backup(old)
                copy.backup(log)
    except (OSError, sqlite3.Error) as error:
        if code_of(error) == sqlite3.SQLITE_BUSY:
            raise DataError(f"The decision log at {target} is in use; stop the server, then restore it.") from None
        raise DataError(f"The decision log cannot be restored from {file}: {error}.") from None
    return kept


def _checked_head(copy: Path, file: Path, head: str | None) -> str:
    """Return the head of an intact copy. Raises DataError for any other."""
    try:
        with DecisionLog(URL.create("sqlite", database=str(copy)).render_as_string()) as log:
            found = log.audit(head)
    except DataError as error:
        raise DataError(f"{file} is no copy of a decision log, so nothing was restored: {error}") from None
    if found.faults:
        raise DataError(f"{file} is not as the program wrote it, so nothing was restored: {found.faults[0]}")
    return found.head


def _require_no_former(log: sqlite3.Connection, last: str, file: Path) -> None:
    """Refuse a copy whose last digest is in the log, but not as the last. Raises DataError."""
    try:
        digests = [row[0] for row in log.execute("SELECT digest FROM decision_log_events ORDER BY number")]
    except sqlite3.Error:
        # A log that cannot be read, or none.
        return
    if last in (FIRST, *digests) and last != (FIRST, *digests)[-1]:
        more = len(digests) - (FIRST, *digests).index(last)
        raise DataError(
            f"{file} is a former state of the log, which has {more:,} events more; give --older to return to it."
        )


def _file_of(address: str, program: str) -> Path:
    url = checked_url(address)
    if url.get_backend_name() != "sqlite":
        raise DataError(f"Only a log in SQLite is copied here; use {program} for PostgreSQL.")
    return Path(str(url.database))


def _is_database(file: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=rw", uri=True, timeout=0)) as found:
            found.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        return code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return True
