"""A process that reads files for another one: a copy of itself for each, with bounds on memory and time.

It runs as `python -m multiloss_core.tables.reader_process.server`, with a Unix socket as standard input. Over this
come, for each question, three or four open files: a channel for question and answer in JSON, the file to read, and
empty ones for the columns and, where that is wanted, for the rows of a large table. It starts no thread, so that it
can be copied at any time, and ends with its parent.
"""

import gc
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pyarrow as arrow
from pyarrow import csv as arrow_csv

from multiloss_core.errors import DataError
from multiloss_core.tables.reader_process.answers import write_answer
from multiloss_core.tables.reader_process.kept_rows import Kept
from multiloss_core.tables.reading.table_file import ReadOptions

THREADS = 2


def main() -> None:
    """Answer until the other end of the socket is closed."""
    # Copies that have ended are not waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What is loaded stays: copies need not look through it for garbage, and so share its memory.
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=sys.stdin.fileno()) as questions:
        while True:
            message, files, _, _ = socket.recv_fds(questions, 1, 4)
            if not message:
                return
            if os.fork() == 0:
                _answer(*files)
            for file in files:
                os.close(file)


def _answer(channel: int, source: int, target: int, *kept: int) -> None:
    """Answer one question, and end."""
    try:
        with socket.socket(fileno=channel) as connection, connection.makefile("rwb") as lines:
            _send(lines.write, {"process": os.getpid()})
            lines.flush()
            question = json.loads(lines.readline())
            _bound(question["memory"], question["seconds"])
            _send(lines.write, _found(question, source, target, *kept))
    finally:
        os._exit(0)


def _found(question: dict[str, Any], source: int, target: int, *kept: int) -> dict[str, Any]:
    try:
        with os.fdopen(source, "rb", closefd=False) as file, os.fdopen(target, "wb", closefd=False) as columns:
            size = os.fstat(source).st_size
            wanted = (question["name"], ReadOptions(**question["options"]), question["purpose"])
            rows = [Kept(file=os.fdopen(number, "wb", closefd=False), most=question["most"]) for number in kept]
            return write_answer(file, size, *wanted, columns, *rows)
    except DataError as error:
        return {"refusal": str(error)}
    except MemoryError:
        return {"failure": "memory"}
    except OSError as error:
        return {"refusal": f"'{question['name']}' cannot be kept now ({error.strerror or error}); try again later."}
    # Guessing what a strange table means may fail in ways that nobody has thought of.
    except Exception as error:
        return {"failure": repr(error)}


def _send(write: Callable[[bytes], object], content: dict[str, Any]) -> None:
    write(json.dumps(content).encode("ascii") + b"\n")


def _bound(memory: int, seconds: int) -> None:
    """Let this process take so many bytes more than it has, and end it after so many seconds."""
    arrow.set_cpu_count(THREADS)
    arrow.set_io_thread_count(1)
    # Arrow waits for ever for a thread for which there is no memory left: they start before the limit holds.
    arrow_csv.read_csv(BytesIO(b"a,b\n1,2\n"))
    signal.alarm(seconds)
    with open("/proc/self/statm", encoding="ascii") as pages:
        now = int(pages.read().split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (now + memory, now + memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
