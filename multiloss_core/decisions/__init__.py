"""A decision as a record, with its exports and reports."""

from multiloss_core.decisions.deployable_code import (
    dbt_model,
    python_function,
    spark_expression,
    sql_where,
    thresholds_csv,
    thresholds_json,
)
from multiloss_core.decisions.evidence import RecordedEvidence
from multiloss_core.decisions.files import RecordFile, record_files, stem_of
from multiloss_core.decisions.finding_evidence import evidence_of
from multiloss_core.decisions.making import (
    MARGINAL_PRECISION,
    funnel_of,
    meanings_of_record,
    record_of_point,
    recorded_columns,
    target_of_point,
)
from multiloss_core.decisions.record import (
    SET_BY_HAND,
    CurrentThresholds,
    ExpectedCounts,
    RecordedColumns,
    RecordedData,
    RecordedFilter,
    RecordedInterval,
    RecordedSettings,
    RecordedTarget,
    Wish,
    data_fingerprint,
    recorded_filters,
    recorded_thresholds,
)
from multiloss_core.decisions.reporting.headline import alerts_a_day_words, headline_of
from multiloss_core.decisions.reporting.report import html_report, markdown_summary
from multiloss_core.decisions.then_and_now import (
    PER_DAY,
    UNKNOWN,
    Change,
    Observed,
    Sizes,
    bounds_of,
    change_of,
    changes_of,
    compared_sizes,
    kept_rows,
    verdict,
)
from multiloss_core.decisions.validation import MAX_BYTES, MAX_NAME, MAX_REASON, checked_name

__all__ = [
    "MARGINAL_PRECISION",
    "MAX_BYTES",
    "MAX_NAME",
    "MAX_REASON",
    "PER_DAY",
    "SET_BY_HAND",
    "UNKNOWN",
    "Change",
    "CurrentThresholds",
    "ExpectedCounts",
    "Observed",
    "RecordFile",
    "RecordedColumns",
    "RecordedData",
    "RecordedEvidence",
    "RecordedFilter",
    "RecordedInterval",
    "RecordedSettings",
    "RecordedTarget",
    "Sizes",
    "Wish",
    "alerts_a_day_words",
    "bounds_of",
    "change_of",
    "changes_of",
    "checked_name",
    "compared_sizes",
    "data_fingerprint",
    "dbt_model",
    "evidence_of",
    "funnel_of",
    "headline_of",
    "html_report",
    "kept_rows",
    "markdown_summary",
    "meanings_of_record",
    "python_function",
    "record_files",
    "record_of_point",
    "recorded_columns",
    "recorded_filters",
    "recorded_thresholds",
    "spark_expression",
    "sql_where",
    "stem_of",
    "target_of_point",
    "thresholds_csv",
    "thresholds_json",
    "verdict"
]  # fmt: skip
