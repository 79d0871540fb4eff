"""Has files read by another process, which is ended where a file asks for too much."""

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import Any, BinaryIO

from multiloss_core.errors import DataError
from multiloss_core.tables.guess_columns import ColumnGuess
from multiloss_core.tables.item_columns import ItemColumns
from multiloss_core.tables.reader_process.answers import Guess, Purpose, answer, read
from multiloss_core.tables.reader_process.kept_rows import Kept
from multiloss_core.tables.reading.limits import KEEP_LESS, require_file_size
from multiloss_core.tables.reading.table_file import READ_AS_IT_LOOKS, ReadOptions, TableFile

# What reading may take besides the file itself; with it, at most four times the largest file.
MEMORY = 450 * 2**20
SECONDS = 60
AT_ONCE = 2
_SERVER = "multiloss_core.tables.reader_process.server"
_SETTINGS = {
    # The limit counts what is asked for: these pools ask for much more than they use.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    # What is freed is given back, and not kept for later.
    "MALLOC_MMAP_THRESHOLD_": "131072",
    "MALLOC_TRIM_THRESHOLD_": "131072",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONWARNINGS": "ignore",
}
_SLOTS, _LOCK = BoundedSemaphore(AT_ONCE), Lock()


def read_in_process(
    data: bytes, name: str, *, options: ReadOptions = READ_AS_IT_LOOKS, kept: Kept | None = None
) -> tuple[TableFile, ColumnGuess | None]:
    """Read a file and guess its columns as `read_file` and `guess_columns` do, in a process with bounds.

    The guess is None for a table of counts. Of documents in more rows than `kept` says, all rows are written to its
    file as Parquet, times as such; the frame then holds 10,000 of them, from which the columns are guessed. At most
    two files are read at a time; others wait. On systems other than Linux, which cannot bound a process in this way,
    reading happens in this one.

    Raises
    ------
    DataError : as `read_file` and `guess_columns`, or more than 450 MB of memory or 60 seconds were needed.
    """
    file, guess = _ask(data, name, options, "documents", kept)
    if isinstance(guess, ItemColumns):
        raise TypeError("Documents were asked for.")
    return file, guess


def read_items_in_process(
    data: bytes, name: str, *, options: ReadOptions = READ_AS_IT_LOOKS
) -> tuple[TableFile, ItemColumns]:
    """Read a file as `read_items` does, in a process with bounds. Raises DataError, as `read_in_process` does."""
    if not data.strip():
        raise DataError(f"'{name}' is empty; choose a file with a header and one row for each item.")
    file, guess = _ask(data, name, options, "items")
    if not isinstance(guess, ItemColumns):
        raise TypeError("Items were asked for.")
    return file, guess


def start_reader() -> None:
    """Start the process that reads, so that the first file need not wait for it."""
    if _is_possible():
        with contextlib.suppress(OSError), _LOCK:
            _server()


@dataclass(frozen=True)
class _Server:
    """The process, the socket to it, and which process started it."""

    process: subprocess.Popen[bytes]
    questions: socket.socket
    parent: int

    def is_alive(self) -> bool:
        return self.parent == os.getpid() and self.process.poll() is None

    def end(self) -> None:
        self.questions.close()


_running: list[_Server] = []


def _is_possible() -> bool:
    return sys.platform.startswith("linux") and bool(sys.executable)


def _ask(
    data: bytes, name: str, options: ReadOptions, purpose: Purpose, kept: Kept | None = None
) -> tuple[TableFile, Guess]:
    require_file_size(len(data), name)
    if not _is_possible():
        return answer(BytesIO(data), len(data), name, options, purpose, kept)
    question = {
        "name": name,
        "options": asdict(options),
        "purpose": purpose,
        "memory": MEMORY,
        "seconds": SECONDS,
        "most": kept and kept.most,
    }
    try:
        with _SLOTS, tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
            source.write(data)
            source.flush()
            source.seek(0)
            content = _content(question, [source, target, *([kept.file] if kept else [])])
            if "refusal" in content:
                raise DataError(content["refusal"])
            if "failure" in content:
                raise _too_much(name) if content["failure"] == "memory" else _not_understood(name)
            return read(content, target)
    except OSError as error:
        raise DataError(f"'{name}' cannot be read now ({error.strerror or 'no connection'}); try again.") from error


def _content(question: dict[str, Any], files: Sequence[BinaryIO]) -> dict[str, Any]:
    """Ask, and wait for the answer; a server that has ended meanwhile is replaced once."""
    numbers = [file.fileno() for file in files]
    for attempt in range(2):
        ours, theirs = socket.socketpair()
        with ours, ours.makefile("rwb") as lines:
            with theirs, contextlib.suppress(BrokenPipeError, ConnectionResetError), _LOCK:
                socket.send_fds(_server().questions, [b"?"], [theirs.fileno(), *numbers])
            deadline = monotonic() + SECONDS
            ours.settimeout(SECONDS)
            started = _line(lines)
            if "process" not in started:
                if attempt:
                    break
                _replace()
                continue
            lines.write(json.dumps(question).encode("ascii") + b"\n")
            lines.flush()
            ours.settimeout(max(deadline - monotonic(), 1.0))
            try:
                found = _line(lines)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(started["process"], signal.SIGKILL)
                raise _too_much(question["name"]) from None
            if not found:
                raise _too_much(question["name"])
            return found
    raise DataError(f"'{question['name']}' cannot be read now, because no process can be started; try again.")


def _line(lines: Any) -> dict[str, Any]:
    """Read a line of JSON; nothing where the other end has ended."""
    try:
        line = lines.readline()
    except ConnectionResetError:
        line = b""
    content: dict[str, Any] = json.loads(line) if line.endswith(b"\n") else {}
    return content


def _server() -> _Server:
    if not _running or not _running[-1].is_alive():
        for server in _running:
            server.end()
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-m", _SERVER],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=os.environ | _SETTINGS | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
                start_new_session=True,
            )
        _running[:] = [_Server(process, ours, os.getpid())]
    return _running[-1]


@atexit.register
def _replace() -> None:
    """Let go of the server, which then ends."""
    with _LOCK:
        for server in _running:
            server.end()
            if server.parent == os.getpid():
                server.process.wait()
        _running.clear()


def _too_much(name: str) -> DataError:
    return DataError(
        f"'{name}' takes more than {MEMORY / 2**20:.0f} MB of memory or {SECONDS} seconds to read, which is the limit; "
        f"{KEEP_LESS}, or save it as Parquet."
    )


def _not_understood(name: str) -> DataError:
    return DataError(f"'{name}' was read, but what its columns mean cannot be told; save it again as CSV.")
