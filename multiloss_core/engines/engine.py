"""What an engine is: it answers one SELECT with an Arrow table, tells how far it is, and can be stopped."""

from typing import Any, Protocol

import pyarrow as arrow

from multiloss_core.engines.dialects import Dialect
from multiloss_core.errors import DataError


class EngineError(DataError):
    """An engine could not answer; the message says in one sentence why and what to do."""


class Cancelled(Exception):
    """The question was withdrawn before it was answered."""


class Engine(Protocol):
    """Where tables lie. One question at a time; `progress` and `cancel` may be called from other threads.

    No statement but SELECT is ever asked. Times are in UTC.
    """

    @property
    def dialect(self) -> Dialect:
        """How its SQL is written."""

    def tables(self) -> tuple[str, ...]:
        """Name the tables that may be asked for, in the order to show them. Raises EngineError."""

    def source(self, table: str) -> str:
        """Write the table as it stands after FROM. Raises DataError for one that is not among `tables`."""

    def version(self, table: str) -> str | None:
        """Say which state of the table is counted: the same words for the same rows; None where that is not known."""

    def query(self, sql: str) -> arrow.Table:
        """Answer one SELECT.

        Raises
        ------
        EngineError : it cannot be answered.
        Cancelled : `cancel` was called meanwhile.
        """

    def progress(self) -> float | None:
        """Say which share of the question is answered, in [0, 1]; None where the engine does not tell."""

    def cancel(self) -> None:
        """Withdraw the question that is being answered; the engine can be asked again at once."""

    def close(self) -> None:
        """Let go of the engine."""


def require_table(table: str, tables: tuple[str, ...]) -> str:
    """Refuse a table that is not among those that may be asked for."""
    if table not in tables:
        raise DataError(f"There is no table '{table}' here; choose one of {', '.join(map(repr, tables)) or 'none'}.")
    return table


def first_sentence(error: BaseException) -> str:
    """Shorten what an engine says of an error to its first line."""
    lines: list[Any] = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = str(lines[0]) if lines else type(error).__name__
    return text if len(text) <= 200 else f"{text[:199]}…"
