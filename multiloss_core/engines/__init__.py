"""Counts rated documents where they lie: the rows never leave their engine, only cells and counts do.

A question is one SELECT (`statements`), written in the words of an engine (`dialects`), answered by DuckDB in this
process, by a Spark cluster or by a PostgreSQL database (`backends`), and checked by `questions`. `load_sample` decides
whether rows are fetched or counted, `read_file_table` does so for a file, `count_documents` counts them; from the
cells on, everything is as for documents in memory. `count_along` counts all points of a path by day, segment or part
of groups, for look-ups.
"""

from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine
from multiloss_core.engines.borderline import BorderlineRows, borderline_rows
from multiloss_core.engines.columns import ALL_ROWS, Filter, RatedColumns, RowWindow
from multiloss_core.engines.counting import (
    CountedDataset,
    count_documents,
    daily_alerts_along,
    group_parts_along,
    over_time_along,
    segment_counts_along,
    weekly_counts_along,
)
from multiloss_core.engines.dialects import Dialect
from multiloss_core.engines.engine import Cancelled, Engine, EngineError
from multiloss_core.engines.loading import (
    MOST_FETCHED,
    EngineSample,
    EngineTable,
    load_sample,
    rated_columns_of,
    ratings_in,
)
from multiloss_core.engines.questions import (
    EngineFunnel,
    PathCounts,
    column_values,
    count_along,
    count_cells,
    count_funnel,
    count_rows,
    documents_between,
    fetch_rows,
    positive_scores,
    quantiles,
)
from multiloss_core.engines.statements import By
from multiloss_core.engines.uploads import FileTable, load_rated_source, read_file_table, read_rated_source

__all__ = [
    "ALL_ROWS",
    "MOST_FETCHED",
    "BorderlineRows",
    "By",
    "Cancelled",
    "CountedDataset",
    "Dialect",
    "DuckDBEngine",
    "Engine",
    "EngineError",
    "EngineFunnel",
    "EngineSample",
    "EngineTable",
    "FileTable",
    "Filter",
    "PathCounts",
    "RatedColumns",
    "RowWindow",
    "borderline_rows",
    "column_values",
    "count_along",
    "count_cells",
    "count_documents",
    "count_funnel",
    "count_rows",
    "daily_alerts_along",
    "documents_between",
    "fetch_rows",
    "group_parts_along",
    "load_rated_source",
    "load_sample",
    "over_time_along",
    "positive_scores",
    "quantiles",
    "rated_columns_of",
    "ratings_in",
    "read_file_table",
    "read_rated_source",
    "segment_counts_along",
    "weekly_counts_along",
]
