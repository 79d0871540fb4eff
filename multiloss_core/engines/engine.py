"""What an engine is: it answers one SELECT with an Arrow table, tells how far it is, and can be stopped."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol

import pyarrow as arrow

from multiloss_core.engines.dialects import Dialect
from multiloss_core.errors import DataError

# A question that was withdrawn has so long to end before it is abandoned; then how often it is told to.
SECONDS_TO_STOP = 1.5
SECONDS_BETWEEN_STOPS = 0.05


class EngineError(DataError):
    """An engine could not answer; the message says in one sentence why and what to do."""


class Cancelled(Exception):  # noqa: N818 - nothing went wrong
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
        """Withdraw the question that is being answered; the engine can be asked again at once. Takes 2 s at most."""

    def close(self) -> None:
        """Let go of the engine."""


def nothing() -> None:
    """Stop what has not begun, or has ended."""


class Question:
    """A question that is being answered, and how to stop that.

    Attributes
    ----------
    stop : tells the engine to stop; called again and again, as what has not begun yet cannot be stopped.
    abandon : called where the engine did not stop in time.
    """

    def __init__(self) -> None:
        self.stop: Callable[[], object] = nothing
        self.abandon: Callable[[], object] = nothing
        self._withdrawn, self._ended = threading.Event(), threading.Event()

    @property
    def is_withdrawn(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self._withdrawn.is_set()

    def withdraw(self) -> None:
        """Stop it from another thread, and wait until it has ended."""
        self._withdrawn.set()
        # In a thread of its own: telling an engine that hangs would hang as well.
        threading.Thread(target=self._keep_stopping, daemon=True).start()
        if not self._ended.wait(SECONDS_TO_STOP):
            self.abandon()

    def end(self) -> None:
        """Note that it was answered, or that it will not be."""
        self._ended.set()

    def _keep_stopping(self) -> None:
        while not self._ended.is_set():
            # What fails here has ended in between or cannot be reached; the thread that asked is told so as well.
            with suppress(Exception):
                self.stop()
            self._ended.wait(SECONDS_BETWEEN_STOPS)


class Questions:
    """One question of an engine at a time; other threads may withdraw it."""

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._current: Question | None = None

    @contextmanager
    def asked(self) -> Iterator[Question]:
        """Wait for one's turn. Whatever is raised once the question was withdrawn becomes Cancelled."""
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

    def withdraw(self) -> None:
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
    """Shorten what an engine says of an error to its first line."""
    lines: list[Any] = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = str(lines[0]) if lines else type(error).__name__
    return text if len(text) <= 200 else f"{text[:199]}…"
