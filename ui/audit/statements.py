"""Show a statement of SQL for the user's own warehouse."""

from collections.abc import Callable

import streamlit as st

from multiloss_core import DataError
from multiloss_core.sql_dialects import SqlDialect
from ui.shared.formatting import as_text

DIALECTS: dict[str, SqlDialect] = {"PostgreSQL": "postgresql", "DuckDB": "duckdb", "Spark": "spark"}


def show_statement(key: str, write: Callable[[str, SqlDialect], str]) -> None:
    """Show the SQL that `write` makes for a table and a dialect, or why there is none."""
    left, right = st.columns([2, 3])
    dialect = left.segmented_control(
        "SQL for", list(DIALECTS), default="PostgreSQL", required=True, key=f"audit_{key}_dialect"
    )
    table = right.text_input("Table", "documents", key=f"audit_{key}_table", help="As it stands after FROM.")
    try:
        st.code(write(table, DIALECTS[dialect]), language="sql", wrap_lines=True)
    except DataError as error:
        st.info(as_text(str(error)), icon=":material/info:")
