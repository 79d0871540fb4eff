"""Copy an SQLite log while it is open, and restore a copy while it is closed."""

import sqlite3
from contextlib import closing
from pathlib import Path

from decision_log.connection import checked_url
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


def restore(address: str, file: Path) -> None:
    """Replace the SQLite log at `address` by the copy in `file`, and delete its old journals.

    Raises DataError: the log is open or not an SQLite file, or the copy cannot be read or is no decision log.
    """
    target = _file_of(address, "psql")
    if not file.is_file() or (target.exists() and file.samefile(target)):
        raise DataError(f"There is no copy of a decision log at {file}; check its name.")
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as copy:
            copy.execute("SELECT count(*) FROM decision_log_entries, decision_log_version").fetchone()
            if not _is_database(target):
                for name in (target, *_journals(target)):
                    name.unlink(missing_ok=True)
                target.touch(mode=0o600)
            with closing(sqlite3.connect(target, timeout=0)) as log:
                # Fails unless all others closed the log; then SQLite applies and deletes its journals.
                log.execute("PRAGMA locking_mode = EXCLUSIVE")
                log.execute("PRAGMA journal_mode = DELETE").fetchone()
                log.execute("BEGIN EXCLUSIVE").connection.rollback()
                copy.backup(log)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            raise DataError(f"The decision log at {target} is in use; stop the server, then restore it.") from None
        raise DataError(f"The decision log cannot be restored from {file}: {error}.") from None
    except (OSError, sqlite3.Error) as error:
        raise DataError(f"The decision log cannot be restored from {file}: {error}.") from None


def _file_of(address: str, program: str) -> Path:
    url = checked_url(address)
    if url.get_backend_name() != "sqlite":
        raise DataError(f"Only a log in SQLite is copied here; use {program} for PostgreSQL.")
    return Path(str(url.database))


def _journals(file: Path) -> tuple[Path, ...]:
    return tuple(file.with_name(f"{file.name}{ending}") for ending in ("-wal", "-shm", "-journal"))


def _is_database(file: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=rw", uri=True, timeout=0)) as found:
            found.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return True
