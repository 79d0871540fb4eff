"""Choose, count and draw the strata of an audit in an engine."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from multiloss_core.audit import MAX_STRATA, AuditPlan, AuditStrata, draw_sql
from multiloss_core.audit.draw import PROBABILITY
from multiloss_core.audit.strata import DEFAULT_STRATA, POWER
from multiloss_core.engines.engine import Engine
from multiloss_core.engines.run_queries import fetch_rows
from multiloss_core.errors import DataError
from multiloss_core.formatting import direction, score_name, shortened
from multiloss_core.numerics.arrays import Indices
from multiloss_core.sql_dialects import Dialect


def strata_in(
    engine: Engine,
    table: str,
    names: Sequence[str],
    floors: ArrayLike,
    *,
    blocks: ArrayLike | None = None,
    count: int = DEFAULT_STRATA,
    alert_rules: int = 0,
) -> AuditStrata:
    """Choose strata as `score_strata` does, by quantiles of a table of all documents: one pass.

    `names`, `floors`, `blocks` (k,); the last `alert_rules` classifiers divide nothing.

    Raises DataError: a score that is no column, no document below the floors, or more than 8 strata.
    """
    if not 1 <= count <= MAX_STRATA:
        raise DataError(f"Choose 1 to {MAX_STRATA} strata, not {count}.")
    floor_array = np.asarray(floors, dtype=np.float64)
    block_array = np.full(len(floor_array), np.inf) if blocks is None else np.asarray(blocks, dtype=np.float64)
    everything = AuditStrata(tuple(names), floor_array, np.empty((0, len(floor_array))), block_array, alert_rules)
    _require_columns(engine, table, everything)
    dialect, scores = engine.dialect, len(names) - alert_rules
    # The first share is that of the documents nearest to the floors.
    shares = 1 - (np.arange(1, count) / count) ** POWER
    found = np.empty((0, scores))
    if shares.size:
        columns = ", ".join(
            f"{dialect.quantiles(_score(name, dialect), shares.tolist())} AS q{place}"
            for place, name in enumerate(names[:scores])
        )
        inner = f"SELECT s.*, {everything.sql(dialect)} AS audit_stratum FROM {engine.source(table)} s"
        row = engine.query(f"SELECT {columns} FROM ({inner}) t WHERE audit_stratum = 0").to_pylist()[0]
        if row["q0"] is None:
            raise DataError(f"No document of '{table}' lies below all floors; choose the table of all documents.")
        found = np.column_stack([np.asarray(row[f"q{place}"], dtype=np.float64) for place in range(scores)])
    edges = np.hstack([found, np.tile(floor_array[scores:], (len(found), 1))])
    above, kept = floor_array, []
    for edge in edges:
        # Engines may give quantiles that do not fall.
        lower = np.minimum(edge, above)
        if (lower < above).any():
            kept.append(lower)
            above = lower
    edges = np.array(kept).reshape(-1, len(floor_array))
    return AuditStrata(tuple(names), floor_array, edges, block_array, alert_rules)


def count_strata(engine: Engine, table: str, strata: AuditStrata) -> Indices:
    """Count the documents of each stratum (h,) in one pass. Raises DataError as `strata_in`."""
    _require_columns(engine, table, strata)
    found = engine.query(strata.count_sql(engine.source(table), engine.dialect))
    sizes = np.zeros(strata.count, dtype=np.intp)
    sizes[found["audit_stratum"].to_numpy().astype(np.intp)] = found["documents"].to_numpy()
    return sizes


def draw_in(engine: Engine, table: str, plan: AuditPlan, key: str, *, seed: int = 0) -> pd.DataFrame:
    """Draw a plan's documents as `draw_sql` does. Raises DataError: as `strata_in`, or no key."""
    _require_columns(engine, table, plan.strata, key)
    sql = draw_sql(plan, engine.source(table), key, seed=seed, dialect=engine.dialect)
    drawn = engine.query(sql).to_pandas().drop(columns=["audit_place"])
    # PostgreSQL divides as decimals.
    return drawn.assign(**{PROBABILITY: drawn[PROBABILITY].astype(np.float64)})


def _score(name: str, dialect: Dialect) -> str:
    """Write a score as a double, high = suspicious."""
    number = dialect.without_nan(dialect.as_double(dialect.name(score_name(name))))
    return f"-{number}" if direction(name) < 0 else number


def _require_columns(engine: Engine, table: str, strata: AuditStrata, key: str | None = None) -> None:
    present = fetch_rows(engine, table, most=1).frame.columns
    for name in filter(None, (*map(score_name, strata.names), key)):
        if name not in present:
            raise DataError(f"There is no column '{shortened(name)}' in '{table}'; choose the table of all documents.")
