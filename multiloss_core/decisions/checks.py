"""What a field of a decision record may hold, and the sentence for one that holds something else."""

import math
import re

from multiloss_core.errors import DataError

# Neither can be written as UTF-8 into a database: the null character and halves of surrogate pairs.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
MAX_SHOWN = 40


class FieldError(DataError):
    """A field of a record that cannot be used: its name, what it must be, and what was found."""

    def __init__(self, field: str, requirement: str, found: str = "") -> None:
        self.field = field
        self.requirement = requirement
        self.found = found
        super().__init__(
            f"Field '{field}' of the decision record must be {requirement}{f', not {found}' if found else ''}; "
            "correct it, or save the record again."
        )

    def inside(self, parent: str) -> "FieldError":
        """The same of a field that is part of another one."""
        return FieldError(f"{parent}.{self.field}", self.requirement, self.found)


def shown(value: object) -> str:
    """A value for a sentence: on one line, and short."""
    text = ascii(value) if isinstance(value, str) else str(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def checked_text(field: str, value: str, most: int, *, empty: bool = False) -> str:
    """A text of at most `most` characters that any file and database can keep; blank only where `empty`."""
    if len(value) > most:
        raise FieldError(field, f"at most {most:,} characters", f"{len(value):,}")
    if _UNSTORABLE.search(value):
        raise FieldError(field, "text without null characters and half characters", shown(value))
    if not empty and not value.strip():
        raise FieldError(field, "a text that is not blank")
    return value


def checked_number(field: str, value: float, low: float = -math.inf, high: float = math.inf) -> float:
    """A finite number from `low` to `high`, as a plain float."""
    number = float(value)
    if not math.isfinite(number) or not low <= number <= high:
        bounds = {(True, True): "", (False, True): f" of at least {low:g}", (True, False): f" of at most {high:g}"}
        wanted = bounds.get((low == -math.inf, high == math.inf), f" from {low:g} to {high:g}")
        raise FieldError(field, f"a finite number{wanted}", shown(number))
    return number


def checked_share(field: str, value: float) -> float:
    """A number strictly between 0 and 1."""
    number = float(value)
    if not 0 < number < 1:
        raise FieldError(field, "a number between 0 and 1, both excluded", shown(number))
    return number


def checked_thresholds(field: str, values: tuple[float | None, ...], count: int) -> tuple[float | None, ...]:
    """One threshold for each of `count` scores: a finite number, or None for never."""
    if len(values) != count:
        raise FieldError(field, f"a list of {count} thresholds, one for each score", f"{len(values)}")
    return tuple(
        None if value is None else checked_number(f"{field}[{i + 1}]", value) for i, value in enumerate(values)
    )
