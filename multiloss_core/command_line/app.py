"""Define the command `multiloss`; its functions import the library, as --help must be quick."""

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from multiloss_core.command_line.audit_app import audit_app
from multiloss_core.command_line.exit_codes import AS_DECIDED, CODES_HELP, DIFFERS, WRONG_INPUT, one_sentence
from multiloss_core.command_line.options import (
    Json,
    Source,
    Table,
    print_lines,
    print_step,
    read_numbers,
    read_pairs,
    read_record,
    require_one_of,
    said_if_slow,
    write_decision,
    write_json,
)
from multiloss_core.formatting import NEVER, plural
from multiloss_core.version import __version__

if TYPE_CHECKING:
    from multiloss_core.command_line.reading import LoadedTable
    from multiloss_core.decisions.record_fields import RecordedFilter
    from multiloss_core.tables import DecimalSign
    from multiloss_core.tables.repeated_rows import Keep
    from multiloss_core.thresholds import FloorMethod, Rule

app = typer.Typer(
    name="multiloss",
    help=f"Choose thresholds for fraud classifiers from rated predicted positives, and watch them. {CODES_HELP}",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

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


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def version_option(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Take the options that stand before a command."""


@app.command("choose")
def choose_command(
    source: Source,
    marginal_precision: Annotated[
        float | None, typer.Option(help="How many of the last alerts added must be fraud, a share between 0 and 1.")
    ] = None,
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help='In place of it, costs as JSON: {"review": 5, "catch": 100, "annoyance": 1}.'
        ),
    ] = None,
    alerts_per_day: Annotated[
        float | None, typer.Option(metavar="N", help="In place of it, how many alerts a day there may be on average.")
    ] = None,
    precision: Annotated[
        float | None, typer.Option(help="In place of it, the precision of all alerts, at least, between 0 and 1.")
    ] = None,
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
    repeats: Annotated[
        str | None,
        typer.Option(metavar="last|first|all", help="Which rows count of an alert that stands in several rows."),
    ] = None,
    equal_ages: Annotated[
        bool,
        typer.Option(
            "--equal-ages",
            help="Count old alerts as much as new ones, also where the newest ones are predicted better otherwise.",
        ),
    ] = False,
    earlier: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="An earlier file of the same columns, which the thresholds rest on as well; repeatable, the most "
            "recent one first. Counts are those of SOURCE alone.",
        ),
    ] = None,
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
    json_file: Json = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no steps.")] = False,
) -> None:
    """Choose thresholds; write the record, the report, and SQL, dbt, Spark and Python files.

    What is not given is guessed from the table, as on the screen; where that is not certain, the command ends and names
    the option to give. Up to 1,000,000 rows are fetched and worked with as an upload is; more are counted where they
    lie. Record, SQL and Python are also written as latest.json, latest.sql and latest.py, for jobs that run each night.

    Ends with 0 when the files are written, with 2 and one sentence when the input or an option is wrong, and with 3 and
    one sentence when something else failed, such as a full disk, a database or a missing package.
    """
    with one_sentence():
        from multiloss_core.command_line.actions import ChoiceOptions, choose
        from multiloss_core.command_line.columns import columns_of
        from multiloss_core.command_line.goals import Goal, read_costs
        from multiloss_core.command_line.printing import choice_lines
        from multiloss_core.command_line.reading import Days, loaded_table
        from multiloss_core.tables import ReadOptions

        require_one_of(("any", "all"), rule=rule)
        require_one_of(("corner", "jump"), floor_method=floor_method)
        require_one_of((",", "."), decimal=decimal)
        require_one_of(("last", "first", "all"), repeats=repeats)
        chosen = ChoiceOptions(
            goal=Goal(
                marginal_precision=marginal_precision,
                costs=None if costs is None else read_costs(costs),
                alerts_per_day=alerts_per_day,
                precision=precision,
            ),
            rule=cast("Rule", rule),
            method=method,
            current=read_numbers(current, "--current", {NEVER: math.inf}),
            author=author,
            reason=reason,
        )
        read = ReadOptions(
            sheet=table, header_line=header_line, skip_last=skip_last, leave_out_repeats=leave_out_repeats
        )
        days = Days(since=_day(since), until=_day(until), time=time)
        sign = cast("DecimalSign | None", decimal)
        with ExitStack() as opened:
            loaded = opened.enter_context(loaded_table(source, read, days, sign))
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
                floors=read_numbers(floor, "--floor"),
                floor_method=cast("FloorMethod | None", floor_method),
                leave_out_unusable=leave_out_unusable,
                repeats=cast("Keep | None", repeats),
                age_weights=not equal_ages,
            )
            before = [opened.enter_context(loaded_table(one, read, Days(), sign)) for one in earlier or ()]
            choice = choose(loaded, columns, chosen, _ignore if quiet else print_step, before)
        err = write_json(choice.record.to_json(), json_file)
        print_lines(choice_lines(choice.record), err=err)
        print_lines(["", *choice.notes] if choice.notes else [], err=err)
        print_lines(write_decision(choice.record, output), err=err)


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
    json_file: Json = None,
) -> None:
    """Count a decision's thresholds on newer data, and compare with the expected results.

    Where the decision is of rows with certain values of a column, so is the comparison; its days are not taken over.

    Ends, for schedulers, with

    0: precision and number of alerts are as expected: chance explains the differences.

    1: precision or number of alerts differ by more than chance explains, in either direction.

    2: the input or an option is wrong; one sentence gives the reason.

    3: something else failed, such as a full disk, a database or a missing package; one sentence gives the reason.
    """
    with one_sentence():
        from multiloss_core.command_line.actions import watch
        from multiloss_core.command_line.columns import columns_of_record
        from multiloss_core.command_line.printing import watch_lines

        decided = read_record(record)
        days, filters = (time, since, until), decided.data.filters or ()
        with _opened(source, table, days, decimal, header_line, skip_last, leave_out_repeats, filters) as loaded:
            columns = columns_of_record(decided.columns, loaded.source.frame, loaded.guess, loaded.words_of, time)
            with said_if_slow("Counting"):
                watched = watch(decided, loaded, columns)
            data = {"source": loaded.source.name} | loaded.recorded
            if filters:
                data["filters"] = [{"column": entry.column, "values": entry.values} for entry in filters]
        err = write_json(json.dumps(watched.as_dict() | {"data": data}, indent=2, allow_nan=False), json_file)
        print_lines(watch_lines(watched), err=err)
    if not watched.is_tested:
        raise typer.Exit(WRONG_INPUT)
    raise typer.Exit(AS_DECIDED if watched.is_as_expected else DIFFERS)


@app.command("queue")
def queue_command(
    source: Source,
    record: Annotated[Path, typer.Option(metavar="RECORD", help="The record of a decision (JSON).")],
    take: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How many alerts to list.", show_default="all")
    ] = None,
    table: Table = None,
    time: Time = None,
    since: Since = None,
    until: Until = None,
    decimal: Decimal = None,
    header_line: HeaderLine = None,
    skip_last: SkipLast = 0,
    leave_out_repeats: LeaveOutRepeats = False,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the list goes.", show_default="standard output")
    ] = None,
    json_file: Json = None,
) -> None:
    """List the undecided alerts of a table as CSV, the likeliest fraud first.

    The list names those that the decision flags. The order is that of P(fraud | scores): of the combined score of the
    decision, or of one that is fitted to the rated rows of the table.

    Ends with 0 when the list is written, with 2 and one sentence when the input or an option is wrong, and with 3 and
    one sentence when something else failed.
    """
    with one_sentence():
        from multiloss_core.command_line.columns import columns_of_record
        from multiloss_core.datasets import queue_of
        from multiloss_core.tables import frame_as_csv

        decided, days = read_record(record), (time, since, until)
        with _opened(source, table, days, decimal, header_line, skip_last, leave_out_repeats) as loaded:
            frame = loaded.fetched
            columns = columns_of_record(decided.columns, frame, loaded.guess, loaded.words_of, time, rated=False)
            with said_if_slow("Ordering alerts"):
                queue = queue_of(frame, columns, decided.threshold_array, decided.settings.rule)
        listed = queue.listed(frame, take)
        err = json_file is not None and write_json(
            listed.to_json(orient="records", date_format="iso", indent=2), json_file
        )
        if output is not None:
            output.write_text(frame_as_csv(listed), encoding="utf-8", newline="")
            print_lines([f"{len(listed):,} of {len(queue.rows):,} undecided alerts are in {output}."], err=err)
        elif not err:
            typer.echo(frame_as_csv(listed), nl=False)


@app.command("change")
def change_command(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="The record of a decision (JSON).")],
    source: Source,
    new: Annotated[
        list[str],
        typer.Option(
            metavar="SCORE=COLUMN", help="The new column of a score of the decision; repeatable, as for several scores."
        ),
    ],
    alerts: Annotated[
        float | None,
        typer.Option(metavar="N", help="How many alerts to flag.", show_default="as many as the decision"),
    ] = None,
    table: Table = None,
    time: Time = None,
    since: Since = None,
    until: Until = None,
    decimal: Decimal = None,
    header_line: HeaderLine = None,
    skip_last: SkipLast = 0,
    leave_out_repeats: LeaveOutRepeats = False,
    author: Annotated[str, typer.Option(help="Who decides.")] = "",
    reason: Annotated[str, typer.Option(help="Why.")] = "",
    to_rate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the alerts to rate first go, as CSV.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Make it a decision: where its files go.")
    ] = None,
    json_file: Json = None,
) -> None:
    """Find thresholds of new scores that flag as many alerts as a decision.

    SOURCE holds the old and the new scores of the same documents, rated or not; with --alerts the new ones are enough.
    Prints which alerts stay, go and come, and bounds of the precision.

    Ends with 0, with 2 and one sentence when the input or an option is wrong, and with 3 and one sentence when
    something else failed.
    """
    with one_sentence():
        from multiloss_core.command_line.printing import change_lines
        from multiloss_core.model_change import model_change, record_of_change, rows_to_rate

        decided, days = read_record(record), (time, since, until)
        with _opened(source, table, days, decimal, header_line, skip_last, leave_out_repeats) as loaded:
            frame, read = loaded.fetched, loaded.source
        with said_if_slow("Finding thresholds"):
            change = model_change(decided, frame, read_pairs(new, "--new", "model=model v2"), alerts=alerts)
        err = write_json(json.dumps(change.as_dict(), indent=2, allow_nan=False), json_file)
        print_lines(change_lines(decided, change), err=err)
        if to_rate is not None:
            to_rate.write_text(rows_to_rate(change, frame), encoding="utf-8", newline="")
            print_lines(["", f"{plural(len(change.to_rate), 'alert')} to rate, in this order: {to_rate}."], err=err)
        if output is not None:
            made = record_of_change(
                decided, change, frame, name=read.name, fingerprint=read.fingerprint, author=author, reason=reason
            )
            print_lines(write_decision(made, output), err=err)


app.add_typer(audit_app, name="audit")


@contextmanager
def _opened(
    source: str,
    table: str | None,
    days: tuple[str | None, datetime | None, datetime | None],
    decimal: str | None,
    header_line: int | None,
    skip_last: int,
    leave_out_repeats: bool,
    filters: "Sequence[RecordedFilter]" = (),
) -> "Iterator[LoadedTable]":
    """Open the table of a command; `days`: column, first day and the day after the last."""
    from multiloss_core.command_line.reading import Days, loaded_table
    from multiloss_core.tables import ReadOptions

    require_one_of((",", "."), decimal=decimal)
    time, since, until = days
    read = ReadOptions(sheet=table, header_line=header_line, skip_last=skip_last, leave_out_repeats=leave_out_repeats)
    limits = Days(since=_day(since), until=_day(until), time=time)
    with ExitStack() as opened:
        with said_if_slow("Reading"):
            loaded = opened.enter_context(
                loaded_table(source, read, limits, cast("DecimalSign | None", decimal), filters)
            )
        yield loaded


def _ignore(step: str) -> None:
    """Print nothing."""


def _day(moment: datetime | None) -> date | None:
    return None if moment is None else moment.date()
