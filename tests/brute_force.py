"""Independent oracles: everything is counted document by document in plain Python loops."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import isclose

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from multiloss_core import CountSurfaces, RatedDocuments

RULES = ("any", "all")
SPACINGS = ("uniform", "quantile", "positives")
HIGHEST = 7


def is_flagged(scores: Sequence[float], thresholds: Sequence[float], rule: str) -> bool:
    reached = [score >= threshold for score, threshold in zip(scores, thresholds, strict=True)]
    return any(reached) if rule == "any" else all(reached)


def count(documents: RatedDocuments, thresholds: Sequence[float], rule: str) -> tuple[float, float]:
    """TP and FP at thresholds."""
    tp = fp = 0.0
    rows = zip(documents.scores.tolist(), documents.labels.tolist(), documents.weights.tolist(), strict=True)
    for scores, positive, weight in rows:
        if is_flagged(scores, thresholds, rule):
            if positive:
                tp += weight
            else:
                fp += weight
    return tp, fp


def counts(documents: RatedDocuments, thresholds: np.ndarray, rule: str) -> tuple[np.ndarray, np.ndarray]:
    both = np.array([count(documents, row, rule) for row in thresholds.tolist()])
    return both[:, 0], both[:, 1]


def surfaces_of(documents: RatedDocuments, axes: Sequence[np.ndarray], rule: str) -> tuple[np.ndarray, np.ndarray]:
    shape = tuple(len(axis) for axis in axes)
    tp, fp = counts(documents, np.array(list(product(*(axis.tolist() for axis in axes)))), rule)
    return tp.reshape(shape), fp.reshape(shape)


def graph_of(surfaces: CountSurfaces) -> nx.DiGraph:
    """Build the graph of Robles et al. 2020, Algorithm 3: an edge for each step up one axis."""
    graph = nx.DiGraph()
    shape = surfaces.tp.shape
    for here in product(*map(range, shape)):
        for axis in range(len(shape)):
            there = tuple(i + 1 if j == axis else i for j, i in enumerate(here))
            if there[axis] < shape[axis]:
                width = abs(surfaces.fp[here] - surfaces.fp[there])
                graph.add_edge(here, there, weight=-0.5 * width * (surfaces.tp[here] + surfaces.tp[there]))
    return graph


def lattice_paths(shape: Sequence[int], here: tuple[int, ...] | None = None) -> Iterator[list[tuple[int, ...]]]:
    """All ways from the first to the last corner, one node up one axis at a time."""
    here = here or (0,) * len(shape)
    if all(i == n - 1 for i, n in zip(here, shape, strict=True)):
        yield [here]
    for axis, n in enumerate(shape):
        if here[axis] + 1 < n:
            there = tuple(i + 1 if j == axis else i for j, i in enumerate(here))
            for rest in lattice_paths(shape, there):
                yield [here, *rest]


def trapezoids(points: Sequence[tuple[float, float]]) -> float:
    """Area under (TP, FP) points from the loosest to the strictest."""
    return sum((fp - next_fp) * (tp + next_tp) / 2 for (tp, fp), (next_tp, next_fp) in pairwise(points))


def ordered_pairs(sigma: Sequence[float], labels: Sequence[bool], weights: Sequence[float]) -> float:
    """The share of (positive, negative) pairs in the right order, ties counted half, by weight."""
    rows = list(zip(sigma, labels, weights, strict=True))
    right = total = 0.0
    for high, _, positive_weight in (row for row in rows if row[1]):
        for low, _, negative_weight in (row for row in rows if not row[1]):
            total += positive_weight * negative_weight
            right += positive_weight * negative_weight * (1.0 if high > low else 0.5 if high == low else 0.0)
    return right / total


def close(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


@st.composite
def rated_documents(
    draw: st.DrawFn, classifiers: Sequence[int] = (1, 2, 3), weighted: bool = True, most: int = 20
) -> RatedDocuments:
    """Few documents with many ties, both classes, and floors that some scores lie below."""
    k = draw(st.sampled_from(classifiers))
    floors = draw(st.lists(st.integers(0, 3), min_size=k, max_size=k))
    score = st.lists(st.integers(0, HIGHEST), min_size=k, max_size=k)
    rows = [list(row) for row in draw(st.lists(score, min_size=1, max_size=most))]
    for row in rows:
        if not is_flagged(row, floors, "any"):
            lifted = draw(st.integers(0, k - 1))
            row[lifted] = floors[lifted]
    labels = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    # One document at each end makes every column vary and both classes occur.
    highest_is_positive = draw(st.booleans())
    rows += [[HIGHEST] * k, floors]
    labels += [highest_is_positive, not highest_is_positive]
    weights = None
    if weighted and draw(st.booleans()):
        weights = draw(st.lists(st.sampled_from([0.1, 0.25, 1 / 3, 1.0, 7.3]), min_size=len(rows), max_size=len(rows)))
    return RatedDocuments(rows, labels, weights, floors=floors)


def random_documents(
    seed: int, *, n: int = 60, k: int = 2, decimals: int = 2, weighted: bool = False
) -> RatedDocuments:
    """Draw documents whose scores separate the classes somewhat; floors at a fifth of them."""
    generator = np.random.default_rng(seed)
    labels = generator.random(n) < 0.4
    labels[:2] = True, False
    scores = (generator.normal(size=(n, k)) + labels[:, np.newaxis] * generator.uniform(0.3, 1.5, k)).round(decimals)
    floors = np.quantile(scores, 0.2, axis=0)
    kept = (scores >= floors).any(axis=1)
    kept[:2] = True
    scores[:2] = np.maximum(scores[:2], floors)
    weights = generator.uniform(0.2, 4.0, n)[kept] if weighted else None
    return RatedDocuments(scores[kept], labels[kept], weights, floors=floors.tolist())
