"""Where the log of this installation is."""

import os

from platformdirs import user_data_path
from sqlalchemy import URL

from multiloss_core import DataError

ADDRESS = "MULTILOSS_DECISION_LOG"
PROGRAM = "multiloss"
FILE = "decisions.db"


def log_address() -> str:
    """Give the log's address: the environment's word, or an SQLite file in a folder that is made where it is missing.

    Raises
    ------
    DataError : the folder cannot be made.
    """
    address = os.environ.get(ADDRESS, "").strip()
    if address:
        return address
    try:
        folder = user_data_path(PROGRAM, appauthor=False)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"No folder for the decision log can be made ({error.strerror}); set {ADDRESS} to "
            "sqlite:///decisions.db or postgresql+psycopg://user:password@host/database."
        ) from None
    return URL.create("sqlite", database=str(folder / FILE)).render_as_string()
