"""The graph approach: the best path over the nodes of a threshold grid (Robles et al. 2020, Algorithm 3)."""

from collections.abc import Iterator
from itertools import pairwise

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from multiloss_core.errors import DataError
from multiloss_core.thresholds.paths.path import ThresholdPath, counts_along
from multiloss_core.thresholds.rated import RatedDocuments
from multiloss_core.thresholds.surfaces import CountSurfaces, node_index

SMALLEST_SHARE_DELETED = 0.01


def graph_path(surfaces: CountSurfaces) -> ThresholdPath:
    """The lattice path from the first to the last corner with the largest area under its TP-FP curve, for any k.

    Every step raises one threshold by one node; its weight is the negative trapezoid area (equation 3). The graph has
    no cycles, so one sweep over its anti-diagonals finds the shortest path that the paper finds by Bellman-Ford.
    Time O(k N) and memory O(N) for N nodes. Of ways with equal area the one that keeps more true positives longer
    (the larger sum of TP over its nodes) is taken, so that the path stays sensible where no false positive is left.
    """
    nodes = _best_nodes(surfaces)
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
    """The mean of best paths after random deletion of edges: the paper's remedy against overfitting (Discussion).

    In each draw every edge is deleted with probability `deleted` (in [0, 0.5)), and the thresholds of the best
    remaining paths are averaged at equal distance from the first corner; the mean never falls. A draw that leaves no
    path, as on small grids, is repeated with half the share, in the end with none. Counts are exact from `documents`;
    without them each mean threshold is raised to the next node of the grid, where the counts are known.

    Raises
    ------
    DataError : draws below 1 or `deleted` outside [0, 0.5).
    """
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
    tp, fp = counts_along(documents, mean, surfaces.rule)
    return ThresholdPath(mean, tp, fp, "mean graph", surfaces.rule, surfaces.names)


def to_networkx(surfaces: CountSurfaces) -> nx.DiGraph:
    """The paper's graph (its figure 2), to look at and to analyse: for small grids, time and memory O(k N).

    Nodes are index tuples with attributes `thresholds`, `tp` and `fp`; an edge raises one threshold by one node and
    has the attribute `weight`, minus the area of its trapezoid (equation 3).
    """
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


def _best_nodes(surfaces: CountSurfaces, kept: NDArray[np.bool_] | None = None) -> NDArray[np.intp] | None:
    """Node indices (L + 1, k) of the best path, where `kept` (k, N) says which edges into a node remain.

    None when no path remains.
    """
    shape = surfaces.tp.shape
    # A border of unreachable nodes below each axis spares the sweep all bounds checks.
    padded_shape = tuple(n + 1 for n in shape)
    strides = [int(np.prod(padded_shape[j + 1 :])) for j in range(len(shape))]
    inside = (slice(1, None),) * len(shape)
    tp, fp, area = np.zeros(padded_shape), np.zeros(padded_shape), np.full(padded_shape, -np.inf)
    tp[inside], fp[inside] = surfaces.tp, surfaces.fp
    area[(1,) * len(shape)] = 0.0
    tp, fp, area = tp.ravel(), fp.ravel(), area.ravel()
    tp_so_far = np.zeros(area.shape)
    came_along = np.zeros(area.shape, dtype=np.int8)
    for nodes, positions in _anti_diagonals(shape, padded_shape):
        here_tp, here_fp = tp[nodes], fp[nodes]
        best, best_tp = np.full(nodes.shape, -np.inf), np.full(nodes.shape, -np.inf)
        along = np.zeros(nodes.shape, dtype=np.int8)
        for j, stride in enumerate(strides):
            before = nodes - stride
            candidate = area[before] + (fp[before] - here_fp) * (tp[before] + here_tp) / 2
            if kept is not None:
                candidate[~kept[j][positions]] = -np.inf
            candidate_tp = tp_so_far[before]
            better = (candidate > best) | ((candidate == best) & (candidate_tp > best_tp))
            best = np.where(better, candidate, best)
            best_tp = np.where(better, candidate_tp, best_tp)
            along[better] = j
        area[nodes] = best
        tp_so_far[nodes] = best_tp + here_tp
        came_along[nodes] = along
    if not np.isfinite(area[-1]):
        return None
    node = np.array(shape)
    path = [node.copy()]
    while node.sum() > len(shape):
        node[came_along[np.ravel_multi_index(tuple(node), padded_shape)]] -= 1
        path.append(node.copy())
    return np.array(path[::-1]) - 1


def _anti_diagonals(
    shape: tuple[int, ...], padded_shape: tuple[int, ...]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """The nodes at each distance 1, 2, … from the first corner: their positions in the padded and in the plain grid."""
    distance = np.zeros(shape, dtype=np.int32)
    padded = np.zeros(shape, dtype=np.intp)
    for j, n in enumerate(shape):
        along_axis = np.arange(n).reshape([-1 if i == j else 1 for i in range(len(shape))])
        distance += along_axis.astype(np.int32)
        padded += (along_axis + 1) * int(np.prod(padded_shape[j + 1 :]))
    order = np.argsort(distance.ravel(), kind="stable")
    padded_order = padded.ravel()[order]
    ends = np.cumsum(np.bincount(distance.ravel()))
    for start, end in pairwise(ends):
        yield padded_order[start:end], order[start:end]


def _paths_after_deletion(
    surfaces: CountSurfaces, generator: np.random.Generator, draws: int, deleted: float
) -> Iterator[NDArray[np.intp]]:
    for _ in range(draws):
        share, nodes = deleted, None
        while nodes is None:
            kept = generator.random((surfaces.tp.ndim, surfaces.tp.size)) >= share
            nodes = _best_nodes(surfaces, kept)
            share = share / 2 if share > SMALLEST_SHARE_DELETED else 0.0
        yield nodes


def _path_through(surfaces: CountSurfaces, nodes: NDArray[np.intp], method: str) -> ThresholdPath:
    index = tuple(nodes.T)
    return ThresholdPath(
        _thresholds_at(surfaces, nodes),
        surfaces.tp[index].astype(np.float64),
        surfaces.fp[index].astype(np.float64),
        method,
        surfaces.rule,
        surfaces.names,
    )


def _thresholds_at(surfaces: CountSurfaces, nodes: NDArray[np.intp]) -> NDArray[np.float64]:
    return np.column_stack([axis[nodes[:, j]] for j, axis in enumerate(surfaces.axes)])
