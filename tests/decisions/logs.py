"""Read, change and check a decision log past the program."""

import subprocess
import sys
from dataclasses import replace
from datetime import datetime

from sqlalchemy import create_engine, make_url, text

from tests.decisions.records import make_record


def executed(address, *statements):
    """Run statements on a database and return the rows of the last one."""
    engine = create_engine(address)
    try:
        with engine.begin() as connection:
            results = [connection.execute(text(statement)) for statement in statements]
            return results[-1].all() if results[-1].returns_rows else []
    finally:
        engine.dispose()


def altered(address, *alterations):
    """Change the database as its owner can, with the triggers off."""
    if make_url(address).get_backend_name() == "sqlite":
        found = executed(address, "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        off, on = [f"DROP TRIGGER {name}" for name, _ in found], [sql for _, sql in found]
    else:
        tables = [f"decision_log_{table}" for table in ("entries", "deployments", "remarks", "events")]
        off, on = ([f"ALTER TABLE {table} {word} TRIGGER USER" for table in tables] for word in ("DISABLE", "ENABLE"))
    executed(address, *off, *alterations, *on)


def about(name, **changes):
    """Make a record of data with this name."""
    made = make_record(**changes)
    return replace(made, data=replace(made.data, name=name))


def check_output(address, *arguments, code=0):
    """Run the command on a log and return its output; its errors for exit code 2."""
    command = [sys.executable, "-m", "decision_log", "--log", address, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == code, done.stderr
    return done.stdout if code < 2 else done.stderr


def add_rows(address, *rows):
    """Add (table, values) past the program, as a role that may only add can."""
    engine = create_engine(address)
    try:
        with engine.begin() as opened:
            for table, values in rows:
                columns = ", ".join(values)
                words = ", ".join(f":{name}" for name in values)
                statement = text(f"INSERT INTO decision_log_{table} ({columns}) VALUES ({words})")
                opened.execute(statement, {name: moment(value, address) for name, value in values.items()})
    finally:
        engine.dispose()


def is_sqlite(address):
    return address.startswith("sqlite")


def moment(value, address):
    return (
        value.isoformat(" ", timespec="microseconds") if isinstance(value, datetime) and is_sqlite(address) else value
    )
