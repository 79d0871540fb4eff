"""A process that calculates for another one. It runs as `python -m ui.work.worker`, a Unix socket as standard input.

Over this comes a socket for each worker that is wanted: a copy of this process, which has the library loaded. A worker
keeps the calculations that it began, takes a step of one whenever it is told to, and ends with its socket.
"""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

# What every calculation needs is loaded once, before copies are made.
import multiloss_core.generalisation  # noqa: F401
from ui.work.channel import Channel
from ui.work.process_memory import give_back, settle
from ui.work.steps import follow

# Whoever answers browsers comes first.
NICENESS = 15


def main() -> None:
    """Start workers until the other end of the socket is closed."""
    # Copies that have ended are not waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    settle()
    with socket.socket(fileno=sys.stdin.fileno()) as orders:
        while True:
            message, files, _, _ = socket.recv_fds(orders, 1, 1)
            if not message:
                return
            if os.fork() == 0:
                _serve(files[0])
            for file in files:
                os.close(file)


def _serve(connection: int) -> None:
    """Take steps as ordered, and end with the socket."""
    begun: dict[int, Iterator[Any]] = {}
    try:
        with socket.socket(fileno=connection) as ours, suppress(EOFError, OSError):
            channel = Channel(ours)
            while True:
                channel.send(follow(channel.receive(), begun))
                if not begun:
                    give_back()
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
