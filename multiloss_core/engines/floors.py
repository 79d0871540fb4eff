"""Suggest rating floors of a table from all its rows."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from multiloss_core.engines.columns import RatedColumns
from multiloss_core.engines.engine import Engine
from multiloss_core.engines.questions import count_cells, lowest_scores, require_numbers
from multiloss_core.numerics.arrays import Floats
from multiloss_core.tables.column_values import column_of, numbers
from multiloss_core.thresholds.data.rating_floors import (
    FloorMethod,
    UncertainFloorsError,
    estimate_floors,
    suggest_floors,
)

# Nodes of each axis, by the number of scores.
RESOLUTIONS = {2: 400, 3: 100, 4: 40}


def complete_floors(
    engine: Engine,
    table: str,
    columns: RatedColumns,
    given: Sequence[float | None],
    sample: pd.DataFrame,
    method: FloorMethod | None,
) -> tuple[float, ...]:
    """Complete floors (k,) that were not given, as `suggest_floors` does: an empty corner that cannot be enlarged.

    Where it lies is found on a grid of the quantiles of a `sample` of rows, and its sides then among all rows: one pass
    for the smallest scores, one for the cells, and one for each side. Without such a corner, the smallest scores.
    Density jumps are those of the sample.

    Raises
    ------
    UncertainFloorsError : no `method` is given, and the sample leaves the floors uncertain.
    DataError : columns that hold no numbers; EngineError and Cancelled, see `Engine.query`.
    """
    known = {j: floor for j, floor in enumerate(given) if floor is not None}
    if len(known) == len(given):
        return tuple(known.values())
    jumps = _jumps_of_sample(columns, known, sample, method)
    if jumps is not None:
        return tuple((known | jumps)[j] for j in range(len(given)))
    columns = replace(columns, floors=None)
    require_numbers(engine, table, columns)
    # A document at or above a given floor was rated because of it and tells nothing of the others.
    lowest = lowest_scores(engine, table, columns, known)
    if known and np.isnan(lowest).all():
        lowest = lowest_scores(engine, table, columns)
    # That there is no usable row is said where they are counted.
    low = {j: float(np.nan_to_num(lowest[j])) for j in range(len(given)) if j not in known}
    corner = low if len(low) == 1 else _empty_corner(engine, table, columns, known, low, sample)
    return tuple((known | corner)[j] for j in range(len(given)))


def _jumps_of_sample(
    columns: RatedColumns, known: dict[int, float], sample: pd.DataFrame, method: FloorMethod | None
) -> dict[int, float] | None:
    """Find the floors of a sample by density jumps where these are wanted; None where the corner is."""
    if method == "corner":
        return None
    read = [numbers(column_of(sample, name))[0] for name in columns.scores]
    scores = np.column_stack(read)
    usable = np.isfinite(scores).all(axis=1) & sample[columns.rating].notna().to_numpy()
    below_known = (scores[:, [*known]] < np.array([*known.values()])).all(axis=1)
    rows = np.flatnonzero(usable & below_known)
    missing = [j for j in range(len(columns.scores)) if j not in known]
    if not len(rows):
        return None
    estimate = estimate_floors(scores[rows][:, missing], [columns.scores[j] for j in missing])
    if method is None and not estimate.is_certain:
        raise UncertainFloorsError(estimate, rows[estimate.below])
    return None if method is None else dict(zip(missing, estimate.jump.tolist(), strict=True))


def _empty_corner(
    engine: Engine,
    table: str,
    columns: RatedColumns,
    known: dict[int, float],
    low: dict[int, float],
    sample: pd.DataFrame,
) -> dict[int, float]:
    """Find the most surprising empty corner of the scores in `low` among documents below all floors in `known`."""
    axes = tuple(
        np.array([known[j]]) if j in known else _nodes(column_of(sample, name), low[j], RESOLUTIONS[len(low)])
        for j, name in enumerate(columns.scores)
    )
    cells, documents, _, _ = count_cells(engine, table, columns, axes)
    unexplained = (cells[:, [*known]] == 0).all(axis=1)
    if not unexplained.any():
        return low
    nodes = np.column_stack([axes[j][cells[unexplained, j] - 1] for j in low])
    found = suggest_floors(nodes, documents[unexplained].sum(axis=1))
    corner = dict(zip(low, found.tolist(), strict=True))
    if any(corner[j] <= low[j] for j in low):
        return low
    for j in low:
        below = known | {i: limit for i, limit in corner.items() if i != j}
        side = lowest_scores(engine, table, columns, below)[j]
        corner[j] = corner[j] if np.isnan(side) else float(side)
    return corner


def _nodes(sample: pd.Series, low: float, resolution: int) -> Floats:
    values = pd.to_numeric(sample, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    values = values[np.isfinite(values) & (values > low)]
    spread = np.quantile(values, np.linspace(0, 1, resolution - 1), method="inverted_cdf") if len(values) else values
    return np.unique(np.concatenate([[low], spread]))
