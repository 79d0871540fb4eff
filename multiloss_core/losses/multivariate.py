"""Define the losses of Natarajan et al. 2016, Table 1, as functions phi(u, v, p).

For n items, a prediction and the true labels: u is the share of items that are true positives, v the share
predicted positive, p the share truly positive (proposition 1). One rule covers every 0/0: a rate with an empty
denominator (no positive, no negative, nothing flagged) is 1.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from numbers import Real
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError, require_type
from multiloss_core.losses.written_formula import LossFormula, latex_factor
from multiloss_core.numerics.arrays import Floats

# phi(u, v, p) on numbers or arrays that broadcast together
LossFunction = Callable[[ArrayLike, ArrayLike, ArrayLike], ArrayLike]


class Loss(ABC):
    """A loss phi(u, v, p).

    Called with numbers or arrays of shares in [0, 1] that broadcast together, it returns their loss in the broadcast
    shape, without a NumPy warning. Impossible shares (u above v or p, or below v + p - 1) are
    not checked: their value is finite and meaningless.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """Return the name for tables and figures."""

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Return the lowest and highest possible loss; None if unknown or dependent on n."""
        return 0.0, 1.0

    @property
    def formula(self) -> LossFormula | None:
        """Return its formula, if it is written down."""
        return None

    @property
    def fractional_linear(self) -> "FractionalLinear | None":
        """Return the same loss as a ratio of linear functions, if it is one."""
        return None

    @abstractmethod
    def __call__(self, u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
        """Compute the loss at shares u (true positives), v (predicted) and p (positives)."""


@dataclass(frozen=True)
class _ArithmeticMean(Loss):
    """1 - (TPR + TNR) / 2 = 1 - (u + p (1 - v - p)) / (2 p (1 - p)), in [0, 1].

    Table 1 prints the second form without its 2.
    """

    name: str = field(default="AM", init=False)
    formula = LossFormula(
        "One minus the plain mean of two shares: of the positives that are flagged, and of the negatives that are "
        "not flagged.",
        r"1 - \frac{1}{2} \left( \frac{TP}{TP + FN} + \frac{TN}{TN + FP} \right)",
        r"1 - \frac{u + p (1 - v - p)}{2 p (1 - p)}",
        ("TP + FN", "TN + FP"),
    )

    def __call__(self, u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
        return 1.0 - (_true_positive_rate(u, p) + _true_negative_rate(u, v, p)) / 2.0


@dataclass(frozen=True)
class F(Loss):
    """1 - F_beta = 1 - (1 + beta^2) u / (beta^2 p + v) (Table 1), in [0, 1].

    `beta` > 0 is the weight of recall relative to precision. Raises DataError for any other beta.

    Examples
    --------
    >>> from multiloss_core import F, expected_losses
    >>> expected_losses([0.9, 0.1], F(2.0)).values.round(3).tolist()
    [0.91, 0.14, 0.227]
    """

    beta: float = 1.0

    def __post_init__(self) -> None:
        # The formula uses the square, which must neither overflow nor vanish.
        require_type(self.beta, (Real, np.floating, np.integer), "a number as beta of F")
        if not (self.beta > 0 and 0 < float(self.beta) * float(self.beta) < inf):
            raise DataError(f"beta of F is {self.beta!r}; choose a finite number above 0.")

    @property
    def name(self) -> str:
        """Return F1, F2, F0.5 and so on."""
        return f"F{self.beta:g}"

    @property
    def formula(self) -> LossFormula:
        """Return the formula with the square of beta as a number."""
        both, recall = latex_factor(1 + self.beta**2), latex_factor(self.beta**2)
        words = "as much as" if self.beta == 1 else f"{self.beta:g} times as much as"
        return LossFormula(
            "One minus the harmonic mean of precision (the share of flagged items that are positive) and recall (the "
            f"share of positive items that are flagged); recall counts {words} precision.",
            rf"1 - \frac{{{both}TP}}{{{both}TP + {recall}FN + FP}}",
            rf"1 - \frac{{{both}u}}{{{recall}p + v}}",
            ("TP + FP + FN",),
        )

    @property
    def fractional_linear(self) -> "FractionalLinear":
        """Return the ratio with all coefficients divided by 1 + beta^2, so that none exceeds 1."""
        weight, share = self.beta**2 / (1.0 + self.beta**2), 1.0 / (1.0 + self.beta**2)
        return FractionalLinear((0.0, -1.0, share, weight), (0.0, 0.0, share, weight))

    def __call__(self, u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
        """Compute the loss at these shares, see `Loss`."""
        weight = float(self.beta) ** 2
        wrong = weight * _difference(p, u) + _difference(v, u)
        return _ratio(wrong, weight * np.asarray(p, float) + np.asarray(v, float), if_empty=0.0)


@dataclass(frozen=True)
class _Jaccard(Loss):
    """1 - TP / (TP + FP + FN) = (p + v - 2u) / (p + v - u) (Table 1), in [0, 1]."""

    name: str = field(default="Jaccard", init=False)
    formula = LossFormula(
        "Of all items that are flagged, positive or both, the share that is only one of them.",
        r"1 - \frac{TP}{TP + FP + FN}",
        r"\frac{p + v - 2 \cdot u}{p + v - u}",
        ("TP + FP + FN",),
    )

    @property
    def fractional_linear(self) -> "FractionalLinear":
        return FractionalLinear((0.0, -2.0, 1.0, 1.0), (0.0, -1.0, 1.0, 1.0))

    def __call__(self, u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
        wrong = _difference(p, u) + _difference(v, u)
        return _ratio(wrong, wrong + np.asarray(u, float), if_empty=0.0)


@dataclass(frozen=True)
class _GeometricMeanOfRecallAndPrecision(Loss):
    """1 - sqrt(TPR Prec) = 1 - u / sqrt(p v) (Table 1), in [0, 1]."""

    name: str = field(default="G-TP/PR", init=False)
    formula = LossFormula(
        "One minus the geometric mean of recall and precision: near F1, but lower where the two differ much.",
        r"1 - \sqrt{\frac{TP}{TP + FN} \cdot \frac{TP}{TP + FP}}",
        r"1 - \frac{u}{\sqrt{p \cdot v}}",
        ("TP + FN", "TP + FP"),
    )

    def __call__(self, u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
        precision = _ratio(u, v, if_empty=1.0)
        return 1.0 - np.sqrt(_true_positive_rate(u, p) * precision)


@dataclass(frozen=True)
class _GeometricMean(Loss):
    """1 - sqrt(TPR TNR) = 1 - sqrt(u (1 - v - p + u) / (p (1 - p))) (Table 1), in [0, 1]."""

    name: str = field(default="G-Mean", init=False)
    formula = LossFormula(
        "One minus the geometric mean of the share of positives flagged and the share of negatives not flagged: "
        "with either at zero, the loss is 1.",
        r"1 - \sqrt{\frac{TP}{TP + FN} \cdot \frac{TN}{TN + FP}}",
        r"1 - \sqrt{\frac{u (1 - v - p + u)}{p (1 - p)}}",
        ("TP + FN", "TN + FP"),
    )

    def __call__(self, u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
        return 1.0 - np.sqrt(_true_positive_rate(u, p) * _true_negative_rate(u, v, p))


@dataclass(frozen=True)
class _HarmonicMean(Loss):
    """1 - 2 / (1/TPR + 1/TNR) (Table 1), in [0, 1].

    The harmonic mean of two zeros is 0.
    """

    name: str = field(default="H-Mean", init=False)
    formula = LossFormula(
        "One minus the harmonic mean of the share of positives flagged and the share of negatives not flagged: the "
        "lower of the two has the larger weight.",
        r"1 - \frac{2 \cdot TP \cdot TN}{TP \cdot (TN + FP) + TN \cdot (TP + FN)}",
        r"1 - \frac{2 \cdot u (1 - v - p + u)}{(1 - v - p) p + u}",
        ("TP + FN", "TN + FP"),
    )

    def __call__(self, u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
        recall, specificity = _true_positive_rate(u, p), _true_negative_rate(u, v, p)
        return 1.0 - _ratio(2.0 * recall * specificity, recall + specificity, if_empty=0.0)


@dataclass(frozen=True)
class _AreaUnderCurve(Loss):
    """FP FN / ((TP + FN)(FP + TN)) = (v - u)(p - u) / (p (1 - p)) (Table 1), in [0, 1].

    The share of (positive, negative) pairs in which only the negative is flagged. Other pairs cost nothing, so flagging
    nothing, or everything, has loss 0: its optimum is always k = 0. (Counting a pair predicted alike as half a mistake
    gives AM.) Without any pair the loss is 0.
    """

    name: str = field(default="AUC", init=False)
    formula = LossFormula(
        "Of all pairs of one positive and one negative, the share in which only the negative is flagged.",
        r"\frac{FP \cdot FN}{(TP + FN) (FP + TN)}",
        r"\frac{(v - u) (p - u)}{p (1 - p)}",
        ("TP + FN", "FP + TN"),
    )

    def __call__(self, u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
        missed = _ratio(_difference(p, u), p, if_empty=0.0)
        false_alarms = _ratio(_difference(v, u), _difference(1.0, p), if_empty=0.0)
        return missed * false_alarms


@dataclass(frozen=True)
class FractionalLinear(Loss):
    """(c0 + c1 u + c2 v + c3 p) / (d0 + d1 u + d2 v + d3 p) (equation 4).

    `c` and `d` hold four finite numbers each, else DataError is raised. 0/0 is a loss of 0, as a rate with an empty
    denominator is 1; calling it where only the denominator is 0 raises DataError. Proposition 2 (c1 < d1 makes it
    TP-monotone) does not hold for every c and d: check `is_tp_monotone` before relying on Theorem 1.

    Examples
    --------
    >>> from multiloss_core import FractionalLinear
    >>> jaccard = FractionalLinear([0, -2, 1, 1], [0, -1, 1, 1])
    >>> float(jaccard(0.2, 0.4, 0.3))
    0.6
    """

    c: Sequence[float]
    d: Sequence[float]
    name: str = "fractional-linear"

    def __post_init__(self) -> None:
        object.__setattr__(self, "c", _four_numbers(self.c, "c"))
        object.__setattr__(self, "d", _four_numbers(self.d, "d"))

    @property
    def bounds(self) -> None:
        """Return None: they depend on the number of items."""

    @property
    def fractional_linear(self) -> "FractionalLinear":
        """Return this loss."""
        return self

    def __call__(self, u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
        """Compute the loss at these shares, see `Loss`; DataError where only the denominator is 0."""
        numerator = _linear(self.c, u, v, p)
        denominator = _linear(self.d, u, v, p)
        undefined = (denominator == 0.0) & (numerator != 0.0)
        if np.any(undefined):
            raise DataError(
                f"The {self.name} loss divides by 0 at {np.count_nonzero(undefined):,} confusion matrices; "
                "choose d so that d0 + d1 u + d2 v + d3 p is 0 nowhere."
            )
        result = np.zeros(np.shape(numerator))
        with np.errstate(over="ignore"):
            np.divide(numerator, denominator, out=result, where=denominator != 0.0)
        if np.isinf(result).any():
            raise DataError(f"The {self.name} loss divides by nearly 0; choose c and d of similar sizes.")
        return result


@dataclass(frozen=True)
class UserLoss(Loss):
    """A user-defined loss: a vectorised function phi(u, v, p) of arrays that broadcast.

    `bounds`: the lowest and highest possible loss. Fast methods for many items need them, as they omit
    outcomes of tiny probability. Theorem 1 needs it to be TP-monotone: check `is_tp_monotone`. Raises DataError for
    bounds that are not two finite numbers in order, and when called for a value that is not finite, not of the
    broadcast shape, or outside the bounds.

    Examples
    --------
    >>> from multiloss_core import UserLoss, optimal_top_k
    >>> missed_or_wrong = UserLoss(lambda u, v, p: p + v - 2 * u, bounds=(0.0, 1.0))
    >>> optimal_top_k([0.9, 0.6, 0.3, 0.1], missed_or_wrong).k
    2
    """

    phi: LossFunction
    name: str = "user's"
    bounds: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not callable(self.phi):
            raise DataError(f"A loss is a function phi(u, v, p), not a value of the type {type(self.phi).__name__}.")
        if self.bounds is not None and not -inf < self.bounds[0] <= self.bounds[1] < inf:
            raise DataError(
                f"The bounds of the {self.name} loss are {self.bounds!r}; give its lowest and highest value."
            )

    def __call__(self, u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
        """Compute the loss at these shares, see `Loss`; DataError as above."""
        shape = np.broadcast_shapes(np.shape(u), np.shape(v), np.shape(p))
        try:
            losses = np.broadcast_to(np.asarray(self.phi(u, v, p), dtype=np.float64), shape)
        except (TypeError, ValueError):
            raise DataError(
                f"The {self.name} loss must give one number for each u, v and p; these are arrays, "
                f"broadcast together of shape {shape}."
            ) from None
        low, high = self.bounds if self.bounds is not None else (-inf, inf)
        # Rounding may exceed a bound.
        slack = 1e-9 * (high - low) if self.bounds is not None else 0.0
        if not np.all(np.isfinite(losses) & (losses >= low - slack) & (losses <= high + slack)):
            raise DataError(
                f"The {self.name} loss gives values that are not finite numbers"
                + (f" between {low:g} and {high:g}." if self.bounds is not None else ".")
            )
        return losses


AM = _ArithmeticMean()
JACCARD = _Jaccard()
G_TP_PR = _GeometricMeanOfRecallAndPrecision()
G_MEAN = _GeometricMean()
H_MEAN = _HarmonicMean()
AUC = _AreaUnderCurve()

_TABLE_1: tuple[Loss, ...] = (AM, F(), JACCARD, G_TP_PR, G_MEAN, H_MEAN, AUC)
LOSSES: MappingProxyType[str, Loss] = MappingProxyType({loss.name: loss for loss in _TABLE_1})


def as_loss(loss: Loss | LossFunction) -> Loss:
    """Return a `Loss` unchanged; wrap any other callable as a `UserLoss` with checked values.

    Its `name` and `bounds` are kept. Raises DataError for other objects.
    """
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, type):
        raise DataError(f"{loss.__name__} is a class of losses; give one of them, such as {loss.__name__}(…).")
    if not callable(loss):
        raise DataError(f"A loss is a function phi(u, v, p), not a value of the type {type(loss).__name__}.")
    return UserLoss(loss, getattr(loss, "name", UserLoss.name), getattr(loss, "bounds", None))


def _true_positive_rate(u: ArrayLike, p: ArrayLike) -> Floats:
    return _ratio(u, p, if_empty=1.0)


def _true_negative_rate(u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
    negatives = _difference(1.0, p)
    return _ratio(_difference(negatives, _difference(v, u)), negatives, if_empty=1.0)


def _difference(larger: ArrayLike, smaller: ArrayLike) -> Floats:
    difference = np.subtract(larger, smaller, dtype=np.float64)
    # Rounding leaves 1e-17 where a share is 0, and the square root of that is a visible 3e-9.
    return np.where(difference < 1e-12, 0.0, difference)


def _ratio(numerator: ArrayLike, denominator: ArrayLike, *, if_empty: float) -> Floats:
    above, below = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    result = np.full(above.shape, if_empty)
    np.divide(above, below, out=result, where=below > 0.0)
    return result


def _four_numbers(coefficients: Sequence[float], name: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(coefficient) for coefficient in coefficients)
    except (TypeError, ValueError):
        numbers = ()
    # Sums of larger ones overflow.
    if len(numbers) != 4 or not np.all(np.abs(numbers) <= 1e300):
        raise DataError(
            f"{name} of a fractional-linear loss must be four finite numbers, at most 1e300 "
            f"({name}0, {name}1, {name}2, {name}3); it is {coefficients!r}."
        )
    return numbers


def _linear(coefficients: Sequence[float], u: ArrayLike, v: ArrayLike, p: ArrayLike) -> Floats:
    constant, of_u, of_v, of_p = coefficients
    terms = (constant, of_u * np.asarray(u, float), of_v * np.asarray(v, float), of_p * np.asarray(p, float))
    total = np.asarray(terms[0] + terms[1] + terms[2] + terms[3])
    scale = abs(terms[0]) + np.abs(terms[1]) + np.abs(terms[2]) + np.abs(terms[3])
    # A sum of cancelling terms is 0 up to rounding.
    return np.where(np.abs(total) <= 1e-12 * scale, 0.0, total)
