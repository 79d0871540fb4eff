"""Find the best curve of a family through threshold space (Robles et al. 2020, Algorithm 2)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import betainc, betaincinv

from multiloss_core.errors import DataError, require_type
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces
from multiloss_core.thresholds.data.counts import Rule, require_rule
from multiloss_core.thresholds.data.grid_counts import BucketCounts, Spacing, bucket_counts, grid_axes
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

MAX_VERTICES = 1_000
SHARED_VERTICES = 201
MAX_LOG_PARAMETER = 4.0
STARTS_FOLLOWED = 3
SNAP = 1e-9


@dataclass(frozen=True)
class Family:
    """Curves phi_j from [0, 1] onto [0, 1], one per classifier, by log parameters.

    `forward(j, s, p)` and `inverse(j, x, p)` evaluate phi_j and its inverse; `starts(k)` are where the search begins;
    `parameters(p)` names the fitted values.
    """

    name: str
    forward: Callable[[int, Floats, Floats], Floats]
    inverse: Callable[[int, Floats, Floats], Floats]
    starts: Callable[[int], Floats]
    parameters: Callable[[Floats], dict[str, float]]


def analytic_path(
    source: RatedDocuments | CountSurfaces,
    *,
    family: str = "power",
    rule: Rule = "any",
    resolution: int = 300,
    spacing: Spacing = "quantile",
) -> ThresholdPath:
    """Find the curve of a family with the largest area under its TP-FP curve, for any k.

    Families, in thresholds scaled to [0, 1] from floor to largest score: `power` (the paper's equation 2: T_1 = x,
    T_j = x^p_j) and `beta` (T_j = regularised incomplete beta I_x(a_j, b_j)). A monotone path turns the classifiers
    into one score for each document, the last s at which it is still flagged, and the area is a count of correctly
    ordered pairs of that score. Nelder-Mead from several starts searches on bucket counts (`resolution` nodes for
    each classifier), so its cost does not depend on the number of documents; the path is then recounted exactly from
    the documents. From surfaces, with their own rule, the path keeps to their nodes.

    Raises DataError: unknown family or rule.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import analytic_path, simulate_population
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> round(analytic_path(documents, family="beta").normalised_area, 3)
    0.805
    """
    require_type(source, (RatedDocuments, CountSurfaces), "RatedDocuments, see read_rated, or CountSurfaces")
    if family not in FAMILIES:
        raise DataError(f"The family must be one of {', '.join(FAMILIES)}, not '{family}'.")
    chosen = FAMILIES[family]
    if isinstance(source, CountSurfaces):
        buckets = source.buckets
        parameters = _best_parameters(buckets, chosen, source.rule)
        return _path_on_nodes(source, chosen, parameters)
    require_rule(rule)
    buckets = bucket_counts(source, grid_axes(source, resolution, spacing))
    parameters = _best_parameters(buckets, chosen, rule)
    return _path_of_documents(source, chosen, parameters, rule)


def _best_parameters(buckets: BucketCounts, family: Family, rule: Rule) -> Floats:
    scaled = [_scaled(axis, axis[0], axis[-1]) for axis in buckets.axes]
    columns = list(buckets.cells.T)

    def loss(parameters: Floats) -> float:
        bounded = parameters.clip(-MAX_LOG_PARAMETER, MAX_LOG_PARAMETER)
        turning = [family.inverse(j, x, bounded) for j, x in enumerate(scaled)]
        # A penalty outside the bounds keeps the simplex inside.
        return float(np.abs(parameters - bounded).sum()) - _normalised_area(buckets, columns, turning, rule)

    starts = family.starts(len(buckets.axes))
    if starts.shape[1] == 0:
        return starts[0]
    ranked = starts[np.argsort([loss(start) for start in starts], kind="stable")]

    def descended(start: Floats) -> tuple[float, Floats]:
        found = minimize(
            loss,
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-3, "fatol": 1e-7, "maxfev": 200 * len(start), "initial_simplex": _simplex(start)},
        )
        return float(found.fun), np.asarray(found.x)

    _, best = min((descended(start) for start in ranked[:STARTS_FOLLOWED]), key=lambda result: result[0])
    # A fresh simplex leaves flat regions where the first one shrank.
    _, best = descended(best)
    return best.clip(-MAX_LOG_PARAMETER, MAX_LOG_PARAMETER)


def _normalised_area(buckets: BucketCounts, columns: list[Indices], turning: list[Floats], rule: Rule) -> float:
    """Measure the area of the path that drops node i of classifier j after `turning[j][i]`.

    Only the order of the turning points matters: at most k x nodes ranks, whatever the number of cells.
    """
    order, ranks = np.unique(np.concatenate(turning), return_inverse=True)
    by_axis = np.split(ranks + 1, np.cumsum([len(points) for points in turning])[:-1])
    of_cells = [np.concatenate([[0], node_ranks])[column] for node_ranks, column in zip(by_axis, columns, strict=True)]
    sigma = np.maximum.reduce(of_cells) if rule == "any" else np.minimum.reduce(of_cells)
    # Rank 0 is flagged nowhere on the path.
    positives = np.bincount(sigma, buckets.positives, len(order) + 1)[1:]
    negatives = np.bincount(sigma, buckets.negatives, len(order) + 1)[1:]
    caught_later = positives.sum() - np.cumsum(positives)
    whole = positives.sum() * negatives.sum()
    return float((negatives * (caught_later + positives / 2)).sum() / whole) if whole > 0 else 0.0


def _path_of_documents(documents: RatedDocuments, family: Family, parameters: Floats, rule: Rule) -> ThresholdPath:
    """Count vertices at equal steps and where rated positives drop out (TP changes there)."""
    floors = documents.floors
    tops = np.nextafter(documents.scores.max(axis=0), np.inf)
    positives = documents.scores[documents.labels]
    turning = np.column_stack(
        [
            np.where(x >= 0, family.inverse(j, x.clip(0.0, 1.0), parameters), -1.0)
            for j, x in enumerate(_scaled(positives, floors, tops).T)
        ]
    )
    sigma = np.unique(turning.max(axis=1) if rule == "any" else turning.min(axis=1))
    sigma = sigma[sigma >= 0]
    if len(sigma) > MAX_VERTICES:
        sigma = sigma[np.linspace(0, len(sigma) - 1, MAX_VERTICES).round().astype(np.intp)]
    steps = np.unique(np.concatenate([sigma, np.linspace(0.0, 1.0, SHARED_VERTICES)]))
    thresholds = np.column_stack(
        [
            _snapped(floors[j] + (tops[j] - floors[j]) * family.forward(j, steps, parameters), positives[:, j])
            for j in range(len(floors))
        ]
    )
    thresholds = np.maximum.accumulate(thresholds.clip(floors, tops), axis=0)
    thresholds[0], thresholds[-1] = floors, tops
    tp, fp = documents.counts_along(thresholds, rule)
    return ThresholdPath(
        thresholds,
        tp,
        fp,
        f"analytic {family.name}",
        rule,
        documents.names,
        parameters=family.parameters(parameters),
        rated=documents.totals,
    )


def _path_on_nodes(surfaces: CountSurfaces, family: Family, parameters: Floats) -> ThresholdPath:
    """Walk the nodes along the curve, each threshold raised to the next node."""
    tops = np.array([axis[-1] for axis in surfaces.axes])
    turning = [family.inverse(j, _scaled(axis, axis[0], axis[-1]), parameters) for j, axis in enumerate(surfaces.axes)]
    steps = np.unique(np.concatenate(turning))
    # Compare turning points, as rounding must not move a node past its own.
    nodes = np.column_stack([np.minimum(np.searchsorted(t, steps), len(t) - 1) for t in turning])
    nodes = np.maximum.accumulate(nodes, axis=0)
    thresholds = np.column_stack([axis[nodes[:, j]] for j, axis in enumerate(surfaces.axes)])
    thresholds[0], thresholds[-1] = surfaces.floors, tops
    tp, fp = surfaces.counts_along(thresholds)
    return ThresholdPath(
        thresholds,
        tp,
        fp,
        f"analytic {family.name}",
        surfaces.rule,
        surfaces.names,
        parameters=family.parameters(parameters),
        rated=surfaces.totals,
    )


def _snapped(thresholds: Floats, scores: Floats) -> Floats:
    """Undo the rounding of phi(phi^-1(score)), which could lift a threshold above its score."""
    known = np.unique(scores)
    below = known[(np.searchsorted(known, thresholds, side="right") - 1).clip(0)]
    near = (thresholds >= below) & (thresholds - below < SNAP * (np.ptp(scores) or 1.0))
    return np.where(near, below, thresholds)


def _scaled(values: Floats, low: Floats, top: Floats) -> Floats:
    scaled: Floats = (values - low) / (top - low)
    return scaled


def _simplex(start: Floats) -> Floats:
    return np.vstack([start, start + 0.4 * np.eye(len(start))])


def _power_of(j: int, parameters: Floats) -> float:
    return 1.0 if j == 0 else float(np.exp(parameters[j - 1]))


def _beta_of(j: int, parameters: Floats) -> tuple[float, float]:
    a, b = np.exp(parameters[2 * j : 2 * j + 2])
    return float(a), float(b)


def _power_starts(k: int) -> Floats:
    levels = np.log([0.1, 0.3, 1.0, 3.0, 10.0])
    if k == 1:
        return np.zeros((1, 0))
    same = np.repeat(levels[:, np.newaxis], k - 1, axis=1)
    alone = np.array([level * row for row in np.eye(k - 1) for level in levels[[0, -1]]])
    return np.unique(np.vstack([same, alone]), axis=0)


def _beta_starts(k: int) -> Floats:
    if k == 1:
        return np.zeros((1, 2))
    powers = np.zeros((len(_power_starts(k)), 2 * k))
    powers[:, 2::2] = _power_starts(k)
    steep = np.log(3.0)
    bends = np.zeros((4 * k, 2 * k))
    for j in range(k):
        bends[4 * j : 4 * j + 4, 2 * j : 2 * j + 2] = steep * np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])
    return np.vstack([powers, bends])


FAMILIES = {
    "power": Family(
        "power",
        lambda j, s, p: s ** _power_of(j, p),
        lambda j, x, p: x ** (1 / _power_of(j, p)),
        _power_starts,
        lambda p: {f"p{j + 2}": float(np.exp(value)) for j, value in enumerate(p)},
    ),
    "beta": Family(
        "beta",
        lambda j, s, p: betainc(*_beta_of(j, p), s),
        lambda j, x, p: betaincinv(*_beta_of(j, p), x),
        _beta_starts,
        lambda p: {f"{'ab'[i % 2]}{i // 2 + 1}": float(np.exp(value)) for i, value in enumerate(p)},
    ),
}
