"""Define the command `multiloss`; its functions import the library, as --help must be quick."""

import json
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from multiloss_core.errors import DataError
from multiloss_core.formatting import FRAUD, NEVER

if TYPE_CHECKING:
    from multiloss_core.audit import SqlDialect
    from multiloss_core.decisions.record import DecisionRecord
    from multiloss_core.tables import DecimalSign
    from multiloss_core.thresholds import FloorMethod, Rule

AS_EXPECTED, DIFFERS, CANNOT_BE_DONE = 0, 1, 2
SOURCE_HELP = (
    "A file or folder (Parquet, CSV; Excel or a DuckDB file), postgresql+psycopg://user@host/database (its password by "
    "PGPASSWORD or ~/.pgpass), or sc://host:port of a Spark Connect server."
)

app = typer.Typer(
    name="multiloss",
    help="Choose thresholds for fraud classifiers from rated predicted positives, and watch them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Source = Annotated[str, typer.Argument(metavar="SOURCE", help=SOURCE_HELP, show_default=False)]
Table = Annotated[
    str | None, typer.Option(help="The table, or sheet of a workbook, to read, where the source has more than one.")
]
HeaderLine = Annotated[
    int | None, typer.Option(metavar="N", help="The line of a file that names the columns.", show_default="found")
]
SkipLast = Annotated[int, typer.Option(metavar="N", help="How many lines at the end of a file to leave out.")]
LeaveOutRepeats = Annotated[
    bool, typer.Option("--leave-out-repeats", help="Leave out rows of a file that are identical to an earlier one.")
]
Time = Annotated[str | None, typer.Option(help="Column of the days, or none.", show_default="guessed")]
Since = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="The first day to read, 2026-01-31.")
]
Until = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="The first day not to read any more.")
]
Decimal = Annotated[
    str | None, typer.Option(metavar="SIGN", help="What decimals come after, where 1,234 may be read in two ways.")
]


