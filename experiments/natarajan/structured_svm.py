"""Fit a structured support vector machine (Joachims 2005): margin rescaling, one slack.

The most violated prediction is found here, for any loss phi(u, v, p); the cutting planes are dlib's.
"""

from dataclasses import dataclass, field

import dlib
import numpy as np

from experiments.natarajan.data import Features
from multiloss_core.errors import DataError
from multiloss_core.losses import observed_loss
from multiloss_core.losses.multivariate import AM, G_TP_PR, JACCARD, F, Loss
from multiloss_core.numerics.arrays import Bools, Floats, Indices

# Largest slack, in units of the loss, that the stop may leave unused.
GAP = 1e-2
MAX_PLANES = 150
# Cells of the full table of losses worked on at a time.
AT_A_TIME = 1_000_000


@dataclass(frozen=True, eq=False)
class Violation:
    """The prediction `flagged` (n,) with the largest violation, and its `value`, loss + margin."""

    flagged: Bools
    value: float


@dataclass(frozen=True, eq=False)
class StructuredSvm:
    """A linear rule: flag what has a `weights` (d,) @ features above 0.

    `objective`: |w|^2 / 2 + C slack at these weights. `gap`: by how much that exceeds the last plane model's minimum,
    divided by C and so in units of the loss. `planes`: predictions made into constraints; `cut_short`: there were as
    many as allowed.
    """

    weights: Floats
    objective: float
    gap: float
    planes: int
    cut_short: bool


def fit_structured_svm(
    features: Features,
    labels: Bools,
    loss: Loss,
    *,
    strength: float,
    gap: float = GAP,
    most_planes: int = MAX_PLANES,
) -> StructuredSvm:
    """Fit w that minimises |w|^2 / 2 + C max over y of [loss(y) + w (psi(y) - psi(labels))].

    psi(y) = sum_i y_i x_i / n with y_i = 1 if flagged, else -1; C is `strength`. `features` (n, d) have a column of
    ones if an intercept is wanted, shrunk like the others; `labels` (n,) bool. With twice the error rate as the loss
    this is the ordinary support vector machine with C = 2 `strength` / n. Raises DataError if shapes do not fit. One
    plane costs a product with the features and one `most_violated_prediction`.
    """
    if labels.ndim != 1 or features.shape[0] != labels.size:
        raise DataError(f"{labels.size:,} labels do not fit {features.shape[0]:,} rows of features; give one each.")
    problem = _Problem(features, labels, loss, strength, gap, most_planes)
    dlib.solve_structural_svm_problem(problem)
    # Cut short, the last weights may be worse than others met on the way.
    found = min(problem.met, key=lambda met: met.objective) if len(problem.losses) >= most_planes else problem.met[-1]
    reached = max((found.objective - problem.met[-1].bound) / strength, 0.0)
    planes = len(problem.losses)
    return StructuredSvm(found.weights, found.objective, reached, planes, planes >= most_planes)


def most_violated_prediction(scores: Floats, labels: Bools, loss: Loss) -> Violation:
    """Find the y in {-1, 1}^n that maximises loss(y) + sum_i y_i scores_i / n.

    The loss depends on y through counts alone, so the best y flags the a highest positives and b highest negatives for
    some a and b. F, Jaccard, AM and G-TP/PR are concave in b at fixed a: b is found by bisection for all a at once, and
    sorting costs most, O(n log n). Other losses have the full table of (a, b) worked out, O(positives x negatives).
    """
    n = labels.size
    orders = [np.flatnonzero(part)[np.argsort(-scores[part], kind="stable")] for part in (labels, ~labels)]
    totals = [np.insert(np.cumsum(scores[order]), 0, 0.0) * (2.0 / n) for order in orders]
    table = _Table(loss, n, totals[0], totals[1])
    a, b = _concave_maximum(table) if is_concave(loss) else _full_maximum(table)
    flagged = np.zeros(n, dtype=bool)
    flagged[orders[0][:a]] = True
    flagged[orders[1][:b]] = True
    return Violation(flagged, float(table.at(np.array(a), np.array(b)) - scores.sum() / n))


