"""The component: it keeps the files that were read in the browser, and puts one back into the uploader if asked to."""

import json
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import streamlit as st
from pydantic import TypeAdapter, ValidationError

from ui.data.browser_storage.messages import CONTRACT, ChoicesMessage, FileName, FilesMessage, Told
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
class _Said:
    """A `Told` as it can be checked."""

    gone: str | None = None
    kept: list[_File] | None = None
    choices: dict[str, str] | None = None


_SAID = TypeAdapter(_Said)


def keep_files(message: FilesMessage, *, with_controls: bool, on_told: Callable[[Told], None]) -> None:
    """Have the browser keep what is loaded and bring back what is wanted; `on_told` hears what it has to say."""
    key = f"kept_{'files' if with_controls else 'quietly'}_{message['shelf']}"
    _mount(key=key, data=message, on_told_change=lambda: on_told(checked(getattr(st.session_state[key], "told", None))))


def keep_choices(shelf: str, choices: Mapping[str, str]) -> None:
    """Have the browser keep what columns mean: JSON text by what it is of."""
    message: ChoicesMessage = {"contract": CONTRACT, "shelf": shelf, "choices": dict(choices)}
    _mount(key=f"kept_choices_{shelf}", data=message)


def checked(told: object) -> Told:
    """Check what the browser said; anybody's browser may say anything. What cannot be used is left out."""
    try:
        said = _SAID.validate_python(told)
    except ValidationError:
        return {}
    usable: Told = {}
    if said.gone is not None and _is_name(said.gone):
        usable["gone"] = said.gone
    if said.kept is not None:
        named = [file for file in said.kept[:MAX_FILES] if _is_name(file.name)]
        usable["kept"] = [{"name": file.name, "digest": file.digest} for file in named]
    if said.choices is not None:
        fitting = [(of, text) for of, text in said.choices.items() if len(text) <= MAX_CHOICE]
        usable["choices"] = dict(fitting[:MAX_CHOICES])
    return usable


def kept_before(shelf: str) -> tuple[str | None, list[FileName]]:
    """Tell what the browser knew when this visit began: the name of the file used last, and the files it keeps."""
    port = urlsplit(st.context.url or "").port or ""
    text = st.context.cookies.get(f"multiloss_files_{port}")
    if not isinstance(text, str):
        return None, []
    try:
        said = _SHELVES.validate_python(json.loads(unquote(text)))
    except (ValueError, RecursionError):
        return None, []
    match said.get(shelf):
        case {"using": str(using), "files": list(files)}:
            names: list[FileName] = [{"name": name, "digest": digest} for name, digest in files if _is_name(name)]
            return (using if any(file["name"] == using for file in names) else None), names[:MAX_FILES]
    return None, []


def _is_name(name: str) -> bool:
    return 0 < len(name) <= MAX_NAME and not any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in name)
