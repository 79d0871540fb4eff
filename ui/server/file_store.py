"""Keep uploaded files on the server's disk, each under a random key for its links."""

import hashlib
import logging
import os
import re
import secrets
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock

from platformdirs import user_data_path
from pydantic import TypeAdapter, ValidationError

from multiloss_core import DataError
from ui.server.limits import limit_bytes
from ui.sign_in.user import settings

FOLDER, DAYS, SIZE = "MULTILOSS_FILES", "MULTILOSS_FILE_DAYS", "MULTILOSS_MAX_STORED_MB"
# A server without sign-in has one user, one with it many.
DAYS_ALONE, DAYS_SHARED, MAX_MEGABYTES = 30, 1, 10_240
MAX_NOTE = 200_000
SECONDS_OF_DAY, SECONDS_TO_WRITE = 86_400, 3_600
_KEY = re.compile("[0-9a-f]{32}")
_BYTES, _ABOUT, _NOTES = "bytes", "about.json", "notes"
_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    """Kind, name and settings of a stored file.

    `kind`: which uploader took it. `owner`: who may delete it, empty without sign-in. `settings`: texts by subject,
    such as what its columns mean. `parts`: the keys of files that are deleted with it.
    """

    kind: str
    name: str
    digest: str
    owner: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[str, ...] = ()


_ADAPTER = TypeAdapter(StoredFile)


def new_key() -> str:
    """Draw a key of 128 random bits."""
    return secrets.token_hex(16)


@dataclass(frozen=True)
class FileStore:
    """Files in a folder, kept for `days` after their last use, up to `max_bytes` together.

    With 0 days, or where the folder cannot be written, nothing is kept. Notes are texts that are found by what they are
    about, which is secret or harmless; they stay as long as files.
    """

    folder: Path
    days: float
    max_bytes: int
    lock: Lock = field(default_factory=Lock, repr=False)

    def put(self, key: str, data: bytes, about: StoredFile) -> bool:
        """Keep a file; returns whether it is kept. The longest unused files leave for it."""
        if not self.days or len(data) > self.max_bytes or not _KEY.fullmatch(key):
            return False
        with self.lock:
            self._make_room(len(data))
            try:
                place = self._private(self.folder / key)
                _write(place / _BYTES, data)
                _write(place / _ABOUT, _ADAPTER.dump_json(about))
            except OSError:
                _LOGGER.exception("A file could not be stored")
                self._remove(key)
                return False
        return True

    def about(self, key: str) -> StoredFile | None:
        """Return what is known of a file, None if it is not kept."""
        place = self._place(key)
        try:
            return None if place is None else _ADAPTER.validate_json((place / _ABOUT).read_bytes())
        except (OSError, ValidationError):
            return None

    def read(self, key: str) -> bytes | None:
        """Return the content of a file, None if it is not kept; it is kept longer by that."""
        place = self._place(key)
        try:
            if place is None:
                return None
            data = (place / _BYTES).read_bytes()
            os.utime(place / _ABOUT)
        except OSError:
            return None
        return data

    def change(self, key: str, settings: Mapping[str, str], parts: tuple[str, ...] = ()) -> None:
        """Add or replace settings of a file, and add parts, if it is kept."""
        with self.lock:
            about, place = self.about(key), self._place(key)
            if about is None or place is None:
                return
            all_parts = tuple(dict.fromkeys((*about.parts, *parts)))
            changed = replace(about, settings={**about.settings, **settings}, parts=all_parts)
            if changed != about:
                with suppress(OSError):
                    _write(place / _ABOUT, _ADAPTER.dump_json(changed))

    def delete(self, key: str) -> None:
        """Delete a file with its parts and what is known of it."""
        about = self.about(key)
        with self.lock:
            for one in (key, *(() if about is None else about.parts)):
                self._remove(one)

    def note(self, about: str, text: str) -> None:
        """Keep a text by what it is about."""
        if self.days and len(text) <= MAX_NOTE:
            with self.lock, suppress(OSError):
                _write(self._private(self.folder / _NOTES) / _name(about), text.encode())

    def noted(self, about: str) -> str | None:
        """Return the text about something, None if there is none."""
        file = self.folder / _NOTES / _name(about)
        with suppress(OSError, UnicodeDecodeError):
            if self._is_young(file):
                return file.read_text("utf-8")
        return None

    def until(self, key: str) -> float | None:
        """Return the time (seconds) until which an unused file is kept."""
        place = self._place(key)
        return None if place is None else (place / _ABOUT).stat().st_mtime + self.days * SECONDS_OF_DAY

    def _place(self, key: str) -> Path | None:
        place = self.folder / key
        return place if _KEY.fullmatch(key) and self._is_young(place / _ABOUT) else None

    def _is_young(self, file: Path) -> bool:
        with suppress(OSError):
            return bool(self.days) and time.time() - file.stat().st_mtime < self.days * SECONDS_OF_DAY
        return False

    def _private(self, folder: Path) -> Path:
        for part in (self.folder, folder):
            part.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    def tidy(self) -> None:
        """Remove what is too old."""
        with self.lock, suppress(OSError):
            self._make_room(0)

    def _make_room(self, size: int) -> None:
        """Remove what is too old, and the longest unused files until one of some bytes fits."""
        for file in (self.folder / _NOTES).glob("*"):
            if not self._is_young(file):
                file.unlink(missing_ok=True)
        used: list[tuple[float, int, str]] = []
        for place in self.folder.glob("*"):
            if _KEY.fullmatch(place.name):
                try:
                    used.append(((place / _ABOUT).stat().st_mtime, (place / _BYTES).stat().st_size, place.name))
                except OSError:
                    # Another server of the same folder may be writing it.
                    if time.time() - place.stat().st_mtime > SECONDS_TO_WRITE:
                        self._remove(place.name)
        total = size + sum(bytes_of_file for _, bytes_of_file, _ in used)
        for _, bytes_of_file, key in sorted(used):
            if total > self.max_bytes or self._place(key) is None:
                self._remove(key)
                total -= bytes_of_file

    def _remove(self, key: str) -> None:
        if _KEY.fullmatch(key):
            shutil.rmtree(self.folder / key, ignore_errors=True)


@cache
def file_store() -> FileStore:
    """Open the store of this server. Raises DataError: an invalid setting."""
    text = os.environ.get(DAYS, "").strip() or str(DAYS_SHARED if settings().has_sign_in else DAYS_ALONE)
    if not text.isascii() or not text.isdigit() or len(text) > len("10000"):
        raise DataError(f"{DAYS} is '{text}'; give a whole number of days, 0 to keep no files.")
    given = os.environ.get(FOLDER, "").strip()
    folder = Path(given) if given else user_data_path("multiloss", appauthor=False) / "files"
    return FileStore(folder, int(text), limit_bytes(SIZE, MAX_MEGABYTES))


def _write(file: Path, data: bytes) -> None:
    """Write a private file at once: a reader sees the old or the new content."""
    with NamedTemporaryFile(dir=file.parent, prefix=".", delete=False) as output:
        try:
            output.write(data)
            output.close()
            os.replace(output.name, file)
        except OSError:
            Path(output.name).unlink(missing_ok=True)
            raise


def _name(about: str) -> str:
    return hashlib.sha256(about.encode("utf-8", "replace")).hexdigest()
