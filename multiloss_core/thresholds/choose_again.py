"""Choosing thresholds again from a resample, to see how much of a result was the choice."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from multiloss_core.thresholds.paths.smooth import SmoothFit, best_nodes, thresholds_at
from multiloss_core.thresholds.refit import newton_refit
from multiloss_core.thresholds.resampling import CellSample
from multiloss_core.thresholds.surfaces import Rule

# The documents next to a point are those that the path adds between odds of the target times and over e to this.
HALF_BAND = 0.4

Floats = NDArray[np.float64]


class Chooser:
    """Chooses thresholds for rising targets (t,) from resamples of the data of a fit, as they were chosen from the data."""

    def __init__(self, fit: SmoothFit, rule: Rule, targets: Floats) -> None:
        self.fit, self.rule, self.targets = fit, rule, targets
        self.expected = fit.totals * fit.model.precision
        inside = self._next_to(fit)
        self.marginal = _log_odds(shares(self.expected @ inside, fit.totals @ inside))

    def choose(self, sample: CellSample, resample: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """What a resample (2, c) of positives and negatives chooses.

        Its own counts (2, t) at its thresholds, the counts (2, t) of the data there, possible marginal precisions (t,)
        at the data's thresholds, and the resample's thresholds (t, k).
        """
        fit = self.fit
        positives, totals = resample[0], resample.sum(axis=0)
        model = newton_refit(fit.design, fit.model, positives * fit.scale, totals * fit.scale)
        again = SmoothFit(fit.cells, fit.design, model, positives, totals, fit.scale)
        nodes = best_nodes(again, self.targets, self.rule)
        caught = self._flagged(nodes)
        inside = self._next_to(again)
        own = _log_odds(shares((totals * model.precision) @ inside, totals @ inside))
        there = _log_odds(shares(self.expected @ inside, fit.totals @ inside))
        return (
            resample @ caught,
            np.array([sample.positives, sample.negatives]) @ caught,
            expit(self.marginal - (own - there)),
            thresholds_at(fit.cells, nodes),
        )

    def _next_to(self, fit: SmoothFit) -> Floats:
        """Which cells (c, t) the path of a fit adds around each target, as 0 and 1."""
        lower, higher = next_to_points(fit, self.rule, self.targets)
        return self._flagged(lower) - self._flagged(higher)

    def _flagged(self, nodes: NDArray[np.intp]) -> Floats:
        """Which cells (c, t) are flagged at nodes (t, k), as 0 and 1."""
        above = [self.fit.cells.cells[:, j, np.newaxis] > nodes[:, j] for j in range(nodes.shape[1])]
        caught = np.logical_or.reduce(above) if self.rule == "any" else np.logical_and.reduce(above)
        return caught.astype(np.float64)


def next_to_points(fit: SmoothFit, rule: Rule, targets: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Nodes (t, k) on either side of the points for rising targets (t,): the documents between them are next to these."""
    around = np.concatenate([logit(targets) - HALF_BAND, logit(targets) + HALF_BAND])
    order = np.argsort(around, kind="stable")
    nodes = np.empty((len(around), len(fit.cells.axes)), dtype=np.intp)
    nodes[order] = best_nodes(fit, expit(around[order]), rule)
    return nodes[: len(targets)], nodes[len(targets) :]


def shares(parts: Floats, wholes: Floats) -> Floats:
    """parts / wholes, not a number where a whole is nothing."""
    return np.divide(parts, wholes, out=np.full(np.shape(wholes), np.nan), where=wholes > 0)


def _log_odds(precisions: Floats) -> Floats:
    # Off the ends, where a saturated fit would give infinity.
    return np.asarray(logit(precisions.clip(1e-12, 1 - 1e-12)))
