"""A decision taken away: the record, its thresholds in other languages, the summary and the report."""

from collections.abc import Mapping

import streamlit as st

from multiloss_core import DecisionRecord
from multiloss_core.decisions import RecordFile, dbt_model, python_function, record_files, spark_expression, sql_where
from multiloss_core.figures import weeks_drawing
from ui.shared.formatting import vocabulary


def offer_files(record: DecisionRecord, tag: str, drawings: Mapping[str, str] | None = None) -> None:
    """Offer the downloads of a record, and the thresholds as code to copy. `tag` is for the keys.

    `drawings`: the charts of the report by title; without them it shows what the record itself knows.
    """
    with st.container(horizontal=True, gap="small"):
        for file in record_files(record, vocabulary(), weeks_of(record) if drawings is None else drawings):
            download_button(file, tag)
    show_code(record)


def download_button(file: RecordFile, tag: str) -> None:
    """Offer one download, which runs nothing again."""
    st.download_button(
        file.label,
        file.text,
        file.name,
        file.mime,
        key=f"take_{file.label}_{tag}",
        icon=":material/download:",
        on_click="ignore",
    )


def weeks_of(record: DecisionRecord) -> dict[str, str]:
    """Draw the weeks that a record knows; nothing for one that knows none."""
    weeks = () if record.evidence is None else record.evidence.weeks
    return {"Alerts of each week": weeks_drawing(weeks, vocabulary())} if weeks else {}


def show_code(record: DecisionRecord) -> None:
    """Show the condition, the model, the expression and the function, to copy."""
    sql, dbt, spark, python = st.tabs(["SQL", "dbt", "Spark", "Python"])
    sql.code(sql_where(record), language="sql", wrap_lines=True)
    dbt.code(dbt_model(record), language="sql", wrap_lines=True)
    spark.code(spark_expression(record), language="sql", wrap_lines=True)
    python.code(python_function(record), language="python", wrap_lines=True)