@app.command("choose")
def choose_command(
    source: Source,
    marginal_precision: Annotated[
        float, typer.Option(help="How many of the last alerts added must be fraud, a share between 0 and 1.")
    ],
    table: Table = None,
    scores: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Score columns.", show_default="guessed")
    ] = None,
    alert_rules: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Rules that raise alerts beside the scores, or none: columns of 0 and 1, or 'reason has R12' for a "
            "word in a column of reasons.",
            show_default="guessed",
        ),
    ] = None,
    rating: Annotated[str | None, typer.Option(help="Column of the ratings.", show_default="guessed")] = None,
    positive: Annotated[list[str] | None, typer.Option(metavar="WORD", help="A rating that means fraud.")] = None,
    negative: Annotated[list[str] | None, typer.Option(metavar="WORD", help="A rating that means no fraud.")] = None,
    undecided: Annotated[list[str] | None, typer.Option(metavar="WORD", help="A rating that decides nothing.")] = None,
    weight: Annotated[
        str | None, typer.Option(help="Column of how many documents a row stands for, or none.", show_default="guessed")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="Column that groups rows (customer, account), or none.", show_default="guessed")
    ] = None,
    time: Time = None,
    segment: Annotated[
        str | None,
        typer.Option(
            help="Column whose values, such as channels, get own thresholds where these clearly gain, or none.",
            show_default="none",
        ),
    ] = None,
    floor: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Rating floor of a score.", show_default="suggested from the data"),
    ] = None,
    floor_method: Annotated[
        str | None,
        typer.Option(
            metavar="corner|jump",
            help="How floors are estimated that are not given: from the empty corner where these scores alone raised "
            "alerts, by the density jump where something else raised some.",
        ),
    ] = None,
    decimal: Decimal = None,
    header_line: HeaderLine = None,
    skip_last: SkipLast = 0,
    leave_out_repeats: LeaveOutRepeats = False,
    leave_out_unusable: Annotated[
        bool, typer.Option("--leave-out-unusable", help="Leave out rows with text or infinity in a score.")
    ] = False,
    rule: Annotated[str, typer.Option(metavar="any|all", help="How many scores must reach their threshold.")] = "any",
    method: Annotated[str, typer.Option(help="How the thresholds are found.")] = "smooth",
    since: Since = None,
    until: Until = None,
    author: Annotated[str, typer.Option(help="Who decides.")] = "",
    reason: Annotated[str, typer.Option(help="Why.")] = "",
    current: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help=f"A current threshold, or {NEVER}, to compare with."),
    ] = None,
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the files of the decision go.")] = Path(),
) -> None:
    """Choose thresholds; write the record, the report, and SQL, dbt, Spark and Python files.

    What is not given is guessed from the table, as on the screen; where that is not certain, the command ends and names
    the option to give. Up to 200,000 rows are fetched and worked with as an upload is; more are counted where they lie.

    Ends with 0 when the files are written, and with 2 and one sentence when it cannot be done; then nothing is written.
    """
    with _one_sentence():
        from multiloss_core.command_line.actions import ChoiceOptions, choose
        from multiloss_core.command_line.columns import columns_of
        from multiloss_core.command_line.printing import choice_lines
        from multiloss_core.command_line.reading import Days, loaded_table
        from multiloss_core.decisions import record_files
        from multiloss_core.tables import ReadOptions

        _require_one_of(("any", "all"), rule=rule)
        _require_one_of(("corner", "jump"), floor_method=floor_method)
        _require_one_of((",", "."), decimal=decimal)
        chosen = ChoiceOptions(
            marginal_precision=marginal_precision,
            rule=cast("Rule", rule),
            method=method,
            current=_numbers(current, "--current", {NEVER: math.inf}),
            author=author,
            reason=reason,
        )
        read = ReadOptions(
            sheet=table, header_line=header_line, skip_last=skip_last, leave_out_repeats=leave_out_repeats
        )
        days = Days(since=_day(since), until=_day(until), time=time)
        with loaded_table(source, read, days, cast("DecimalSign | None", decimal)) as loaded:
            columns = columns_of(
                loaded.source.frame,
                loaded.guess,
                loaded.words_of,
                scores=scores or (),
                alert_rules=alert_rules,
                rating=rating,
                given_meanings={
                    "positive": positive or (),
                    "negative": negative or (),
                    "undecided": undecided or (),
                },
                weight=weight,
                group=group,
                time=time,
                segment=segment,
                floors=_numbers(floor, "--floor"),
                floor_method=cast("FloorMethod | None", floor_method),
                leave_out_unusable=leave_out_unusable,
            )
            choice = choose(loaded, columns, chosen, lambda step: typer.echo(f"{step} …", err=True))
        files = record_files(choice.record, FRAUD)
        output.mkdir(parents=True, exist_ok=True)
        for file in files:
            (output / file.name).write_text(file.text, encoding="utf-8", newline="")
    _print(choice_lines(choice.record))
    _print(["", *choice.notes] if choice.notes else [])
    _print(["", f"Written to {output}:", *(f"  {file.name}" for file in files)])


