"""Make temporary folders that end with the program, or at the next start after a kill."""

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

if sys.platform != "win32":
    import fcntl

PREFIX, OWNER = "multiloss-", ".owner"
# Seconds in which a new folder gets its lock.
YOUNG = 60
_locks: dict[Path, BinaryIO] = {}


def make_scratch(kind: str) -> Path:
    """Make an empty private folder, `multiloss-KIND-…`, for `remove_scratch` to remove."""
    _sweep(tempfile.gettempdir())
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{kind}-"))
    _locks[folder] = (folder / OWNER).open("wb")
    _lock(_locks[folder])
    return folder


def remove_scratch(folder: Path) -> None:
    """Remove a folder that `make_scratch` made, and all in it."""
    if (lock := _locks.pop(folder, None)) is not None:
        lock.close()
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def scratch(kind: str) -> Iterator[Path]:
    """Make a folder, and remove it at the end."""
    folder = make_scratch(kind)
    try:
        yield folder
    finally:
        remove_scratch(folder)


@lru_cache
def _sweep(temporary: str) -> None:
    """Remove the folders whose programs ended without doing so: their locks are free."""
    for owner in Path(temporary).glob(f"{PREFIX}*/{OWNER}"):
        # Another user's, or another program is faster.
        with suppress(OSError):
            if time.time() - owner.stat().st_mtime > YOUNG:
                with owner.open("r+b") as lock:
                    _lock(lock)
                # Windows does not delete what a program holds open.
                owner.unlink()
                shutil.rmtree(owner.parent, ignore_errors=True)


def _lock(file: BinaryIO) -> None:
    if sys.platform != "win32":
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
