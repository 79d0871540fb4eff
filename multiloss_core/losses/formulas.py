"""Write the formulas of losses as LaTeX, also with the counts of a prediction."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.methods import checked_probabilities
from multiloss_core.losses.multivariate import LOSSES, FractionalLinear, Loss
from multiloss_core.losses.separable import HAMMING
from multiloss_core.losses.written_formula import LossFormula, latex_number

CELLS = ("TP", "FP", "FN", "TN")
_NAME = re.compile(rf"\b({'|'.join(CELLS)})\b")


@dataclass(frozen=True)
class ConfusionMatrix:
    """Numbers of items: true and false positives, false and true negatives.

    Counts, or means of counts, each at least 0 and not all 0; else DataError.
    """

    tp: float
    fp: float
    fn: float
    tn: float

    def __post_init__(self) -> None:
        if not (min(self.tp, self.fp, self.fn, self.tn) >= 0 and 0 < self.items < np.inf):
            raise DataError(f"Counts must be at least 0 and not all 0, unlike {self}.")

    @property
    def items(self) -> float:
        """Return the number of items."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def cells(self) -> tuple[float, float, float, float]:
        """Return TP, FP, FN and TN."""
        return self.tp, self.fp, self.fn, self.tn

    def loss(self, loss: Loss) -> float:
        """Compute the loss at these counts."""
        return float(loss(self.tp / self.items, (self.tp + self.fp) / self.items, (self.tp + self.fn) / self.items))


def promised_counts(probabilities: ArrayLike, flagged: ArrayLike) -> ConfusionMatrix:
    """Compute mean counts of a prediction (n,) bool from `probabilities` (n,); O(n).

    The loss at mean counts approximates the expected loss for many items, which is a mean of losses.
    Raises DataError for invalid probabilities or different shapes.
    """
    checked, chosen = checked_probabilities(probabilities), np.asarray(flagged, dtype=bool)
    if chosen.shape != checked.shape:
        raise DataError(f"{chosen.size:,} predictions do not fit {checked.size:,} probabilities; give one for each.")
    tp, positives = float(checked[chosen].sum()), float(checked.sum())
    flags = int(np.count_nonzero(chosen))
    # Rounding may leave negative counts.
    fn, fp = max(positives - tp, 0.0), max(flags - tp, 0.0)
    return ConfusionMatrix(tp, fp, fn, max(checked.size - flags - fn, 0.0))


def observed_counts(flagged: ArrayLike, labels: ArrayLike) -> ConfusionMatrix:
    """Count a prediction (n,) bool on `labels` (n,) bool, n >= 1, else DataError; O(n)."""
    chosen, positive = np.asarray(flagged, dtype=bool), np.asarray(labels, dtype=bool)
    if chosen.shape != positive.shape or chosen.ndim != 1 or not chosen.size:
        raise DataError(f"{chosen.size:,} predictions do not fit {positive.size:,} labels; give one for each item.")
    cells = ((chosen & positive), (chosen & ~positive), (~chosen & positive), (~chosen & ~positive))
    return ConfusionMatrix(*(float(np.count_nonzero(cell)) for cell in cells))


def loss_formula(loss: Loss) -> LossFormula:
    """Return the formula of a loss. Raises DataError for a loss without one."""
    found = _ratio_formula(loss) if isinstance(loss, FractionalLinear) else loss.formula
    if found is None:
        raise DataError(f"There is no formula for the {loss.name} loss; choose one of {', '.join(LOSSES)}.")
    return replace(found, in_counts=_NAME.sub(r"\\mathrm{\1}", found.in_counts))


def formula_with_numbers(loss: Loss, counts: ConfusionMatrix) -> str:
    """Write the formula of a loss with counts and its value as LaTeX.

    Fractional counts have three decimals, one from 1,000 items on; the value is computed before rounding.
    """
    decimals = 3 if counts.items < 1000 else 1
    named = dict(zip(CELLS, counts.cells, strict=True))
    template = loss_formula(loss).in_counts
    filled = re.sub(r"\\mathrm\{(TP|FP|FN|TN)\}", lambda found: latex_number(named[found[1]], decimals), template)
    return f"{filled} = {counts.loss(loss):.4f}"


def has_empty_rate(loss: Loss, counts: ConfusionMatrix) -> bool:
    """Return whether a rate of the loss has an empty denominator."""
    if isinstance(loss, FractionalLinear):
        return sum(weight * count for weight, count in zip(_of_counts(loss.d), counts.cells, strict=True)) == 0
    named = dict(zip(CELLS, counts.cells, strict=True))
    return any(not sum(named[cell] for cell in rate.split(" + ")) for rate in loss_formula(loss).rates)


def _ratio_formula(loss: FractionalLinear) -> LossFormula:
    sentence = (
        "The share of items that are wrong, flagged or not: the mean 0-1 loss of the items."
        if loss == HAMMING
        else "A ratio of linear functions of the shares of true positives, of flagged items and of positives."
    )
    in_counts = (_linear(_of_counts(part), CELLS) for part in (loss.c, loss.d))
    in_rates = (_linear(part, ("", "u", "v", "p")) for part in (loss.c, loss.d))
    counted, shared = (rf"\frac{{{above}}}{{{below}}}" for above, below in (in_counts, in_rates))
    return LossFormula(sentence, counted, shared)


def _of_counts(coefficients: Sequence[float]) -> tuple[float, ...]:
    """Return the coefficients of TP, FP, FN and TN, from those of 1, u, v and p."""
    constant, _, of_v, of_p = coefficients
    return sum(coefficients), constant + of_v, constant + of_p, constant


def _linear(coefficients: Sequence[float], names: Sequence[str]) -> str:
    parts = []
    for value, name in zip(coefficients, names, strict=True):
        times = f"{abs(value):.6g}" + rf" \cdot {name}" * bool(name)
        parts.append(f"{'-' if value < 0 else '+'} {name if abs(value) == 1 and name else times}" if value else "")
    return " ".join(filter(None, parts)).removeprefix("+ ") or "0"
