"""Hold the tables of a session and the columns chosen for each, within the limits of memory."""

import codecs
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

import pandas as pd
from pydantic import TypeAdapter, ValidationError

from multiloss_core import DataError
from multiloss_core.datasets import Source
from multiloss_core.tables import ReadOptions
from multiloss_core.thresholds import UncertainFloorsError
from ui.server.file_store import file_store
from ui.server.limits import limit_bytes
from ui.shared.session import UploadedFile, Uploads
from ui.sign_in.user import current_user

Choice = TypeVar("Choice")
Data = TypeVar("Data")

# Of all tables of a kind that one session holds, in bytes of memory and disk; the last one stays in any case.
MAX_MEMORY_BYTES = 2**30
# What the settings of a stored file call the other files that it is read with.
COMPANIONS = "companions"
# Letters of a SHA-256 that identify a file.
START = 12
MAX_SETTINGS_BYTES = 100_000
VARIABLE = "MULTILOSS_MAX_TABLES_MB"
MAX_MEGABYTES = 4096
# By identity; ended sessions disappear.
_held: WeakValueDictionary[int, Uploads] = WeakValueDictionary()  # type: ignore[type-arg]


@dataclass(frozen=True)
class Remembered(Generic[Choice]):
    """A choice of columns, and whether the user has confirmed it."""

    choice: Choice
    confirmed: bool = False


@dataclass(frozen=True, kw_only=True)
class TableStore(Generic[Choice, Data]):
    """Hold the tables of one kind: samples, and those loaded in this session.

    `key` is its name in addresses. `samples` make one by name. `read` makes a table of a file's bytes, its name and
    options; `build` makes checked data of a table under a choice of columns. `of_other_files` leaves out of a choice
    what holds for one file alone; `choice_type` is its type. `companions`: the names of other files that a choice uses.
    """

    state: Uploads[Choice]
    key: str
    samples: Mapping[str, Callable[[str], Source[Choice]]]
    read: Callable[[bytes, str, ReadOptions], Source[Choice]]
    build: Callable[[Source[Choice], Choice], Data]
    choice_type: type[Choice]
    of_other_files: Callable[[Choice], Choice]
    companions: Callable[[Choice], tuple[str, ...]] = lambda _: ()

    def source(self, name: str) -> Source[Choice]:
        """Return the table or sample of a name. Raises DataError if there is neither."""
        if name in self.state.sources:
            return self.state.sources[name]
        if name not in self.samples:
            raise DataError(f"'{name}' is no longer loaded in this session; upload it again.")
        return self.samples[name](name)

    def choice_for(self, source: Source[Choice]) -> Choice:
        """Return the last valid choice of columns of a source, or the first one to try."""
        return self.state.choices.get(source.fingerprint, source.first_choice)

    def remembered(self, frame: pd.DataFrame, fingerprint: str = "") -> Remembered[Choice] | None:
        """Return the choice for this file, else for the last one with the same columns."""
        for of in (fingerprint, columns_signature(frame)):
            text = self.state.remembered.get(of) or file_store().noted(self._subject(of))
            found = None if text is None else remembered_from_json(text, self.choice_type)
            if found is not None:
                return found
        return None

    def remember(self, source: Source[Choice], choice: Choice) -> None:
        """Remember a valid choice for this file and, if changed or confirmed, for its columns."""
        self.state.choices[source.fingerprint] = choice
        if source.name not in self.state.sources:
            return
        confirmed = source.fingerprint in self.state.confirmed
        known = {source.fingerprint: remembered_to_json(Remembered(choice, confirmed))}
        others = {name: self.address_of(name) for name in self.companions(choice)}
        of_file = known | {COMPANIONS: json.dumps(others)}
        of_others = Remembered(self.of_other_files(choice), confirmed)
        is_chosen = confirmed or choice != source.first_choice
        if is_chosen:
            known[columns_signature(source.frame)] = remembered_to_json(of_others)
        if known.items() <= self.state.remembered.items():
            return
        self.state.remembered |= known
        file_store().change(self.state.files[source.name].key, of_file)
        if is_chosen:
            # Without sign-in another user of the server may load such a file: what is uncertain is asked again.
            noted = replace(of_others, confirmed=confirmed and bool(current_user().identity))
            file_store().note(self._subject(columns_signature(source.frame)), remembered_to_json(noted))

    def settings_of(self, source: Source[Choice]) -> str:
        """Write what the columns of a table mean as JSON; `use_settings` reads it."""
        return remembered_to_json(Remembered(self.choice_for(source), source.fingerprint in self.state.confirmed))

    def use_settings(self, source: Source[Choice], data: bytes) -> str | None:
        """Apply column settings from a file, or explain why not and change nothing."""
        found = remembered_from_json(data, self.choice_type) if len(data) <= MAX_SETTINGS_BYTES else None
        if found is None:
            return "The file holds no settings of columns; choose one that was downloaded on this page."
        complaint = self._complaint_about(source, found.choice)
        if complaint is None:
            if found.confirmed:
                self.state.confirmed.add(source.fingerprint)
            self.remember(source, found.choice)
        return complaint and f"The settings do not fit '{source.name}': {complaint}"

    def confirm(self, source: Source[Choice]) -> None:
        """Take the columns of a table for confirmed by the user."""
        self.state.confirmed.add(source.fingerprint)
        self.remember(source, self.choice_for(source))

    def options_of(self, digest: str) -> ReadOptions:
        """Return the options that a file was read with before, by its SHA-256."""
        return ReadOptions.from_key(self.state.remembered.get(reading_of(digest), ""))

    def _subject(self, of: str) -> str:
        """Name what is remembered of columns: for the user alone where users sign in."""
        return f"{self.key} {current_user().identity} {of}"

    def keep(self, source: Source[Choice], name: str, file: UploadedFile) -> None:
        """Hold a table under a free name with earlier columns; drop the oldest tables if needed.

        Raises DataError if the server's limit is reached.
        """
        state = self.state
        hold(state, name, file)
        state.sources.pop(name, None)
        state.sources[name] = replace(source, name=name)
        state.files[name] = file
        state.gone.discard(name)
        state.kept.pop(name, None)
        notes = [] if name == source.name else [f"There is other data called '{source.name}': this is '{name}'."]
        self._recall_choice(state.sources[name])
        let_go = self._let_go()
        if let_go:
            notes.append(f"No longer loaded, to make room: {', '.join(let_go)}.")
        state.note = " ".join(notes) or None

    def _complaint_about(self, source: Source[Choice], choice: Choice) -> str | None:
        """Return why an external choice of columns cannot be used; None if it can."""
        try:
            if not source.is_sample:
                self.build(source, choice)
        except UncertainFloorsError:
            # Each file asks this question anew.
            return None
        except DataError as error:
            return str(error)
        except (ValueError, TypeError, LookupError):
            # Text that no version of this program wrote.
            return "its parts do not agree."
        return None

    def is_here(self, name: str) -> bool:
        """Return whether a table of that name is loaded or a sample."""
        return name in self.state.sources or name in self.samples

    def address_of(self, name: str) -> str | None:
        """Return the key of a loaded or stored file and the beginning of its SHA-256."""
        file = self.state.files.get(name)
        return self.state.kept.get(name) if file is None else file.key + file.digest[:START]

    def tie(self, name: str, subject: str) -> None:
        """Let a stored file be found by a secret subject, such as the fingerprint in a record."""
        if (file := self.state.files.get(name)) is not None and file.key:
            file_store().note(subject, file.key)

    def tied(self, subject: str) -> str | None:
        """Return the key of the stored file of a subject, if it is kept."""
        key = file_store().noted(subject)
        return key if key is not None and file_store().about(key) is not None else None

    def free_name(self, name: str, start: str) -> str:
        """Return the name, or the first one numbered after it, that no other content has."""
        stem, point, ending = name.rpartition(".")
        for number in count(1):
            candidate = name if number == 1 else f"{stem} ({number}){point}{ending}" if stem else f"{name} ({number})"
            if candidate not in self.samples and (self.address_of(candidate) or start)[-START:] == start:
                return candidate
        raise AssertionError

    def _let_go(self) -> list[str]:
        """Drop the tables loaded first while all take too much memory; returns their names."""
        let_go: list[str] = []
        files = self.state.files
        while sum(file.memory for file in files.values()) > MAX_MEMORY_BYTES and len(self.state.sources) > 1:
            oldest = next(iter(self.state.sources))
            address = self.address_of(oldest)
            del self.state.sources[oldest]
            if file_store().about(files.pop(oldest).key) is not None and address is not None:
                self.state.kept[oldest] = address
            let_go.append(f"'{oldest}'")
        return let_go

    def _recall_choice(self, source: Source[Choice]) -> None:
        """Choose the columns of a new table as they were chosen before, where that works."""
        if source.fingerprint in self.state.choices:
            return
        found = self.remembered(source.frame, source.fingerprint)
        if found is None:
            return
        # Other values than before may have come.
        if self._complaint_about(source, found.choice) is not None:
            return
        self.state.choices[source.fingerprint] = found.choice
        if found.confirmed:
            self.state.confirmed.add(source.fingerprint)


