"""Limit the page scripts that run at once, so that the server answers other requests."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import count
from threading import Event, Lock, local

# More scripts at once finish no earlier: they share the interpreter lock with the server.
MAX_SCRIPTS = 8
# A longer script probably waits for a database, and no longer counts.
MAX_SECONDS = 5.0
SECONDS_BETWEEN_POLLS = 0.5


class Turns:
    """Run at most `limit` threads at once: short ones first, then in order of arrival.

    A turn of more than `seconds` no longer counts, so that blocked threads do not block others.
    """

    def __init__(self, limit: int = MAX_SCRIPTS, seconds: float = MAX_SECONDS) -> None:
        self._limit, self._seconds = limit, seconds
        self._lock = Lock()
        self._numbers = count()
        self._waiting: list[tuple[bool, int, Event]] = []
        self._begun: dict[Event, float] = {}
        self._own = local()

    @contextmanager
    def taken(self, *, is_short: bool = False) -> Iterator[None]:
        """Wait for a turn and hold it."""
        self._enter(is_short)
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Release the turn of this thread, if it has one, while it waits."""
        if getattr(self._own, "turn", None) is None:
            yield
            return
        self._leave()
        try:
            yield
        finally:
            self._enter(is_short=True)

    def _enter(self, is_short: bool) -> None:
        self._own.turn = turn = Event()
        with self._lock:
            heappush(self._waiting, (not is_short, next(self._numbers), turn))
            self._allow()
        while not turn.wait(SECONDS_BETWEEN_POLLS):
            with self._lock:
                self._allow()

    def _leave(self) -> None:
        turn, self._own.turn = self._own.turn, None
        with self._lock:
            del self._begun[turn]
            self._allow()

    def _allow(self) -> None:
        now = time.monotonic()
        running = sum(now - begun < self._seconds for begun in self._begun.values())
        for _ in range(min(self._limit - running, len(self._waiting))):
            turn = heappop(self._waiting)[-1]
            self._begun[turn] = now
            turn.set()


script_turns = Turns()
