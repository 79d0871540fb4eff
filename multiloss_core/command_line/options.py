"""Define what commands share: their source and reading of options."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multiloss_core.errors import DataError

if TYPE_CHECKING:
    from multiloss_core.decisions.record import DecisionRecord

SOURCE_HELP = (
    "A file or folder (Parquet, CSV; Excel or a DuckDB file), postgresql+psycopg://user@host/database (its password by "
    "PGPASSWORD or ~/.pgpass), or sc://host:port of a Spark Connect server."
)

Source = Annotated[str, typer.Argument(metavar="SOURCE", help=SOURCE_HELP, show_default=False)]
Table = Annotated[
    str | None, typer.Option(help="The table, or sheet of a workbook, to read, where the source has more than one.")
]


def read_record(path: Path) -> "DecisionRecord":
    """Read a record from a file. Raises DataError, OSError."""
    from multiloss_core.decisions import MAX_BYTES
    from multiloss_core.decisions.record import DecisionRecord

    if path.stat().st_size > MAX_BYTES:
        raise DataError(f"'{path.name}' is too large for a decision record; choose a file that was saved as one.")
    return DecisionRecord.from_json(path.read_bytes())


def read_numbers(given: Sequence[str] | None, option: str, words: dict[str, float] | None = None) -> dict[str, float]:
    """Read NAME=VALUE; names may hold equals signs themselves."""
    from multiloss_core.numerics import typed_number

    found: dict[str, float] = {}
    for name, value in read_pairs(given, option, "model a=0.5").items():
        try:
            found[name] = (words or {}).get(value) or typed_number(value)
        except ValueError:
            raise DataError(
                f"'{name}={value}' is no NAME=VALUE with a plain number; write {option} 'model a=0.5'."
            ) from None
    return found


def read_pairs(given: Sequence[str] | None, option: str, example: str) -> dict[str, str]:
    """Read NAME=VALUE as text; names may hold equals signs themselves. Raises DataError."""
    pairs = {}
    for text in given or ():
        name, _, value = text.rpartition("=")
        if not name or not value:
            raise DataError(f"'{text}' is no NAME=VALUE; write {option} '{example}'.")
        pairs[name] = value
    return pairs


def require_one_of(choices: tuple[str, ...], **options: str | None) -> None:
    """Reject an option that is neither left out nor one of the choices."""
    for name, text in options.items():
        if text not in (None, *choices):
            raise DataError(f"--{name.replace('_', '-')} must be {' or '.join(choices)}, not '{text}'.")


def print_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines of text."""
    for line in lines:
        typer.echo(line, err=err)
