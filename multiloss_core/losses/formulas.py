"""Write the formula of each loss of Table 1 as LaTeX: in counts, in rates, and with numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.methods import checked_probabilities
from multiloss_core.losses.multivariate import F, FractionalLinear, Loss
from multiloss_core.losses.separable import HAMMING


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


@dataclass(frozen=True)
class LossFormula:
    """A loss in one `sentence` and as LaTeX: `in_counts` and `in_rates` u, v, p."""

    sentence: str
    in_counts: str
    in_rates: str


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
    """Find the formula of a loss of Table 1, a ratio or the subset 0-1 loss.

    Raises DataError for any other loss.
    """
    found = _FORMULAS.get("F" if isinstance(loss, F) else loss.name)
    if isinstance(loss, FractionalLinear):
        found = _ratio_formula(loss)
    if found is None:
        raise DataError(f"There is no formula for the {loss.name} loss; choose one of {', '.join(_FORMULAS)}.")
    if isinstance(loss, F):
        found = LossFormula(
            _f_sentence(loss.beta), *(_weighted(text, loss.beta**2) for text in (found.in_counts, found.in_rates))
        )
    return LossFormula(found.sentence, _NAME.sub(r"\\mathrm{\1}", found.in_counts), found.in_rates)


def formula_with_numbers(loss: Loss, counts: ConfusionMatrix) -> str:
    """Write the formula of a loss with counts and its value as LaTeX.

    Fractional counts have three decimals, one from 1,000 items on; the value is computed before rounding.
    """
    decimals = 3 if counts.items < 1000 else 1
    named = {"TP": counts.tp, "FP": counts.fp, "FN": counts.fn, "TN": counts.tn}
    template = loss_formula(loss).in_counts
    filled = re.sub(r"\\mathrm\{(TP|FP|FN|TN)\}", lambda found: _number(named[found[1]], decimals), template)
    return f"{filled} = {counts.loss(loss):.4f}"


def has_empty_rate(loss: Loss, counts: ConfusionMatrix) -> bool:
    """Return whether a rate of the loss has an empty denominator."""
    if isinstance(loss, FractionalLinear):
        return sum(weight * count for weight, count in zip(_of_counts(loss.d), counts.cells, strict=True)) == 0
    if isinstance(loss, F) or loss.name == "Jaccard":
        return counts.tp + counts.fp + counts.fn == 0
    if counts.tp + counts.fn == 0:
        return True
    return counts.tp + counts.fp == 0 if loss.name == "G-TP/PR" else counts.fp + counts.tn == 0


def _f_sentence(beta: float) -> str:
    words = "as much as" if beta == 1 else f"{beta:g} times as much as"
    return (
        "One minus the harmonic mean of precision (the share of flagged items that are positive) and recall (the share "
        f"of positive items that are flagged); recall counts {words} precision."
    )


def _ratio_formula(loss: FractionalLinear) -> LossFormula:
    sentence = (
        "The share of items that are wrong, flagged or not: the mean 0-1 loss of the items."
        if loss == HAMMING
        else "A ratio of linear functions of the shares of true positives, of flagged items and of positives."
    )
    in_counts = (_linear(_of_counts(part), ("TP", "FP", "FN", "TN")) for part in (loss.c, loss.d))
    in_rates = (_linear(part, ("", "u", "v", "p")) for part in (loss.c, loss.d))
    return LossFormula(sentence, *(rf"\frac{{{above}}}{{{below}}}" for above, below in (in_counts, in_rates)))


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


def _weighted(text: str, weight: float) -> str:
    filled = text.replace("BOTH", _number(1 + weight, 4)).replace("WEIGHT", _number(weight, 4))
    return re.sub(r"(?<![\d.}])1 \\cdot ", "", filled)


def _number(value: float, decimals: int) -> str:
    rounded = round(value, decimals)
    # A comma in LaTeX has a space behind it unless it is in braces.
    return f"{rounded:,.{decimals}f}".rstrip("0").rstrip(".").replace(",", "{,}")


_NAME = re.compile(r"\b(TP|FP|FN|TN)\b")
_FORMULAS: MappingProxyType[str, LossFormula] = MappingProxyType(
    {
        "AM": LossFormula(
            "One minus the plain mean of two shares: of the positives that are flagged, and of the negatives that are "
            "not flagged.",
            r"1 - \frac{1}{2} \left( \frac{TP}{TP + FN} + \frac{TN}{TN + FP} \right)",
            r"1 - \frac{u + p (1 - v - p)}{2 p (1 - p)}",
        ),
        "F": LossFormula(
            "",
            r"1 - \frac{BOTH \cdot TP}{BOTH \cdot TP + WEIGHT \cdot FN + FP}",
            r"1 - \frac{BOTH \cdot u}{WEIGHT \cdot p + v}",
        ),
        "Jaccard": LossFormula(
            "Of all items that are flagged, positive or both, the share that is only one of them.",
            r"1 - \frac{TP}{TP + FP + FN}",
            r"\frac{p + v - 2 \cdot u}{p + v - u}",
        ),
        "G-TP/PR": LossFormula(
            "One minus the geometric mean of recall and precision: near F1, but lower where the two differ much.",
            r"1 - \sqrt{\frac{TP}{TP + FN} \cdot \frac{TP}{TP + FP}}",
            r"1 - \frac{u}{\sqrt{p \cdot v}}",
        ),
        "G-Mean": LossFormula(
            "One minus the geometric mean of the share of positives flagged and the share of negatives not flagged: "
            "with either at zero, the loss is 1.",
            r"1 - \sqrt{\frac{TP}{TP + FN} \cdot \frac{TN}{TN + FP}}",
            r"1 - \sqrt{\frac{u (1 - v - p + u)}{p (1 - p)}}",
        ),
        "H-Mean": LossFormula(
            "One minus the harmonic mean of the share of positives flagged and the share of negatives not flagged: the "
            "lower of the two has the larger weight.",
            r"1 - \frac{2 \cdot TP \cdot TN}{TP \cdot (TN + FP) + TN \cdot (TP + FN)}",
            r"1 - \frac{2 \cdot u (1 - v - p + u)}{(1 - v - p) p + u}",
        ),
        "AUC": LossFormula(
            "Of all pairs of one positive and one negative, the share in which only the negative is flagged.",
            r"\frac{FP \cdot FN}{(TP + FN) (FP + TN)}",
            r"\frac{(v - u) (p - u)}{p (1 - p)}",
        ),
        "Subset 0-1": LossFormula(
            "1 if any item is wrong, 0 if all are right.", r"[FP + FN > 0]", r"[v + p > 2 \cdot u]"
        ),
    }
)
