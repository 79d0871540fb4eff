"""Counts rated documents where they lie: the rows never leave their engine, only cells and counts do.

A question is one SELECT (`statements`), written in the words of an engine (`dialects`), answered by DuckDB in this
process, by a Spark cluster or by a PostgreSQL database, and checked by `questions`. From the cells on, everything is as
for documents in memory.
"""

from multiloss_core.engines.columns import ALL_ROWS, Filter, RatedColumns, RowWindow
from multiloss_core.engines.counting import count_documents
from multiloss_core.engines.engine import Cancelled, Engine, EngineError
from multiloss_core.engines.loading import EngineSample, Ratings, load_sample, rated_columns_of, ratings_in
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

__all__ = [
    "ALL_ROWS",
    "Cancelled",
    "Engine",
    "EngineError",
    "EngineFunnel",
    "EngineSample",
    "Filter",
    "PathCounts",
    "RatedColumns",
    "Ratings",
    "RowWindow",
    "column_values",
    "count_along",
    "count_cells",
    "count_documents",
    "count_funnel",
    "count_rows",
    "documents_between",
    "fetch_rows",
    "load_sample",
    "positive_scores",
    "quantiles",
    "rated_columns_of",
    "ratings_in",
]