@app.command("watch")
def watch_command(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="The record of a decision (JSON).")],
    source: Source,
    table: Table = None,
    time: Time = None,
    since: Since = None,
    until: Until = None,
    decimal: Decimal = None,
    header_line: HeaderLine = None,
    skip_last: SkipLast = 0,
    leave_out_repeats: LeaveOutRepeats = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the comparison as JSON as well.")
    ] = None,
) -> None:
    """Count a decision's thresholds on newer data, and compare with the expected results.

    Where the decision is of rows with certain values of a column, so is the comparison; its days are not taken over.

    Ends, for schedulers, with

    0: precision and number of alerts are as expected: chance explains the differences.

    1: precision or number of alerts differ by more than chance explains, in either direction.

    2: the comparison cannot be made; one sentence gives the reason.
    """
    with _one_sentence():
        from multiloss_core.command_line.actions import watch
        from multiloss_core.command_line.columns import columns_of_record
        from multiloss_core.command_line.printing import watch_lines
        from multiloss_core.command_line.reading import Days, loaded_table
        from multiloss_core.tables import ReadOptions

        _require_one_of((",", "."), decimal=decimal)
        decided = _read_record(record)
        days, filters = Days(since=_day(since), until=_day(until), time=time), decided.data.filters or ()
        read = ReadOptions(
            sheet=table, header_line=header_line, skip_last=skip_last, leave_out_repeats=leave_out_repeats
        )
        with loaded_table(source, read, days, cast("DecimalSign | None", decimal), filters) as loaded:
            columns = columns_of_record(decided.columns, loaded.source.frame, loaded.guess, loaded.words_of, time)
            watched = watch(decided, loaded, columns)
            data = {"source": loaded.source.name} | loaded.recorded
            if filters:
                data["filters"] = [{"column": entry.column, "values": entry.values} for entry in filters]
        if json_file is not None:
            json_file.write_text(json.dumps(watched.as_dict() | {"data": data}, indent=2, allow_nan=False) + "\n")
    _print(watch_lines(watched))
    raise typer.Exit(AS_EXPECTED if watched.is_as_expected else DIFFERS)


audit_app = typer.Typer(
    help="Estimate recall by a small random audit of documents that nobody rated.", no_args_is_help=True
)
app.add_typer(audit_app, name="audit")

Record = Annotated[Path, typer.Argument(metavar="RECORD", help="The record of a decision (JSON).")]


@audit_app.command("plan")
def plan_command(
    record: Record,
    source: Source,
    table: Table = None,
    documents: Annotated[
        str | None,
        typer.Option(metavar="SOURCE", help="All documents, rated or not: a file, or what an engine reads as SOURCE."),
    ] = None,
    documents_table: Annotated[
        str | None, typer.Option(help="The table of all documents; also its name in the SQL of the draw.")
    ] = None,
    size: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N",
            help="Documents of each stratum, from the floors down and blocked ones last, in place of --documents; the "
            "SQL that counts them is shown when none is given.",
        ),
    ] = None,
    block: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A block threshold, else those of the decision.")
    ] = None,
    budget: Annotated[int | None, typer.Option(metavar="N", help="How many ratings can be afforded.")] = None,
    width: Annotated[
        float | None, typer.Option(help="Width of recall's 95 % interval, a share, in place of --budget.")
    ] = None,
    key: Annotated[str | None, typer.Option(help="Column that identifies documents; needed to draw.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 0,
    dialect: Annotated[str, typer.Option(metavar="postgresql|duckdb|spark", help="SQL of the draw.")] = "postgresql",
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the files go.")] = Path(),
) -> None:
    """Plan a random audit below the floors and above a block threshold; write the plan and the draw.

    SOURCE holds the rated documents of the decision. Ends with 0, or with 2 and one sentence.
    """
    with _one_sentence():
        from multiloss_core.command_line.audits import AuditOptions, plan
        from multiloss_core.command_line.columns import columns_of_record
        from multiloss_core.command_line.reading import Days, loaded_table
        from multiloss_core.tables import ReadOptions

        if dialect not in ("postgresql", "duckdb", "spark"):
            raise DataError(f"--dialect must be postgresql, duckdb or spark, not '{dialect}'.")
        decided = _read_record(record)
        options = AuditOptions(
            documents=documents,
            table=documents_table,
            sizes=size or (),
            blocks=_numbers(block, "--block"),
            budget=budget,
            width=width,
            key=key,
            seed=seed,
            dialect=cast("SqlDialect", dialect),
        )
        with loaded_table(source, ReadOptions(sheet=table), Days(), None, decided.data.filters or ()) as loaded:
            columns = columns_of_record(decided.columns, loaded.source.frame, loaded.guess, loaded.words_of, None)
            found = plan(decided, loaded, columns, options, lambda step: typer.echo(f"{step} …", err=True))
        output.mkdir(parents=True, exist_ok=True)
        for name, text in found.files.items():
            (output / name).write_text(text, encoding="utf-8", newline="")
    _print(found.lines)
    _print(["", f"Written to {output}:", *(f"  {name}" for name in found.files)])


@audit_app.command("read")
def read_command(
    record: Record,
    source: Source,
    plan: Annotated[Path, typer.Option(metavar="FILE", help="The plan (JSON) that audit plan wrote.")],
    rated: Annotated[Path, typer.Option(metavar="FILE", help="The drawn rows with their ratings.")],
    table: Table = None,
    rating: Annotated[
        str | None, typer.Option(help="Column of the ratings.", show_default="that of the decision")
    ] = None,
    positive: Annotated[
        str | None, typer.Option(metavar="WORD", help="The rating that means fraud.", show_default="as in the decision")
    ] = None,
    key: Annotated[str | None, typer.Option(help="Column that identifies documents, to find repeated rows.")] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the record goes that holds the audit (JSON).")
    ] = None,
) -> None:
    """Read the ratings of an audit back; state recall, missed fraud, prevalence and false blocks.

    Ends with 0, or with 2 and one sentence.
    """
    with _one_sentence():
        from multiloss_core.command_line.audits import read
        from multiloss_core.command_line.columns import columns_of_record
        from multiloss_core.command_line.reading import Days, loaded_table
        from multiloss_core.tables import ReadOptions

        decided = _read_record(record)
        with loaded_table(source, ReadOptions(sheet=table), Days(), None, decided.data.filters or ()) as loaded:
            columns = columns_of_record(decided.columns, loaded.source.frame, loaded.guess, loaded.words_of, None)
            audited, lines = read(decided, loaded, columns, plan, rated, rating=rating, positive=positive, key=key)
        if output is not None:
            output.write_text(audited.to_json(), encoding="utf-8", newline="")
    _print(lines)


