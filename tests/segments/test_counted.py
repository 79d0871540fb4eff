"""Segments counted in cells against their documents."""

import numpy as np
import pytest

from multiloss_core import DataError
from multiloss_core.segments import segment_paths
from multiloss_core.thresholds.data.grid_counts import count_nodes_at_or_below, grid_axes
from multiloss_core.thresholds.data.rated_counts import CellCounts, rated_counts
from tests.segments.samples import counted, gated_paths, segmented


def cells_of(documents, axes, rows):
    columns = [count_nodes_at_or_below(axis, x) for axis, x in zip(axes, documents.scores[rows].T, strict=True)]
    cells, slots = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    tables = [np.zeros((len(cells), 2), dtype=kind) for kind in (np.intp, float, float)]
    weights = documents.weights[rows]
    for table, values in zip(tables, (np.ones(len(slots), int), weights, weights**2), strict=True):
        np.add.at(table, (slots, documents.labels[rows].astype(int)), values)
    return CellCounts(cells, *tables)


def surfaces(documents, names, axes=None, rule="any"):
    axes = axes or grid_axes(documents, 40, "quantile")
    whole = rated_counts(axes, cells_of(documents, axes, np.ones(len(names), bool)), rule=rule, names=documents.names)
    parts = {
        name: rated_counts(axes, cells_of(documents, axes, names == name), rule=rule, names=documents.names)
        for name in sorted(set(names))
    }
    return whole, parts


@pytest.mark.parametrize(("rule", "weighted"), [("any", True), ("all", False)])
def test_counts_equal_documents_at_nodes(rule, weighted):
    documents, names = segmented(1, rows=250, shares=(0.6, 0.4), rates=(0.1, 0.4), weighted=weighted)
    paths = gated_paths(*surfaces(documents, names, rule=rule), rule=rule, is_open=False)
    for target in (0.1, 0.3, 0.6):
        points = paths.points_at(target)
        for members, *pair in zip(paths.members, points.own, points.common, strict=True):
            for point in pair:
                expected = counted(documents, names, members, point.thresholds, rule)[:2]
                assert (point.tp, point.fp) == pytest.approx(expected)


def test_counts_and_documents_come_to_similar_thresholds():
    documents, names = segmented(2, rows=5_000, shares=(0.6, 0.4), rates=(0.05, 0.4), scores=1)
    axes = grid_axes(documents, 1000, "quantile")
    known, by_cells = (
        gated_paths(*source, is_open=True) for source in ((documents, names), surfaces(documents, names, axes))
    )
    assert known.names == by_cells.names
    points = (paths.points_at(0.3).own for paths in (known, by_cells))
    for one, other in zip(*points, strict=True):
        assert one.alerts == pytest.approx(other.alerts, rel=0.15)
    assert known.shifts == pytest.approx(by_cells.shifts, abs=0.25)


@pytest.mark.slow
def test_other_grids_and_missing_documents_are_rejected():
    documents, names = segmented(3, rows=200)
    whole, parts = surfaces(documents, names)
    _, others = surfaces(documents, names, grid_axes(documents, 30, "quantile"))
    with pytest.raises(DataError, match="'s1' was not counted on the grid of all documents"):
        segment_paths(whole, {**parts, "s1": others["s1"]})
    with pytest.raises(DataError, match="do not add up to all documents"):
        segment_paths(whole, {name: parts[name] for name in ("s0", "s1")})
    with pytest.raises(DataError, match="There is no segment"):
        segment_paths(whole, {})
    with pytest.raises(DataError, match="not names of documents"):
        segment_paths(whole, names)
    with pytest.raises(DataError, match="no undecided alerts"):
        segment_paths(whole, parts, undecided=["s0"])
