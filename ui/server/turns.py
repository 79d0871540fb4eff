"""Turns of page scripts: a few run at once, so that the server answers its other requests while many wait."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import count
from threading import Event, Lock, local

# More scripts at once finish no earlier: they share one interpreter lock, which the server itself needs as well.
MAX_SCRIPTS = 8
# A script that takes longer probably waits, for a database or a source, and no longer counts.
MAX_SECONDS = 5.0
SECONDS_BETWEEN_LOOKS = 0.5


class Turns:
    """Let at most `limit` threads run at once, short ones first, else in the order in which they came.

    A turn that takes more than `seconds` no longer counts: a thread that hangs does not keep the others out.
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
        """Give the turn of this thread, if it has one, to another while this one waits for something else."""
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
        while not turn.wait(SECONDS_BETWEEN_LOOKS):
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
