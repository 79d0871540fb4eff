"""Mount the component that keeps loaded files in the browser and restores them."""

import json
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import streamlit as st
from pydantic import TypeAdapter, ValidationError

from ui.data.browser_storage.messages import CONTRACT, ChoicesMessage, FileEvent, FileName, FilesMessage
from ui.shared.browser_files import component_of

BROWSER = Path(__file__).with_name("browser")
# Bytes of all files together; the longest unused leave first.
MAX_BYTES = 250_000_000
MAX_FILES = 200
MAX_CHOICES = 100
MAX_NAME = 255
MAX_CHOICE = 20_000
_SHELVES = TypeAdapter(dict[str, dict[str, str | list[tuple[str, str]]]])
_mount = component_of("multiloss_kept_files", BROWSER)


@dataclass
class _File:
    name: str
    digest: str


@dataclass
class _Event:
    """A `FileEvent` in a form that pydantic validates."""

    gone: str | None = None
    kept: list[_File] | None = None
    choices: dict[str, str] | None = None


_EVENT = TypeAdapter(_Event)


def keep_files(message: FilesMessage, *, with_controls: bool, on_event: Callable[[FileEvent], None]) -> None:
    """Send loaded files to the browser and request wanted ones; `on_event` gets its events."""
    key = f"kept_{'files' if with_controls else 'quietly'}_{message['shelf']}"
    _mount(
        key=key,
        data=message,
        on_event_change=lambda: on_event(checked(getattr(st.session_state[key], "event", None))),
    )


def keep_choices(shelf: str, choices: Mapping[str, str]) -> None:
    """Send column choices to the browser: JSON text by subject."""
    message: ChoicesMessage = {"contract": CONTRACT, "shelf": shelf, "choices": dict(choices)}
    _mount(key=f"kept_choices_{shelf}", data=message)


def checked(event: object) -> FileEvent:
    """Validate an event of the browser, which is not trusted; omit unusable parts."""
    try:
        received = _EVENT.validate_python(event)
    except ValidationError:
        return {}
    usable: FileEvent = {}
    if received.gone is not None and _is_name(received.gone):
        usable["gone"] = received.gone
    if received.kept is not None:
        named = [file for file in received.kept[:MAX_FILES] if _is_name(file.name)]
        usable["kept"] = [{"name": file.name, "digest": file.digest} for file in named]
    if received.choices is not None:
        fitting = [(of, text) for of, text in received.choices.items() if len(text) <= MAX_CHOICE]
        usable["choices"] = dict(fitting[:MAX_CHOICES])
    return usable


def kept_before(shelf: str) -> tuple[str | None, list[FileName]]:
    """Return the file used last and the files kept when this session began."""
    port = urlsplit(st.context.url or "").port or ""
    text = st.context.cookies.get(f"multiloss_files_{port}")
    if not isinstance(text, str):
        return None, []
    try:
        stored = _SHELVES.validate_python(json.loads(unquote(text)))
    except (ValueError, RecursionError):
        return None, []
    match stored.get(shelf):
        case {"using": str(using), "files": list(files)}:
            names: list[FileName] = [{"name": name, "digest": digest} for name, digest in files if _is_name(name)]
            return (using if any(file["name"] == using for file in names) else None), names[:MAX_FILES]
    return None, []


def _is_name(name: str) -> bool:
    return 0 < len(name) <= MAX_NAME and not any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in name)