def main() -> None:
    """Run the command."""
    # PySpark warns of other packages, which users of the command cannot change.
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
    app()


@contextmanager
def _one_sentence() -> Iterator[None]:
    """End with one sentence where something cannot be done."""
    try:
        yield
    except DataError as error:
        from multiloss_core.thresholds import UncertainFloorsError

        options = " (Options: --floor-method corner, --floor-method jump, --floor NAME=VALUE.)"
        complaint = f"{error}{options if isinstance(error, UncertainFloorsError) else ''}"
    except OSError as error:
        complaint = f"'{error.filename}' cannot be read or written: {error.strerror or error}."
    else:
        return
    typer.echo(" ".join(complaint.split()), err=True)
    raise typer.Exit(CANNOT_BE_DONE)


def _read_record(path: Path) -> "DecisionRecord":
    from multiloss_core.decisions import MAX_BYTES
    from multiloss_core.decisions.record import DecisionRecord

    if path.stat().st_size > MAX_BYTES:
        raise DataError(f"'{path.name}' is too large for a decision record; choose a file that was saved as one.")
    return DecisionRecord.from_json(path.read_bytes())


def _numbers(given: Sequence[str] | None, option: str, words: dict[str, float] | None = None) -> dict[str, float]:
    """Read NAME=VALUE; names may hold equals signs themselves."""
    from multiloss_core.numerics import written_number

    found: dict[str, float] = {}
    for text in given or ():
        name, _, value = text.rpartition("=")
        try:
            found[name] = (words or {}).get(value) or written_number(value)
        except ValueError:
            name = ""
        if not name:
            raise DataError(f"'{text}' is no NAME=VALUE; write {option} 'model a=0.5'.")
    return found


def _require_one_of(choices: tuple[str, str], **options: str | None) -> None:
    """Reject an option that is neither left out nor one of the choices."""
    for name, text in options.items():
        if text not in (None, *choices):
            raise DataError(f"--{name.replace('_', '-')} must be {choices[0]} or {choices[1]}, not '{text}'.")


def _day(moment: datetime | None) -> date | None:
    return None if moment is None else moment.date()


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line)


if __name__ == "__main__":
    main()
