"""A decision taken away: the record, its thresholds in other languages, the summary and the report."""

import streamlit as st

from multiloss_core import DecisionRecord
from multiloss_core.decisions import dbt_model, python_function, record_files, spark_expression, sql_where
from ui.shared.formatting import FRAUD

HTML = "text/html"


def offer_files(record: DecisionRecord, tag: str, *, report: bool = True) -> None:
    """Offer the downloads of a record, and the thresholds as code to copy. `tag` is for the keys."""
    with st.container(horizontal=True, gap="small"):
        for file in record_files(record, FRAUD, report=report):
            offer_file(file.label, file.text, file.name, file.mime, tag)
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
