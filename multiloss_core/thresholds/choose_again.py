"""Choosing thresholds again from a resample, to see how much of a result was the choice."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from multiloss_core.thresholds.operating_point import ratios
from multiloss_core.thresholds.paths.smooth import SmoothFit, best_nodes, flagged_cells, thresholds_at
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
        _, lower, higher = nodes_around(fit, rule, targets)
        inside = flagged_cells(fit.cells, lower, rule) - flagged_cells(fit.cells, higher, rule)
        self.marginal = _log_odds(ratios(self.expected @ inside, fit.totals @ inside))

    def choose(self, sample: CellSample, resample: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """What a resample (2, c) of positives and negatives chooses.

        Its own counts (2, t) at its thresholds, the counts (2, t) of the data there, possible marginal precisions (t,)
        at the data's thresholds, and the resample's thresholds (t, k).
        """
        fit = self.fit
        positives, totals = resample[0], resample.sum(axis=0)
        model = newton_refit(fit.design, fit.model, positives * fit.scale, totals * fit.scale)
        again = SmoothFit(fit.cells, fit.design, model, positives, totals, fit.scale)
        nodes, lower, higher = nodes_around(again, self.rule, self.targets)
        caught, below, above = (flagged_cells(fit.cells, at, self.rule) for at in (nodes, lower, higher))
        inside = below - above
        own = _log_odds(ratios((totals * model.precision) @ inside, totals @ inside))
        there = _log_odds(ratios(self.expected @ inside, fit.totals @ inside))
        return (
            resample @ caught,
            np.array([sample.positives, sample.negatives]) @ caught,
            expit(self.marginal - (own - there)),
            thresholds_at(fit.cells, nodes),
        )


def nodes_around(fit: SmoothFit, rule: Rule, targets: Floats) -> NDArray[np.intp]:
    """Nodes (3, t, k) for rising targets (t,): the best ones at each target, and those below and above it on the path.

    The documents between the latter two are next to the point.
    """
    odds = logit(targets)
    around = np.concatenate([odds, odds - HALF_BAND, odds + HALF_BAND])
    order = np.argsort(around, kind="stable")
    nodes = np.empty((len(around), len(fit.cells.axes)), dtype=np.intp)
    nodes[order] = best_nodes(fit, expit(around[order]), rule)
    return nodes.reshape(3, len(targets), -1)


def _log_odds(precisions: Floats) -> Floats:
    # Off the ends, where a saturated fit would give infinity.
    return np.asarray(logit(precisions.clip(1e-12, 1 - 1e-12)))
