"""How a file is to be read where it should not be as it looks: which sheet, lines and rows."""

import json
from dataclasses import asdict, dataclass

from pydantic import TypeAdapter, ValidationError

from multiloss_core.errors import DataError

MAX_LINES = 1_000


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What to read of a file.

    `sheet`: that of a workbook. `header_line`: the line, counted from 1, that names the columns; those above are left
    out. `skip_last`: how many lines to leave out at the end; blank ones do not count. `leave_out_repeats`: whether to
    leave out rows that are identical to an earlier row in every column.

    Raises
    ------
    DataError : more than 1,000 lines.
    """

    sheet: str | None = None
    header_line: int | None = None
    skip_last: int = 0
    leave_out_repeats: bool = False

    def __post_init__(self) -> None:
        if self.header_line is not None and not 1 <= self.header_line <= MAX_LINES:
            raise DataError(f"The line of the header is {self.header_line:,}; choose one from 1 to {MAX_LINES:,}.")
        if not 0 <= self.skip_last <= MAX_LINES:
            raise DataError(f"{self.skip_last:,} lines at the end cannot be left out; choose 0 to {MAX_LINES:,}.")

    @property
    def has_lines(self) -> bool:
        """Whether lines were chosen, which only text and workbooks have."""
        return self.header_line is not None or self.skip_last > 0

    @property
    def key(self) -> str:
        """Name the options in a fingerprint: other ones make other data. Empty where a file is read as it looks."""
        return (self.sheet or "") if self == ReadOptions(sheet=self.sheet) else json.dumps(asdict(self))

    @classmethod
    def from_key(cls, key: str) -> "ReadOptions":
        """Read back a key; one that names no options, which may come from anybody's browser, is a sheet."""
        try:
            return TypeAdapter(cls).validate_json(key, strict=True)
        except (ValidationError, DataError):
            return cls(sheet=key or None)


READ_AS_IT_LOOKS = ReadOptions()
