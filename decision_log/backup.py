"""A copy of a log in SQLite, made while it is in use."""

import sqlite3
from contextlib import closing
from pathlib import Path

from decision_log.connection import checked_url
from multiloss_core import DataError


def back_up(address: str, file: Path) -> None:
    """Copy the SQLite log at `address` to a new file, as it is at one moment.

    Raises
    ------
    DataError : the log is not an SQLite file or is not there, the new file is there already, or cannot be written.
    """
    url = checked_url(address)
    if url.get_backend_name() != "sqlite":
        raise DataError("Only a log in SQLite is copied here; use pg_dump for PostgreSQL.")
    source = Path(str(url.database))
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
