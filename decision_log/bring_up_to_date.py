"""The schema of the log: known, brought up to date at opening, or refused."""

import threading
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

from decision_log.connection import reading, writing
from multiloss_core import DataError

MIGRATIONS = Path(__file__).parent / "migrations"
VERSION_TABLE = "decision_log_version"

# Alembic hands the connection to the migrations through variables of its module.
_one_thread_migrates = threading.Lock()


def bring_up_to_date(engine: Engine) -> None:
    """Apply the migrations that a database does not have yet; several programs may open it at once.

    Raises
    ------
    DataError : a newer version of the program has changed the schema.
    """
    config = _config()
    script = ScriptDirectory.from_config(config)
    with reading(engine) as connection:
        if _version(connection, script) == script.get_current_head():
            return
    with _one_thread_migrates, writing(engine) as connection:
        if _version(connection, script) != script.get_current_head():
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def _version(connection: Connection, script: ScriptDirectory) -> str | None:
    version = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()
    known = {found.revision for found in script.walk_revisions()}
    if version is not None and version not in known:
        raise DataError(
            f"The decision log was written by a newer version of the program (its schema is {version[:40]!r}, this "
            f"program knows up to {script.get_current_head()!r}); update the program, or choose another database."
        )
    return version
