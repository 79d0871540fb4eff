"""Define what commands share: their source and reading of options."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multiloss_core.errors import DataError
from multiloss_core.formatting import FRAUD

if TYPE_CHECKING:
    from multiloss_core.decisions.record import DecisionRecord

SOURCE_HELP = (
    "A file or folder (Parquet, CSV; Excel or a DuckDB file), postgresql+psycopg://user@host/database (its password by "
    "PGPASSWORD or ~/.pgpass), or sc://host:port of a Spark Connect server."
)

# By the label of a file; each choice writes over them.
LATEST = {"Record (JSON)": "latest.json", "SQL": "latest.sql", "Python": "latest.py"}

Source = Annotated[str, typer.Argument(metavar="SOURCE", help=SOURCE_HELP, show_default=False)]
Table = Annotated[
    str | None, typer.Option(help="The table, or sheet of a workbook, to read, where the source has more than one.")
]

Json = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="FILE",
        help="Write the result as JSON as well; - for the output, and the words then go to the error output.",
    ),
]
SECONDS_WITHOUT_WORDS = 1.0


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


def print_step(step: str) -> None:
    """Say on the error output what is being done."""
    typer.echo(f"{step} …", err=True)


@contextmanager
def said_if_slow(step: str) -> Iterator[None]:
    """Say what is being done if it takes longer than a second."""
    from multiloss_core.workers import called_if_late

    with called_if_late(SECONDS_WITHOUT_WORDS, print_step, step):
        yield


def print_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines of text."""
    for line in lines:
        typer.echo(line, err=err)


def write_json(text: str, file: Path | None) -> bool:
    """Write JSON to a file, or to the output for "-"; return whether that took the output."""
    if file == Path("-"):
        typer.echo(text)
        return True
    if file is not None:
        file.write_text(f"{text}\n", encoding="utf-8", newline="")
    return False


def write_decision(record: "DecisionRecord", folder: Path) -> list[str]:
    """Write the files of a decision, three of them under a fixed name too; list them."""
    from multiloss_core.decisions import record_files

    folder.mkdir(parents=True, exist_ok=True)
    files = record_files(record, FRAUD)
    latest = {file.label: file for file in files}
    named = [(file.name, file) for file in files]
    named += [(name, latest[label]) for label, name in LATEST.items()]
    for name, file in named:
        (folder / name).write_text(file.text, encoding="utf-8", newline="")
    return ["", f"Written to {folder}:", *(f"  {name}" for name, _ in named)]
