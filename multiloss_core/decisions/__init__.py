"""A decision as a record, with its exports and reports."""

from multiloss_core.decisions.deployable_code import (
    dbt_model,
    python_function,
    spark_expression,
    sql_where,
    thresholds_csv,
    thresholds_json,
)
from multiloss_core.decisions.record import (
    SET_BY_HAND,
    CurrentThresholds,
    ExpectedCounts,
    RecordedColumns,
    RecordedData,
    RecordedInterval,
    RecordedSettings,
    RecordedTarget,
    Wish,
    data_fingerprint,
    recorded_thresholds,
)
from multiloss_core.decisions.report import html_report, markdown_summary
from multiloss_core.decisions.then_and_now import PER_DAY, UNKNOWN, Change, Sizes, change_of, compared_sizes
from multiloss_core.decisions.validation import MAX_BYTES, MAX_NAME, MAX_REASON, checked_name

__all__ = [
    "MAX_BYTES",
    "MAX_NAME",
    "MAX_REASON",
    "PER_DAY",
    "SET_BY_HAND",
    "UNKNOWN",
    "Change",
    "CurrentThresholds",
    "ExpectedCounts",
    "RecordedColumns",
    "RecordedData",
    "RecordedInterval",
    "RecordedSettings",
    "RecordedTarget",
    "Sizes",
    "Wish",
    "change_of",
    "checked_name",
    "compared_sizes",
    "data_fingerprint",
    "dbt_model",
    "html_report",
    "markdown_summary",
    "python_function",
    "recorded_thresholds",
    "spark_expression",
    "sql_where",
    "thresholds_csv",
    "thresholds_json"
]  # fmt: skip
