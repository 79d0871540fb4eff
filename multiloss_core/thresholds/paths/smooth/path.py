"""Find the path of best thresholds under a smooth estimate of P(positive | scores)."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from multiloss_core.errors import require_type
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces
from multiloss_core.thresholds.data.counts import Rule, checked_thresholds, require_rule
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.smooth.cells import nodes_at, thresholds_at
from multiloss_core.thresholds.paths.smooth.nodes import averaged_nodes, refits_of
from multiloss_core.thresholds.paths.smooth.resampling import resamples_of
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit, smooth_fit
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

# Marginal precisions from 0.1 to 99.9 %, evenly in the logarithm of their odds.
LOG_ODDS, STEP = np.linspace(-7.0, 7.0, 241, retstep=True)
TARGETS = expit(LOG_ODDS)


def smooth_path(
    source: RatedDocuments | CountSurfaces,
    *,
    rule: Rule = "any",
    resolution: int | None = None,
    current: ArrayLike | None = None,
) -> ThresholdPath:
    """Find the path of best thresholds under a smooth estimate of the precision, for any k.

    P(positive | scores) is fitted to bucket counts (see `fit_precision`) and blended with the counts themselves (see
    `smooth_fit`). For every target m on a fine scale, the thresholds that maximise the expected TP - m / (1 - m) FP are
    found (`best_nodes`), averaged over resamples (`averaged_nodes`), no threshold falling as m rises. A classifier
    with a precision below the target even above its largest score never flags: its threshold is infinite. Tangent
    points are taken on expected counts that follow from the targets (`ThresholdPath.majorant`); `tp` and `fp` are exact
    counts. After the bucket counts the cost does not depend on the number of documents. Deterministic.

    `resolution`: nodes of either kind for each classifier, see `score_cells`; by default fewer for more classifiers.
    From surfaces, with their own rule, the thresholds are nodes of the table. `current`: current thresholds
    (k,), infinity for never; the path stays at or beside them at targets where the data do not contradict them.

    Raises DataError: an unknown rule, or not one usable current threshold for each classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import operating_point, simulate_population, smooth_path
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> path = smooth_path(documents)
    >>> point = operating_point(path, 0.2)
    >>> point.tp, point.fp
    (92.0, 63.0)
    """
    require_type(source, (RatedDocuments, CountSurfaces), "RatedDocuments, see read_rated, or CountSurfaces")
    if isinstance(source, CountSurfaces):
        rule = source.rule
    require_rule(rule)
    return path_of_fit(source, smooth_fit(source, resolution=resolution), rule, current)


def path_of_fit(
    source: RatedDocuments | CountSurfaces, fit: SmoothFit, rule: Rule, current: ArrayLike | None = None
) -> ThresholdPath:
    """Find the path of a fit, counted exactly on `source`; see `smooth_path`."""
    known = None if current is None else checked_thresholds(current, source.names)
    best = averaged_nodes(fit, TARGETS, rule, refits_of(fit, resamples_of(source, fit)), known)
    nodes, tp, alerts = expected_along(fit, best, rule)
    thresholds = thresholds_at(fit.cells, nodes)
    if known is not None and source.documents is not None:
        # The current thresholds themselves, not the next nodes.
        thresholds = np.where(
            nodes == nodes_at(fit.cells, known[np.newaxis]), np.maximum(known, source.floors), thresholds
        )
    counts = source.counts_along(thresholds, rule)
    return ThresholdPath(
        thresholds,
        counts.tp,
        counts.fp,
        "smooth",
        rule,
        source.names,
        smooth_tp=tp,
        smooth_fp=alerts - tp,
        rated=source.totals,
    )


def expected_along(fit: SmoothFit, nodes: Indices, rule: Rule) -> tuple[Indices, Floats, Floats]:
    """Compute expected TP and alerts (m,) along nodes (t, k) of `TARGETS`.

    From the floors to never; returned after the nodes (m, k) that differ.
    """
    never = np.array([[len(axis) for axis in fit.cells.axes]])
    nodes = np.vstack([np.zeros_like(never), nodes, never])
    _, alerts = fit.expected_cells.counts_along(nodes, rule)
    # The documents between the best thresholds of two targets are worth what lies between these.
    between = expit(np.append(LOG_ODDS, LOG_ODDS[-1] + STEP) - STEP / 2)
    tp = np.append(np.cumsum((between * -np.diff(alerts))[::-1])[::-1], 0.0)
    kept = np.append(True, (np.diff(nodes, axis=0) > 0).any(axis=1))
    return nodes[kept], tp[kept], alerts[kept]
