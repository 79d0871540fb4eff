"""What columns mean as text that a browser keeps: of one file, and of all files with the same columns."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

import pandas as pd
from pydantic import TypeAdapter, ValidationError

Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Remembered(Generic[Choice]):
    """A choice of columns, and whether the user has confirmed it."""

    choice: Choice
    confirmed: bool = False


def columns_signature(frame: pd.DataFrame) -> str:
    """Name the set of the columns of a table, whatever their order."""
    names = json.dumps(sorted(map(str, frame.columns)))
    return f"columns {hashlib.sha256(names.encode('utf-8', 'replace')).hexdigest()}"


def remembered_to_json(remembered: Remembered[Any]) -> str:
    """Write a choice of columns, which is a dataclass, as text."""
    return _adapter(type(remembered.choice)).dump_json(remembered).decode()


def remembered_from_json(text: str | bytes, kind: type[Choice]) -> Remembered[Choice] | None:
    """Read a choice of columns; None where the text is none: it may come from anybody, or from another version."""
    try:
        remembered: Remembered[Choice] = _adapter(kind).validate_json(text)
    except ValidationError:
        return None
    return remembered


def _new_adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(Remembered[kind])


_adapter: Callable[[Any], TypeAdapter[Any]] = cache(_new_adapter)