def is_concave(loss: Loss) -> bool:
    """Return whether the loss is known to be concave in FP at fixed TP."""
    return loss in (AM, JACCARD, G_TP_PR) or isinstance(loss, F)


@dataclass(frozen=True, eq=False)
class _Table:
    """Loss plus scores of the a highest positives and b highest negatives, up to a constant."""

    loss: Loss
    n: int
    of_positives: Floats
    of_negatives: Floats

    def at(self, a: Indices, b: Indices) -> Floats:
        share = (self.of_positives.size - 1) / self.n
        return self.loss(a / self.n, (a + b) / self.n, share) + self.of_positives[a] + self.of_negatives[b]


def _concave_maximum(table: _Table) -> tuple[int, int]:
    a = np.arange(table.of_positives.size)
    low, high = np.zeros_like(a), np.full_like(a, table.of_negatives.size - 1)
    while np.any(low < high):
        middle = (low + high) // 2
        # Where low = high already, one more would lie outside.
        above = np.minimum(middle + 1, table.of_negatives.size - 1)
        at_middle, at_above = table.at(a, np.stack([middle, above]))
        rises = at_above > at_middle
        low, high = np.where(rises & (low < high), middle + 1, low), np.where(rises, high, middle)
    best = int(np.argmax(table.at(a, low)))
    return best, int(low[best])


def _full_maximum(table: _Table) -> tuple[int, int]:
    b = np.arange(table.of_negatives.size)
    rows = max(1, AT_A_TIME // b.size)
    best, where = -np.inf, (0, 0)
    for first in range(0, table.of_positives.size, rows):
        a = np.arange(first, min(first + rows, table.of_positives.size))
        values = table.at(a[:, None], b[None, :])
        highest = int(np.argmax(values))
        if values.flat[highest] > best:
            best, where = float(values.flat[highest]), (first + highest // b.size, highest % b.size)
    return where


@dataclass(frozen=True, eq=False)
class _Met:
    """Weights met by dlib: their objective, and its bound under the known planes."""

    weights: Floats
    objective: float
    bound: float


@dataclass(eq=False)
class _Problem:
    """The interface that dlib requires: one sample labelled with the whole vector of labels."""

    features: Features
    labels: Bools
    loss: Loss
    strength: float
    gap: float
    most_planes: int
    planes: Floats = field(init=False)
    losses: list[float] = field(default_factory=list)
    met: list[_Met] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.truth = self._psi(self.labels)
        self.planes = np.empty((self.most_planes, self.truth.size))
        # Names that dlib's wrapper reads.
        self.C = self.strength
        self.epsilon = self.gap
        self.num_samples = 1
        self.num_dimensions = self.truth.size
        self.max_cache_size = 0
        self.be_verbose = False

    def get_truth_joint_feature_vector(self, _: int) -> dlib.vector:
        return dlib.vector(self.truth.tolist())

    def separation_oracle(self, _: int, solution: dlib.vector) -> tuple[float, dlib.vector]:
        loss, plane = self.answer(np.fromiter(solution, np.float64, self.truth.size))
        return loss, dlib.vector((plane + self.truth).tolist())

    def answer(self, weights: Floats) -> tuple[float, Floats]:
        """Find the plane that these weights violate most."""
        known = np.array(self.losses) + self.planes[: len(self.losses)] @ weights
        violation = most_violated_prediction(self.features @ weights, self.labels, self.loss)
        slack = violation.value - float(self.truth @ weights)
        shrinkage, highest = float(weights @ weights) / 2.0, float(known.max(initial=0.0))
        if len(self.losses) >= self.most_planes:
            # Answered from what is known, dlib finds no violation left and stops.
            at = int(np.argmax(known))
            plane = self.losses[at], self.planes[at]
        else:
            plane = observed_loss(violation.flagged, self.labels, self.loss), self._psi(violation.flagged) - self.truth
            self.planes[len(self.losses)] = plane[1]
            self.losses.append(plane[0])
        objective, bound = shrinkage + self.strength * slack, shrinkage + self.strength * highest
        self.met.append(_Met(weights, objective, bound))
        return plane

    def _psi(self, flagged: Bools) -> Floats:
        return np.asarray((np.where(flagged, 1.0, -1.0) @ self.features) / self.labels.size)
