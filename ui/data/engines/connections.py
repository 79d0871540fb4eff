"""The sources that whoever runs the program has named: `[connections.NAME]` in `.streamlit/secrets.toml`."""

from collections.abc import Mapping
from typing import Any, Literal

import streamlit as st
from sqlalchemy import create_engine, make_url
from sqlalchemy.exc import ArgumentError
from streamlit.connections import BaseConnection

from multiloss_core import DataError
from multiloss_core.engines import DuckDBEngine, Engine, EngineError
from multiloss_core.engines.backends.database_engine import DatabaseEngine
from multiloss_core.engines.backends.spark_engine import SparkEngine

KINDS = ("duckdb", "sql", "spark")
SECONDS_TO_CONNECT = 10


class EngineConnection(BaseConnection[Engine]):
    """An engine of one visit: nobody waits for, or stops, the question of another."""

    @classmethod
    def scope(cls) -> Literal["session"]:
        """Tell that each visit has its own."""
        return "session"

    def close(self) -> None:
        """Let go of the engine when the visit ends."""
        self._instance.close()

    @property
    def engine(self) -> Engine:
        """The engine itself."""
        return self._instance

    def _connect(self, **_: Any) -> Engine:
        section = self._secrets.to_dict()
        try:
            return _MAKERS[section["type"]](section)
        except KeyError as error:
            raise EngineError(
                f"The source '{self._connection_name}' is not set up: {error} is missing in its section of "
                "secrets.toml; whoever runs this program can add it."
            ) from None


def connection_names() -> tuple[str, ...]:
    """Name the sources that can be counted in, in the order of the file; none without such a file."""
    if not st.secrets.load_if_toml_exists():
        return ()
    sections: Mapping[str, Any] = st.secrets.get("connections", {})
    return tuple(name for name, section in sections.items() if _is_countable(section))


def engine_of(name: str) -> Engine:
    """Return the engine of a source by name. Raises DataError where there is none or it is not set up."""
    if name not in connection_names():
        raise DataError(f"There is no source '{name}' here any more; choose another one.")
    return st.connection(name, type=EngineConnection).engine


def _is_countable(section: Mapping[str, Any]) -> bool:
    # Other databases may be named for other purposes: only those count whose tables are named, too.
    kind = section.get("type")
    return kind == "duckdb" or (kind in KINDS and bool(section.get("tables")))


def _duckdb(section: Mapping[str, Any]) -> Engine:
    place = section["database"] if "database" in section else section["folder"]
    if "memory_limit" not in section:
        return DuckDBEngine(place)
    return DuckDBEngine(place, memory_limit=str(section["memory_limit"]))


def _database(section: Mapping[str, Any]) -> Engine:
    try:
        url = make_url(section["url"])
    except ArgumentError:
        raise EngineError("The address of this source in secrets.toml cannot be read; correct it there.") from None
    engine = create_engine(
        url, hide_parameters=True, pool_pre_ping=True, connect_args={"connect_timeout": SECONDS_TO_CONNECT}
    )
    return DatabaseEngine(engine, section["tables"])


def _spark(section: Mapping[str, Any]) -> Engine:
    return SparkEngine(section["remote"], section["tables"])


_MAKERS = {"duckdb": _duckdb, "sql": _database, "spark": _spark}
