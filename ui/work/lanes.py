"""Where steps are taken: a worker process for each lane or, on systems that cannot share memory so, this process."""

import atexit
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from threading import Lock
from typing import Any, Protocol

from ui.work.channel import Channel
from ui.work.steps import Answer, Order, follow

_SETTINGS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2", "PYTHONWARNINGS": "ignore"}


class Lane(Protocol):
    """Takes one step at a time, and keeps the calculations that it began."""

    def follow(self, order: Order) -> Answer:
        """Take a step. Raises EOFError or OSError where the process has ended; then all that it kept is lost."""

    def close(self) -> None:
        """End it."""


class Here:
    """A lane in this process."""

    def __init__(self) -> None:
        self._begun: dict[int, Iterator[Any]] = {}

    def follow(self, order: Order) -> Answer:
        """Take a step."""
        return follow(order, self._begun)

    def close(self) -> None:
        """Forget what was begun."""
        self._begun.clear()


class Worker:
    """A lane in a process of its own, started at the first step."""

    def __init__(self) -> None:
        self._channel: Channel | None = None

    def follow(self, order: Order) -> Answer:
        """Have the process take a step."""
        if self._channel is None:
            self._channel = Channel(_new_worker(), copies=True)
        self._channel.send(order)
        answer: Answer = self._channel.receive()
        return answer

    def close(self) -> None:
        """Let go of the process, which then ends."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None


def new_lane() -> Lane:
    """Return a lane as this system can have it."""
    return Worker() if sys.platform.startswith("linux") and sys.executable else Here()


# The process that workers are copies of, and the socket to it.
_started: list[tuple[subprocess.Popen[bytes], socket.socket]] = []
_LOCK = Lock()


def _new_worker() -> socket.socket:
    ours, theirs = socket.socketpair()
    with theirs, _LOCK:
        for _ in range(2):
            if not _started:
                _started.append(_start())
            with contextlib.suppress(OSError):
                socket.send_fds(_started[0][1], [b"?"], [theirs.fileno()])
                return ours
            _end()
    ours.close()
    raise EOFError


def _start() -> tuple[subprocess.Popen[bytes], socket.socket]:
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "ui.work.worker"],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | _SETTINGS | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
            start_new_session=True,
        )
    return process, ours


@atexit.register
def _end() -> None:
    for process, ours in _started:
        ours.close()
        process.wait()
    _started.clear()
