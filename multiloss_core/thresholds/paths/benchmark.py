"""Find the node with the highest TP per bucket of FP (Robles et al. 2020, Experiments)."""

import numpy as np

from multiloss_core.errors import DataError, require_type
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath


def benchmark_path(surfaces: CountSurfaces, *, buckets: int = 100) -> ThresholdPath:
    """Split FP into `buckets` equal intervals and keep the node of highest TP in each.

    Dominated nodes are dropped, so TP and FP rise together, but the thresholds jump (`monotone` is False): a reference
    for comparisons. With more buckets it tends to the Pareto frontier of all nodes; with few, the first bucket covers
    the steep part of the curve. Time O(N log N) for N nodes.

    Raises DataError: buckets below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import benchmark_path, count_surfaces, operating_point, simulate_population
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> path = benchmark_path(count_surfaces(documents, resolution=20), buckets=10)
    >>> point = operating_point(path, 0.2)
    >>> point.tp, point.fp
    (96.0, 79.0)
    """
    require_type(surfaces, CountSurfaces, "surfaces, see count_surfaces")
    if buckets < 1:
        raise DataError(f"The number of buckets must be at least 1, not {buckets}.")
    tp, fp = surfaces.tp.ravel(), surfaces.fp.ravel()
    bucket = np.minimum((fp * (buckets / max(float(fp.max()), 1e-300))).astype(np.intp), buckets - 1)
    order = np.lexsort((fp, -tp, bucket))
    winners = order[np.flatnonzero(np.diff(bucket[order], prepend=-1))]
    corners = np.array([tp.size - 1, 0])
    candidates = np.concatenate([winners, corners])
    candidates = candidates[np.lexsort((-tp[candidates], fp[candidates]))]
    undominated = np.diff(np.maximum.accumulate(tp[candidates]), prepend=-1.0) > 0
    # The first corner (all documents flagged) closes the curve even without additional TP.
    chosen = np.concatenate([candidates[undominated], corners[1:]])
    chosen = chosen[np.sort(np.unique(chosen, return_index=True)[1])][::-1]
    if len(chosen) == 1:
        chosen = corners[::-1]
    index = np.unravel_index(chosen, surfaces.tp.shape)
    thresholds = np.column_stack([axis[i] for axis, i in zip(surfaces.axes, index, strict=True)])
    counts, rule, rated = (tp[chosen], fp[chosen]), surfaces.rule, surfaces.totals
    return ThresholdPath(thresholds, *counts, "benchmark", rule, surfaces.names, monotone=False, rated=rated)
