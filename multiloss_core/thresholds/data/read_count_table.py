"""Read a ready table of counts: one row for each node of a full grid of thresholds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats, Indices, rounding_tolerance
from multiloss_core.tables.column_values import numbers, require_usable, threshold_columns
from multiloss_core.thresholds.data.counts import Rule
from multiloss_core.thresholds.data.grid_counts import MAX_NODES, Axes


def read_count_table(
    frame: pd.DataFrame, thresholds: Sequence[str] | None
) -> tuple[Axes, Floats, Floats, tuple[str, ...]]:
    """Read axes, TP and FP (n_1, …, n_k) and classifiers' names; see `CountSurfaces.from_table`."""
    by_name = {str(column).strip().lower(): column for column in frame.columns}
    for wanted in ("tp", "fp"):
        if wanted not in by_name:
            raise DataError(f"A table of counts needs a column '{wanted.upper()}'; rename one or choose another file.")
    names = list(thresholds) if thresholds is not None else threshold_columns(frame)
    for name in names:
        if name not in frame.columns:
            raise DataError(f"There is no column '{name}' in the table of counts; choose another.")
    if not names:
        raise DataError("A table of counts needs threshold columns (T1, T2, …) beside TP and FP; add them.")
    if len(frame) > MAX_NODES:
        raise DataError(f"The table has {len(frame):,} rows, more than {MAX_NODES:,} nodes; use a coarser grid.")
    columns = [_finite_column(frame[name]) for name in [*names, by_name["tp"], by_name["fp"]]]
    axes, positions = zip(*(np.unique(values, return_inverse=True) for values in columns[: len(names)]), strict=True)
    shape = tuple(len(axis) for axis in axes)
    for name, axis in zip(names, axes, strict=True):
        if len(axis) < 2:
            raise DataError(f"Column '{name}' holds one threshold only, {axis[0]:g} from row 1 on; leave it out.")
    row_at = _row_of_each_node(names, axes, positions, shape)
    tp, fp = (
        _surface_of_column(title, values, names, row_at.reshape(shape))
        for title, values in (("TP", columns[-2]), ("FP", columns[-1]))
    )
    if not (tp.any() or fp.any()):
        raise DataError(
            f"TP and FP are 0 in all {len(frame):,} rows, so no threshold flags anything; choose a table with counts."
        )
    return axes, tp, fp, tuple(map(str, names))


def _finite_column(column: "pd.Series[Any]") -> Floats:
    values, blank, unusable = numbers(column)
    rows = np.arange(len(column))
    require_usable(column, ~(blank | unusable), rows, expected="finite numbers", way_out="correct them")
    return values


def _row_of_each_node(
    names: Sequence[str], axes: Sequence[Floats], positions: Sequence[Indices], shape: tuple[int, ...]
) -> Indices:
    if np.prod(shape, dtype=np.float64) > MAX_NODES:
        raise DataError(
            f"The thresholds of the {len(positions[0]):,} rows form no full grid: {' x '.join(map(str, shape))} "
            "different values would need a row for each combination."
        )
    node = np.ravel_multi_index(tuple(positions), shape)
    times = np.bincount(node, minlength=int(np.prod(shape)))
    if (times > 1).any():
        first, second = np.flatnonzero(node == (times > 1).argmax())[:2]
        raise DataError(
            f"The node {_node_words(names, axes, int(node[first]), shape)} occurs more than once "
            f"(rows {first + 1:,} and {second + 1:,}; {(times > 1).sum():,} such nodes); keep one row for each."
        )
    if (times == 0).any():
        raise DataError(
            f"{(times == 0).sum():,} nodes of the {' x '.join(map(str, shape))} grid are missing (first: "
            f"{_node_words(names, axes, int((times == 0).argmax()), shape)}); add a row for each combination of "
            "thresholds."
        )
    return np.argsort(node)


def _node_words(names: Sequence[str], axes: Sequence[Floats], node: int, shape: tuple[int, ...]) -> str:
    index = np.unravel_index(node, shape)
    return ", ".join(f"{name} = {axis[i]:.10g}" for name, axis, i in zip(names, axes, index, strict=True))


def _surface_of_column(title: str, values: Floats, names: Sequence[str], row_at: Indices) -> Floats:
    """Return the counts at nodes, `row_at` (n_1, …, n_k) their rows; reject rising counts."""
    if (values < 0).any():
        row = int((values < 0).argmax())
        raise DataError(
            f"Column '{title}' has {(values < 0).sum():,} negative counts (first: row {row + 1:,}, {values[row]:g}); "
            "correct them."
        )
    counts = values[row_at]
    for j, name in enumerate(names):
        rises = np.diff(counts, axis=j) > rounding_tolerance(counts)
        if rises.any():
            low = tuple(np.argwhere(rises)[0])
            high = tuple(i + (axis == j) for axis, i in enumerate(low))
            raise DataError(
                f"Column '{title}' rises as '{name}' rises in {rises.sum():,} places (first: from {counts[low]:g} in "
                f"row {row_at[low] + 1:,} to {counts[high]:g} in row {row_at[high] + 1:,}); flagging at or above "
                "thresholds can only lose documents: check the columns."
            )
    return counts


def known_rule(alerts: Floats) -> Rule:
    """Infer the rule from the counts left when two thresholds rise together or apart."""
    if alerts.ndim == 1:
        return "any"
    evidence = 0.0
    for i in range(alerts.ndim):
        for j in range(i):
            for rest in (0, -1):
                index: list[int | slice] = [rest] * alerts.ndim
                index[i] = index[j] = slice(None)
                face = alerts[tuple(index)]
                evidence += face[0, 0] - face[0, -1] - face[-1, 0] + face[-1, -1]
    return "all" if evidence > 0 else "any"
