"""Define `multiloss audit`; its functions import the library, as --help must be quick."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from multiloss_core.command_line.exit_codes import CODES_HELP, one_sentence
from multiloss_core.command_line.options import (
    Json,
    Source,
    Table,
    print_lines,
    print_step,
    read_numbers,
    read_record,
    said_if_slow,
    write_json,
)
from multiloss_core.errors import DataError

if TYPE_CHECKING:
    from multiloss_core.sql_dialects import SqlDialect

audit_app = typer.Typer(
    help=f"Estimate recall by a small random audit of unrated documents. {CODES_HELP}", no_args_is_help=True
)
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
    json_file: Json = None,
) -> None:
    """Plan a random audit below the floors and above a block threshold.

    SOURCE holds the rated documents of the decision. Writes the plan and the draw.
    """
    with one_sentence():
        from multiloss_core.command_line.audits import AuditOptions, plan
        from multiloss_core.command_line.columns import columns_of_record
        from multiloss_core.command_line.reading import Days, loaded_table
        from multiloss_core.tables import ReadOptions

        if dialect not in ("postgresql", "duckdb", "spark"):
            raise DataError(f"--dialect must be postgresql, duckdb or spark, not '{dialect}'.")
        decided = read_record(record)
        options = AuditOptions(
            documents=documents,
            table=documents_table,
            sizes=size or (),
            blocks=read_numbers(block, "--block"),
            budget=budget,
            width=width,
            key=key,
            seed=seed,
            dialect=cast("SqlDialect", dialect),
        )
        with loaded_table(source, ReadOptions(sheet=table), Days(), None, decided.data.filters or ()) as loaded:
            columns = columns_of_record(decided.columns, loaded.source.frame, loaded.guess, loaded.words_of, None)
            files, lines = plan(decided, loaded, columns, options, print_step)
        output.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (output / name).write_text(text, encoding="utf-8", newline="")
        err = write_json(files["audit-plan.json"], json_file)
        print_lines([*lines, "", f"Written to {output}:", *(f"  {name}" for name in files)], err=err)


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
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Drawn rows that are not in FILE are missing at random.")
    ] = False,
    refuted: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="A positive that a second rating found negative; repeatable."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the record goes that holds the audit (JSON).")
    ] = None,
    json_file: Json = None,
) -> None:
    """Read the ratings of an audit: recall, missed fraud, prevalence, false blocks."""
    with one_sentence():
        from multiloss_core.command_line.audits import read
        from multiloss_core.command_line.columns import columns_of_record
        from multiloss_core.command_line.reading import Days, loaded_table
        from multiloss_core.tables import ReadOptions

        decided = read_record(record)
        with loaded_table(source, ReadOptions(sheet=table), Days(), None, decided.data.filters or ()) as loaded:
            columns = columns_of_record(decided.columns, loaded.source.frame, loaded.guess, loaded.words_of, None)
            options = {"rating": rating, "positive": positive, "key": key}
            with said_if_slow("Reading the audit"):
                audited, lines = read(
                    decided, loaded, columns, plan, rated, **options, allow_missing=allow_missing, refuted=refuted or ()
                )
        if output is not None:
            output.write_text(audited.to_json(), encoding="utf-8", newline="")
        err = write_json(json.dumps(audited.as_dict()["audit"], indent=2, allow_nan=False), json_file)
        print_lines(lines, err=err)
