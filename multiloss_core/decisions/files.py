"""Write the files of a decision: record, thresholds in other languages, summary, report."""

from collections.abc import Mapping
from dataclasses import dataclass

from multiloss_core.decisions.deployable_code import (
    dbt_model,
    python_function,
    spark_action,
    spark_expression,
    sql_action,
    sql_comment,
    sql_where,
    thresholds_csv,
    thresholds_json,
)
from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.reporting.report import html_report, markdown_summary
from multiloss_core.formatting import NEUTRAL, Vocabulary


@dataclass(frozen=True, kw_only=True)
class RecordFile:
    """A file: what it is in words, its name, its text and the type of this."""

    label: str
    name: str
    text: str
    mime: str


def record_files(
    record: DecisionRecord, vocabulary: Vocabulary = NEUTRAL, drawings: Mapping[str, str] | None = None
) -> tuple[RecordFile, ...]:
    """Write all files of a decision, the record first; `drawings`: see `html_report`."""
    stem = f"decision-{record.created:%Y-%m-%d}-{record.record_id[:8]}"
    # Models of dbt and modules of Python are named as in these languages.
    name = stem.replace("-", "_")
    files = [
        ("Record (JSON)", f"{stem}.json", record.to_json(), "application/json"),
        ("Thresholds (JSON)", f"{stem}-thresholds.json", thresholds_json(record), "application/json"),
        ("Thresholds (CSV)", f"{stem}-thresholds.csv", thresholds_csv(record), "text/csv"),
        ("SQL", f"{stem}.sql", sql_comment(record) + sql_where(record), "application/sql"),
        ("dbt", f"{name}_flagged.sql", dbt_model(record), "application/sql"),
        ("Spark", f"{stem}-spark.sql", spark_expression(record), "application/sql"),
        ("Python", f"{name}.py", python_function(record), "text/x-python"),
        ("Summary (Markdown)", f"{stem}.md", markdown_summary(record, vocabulary), "text/markdown"),
        ("Report (HTML)", f"{stem}.html", html_report(record, drawings, vocabulary), "text/html"),
    ]
    if record.block is not None:
        files += [
            ("SQL, both cuts", f"{stem}-action.sql", sql_comment(record) + sql_action(record), "application/sql"),
            ("Spark, both cuts", f"{stem}-spark-action.sql", spark_action(record), "application/sql"),
        ]
    return tuple(RecordFile(label=label, name=name, text=text, mime=mime) for label, name, text, mime in files)
