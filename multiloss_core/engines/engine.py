"""Define an engine: it answers a SELECT with Arrow, reports progress and can be cancelled."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

import pyarrow as arrow

from multiloss_core.errors import DataError
from multiloss_core.sql_dialects import Dialect

# Seconds for a cancelled question to end before it is abandoned; then the retry interval.
SECONDS_TO_STOP = 1.5
SECONDS_BETWEEN_STOPS = 0.05


class EngineError(DataError):
    """Report in one sentence why an engine could not answer, and how to continue."""


class UnavailableError(EngineError):
    """Report an engine that is unreachable, stopped, or needs a package."""


class Cancelled(Exception):  # noqa: N818 - nothing went wrong
    """The question was withdrawn before it was answered."""


class Engine(Protocol):
    """Answer one question at a time; other threads may call `progress` and `cancel`.

    No statement but SELECT is ever asked. Times are in UTC.
    """

    @property
    def dialect(self) -> Dialect:
        """The SQL dialect of the engine."""

    def tables(self) -> tuple[str, ...]:
        """Name the tables that may be asked for, in the order to show them. Raises EngineError."""

    def source(self, table: str) -> str:
        """Write the table as it stands after FROM. Raises DataError unless it is in `tables`."""

    def version(self, table: str) -> str | None:
        """Return the version of the counted rows; None where it is not known."""

    def query(self, sql: str) -> arrow.Table:
        """Answer one SELECT.

        Raises
        ------
        EngineError : it cannot be answered.
        Cancelled : `cancel` was called meanwhile.
        """

    def progress(self) -> float | None:
        """Return the answered share of the question, in [0, 1]; None where it is not known."""

    def cancel(self) -> None:
        """Cancel the current question within 2 s; the engine can be asked again at once."""

    def close(self) -> None:
        """Release the connection."""


def nothing() -> None:
    """Do nothing, where no question is running."""


class Question:
    """A question that is being answered, and how to stop that.

    Attributes
    ----------
    stop : stops the engine; called repeatedly, as only a running question can be stopped.
    abandon : called where the engine did not stop in time.
    """

    def __init__(self) -> None:
        self.stop: Callable[[], object] = nothing
        self.abandon: Callable[[], object] = nothing
        self._withdrawn, self._ended = threading.Event(), threading.Event()

    @property
    def is_withdrawn(self) -> bool:
        """Whether the question was cancelled."""
        return self._withdrawn.is_set()

    def withdraw(self) -> None:
        """Stop it from another thread, and wait until it has ended."""
        self._withdrawn.set()
        # In its own thread: stopping an engine that hangs may hang, too.
        threading.Thread(target=self._keep_stopping, daemon=True).start()
        if not self._ended.wait(SECONDS_TO_STOP):
            self.abandon()

    def end(self) -> None:
        """Note that it was answered, or that it will not be."""
        self._ended.set()

    def _keep_stopping(self) -> None:
        while not self._ended.is_set():
            # Errors here mean an end or a lost connection, which the asking thread reports.
            with suppress(Exception):
                self.stop()
            self._ended.wait(SECONDS_BETWEEN_STOPS)


class QuestionedEngine:
    """Run one question of an engine at a time; other threads may cancel it."""

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._current: Question | None = None

    def version(self, table: str) -> str | None:
        """Return None: the rows of a table have no version."""
        return None

    def progress(self) -> float | None:
        """Return None: no progress is reported."""
        return None

    @contextmanager
    def asked(self) -> Iterator[Question]:
        """Wait for one's turn. An error after the question was withdrawn becomes Cancelled."""
        with self._one_at_a_time:
            question = self._current = Question()
            try:
                yield question
            except Exception:
                if question.is_withdrawn:
                    raise Cancelled from None
                raise
            finally:
                self._current = None
                question.end()

    def cancel(self) -> None:
        """Withdraw the question that is being answered, if any."""
        question = self._current
        if question is not None:
            question.withdraw()


def require_table(table: str, tables: tuple[str, ...]) -> str:
    """Refuse a table that is not among those that may be asked for."""
    if table not in tables:
        raise DataError(f"There is no table '{table}' here; choose one of {', '.join(map(repr, tables)) or 'none'}.")
    return table


def first_sentence(error: BaseException | str) -> str:
    """Shorten an engine's error to its first line."""
    text = next(filter(None, map(str.strip, str(error).splitlines())), type(error).__name__)
    return text if len(text) <= 200 else f"{text[:199]}…"
