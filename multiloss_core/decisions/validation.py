"""What a field of a decision record may hold, as types for pydantic, and the sentence for one that cannot be used."""

import json
import re
from collections import Counter
from dataclasses import field, fields
from functools import wraps
from typing import Annotated, Any, Final, NoReturn, TypeVar, cast, dataclass_transform

import numpy as np
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.dataclasses import dataclass

from multiloss_core.errors import DataError

MAX_BYTES = 1_000_000
MAX_SCORES = 100
MAX_NAME = 300
MAX_REASON = 20_000
MAX_SHOWN = 40

T = TypeVar("T")

_CONFIG = ConfigDict(
    strict=True,
    extra="forbid",
    allow_inf_nan=False,
    use_attribute_docstrings=True,
    # The schema is of records as they are written: with every field.
    json_schema_serialization_defaults_required=True,
)

# Neither can be written as UTF-8 into a database: the null character and halves of surrogate pairs.
_STORABLE = "text without null characters and half characters"
_HALF_CHARACTERS = re.compile("[\ud800-\udfff]")
_ANOTHER_FILE = "choose a file that was saved as one"
_REQUIREMENTS: Final = {
    "missing": "given",
    "unexpected_keyword_argument": "left out, for this version does not know it",
    "string_type": "a text",
    "string_unicode": _STORABLE,
    "string_too_long": "at most {max_length:,} characters",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a finite number",
    "finite_number": "a finite number",
    "tuple_type": "a list",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
    "dataclass_type": "an object with fields",
    "literal_error": "{expected}",
}


class FieldError(ValueError):
    """What a validator raises: the requirement, what was found (else the value), and which part of the field it is."""

    def __init__(self, requirement: str, found: str | None = None, part: str = "") -> None:
        super().__init__(requirement)
        self.requirement, self.found, self.part = requirement, found, part


@dataclass_transform(frozen_default=True, field_specifiers=(field, Field))
def recorded(cls: type[T]) -> type[T]:
    """Make a frozen, strictly validated dataclass that refuses unknown fields and raises DataError when made."""
    made: Any = dataclass(frozen=True, config=_CONFIG)(cls)
    validated = made.__init__

    @wraps(validated)
    def __init__(self: object, *args: Any, **values: Any) -> None:  # noqa: N807
        try:
            validated(self, *args, **values)
        except ValidationError as error:
            raise first_refusal(error, tuple(entry.name for entry in fields(made))) from None

    made.__init__ = __init__
    return cast(type[T], made)


def must_be(requirement: str) -> WrapValidator:
    """Say what the value must be, whichever check of the type it fails."""

    def validate(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
        try:
            return check(value)
        except ValidationError:
            raise FieldError(requirement) from None

    return WrapValidator(validate)


def first_refusal(error: ValidationError, names: tuple[str, ...] = ()) -> DataError:
    """Say the first thing that is wrong: the field, what it must be, what was found, and the way out.

    `names` of the fields are for arguments that were given by their place.
    """
    first = error.errors(include_url=False)[0]
    context, value = first.get("ctx", {}), first["input"]
    found = {"missing": "missing", "unexpected_keyword_argument": ""}.get(first["type"])
    if isinstance(value, str | tuple | list) and first["type"] in ("string_too_long", "too_short", "too_long"):
        found = f"{len(value):,}"
    requirement, part = _REQUIREMENTS.get(first["type"], first["msg"]).format_map(context), ""
    if isinstance(refused := context.get("error"), FieldError):
        requirement, found, part = refused.requirement, refused.found, refused.part
    place = _place((*first["loc"], part) if part else first["loc"], names)
    return unusable(place, requirement, shown(value) if found is None else found)


def unusable(place: str, requirement: str, found: str) -> DataError:
    """Say what a field must be."""
    return DataError(
        f"Field '{place}' of the decision record must be {requirement}{f', not {found}' if found else ''}; "
        "correct it, or save the record again."
    )


def shown(value: object) -> str:
    """Put a value on one line of a sentence, cut where it is long."""
    text = ascii(value) if isinstance(value, str) else str(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def checked_name(field: str, value: str) -> str:
    """Check a name outside a record, under the rules for those in one.

    Raises
    ------
    DataError : longer than `MAX_NAME`, blank, or no text that can be stored.
    """
    try:
        return _NAME.validate_python(value)
    except ValidationError as error:
        raise first_refusal(error, (field,)) from None


def json_object(text: str | bytes) -> dict[str, Any]:
    """Read the JSON object that a text of at most 1 MB holds; no name twice, no NaN or infinity.

    Raises
    ------
    DataError : it holds something else.
    """
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise DataError(f"The decision record has {size:,} bytes, more than {MAX_BYTES:,}; {_ANOTHER_FILE}.")
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        content = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant)
    except DataError:
        raise
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"The decision record is not JSON text ({shown(str(error).splitlines()[0])}); {_ANOTHER_FILE}."
        ) from None
    if not isinstance(content, dict):
        raise DataError(f"The decision record is not a JSON object; {_ANOTHER_FILE}.")
    return content


def validated_json(adapter: TypeAdapter[T], content: dict[str, Any]) -> T:
    """Validate an object of JSON as the type of the adapter.

    Raises
    ------
    DataError : naming a field that is of another type, missing, unknown or unusable.
    """
    # Half characters would be no JSON for pydantic; a null character is refused in the same words, with its field.
    text = _HALF_CHARACTERS.sub(r"\\u0000", json.dumps(content, ensure_ascii=False))
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        if error.errors()[0]["type"] == "json_invalid":
            raise DataError(f"The decision record is not JSON text that can be read; {_ANOTHER_FILE}.") from None
        raise first_refusal(error) from None


def _place(location: tuple[str | int, ...], names: tuple[str, ...]) -> str:
    """`current.thresholds[2]`: positions count from 1."""
    first, *rest = location or (0,)
    parts = [names[first] if isinstance(first, int) else first, *rest]
    words = (f"[{part + 1}]" if isinstance(part, int) else "." + shown(part).strip("'") for part in parts)
    return "".join(words).removeprefix(".")


def _storable(value: str) -> str:
    if "\0" in value:
        raise FieldError(_STORABLE)
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise FieldError("a text that is not blank", "")
    return value


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list | np.ndarray) else value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        repeated = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise DataError(
            f"Field {shown(repeated)} occurs more than once in the decision record; save the record again from the "
            "program."
        )
    return content


def _refuse_constant(name: str) -> NoReturn:
    raise DataError(f"The decision record holds {name}, which is no number of JSON; save the record again.")


AnyText = Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_storable)]
Name = Annotated[AnyText, AfterValidator(_not_blank)]
LongText = Annotated[str, Field(max_length=MAX_REASON), AfterValidator(_storable)]
Count = Annotated[float, Field(ge=0), must_be("a finite number of at least 0")]
Share = Annotated[float, Field(ge=0, le=1), must_be("a finite number from 0 to 1")]
Fraction = Annotated[float, Field(gt=0, lt=1), must_be("a number between 0 and 1, both excluded")]
Names = Annotated[tuple[Name, ...], BeforeValidator(_as_tuple), Field(min_length=1, max_length=MAX_SCORES)]
Numbers = Annotated[tuple[float, ...], BeforeValidator(_as_tuple)]
Thresholds = Annotated[tuple[float | None, ...], BeforeValidator(_as_tuple)]
_NAME = TypeAdapter(Name)
