"""JSON text from anybody to dataclasses: every type checked, nothing missing, nothing unknown, nothing executed."""

import json
import types
from collections import Counter
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from multiloss_core.decisions.checks import FieldError, shown
from multiloss_core.errors import DataError

MAX_BYTES = 1_000_000
# Metadata of fields that came later: they keep their default where a record does not hold them.
MAY_BE_MISSING = "may be missing"

_JSON_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def as_json_object(text: str | bytes) -> dict[str, Any]:
    """The JSON object that a text of at most 1 MB holds; no name twice, no NaN or infinity.

    Raises
    ------
    DataError : it holds something else.
    """
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise DataError(
            f"The decision record has {size:,} bytes, more than {MAX_BYTES:,}; choose a file that was saved as one."
        )
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        content = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant)
    except DataError:
        raise
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"The decision record is not JSON text ({shown(str(error).splitlines()[0])}); choose a file that was saved as one."
        ) from None
    if not isinstance(content, dict):
        raise DataError("The decision record is not a JSON object; choose a file that was saved as one.")
    return content


def value_of(kind: Any, content: object) -> Any:
    """A JSON value as the type `kind`: a dataclass of plain values, tuples of them, and other such dataclasses.

    Raises
    ------
    FieldError : a part of another type, or missing, or unknown; or what the dataclass itself refuses.
    """
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass_of(kind, content)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (types.UnionType, Union):
        inner = next(argument for argument in arguments if argument is not type(None))
        return None if content is None else value_of(inner, content)
    if origin is Literal:
        if type(content) is not type(arguments[0]) or content not in arguments:
            raise FieldError("", f"{' or '.join(map(repr, arguments))}", shown(content))
        return content
    if origin is tuple:
        return _tuple_of(arguments[0], content)
    if kind is datetime:
        return _datetime_of(content)
    return _plain(kind, content)


def _dataclass_of(kind: type, content: object) -> object:
    if not isinstance(content, dict):
        raise FieldError("", "an object with fields", shown(content))
    known = _fields(kind)
    for name in content:
        if name not in known:
            raise FieldError(shown(name).strip("'"), "left out, for this version does not know it")
    values = {}
    for name, (hint, may_be_missing) in known.items():
        if name not in content:
            if may_be_missing:
                continue
            raise FieldError(name, "given", "missing")
        values[name] = _inside(name, hint, content[name])
    return kind(**values)


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """The names of a dataclass's fields with their types, and whether they may be missing."""
    hints = get_type_hints(kind)
    return {entry.name: (hints[entry.name], MAY_BE_MISSING in entry.metadata) for entry in fields(kind)}


def _inside(name: str, kind: Any, content: object) -> Any:
    try:
        return value_of(kind, content)
    except FieldError as error:
        if error.field.startswith("["):
            raise FieldError(name + error.field, error.requirement, error.found) from None
        raise (error.inside(name) if error.field else FieldError(name, error.requirement, error.found)) from None


def _tuple_of(kind: Any, content: object) -> tuple[Any, ...]:
    if not isinstance(content, list):
        raise FieldError("", "a list", shown(content))
    return tuple(_inside(f"[{i + 1}]", kind, part) for i, part in enumerate(content))


def _datetime_of(content: object) -> datetime:
    if isinstance(content, str):
        try:
            return datetime.fromisoformat(content)
        except ValueError:
            pass
    raise FieldError("", "a time like 2026-01-31T09:00:00Z", shown(content))


def _plain(kind: type, content: object) -> object:
    if kind is float and type(content) is int:
        try:
            return float(content)
        except OverflowError:
            raise FieldError("", "a finite number", shown(content)) from None
    if type(content) is not kind:
        raise FieldError("", _JSON_NAMES[kind], shown(content))
    return content


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        repeated = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise DataError(
            f"Field {shown(repeated)} occurs more than once in the decision record; save the record again from the program."
        )
    return content


def _refuse_constant(name: str) -> NoReturn:
    raise DataError(f"The decision record holds {name}, which is no number of JSON; save the record again.")
