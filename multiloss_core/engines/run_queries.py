"""Ask an engine, check the answer, and return values of this library."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.engines import write_queries
from multiloss_core.engines.columns import ALL_ROWS, RatedColumns, RowWindow
from multiloss_core.engines.engine import Engine
from multiloss_core.engines.write_queries import MAX_CELLS, By
from multiloss_core.errors import DataError
from multiloss_core.formatting import plural, shortened
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.sql_dialects import Value
from multiloss_core.tables.reading.column_types import typed_columns
from multiloss_core.tables.reading.parquet_file import is_readable_type, plain_column
from multiloss_core.tables.reading.table_file import TableFile
from multiloss_core.thresholds.data.counts import Rule, require_rule
from multiloss_core.thresholds.data.grid_counts import Axes
from multiloss_core.thresholds.data.undecided_documents import DataFunnel

SAMPLED_ROWS = 10_000
MAX_RATINGS = 1_000
# Distinct scores of positives that are fetched to choose nodes from; of more, quantiles are.
MAX_DISTINCT = 500_000


@dataclass(frozen=True, kw_only=True)
class ScoreColumn:
    """Hold faults and usable range (NaN if none) of a score column among decided rows."""

    name: str
    blank: int
    unusable: int
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class EngineFunnel:
    """Hold the rows that survive each step, and the contents of each score column."""

    funnel: DataFunnel
    undecided: int
    bad_weights: int
    scores: tuple[ScoreColumn, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class PathCounts:
    """Hold usable documents by the first vertex, `step` (r,) in 0..m, that leaves them out.

    `positive` (r,) is the rating; `documents`, `weights` and `squares` (r,) are n, the sum of weights and that of their
    squares; `by` (r,) is the day, segment or part of groups where it was asked for.
    """

    step: Indices
    positive: Indices
    documents: Indices
    weights: Floats
    squares: Floats
    by: "np.ndarray[Any, Any] | None"


def count_rows(engine: Engine, table: str, window: RowWindow = ALL_ROWS) -> int:
    """Count the rows of a table within a window. Raises EngineError."""
    return int(_only(engine, write_queries.row_count(engine.dialect, engine.source(table), window), "n"))


def count_rows_of_values(
    engine: Engine, table: str, column: str, texts: Sequence[str], window: RowWindow = ALL_ROWS
) -> tuple[int, int]:
    """Count the rows with one of some texts in a column, and the texts found."""
    sql = write_queries.rows_of_values(engine.dialect, engine.source(table), window, column, texts)
    (found,) = engine.query(sql).to_pylist()
    return int(found["n"]), int(found["different"])


def fetch_rows(engine: Engine, table: str, window: RowWindow = ALL_ROWS, *, most: int) -> TableFile:
    """Fetch at most `most` rows, typed as those of a file."""
    found = engine.query(write_queries.some_rows(engine.dialect, engine.source(table), window, int(most)))
    read = dict(zip(found.column_names, found.columns, strict=True))
    left_out = [name for name, column in read.items() if not is_readable_type(column.type)]
    typed = typed_columns({name: plain_column(read[name], name) for name in read if name not in left_out})
    notes = (
        (f"Left out: {', '.join(left_out)}, which no table of numbers, times and text can hold.",) if left_out else ()
    )
    return replace(typed, notes=(*notes, *typed.notes)).table_file()


def column_values(
    engine: Engine, table: str, column: str, window: RowWindow = ALL_ROWS, *, most: int = MAX_RATINGS
) -> list[tuple[Value | None, int]]:
    """List the values of a column with their numbers of rows, the commonest first.

    Raises DataError: more than `most` of them, so that it is no column of ratings or of a few kinds.
    """
    found = engine.query(write_queries.column_values(engine.dialect, engine.source(table), window, column, most))
    values = list(zip(found["value"].to_pylist(), (int(n) for n in found["n"].to_pylist()), strict=True))
    if len(values) > most:
        raise DataError(f"Column '{shortened(column)}' holds more than {most:,} different values; choose another one.")
    return values


def require_numbers(engine: Engine, table: str, columns: RatedColumns) -> None:
    """Reject missing columns, and text for numbers, as each engine parses text differently.

    Raises DataError: naming the column, what it holds, and the way out.
    """
    schema = engine.query(write_queries.some_rows(engine.dialect, engine.source(table), columns.window, 1)).schema
    for name in columns.used:
        if name not in schema.names:
            raise DataError(f"There is no column '{shortened(name)}' in '{table}' any more; choose the columns again.")
    rules = (name for name in columns.alert_rules if columns.base_of(name) == name)
    for name in filter(None, (*columns.scores, *rules, columns.weight)):
        kind = str(schema.field(columns.base_of(name)).type)
        if not kind.startswith(("int", "uint", "float", "double", "halffloat", "decimal", "bool", "null")):
            raise DataError(
                f"Column '{shortened(name)}' of '{table}' holds {kind} and no numbers; choose another column, or make "
                "it one of numbers where the table is made (CAST … AS DOUBLE PRECISION)."
            )


def count_funnel(engine: Engine, table: str, columns: RatedColumns) -> EngineFunnel:
    """Count how many rows survive each step: one pass.

    Raises DataError: rows that cannot be used in a way that the user must decide about (infinite scores, weights that
    are not above 0), one class only, or no usable row: naming the column, how many rows, and the way out.
    """
    require_numbers(engine, table, columns)
    row = engine.query(write_queries.funnel(engine.dialect, engine.source(table), columns)).to_pylist()[0]
    scores = tuple(
        ScoreColumn(
            name=name,
            blank=_whole(row[f"blank_{j}"]),
            unusable=_whole(row[f"unusable_{j}"]),
            low=_number(row[f"low_{j}"]),
            high=_number(row[f"high_{j}"]),
        )
        for j, name in enumerate(columns.classifiers, 1)
    )
    found = EngineFunnel(
        funnel=DataFunnel(**{name: _whole(row[name]) for name in DataFunnel.__dataclass_fields__}),
        undecided=_whole(row["undecided"]),
        bad_weights=_whole(row["bad_weights"]),
        scores=scores,
    )
    _require_usable(found, columns)
    return found


def count_cells(
    engine: Engine, table: str, columns: RatedColumns, axes: Axes
) -> tuple[Indices, Indices, Floats, Floats]:
    """Count usable documents in occupied cells in one pass; the cost grows with rows.

    Returns cells (c, k), how many nodes of each axis lie at or below the scores; and by class (c, 2), negatives first,
    the number of documents, the sum of their weights and that of the squares of these.

    Raises DataError: more than 4 million occupied cells.
    """
    return _by_cell(_cells(engine, table, columns, axes), len(axes))


def count_cells_by_segment(
    engine: Engine, table: str, columns: RatedColumns, axes: Axes, *, most: int
) -> dict[str, tuple[Indices, Indices, Floats, Floats]]:
    """Count as `count_cells` does by text of the segment column, "" for none, in one pass.

    Raises DataError: more than `most` different texts, or 4 million occupied cells of all segments.
    """
    found = _cells(engine, table, columns, axes, "segment")
    code, texts = pd.factorize(_sortable(found["segment"]), sort=True)
    if len(texts) > most:
        raise DataError(
            f"Column '{shortened(columns.segment or '')}' holds {len(texts):,} different values, more than the limit "
            f"of {most} segments for {plural(len(columns.scores), 'score')}; choose a column with fewer values or no "
            "segment column."
        )
    return {
        str(text): _by_cell(found.take(np.flatnonzero(code == number)), len(axes)) for number, text in enumerate(texts)
    }


def _cells(engine: Engine, table: str, columns: RatedColumns, axes: Axes, by: By | None = None) -> Any:
    found = engine.query(write_queries.cells(engine.dialect, engine.source(table), columns, axes, by))
    if found.num_rows > MAX_CELLS:
        raise DataError(f"The grid has more than {MAX_CELLS:,} occupied cells; choose fewer nodes or fewer scores.")
    return found


def _by_cell(found: Any, axes: int) -> tuple[Indices, Indices, Floats, Floats]:
    codes = np.column_stack([_integers(found[f"c{j + 1}"]) for j in range(axes)])
    positive = _integers(found["positive"])
    # Engines give rows in any order: sums of what follows must not depend on it.
    occupied, places = np.unique(codes, axis=0, return_inverse=True)
    documents = np.zeros((len(occupied), 2), dtype=np.intp)
    weights, squares = np.zeros(documents.shape), np.zeros(documents.shape)
    documents[places, positive] = found["n"].to_numpy()
    weights[places, positive] = found["w"].to_numpy()
    squares[places, positive] = found["w2"].to_numpy()
    return occupied, documents, weights, squares


def count_along(
    engine: Engine, table: str, columns: RatedColumns, thresholds: Floats, rule: Rule, by: By | None = None
) -> PathCounts:
    """Count usable documents along a rising path (m, k), by day, segment or part of groups."""
    require_rule(rule)
    finite = np.where(np.isposinf(thresholds), 1e300, thresholds)
    found = engine.query(write_queries.along_path(engine.dialect, engine.source(table), columns, finite, rule, by))
    order = np.lexsort(
        [_integers(found["positive"]), *([_sortable(found[by])] if by else []), _integers(found["step"])]
    )
    return PathCounts(
        step=_integers(found["step"])[order],
        positive=_integers(found["positive"])[order],
        documents=_integers(found["n"])[order],
        weights=np.asarray(found["w"].to_numpy(), dtype=np.float64)[order],
        squares=np.asarray(found["w2"].to_numpy(), dtype=np.float64)[order],
        by=_sortable(found[by])[order] if by else None,
    )


def positive_scores(engine: Engine, table: str, columns: RatedColumns, score: int) -> Floats:
    """Find the distinct scores of positives, rising; of more than 500,000 their 4,096 quantiles."""
    sql = write_queries.distinct_scores(engine.dialect, engine.source(table), columns, score, MAX_DISTINCT)
    found = np.sort(np.asarray(engine.query(sql)["score"].to_numpy(), dtype=np.float64))
    if len(found) <= MAX_DISTINCT:
        return found
    return positive_quantiles(engine, table, columns, score, np.linspace(0, 1, 4_096))


def lowest_scores(
    engine: Engine, table: str, columns: RatedColumns, below: Mapping[int, float] = MappingProxyType({})
) -> Floats:
    """Find the lowest scores (k,) of usable documents below `below`; NaN without any."""
    row = engine.query(write_queries.lowest_scores(engine.dialect, engine.source(table), columns, below)).to_pylist()[0]
    return np.array([_number(row[f"low_{j + 1}"]) for j in range(len(columns.classifiers))])


def positive_quantiles(engine: Engine, table: str, columns: RatedColumns, score: int, shares: Floats) -> Floats:
    """Find distinct quantiles of the scores of positives, exact but in Spark."""
    sql = write_queries.positive_quantiles(engine.dialect, engine.source(table), columns, score, shares.tolist())
    return np.unique(np.asarray(_only(engine, sql, "found"), dtype=np.float64))


def documents_between(
    engine: Engine, table: str, columns: RatedColumns, loose: Floats, strict: Floats, rule: Rule, *, most: int = 1_000
) -> pd.DataFrame:
    """Fetch at most `most` documents that `loose` (k,) flags and `strict` (k,) does not."""
    require_rule(rule)
    sql = write_queries.documents_between(engine.dialect, engine.source(table), columns, loose, strict, rule, most)
    return engine.query(sql).to_pandas()


def _require_usable(found: EngineFunnel, columns: RatedColumns) -> None:
    funnel = found.funnel
    for score in found.scores[len(columns.scores) :]:
        if not {score.low, score.high} <= {0.0, 1.0}:
            raise DataError(
                f"Column '{shortened(score.name)}' is an alert rule, but holds numbers from {score.low:g} to "
                f"{score.high:g}; a rule is 0 or 1, so use the column as a score or correct it."
            )
    for score in found.scores:
        if score.unusable:
            raise DataError(
                f"Column '{shortened(score.name)}' has values that are not usable numbers "
                f"({plural(score.unusable, 'row', 'are')} infinite or above 1e100); correct or remove them where the "
                "table is made."
            )
    if found.bad_weights:
        raise DataError(
            f"Column '{shortened(columns.weight or '')}' has weights that are not numbers above 0 "
            f"({plural(found.bad_weights, 'row')}); correct these weights or choose no weight column."
        )
    if not funnel.at_or_above_floor:
        raise DataError(
            f"None of {funnel.read:,} rows is rated, has a score and reaches a floor; choose "
            "fewer columns, lower floors or a longer range of dates."
        )
    if funnel.positives in (0, funnel.at_or_above_floor) and not columns.one_class:
        kind = "negative" if not funnel.positives else "positive"
        raise DataError(
            f"Every usable row of '{shortened(columns.rating)}' is {kind} ({plural(funnel.at_or_above_floor, 'row')}); "
            "true and false positives are both needed: check what the ratings mean, the floors and the range of dates."
        )
    for score in found.scores[: len(columns.scores)]:
        if score.low == score.high:
            raise DataError(
                f"Column '{shortened(score.name)}' holds the same score, {score.low:g}, in all usable rows, so no "
                "threshold can be chosen on it; leave that column out."
            )


def _only(engine: Engine, sql: str, name: str) -> Any:
    return engine.query(sql)[name][0].as_py()


def _integers(column: Any) -> Indices:
    return np.asarray(column.to_numpy(zero_copy_only=False)).astype(np.intp)


def _sortable(column: Any) -> Any:
    """Days as dates, anything else as text."""
    if "date" in str(column.type) or "time" in str(column.type):
        return column.to_numpy(zero_copy_only=False).astype("datetime64[D]")
    return np.array(column.to_pylist(), dtype=object)


def _whole(value: Any) -> int:
    return 0 if value is None else int(value)


def _number(value: Any) -> float:
    return np.nan if value is None else float(value)
