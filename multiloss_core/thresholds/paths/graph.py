"""Find the best path over the nodes of a threshold grid (Robles et al. 2020, Algorithm 3)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from multiloss_core.errors import DataError, require_type
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces, node_index
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

if TYPE_CHECKING:
    import networkx as nx

MIN_SHARE_DELETED = 0.01


def graph_path(surfaces: CountSurfaces, *, most_fp: float | None = None) -> ThresholdPath:
    """Find the lattice path between corners with the largest area under its TP-FP curve.

    Every step raises one threshold by one node; its weight is the negative trapezoid area (equation 3). The graph has
    no cycles, so one sweep over its anti-diagonals finds the shortest path that the paper finds by Bellman-Ford.
    Time O(k N) and memory O(N) for N nodes. Ties go to the larger sum of TP over the nodes, so that the path keeps true
    positives where no false positive is left. With `most_fp` only the area up to this FP counts
    (`ThresholdPath.area_up_to`), for a desk that never flags more.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import count_surfaces, graph_path, operating_point, simulate_population
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> path = graph_path(count_surfaces(documents, resolution=20))
    >>> point = operating_point(path, 0.2)
    >>> point.tp, point.fp
    (96.0, 79.0)
    """
    require_type(surfaces, CountSurfaces, "surfaces, see count_surfaces")
    counted = surfaces if most_fp is None else replace(surfaces, fp=np.minimum(surfaces.fp, most_fp))
    nodes = _best_of_two(counted) if counted.tp.ndim == 2 else _best_nodes(_sweep(counted))
    if nodes is None:
        raise AssertionError("a full lattice has a path")
    return _path_through(surfaces, nodes, "graph")


def mean_graph_path(
    surfaces: CountSurfaces,
    generator: np.random.Generator,
    *,
    draws: int = 30,
    deleted: float = 0.2,
    documents: RatedDocuments | None = None,
) -> ThresholdPath:
    """Average best paths after random deletion of edges (Robles et al. 2020, Discussion).

    In each draw every edge is deleted with probability `deleted` (in [0, 0.5)), and the thresholds of the best
    remaining paths are averaged at equal distance from the first corner; the mean never falls. A draw that leaves no
    path, as on small grids, is repeated with half the share, in the end with none. Counts are exact from `documents`;
    without them each mean threshold is raised to the next node of the grid, where the counts are known.

    Raises DataError: draws below 1 or `deleted` outside [0, 0.5).

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import count_surfaces, mean_graph_path, operating_point, simulate_population
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> path = mean_graph_path(count_surfaces(documents, resolution=20), np.random.default_rng(1))
    >>> point = operating_point(path, 0.2)
    >>> point.tp, point.fp
    (93.0, 67.0)
    """
    require_type(surfaces, CountSurfaces, "surfaces, see count_surfaces")
    require_type(generator, np.random.Generator, "a numpy.random.Generator, such as np.random.default_rng(0)")
    if draws < 1 or not 0 <= deleted < 0.5:
        raise DataError(f"Draws must be at least 1 and the deleted share in [0, 0.5), not {draws} and {deleted}.")
    if surfaces.tp.ndim == 1:
        # A single classifier has one path only.
        draws, deleted = 1, 0.0
    total = np.zeros((sum(len(axis) - 1 for axis in surfaces.axes) + 1, len(surfaces.axes)))
    for nodes in _paths_after_deletion(surfaces, generator, draws, deleted):
        total += _thresholds_at(surfaces, nodes)
    lows, tops = ([axis[end] for axis in surfaces.axes] for end in (0, -1))
    # A mean of equal numbers may differ from them by rounding.
    mean = np.maximum.accumulate((total / draws).clip(lows, tops), axis=0)
    mean[0], mean[-1] = lows, tops
    if documents is None:
        return _path_through(surfaces, node_index(surfaces.axes, mean), "mean graph")
    tp, fp = documents.counts_along(mean, surfaces.rule)
    return ThresholdPath(mean, tp, fp, "mean graph", surfaces.rule, surfaces.names, rated=surfaces.totals)


def to_networkx(surfaces: CountSurfaces) -> "nx.DiGraph":
    """Build the paper's graph (its figure 2) of a small grid; time and memory O(k N).

    Nodes are index tuples with attributes `thresholds`, `tp` and `fp`; an edge raises one threshold by one node and
    has the attribute `weight`, minus the area of its trapezoid (equation 3).
    """
    # Imported here because it loads slowly.
    import networkx as nx  # noqa: PLC0415

    graph = nx.DiGraph(rule=surfaces.rule, names=surfaces.names)
    for node in np.ndindex(surfaces.tp.shape):
        thresholds = tuple(float(axis[i]) for axis, i in zip(surfaces.axes, node, strict=True))
        graph.add_node(node, thresholds=thresholds, tp=float(surfaces.tp[node]), fp=float(surfaces.fp[node]))
    for node in np.ndindex(surfaces.tp.shape):
        for j in range(len(node)):
            if node[j] + 1 < surfaces.tp.shape[j]:
                above = (*node[:j], node[j] + 1, *node[j + 1 :])
                lost = abs(surfaces.fp[node] - surfaces.fp[above])
                graph.add_edge(node, above, weight=-float(lost * (surfaces.tp[node] + surfaces.tp[above]) / 2))
    return graph


def to_graphml(graph: "nx.DiGraph") -> str:
    """Write a graph of `to_networkx` as GraphML, with thresholds as T1, T2, …"""
    import networkx as nx  # noqa: PLC0415

    flat = nx.DiGraph(rule=graph.graph["rule"], **{f"T{j}": name for j, name in enumerate(graph.graph["names"], 1)})
    for node, data in graph.nodes.items():
        thresholds = {f"T{j}": value for j, value in enumerate(data["thresholds"], 1)}
        flat.add_node(str(node), tp=data["tp"], fp=data["fp"], **thresholds)
    flat.add_edges_from((str(start), str(end), data) for start, end, data in graph.edges(data=True))
    return "\n".join(nx.generate_graphml(flat))


def _best_of_two(surfaces: CountSurfaces) -> Indices:
    """Find the nodes (L + 1, 2) that `_best_nodes` finds on two axes, one row at a time.

    The area of steps along a row is a difference of sums, so that the best place to enter it is a running maximum.
    """
    rows, columns = surfaces.tp.shape
    is_from_above = np.zeros((rows, columns), dtype=np.bool_)
    along = np.zeros(columns, dtype=np.complex128)
    best, tp_above, fp_above = along, *np.zeros((2, columns))
    for row in range(rows):
        tp, fp = (counts[row].astype(np.float64) for counts in (surfaces.tp, surfaces.fp))
        np.cumsum((fp[:-1] - fp[1:]) * (tp[:-1] + tp[1:]) / 2, out=along.real[1:])
        np.cumsum(tp, out=along.imag)
        if row == 0:
            best = along.copy()
        else:
            entered = best + (fp_above - fp) * (tp_above + tp) / 2 - along
            entered.imag += tp
            highest = np.maximum.accumulate(entered)
            is_from_above[row] = entered == highest
            best = highest + along
        tp_above, fp_above = tp, fp
    path = [(rows - 1, columns - 1)]
    while path[-1] != (0, 0):
        row, column = path[-1]
        path.append((row - 1, column) if is_from_above[row, column] else (row, column - 1))
    return np.array(path[::-1])


@dataclass(frozen=True, eq=False)
class _Sweep:
    """The n nodes of a grid in the order of their distance from the first corner.

    `shape` of the grid; `order` (n,): their numbers in the grid; `bounds`: where each distance begins, and n. `before`
    (k, n): the place of the node one step lower along each axis, n where there is none. `gained` (k, n): the area of
    the trapezoid of that step. `tp` (n,).
    """

    shape: tuple[int, ...]
    order: Indices
    bounds: list[int]
    before: Indices
    gained: Floats
    tp: Floats


def _sweep(surfaces: CountSurfaces) -> _Sweep:
    shape = surfaces.tp.shape
    distance = sum(np.indices(shape, dtype=np.int32, sparse=True), start=np.int32(0)).ravel()
    order = np.argsort(distance, kind="stable")
    places = np.empty(shape, dtype=np.intp)
    places.ravel()[order] = np.arange(len(order))
    tp, fp = (counts.astype(np.float64) for counts in (surfaces.tp, surfaces.fp))
    before = np.full((len(shape), len(order)), len(order))
    gained = np.zeros(before.shape)
    for j in range(len(shape)):
        lower, upper = ((slice(None),) * j + (part,) for part in (slice(None, -1), slice(1, None)))
        to = places[upper].ravel()
        before[j, to] = places[lower].ravel()
        gained[j, to] = ((fp[lower] - fp[upper]) * (tp[lower] + tp[upper]) / 2).ravel()
    return _Sweep(shape, order, [0, *np.cumsum(np.bincount(distance)).tolist()], before, gained, tp.ravel()[order])


def _best_nodes(sweep: _Sweep, kept: Bools | None = None) -> Indices | None:
    """Find node indices (L + 1, k) of the best path over the `kept` steps (k, n), or None."""
    count = len(sweep.order)
    # Area and, as the imaginary part, the sum of TP so far: complex numbers are compared in this order. The entry
    # behind the last node is unreachable: it stands for missing predecessors.
    best = np.full(count + 1, -np.inf, dtype=np.complex128)
    best[0] = 1j * sweep.tp[0]
    gained = sweep.gained if kept is None else np.where(kept, sweep.gained, -np.inf)
    for start, end in pairwise(sweep.bounds[1:]):
        best[start:end] = (best[sweep.before[:, start:end]] + gained[:, start:end]).max(axis=0)
        best.imag[start:end] += sweep.tp[start:end]
    if not np.isfinite(best[count - 1]):
        return None
    path = [count - 1]
    while path[-1] > 0:
        before = sweep.before[:, path[-1]]
        path.append(int(before[np.argmax(best[before] + gained[:, path[-1]])]))
    return np.column_stack(np.unravel_index(sweep.order[path[::-1]], sweep.shape))


def _paths_after_deletion(
    surfaces: CountSurfaces, generator: np.random.Generator, draws: int, deleted: float
) -> Iterator[Indices]:
    sweep = _sweep(surfaces)
    for _ in range(draws):
        share, nodes = deleted, None
        while nodes is None:
            nodes = _best_nodes(sweep, generator.random(sweep.gained.shape, dtype=np.float32) >= share)
            share = share / 2 if share > MIN_SHARE_DELETED else 0.0
        yield nodes


def _path_through(surfaces: CountSurfaces, nodes: Indices, method: str) -> ThresholdPath:
    index = tuple(nodes.T)
    return ThresholdPath(
        _thresholds_at(surfaces, nodes),
        surfaces.tp[index].astype(np.float64),
        surfaces.fp[index].astype(np.float64),
        method,
        surfaces.rule,
        surfaces.names,
        rated=surfaces.totals,
    )


def _thresholds_at(surfaces: CountSurfaces, nodes: Indices) -> Floats:
    return np.column_stack([axis[nodes[:, j]] for j, axis in enumerate(surfaces.axes)])
