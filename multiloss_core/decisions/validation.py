"""Define pydantic types of record fields and the error message of an invalid field."""

import json
import re
from collections import Counter
from dataclasses import field
from functools import wraps
from inspect import signature
from typing import Annotated, Any, TypeVar, cast, dataclass_transform

import numpy as np
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from pydantic_core import PydanticCustomError

from multiloss_core.errors import DataError, require_type
from multiloss_core.formatting import shortened

MAX_BYTES = 1_000_000
MAX_SCORES = 100
MAX_NAME = 300
MAX_REASON = 20_000
# Every whole number up to here can be written and computed with, and sums of counts stay finite.
MAX_ROWS = 2**53
MAX_COUNT = 1e100

T = TypeVar("T")

_DISAGREEMENT = "disagreement"
_HALF_CHARACTERS = re.compile("[\ud800-\udfff]")
_CONFIG = ConfigDict(
    strict=True,
    extra="forbid",
    allow_inf_nan=False,
    validate_default=True,
    use_attribute_docstrings=True,
    # The schema describes written records, which have every field.
    json_schema_serialization_defaults_required=True,
)


@dataclass_transform(frozen_default=True, field_specifiers=(field, Field))
def recorded(cls: type[T]) -> type[T]:
    """Make a frozen, strictly validated dataclass that rejects unknown fields with DataError."""
    made: Any = dataclass(frozen=True, config=_CONFIG)(cls)
    validated, parameters = made.__init__, signature(made)

    @wraps(validated)
    def __init__(self: object, *args: Any, **values: Any) -> None:  # noqa: N807
        try:
            validated(self, **parameters.bind_partial(*args, **values).arguments)
        except ValidationError as error:
            raise refusal(error) from None

    made.__init__ = __init__
    return cast(type[T], made)


def disagreement(reason: str) -> PydanticCustomError:
    """Make an error for fields that contradict each other."""
    return PydanticCustomError(_DISAGREEMENT, reason)


def refusal(error: ValidationError, place: str = "") -> DataError:
    """Describe the first error: field (`place` if there is only one), reason and value."""
    first = error.errors(include_url=False)[0]
    # Positions count from 1.
    parts = (f"[{part + 1}]" if isinstance(part, int) else f".{ascii(part)[1:-1]}" for part in first["loc"])
    name = shortened("".join(parts).removeprefix(".") or place, 100)
    subject = f"Field '{name}' of the decision record" if name else "The decision record"
    reason = first["msg"].removeprefix("Value error, ")
    says_all = first["type"] in ("missing", "unexpected_keyword_argument", _DISAGREEMENT)
    found = "" if says_all else f", not {shown(first['input'])}"
    return DataError(
        f"{subject} cannot be used: {reason[0].lower()}{reason[1:]}{found}; correct it, or save the record again."
    )


def shown(value: object) -> str:
    """Put a value on one line of a sentence, cut where it is long."""
    return shortened(ascii(value) if isinstance(value, str) else value)


def checked_name(field: str, value: str) -> str:
    """Check a name outside a record, under the rules for those in one.

    Raises DataError: longer than `MAX_NAME`, blank, or no text that can be stored.
    """
    try:
        return _NAME.validate_python(value)
    except ValidationError as error:
        raise refusal(error, field) from None


def json_object(text: str | bytes) -> dict[str, Any]:
    """Read the JSON object that a text of at most 1 MB holds; no name twice.

    Raises DataError: it holds something else.
    """
    require_type(text, (str, bytes), "the text of a JSON file")
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    if len(data) > MAX_BYTES:
        raise _no_record(f"has {len(data):,} bytes, more than {MAX_BYTES:,}")
    try:
        content = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_without_repeats)
    except DataError:
        raise
    except (ValueError, RecursionError) as error:
        raise _no_record(f"is not JSON text ({shortened(str(error))})") from None
    if not isinstance(content, dict):
        raise _no_record("is not a JSON object")
    return content


def validated_json(adapter: TypeAdapter[T], content: dict[str, Any]) -> T:
    """Validate an object of JSON as the type of the adapter.

    Raises DataError: naming a field that is of another type, missing, unknown or unusable.
    """
    # Half characters would be no JSON for pydantic; a null character is refused in the same words, with its field.
    text = _HALF_CHARACTERS.sub(r"\\u0000", json.dumps(content, ensure_ascii=False))
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        if error.errors()[0]["type"] == "json_invalid":
            raise _no_record("is not JSON text that can be read") from None
        raise refusal(error) from None


def _no_record(complaint: str) -> DataError:
    return DataError(f"The decision record {complaint}; choose a file that was saved as one.")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        repeated = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise DataError(
            f"Field {shown(repeated)} occurs more than once in the decision record; save the record again from the "
            "program."
        )
    return content


def _storable(value: str) -> str:
    # Neither can be written as UTF-8 into a database: the null character and halves of surrogate pairs.
    if "\0" in value:
        raise ValueError("Text should be without null characters and half characters")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("Text should be one that is not blank")
    return value


def as_tuple(value: Any) -> Any:
    """Take a list, as JSON has it, for a tuple."""
    return tuple(value) if isinstance(value, list | np.ndarray) else value


AnyText = Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_storable)]
Name = Annotated[AnyText, AfterValidator(_not_blank)]
LongText = Annotated[str, Field(max_length=MAX_REASON), AfterValidator(_storable)]
Count = Annotated[float, Field(ge=0, le=MAX_COUNT)]
Share = Annotated[float, Field(ge=0, le=1)]
Fraction = Annotated[float, Field(gt=0, lt=1)]
Names = Annotated[tuple[Name, ...], BeforeValidator(as_tuple), Field(min_length=1, max_length=MAX_SCORES)]
Numbers = Annotated[tuple[float, ...], BeforeValidator(as_tuple)]
Thresholds = Annotated[tuple[float | None, ...], BeforeValidator(as_tuple)]
_NAME = TypeAdapter(Name)