def reading_of(digest: str) -> str:
    """Return the key for the remembered sheet, lines and rows of a file with this SHA-256."""
    return f"sheet {digest}"


def is_address(text: str) -> bool:
    """Return whether a text is a file's key, which may be missing, and the start of its SHA-256."""
    return re.fullmatch(f"([0-9a-f]{{32}})?[0-9a-f]{{{START}}}", text) is not None


def memory_of(source: Source[Any]) -> int:
    """Return the bytes that a table takes, in memory and on disk."""
    return int(source.frame.memory_usage(deep=True).sum()) + source.disk


def hold(state: Uploads, name: str, file: UploadedFile) -> None:  # type: ignore[type-arg]
    """Record that a session holds a table. Raises DataError beyond the server's limit."""
    held = sum(one.memory for uploads in list(_held.values()) for one in list(uploads.files.values()))
    before = state.files[name].memory if id(state) in _held and name in state.files else 0
    if held - before + file.memory > limit_bytes(VARIABLE, MAX_MEGABYTES):
        raise DataError(
            "The server's limit for loaded tables is reached; try again when other users have finished, or "
            "load a smaller file."
        )
    _held[id(state)] = state


def columns_signature(frame: pd.DataFrame) -> str:
    """Name the set of the columns of a table, whatever their order."""
    names = json.dumps(sorted(map(str, frame.columns)))
    return f"columns {hashlib.sha256(names.encode('utf-8', 'replace')).hexdigest()}"


def remembered_to_json(remembered: Remembered[Any]) -> str:
    """Write a choice of columns, which is a dataclass, as text."""
    return _adapter(type(remembered.choice)).dump_json(remembered).decode()


def remembered_from_json(text: str | bytes, kind: type[Choice]) -> Remembered[Choice] | None:
    """Parse a choice of columns; None if invalid: it may come from another version."""
    try:
        remembered: Remembered[Choice] = _adapter(kind).validate_json(
            text if isinstance(text, str) else text.removeprefix(codecs.BOM_UTF8)
        )
    except ValidationError:
        return None
    return remembered


def _new_adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(Remembered[kind])


_adapter: Callable[[Any], TypeAdapter[Any]] = cache(_new_adapter)
