"""A decision taken away: the record, its thresholds in other languages, the summary and the report."""

import streamlit as st

from multiloss_core import DecisionRecord
from multiloss_core.decisions import (
    dbt_model,
    html_report,
    markdown_summary,
    python_function,
    spark_expression,
    sql_where,
    thresholds_csv,
    thresholds_json,
)
from ui.shared.formatting import FRAUD

HTML = "text/html"


def offer_files(record: DecisionRecord, tag: str, *, report: bool = True) -> None:
    """Offer the downloads of a record, and the thresholds as code to copy. `tag` is for the keys."""
    stem = stem_of(record)
    files = [
        ("Record (JSON)", record.to_json(), f"{stem}.json", "application/json"),
        ("Thresholds (JSON)", thresholds_json(record), f"{stem}-thresholds.json", "application/json"),
        ("Thresholds (CSV)", thresholds_csv(record), f"{stem}-thresholds.csv", "text/csv"),
        ("SQL", sql_where(record), f"{stem}.sql", "application/sql"),
        ("dbt", dbt_model(record), f"{stem.replace('-', '_')}_flagged.sql", "application/sql"),
        ("Spark", spark_expression(record), f"{stem}-spark.sql", "application/sql"),
        ("Python", python_function(record), f"{stem.replace('-', '_')}.py", "text/x-python"),
        ("Summary (Markdown)", markdown_summary(record, FRAUD), f"{stem}.md", "text/markdown"),
    ]
    if report:
        files.append(("Report (HTML)", html_report(record, vocabulary=FRAUD), f"{stem}.html", HTML))
    with st.container(horizontal=True, gap="small"):
        for words, text, name, mime in files:
            offer_file(words, text, name, mime, tag)
    show_code(record)


def offer_file(words: str, text: str, name: str, mime: str, tag: str) -> None:
    """Offer one download, which runs nothing again."""
    st.download_button(
        words, text, name, mime, key=f"take_{words}_{tag}", icon=":material/download:", on_click="ignore"
    )


def show_code(record: DecisionRecord) -> None:
    """Show the condition, the model, the expression and the function, to copy."""
    sql, dbt, spark, python = st.tabs(["SQL", "dbt", "Spark", "Python"])
    sql.code(sql_where(record), language="sql", wrap_lines=True)
    dbt.code(dbt_model(record), language="sql", wrap_lines=True)
    spark.code(spark_expression(record), language="sql", wrap_lines=True)
    python.code(python_function(record), language="python", wrap_lines=True)


def stem_of(record: DecisionRecord) -> str:
    """Make the beginning of its files' names: the day, and the first digits of its id."""
    return f"decision-{record.created:%Y-%m-%d}-{record.record_id[:8]}"
