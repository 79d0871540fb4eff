"""Check the printed losses of Natarajan et al. against each other.

For one prediction with F1 loss L the Jaccard loss is 2 L / (1 + L), and the G-TP/PR loss is at most L, as a geometric
mean is never below the harmonic one. The first is concave in L, so averages over classes keep both as upper bounds.
Column Baseline holds one prediction under four losses, so confusion matrices can be fitted to it.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from experiments.printed import LOSS_NAMES, METHODS, ROUNDING, natarajan_losses, printed_by_cell, row_title
from multiloss_core import AM, G_TP_PR, JACCARD, F
from multiloss_core.numerics.arrays import Floats

# Proposed and Tuning choose anew for each loss from the same probabilities; on test items the choice for a loss may by
# chance be a little worse than that for another.
CHANCE = 0.01


@dataclass(frozen=True)
class BoundCheck:
    """One of the 160 cells with the largest loss that the F1 loss of its row allows.

    `bound` is None for F1 itself and for AM, which F1 does not bound. `excess` is how far the printed loss lies above
    the bound, rounding taken off; 0 where it does not. `contradicts`: another printed cell cannot go with it.
    """

    data_set: str
    least: int
    loss: str
    method: str
    printed: float
    bound: float | None
    excess: float
    contradicts: bool


@cache
def bound_checks() -> tuple[BoundCheck, ...]:
    """Check all 160 cells, in the order of the tables. O(160)."""
    printed = printed_by_cell()
    checks = []
    for one in natarajan_losses():
        bound = largest_loss(one.loss, printed[one.data_set, one.least, "F1", one.method])
        # Both figures are rounded, and the bound rises at most twice as fast as the F1 loss.
        excess = 0.0 if bound is None else max(one.value - bound - 3 * ROUNDING, 0.0)
        checks.append(
            BoundCheck(
                one.data_set, one.least, one.loss, one.method, one.value, bound, excess, excess > _allowed(one.method)
            )
        )
    return tuple(checks)


def largest_loss(loss: str, f1_loss: float) -> float | None:
    """Bound `loss` ("Jaccard" or "G-TP/PR") by a known F1 loss or its mean over classes."""
    return {"Jaccard": 2.0 * f1_loss / (1.0 + f1_loss), "G-TP/PR": f1_loss}.get(loss)


def contradiction(data_set: str, least: int, loss: str, method: str) -> str | None:
    """Explain which other printed cell contradicts a cell; None without a contradiction.

    Arguments are those of `PrintedLoss`. Raises KeyError for a cell that is not printed.
    """
    checks = {check.loss: check for check in bound_checks() if (check.data_set, check.least) == (data_set, least)
              and check.method == method}  # fmt: skip
    if loss not in LOSS_NAMES or not checks:
        raise KeyError((data_set, least, loss, method))
    # The cell of F1 is one side of each contradiction of its row and method.
    found = [check for check in checks.values() if check.contradicts and loss in ("F1", check.loss)]
    if not found:
        return None
    other = found[0]
    f1_loss = checks["F1"].printed
    most = f"have a {other.loss} loss of at most {other.bound:.4f}"
    start = f"The predictions behind the printed F1 loss {f1_loss:.4f} {most}"
    if method == "Baseline":
        return f"{start}, but {other.printed:.4f} is printed for the same predictions."
    return f"{start}, but those chosen for {other.loss} itself are printed with {other.printed:.4f}."


def contradicting_rows(method: str) -> tuple[str, ...]:
    """Name the rows in which a method's F1 and Jaccard cells contradict each other."""
    return tuple(
        row_title(check.data_set, check.least)
        for check in bound_checks()
        if check.method == method and check.loss == "Jaccard" and check.contradicts
    )


def least_f1_rows(method: str) -> tuple[str, ...]:
    """Name the rows in which a method has the least printed F1 loss of the four."""
    printed = printed_by_cell()
    return tuple(
        row_title(one.data_set, one.least)
        for one in natarajan_losses()
        if (one.loss, one.method) == ("F1", method)
        and one.value == min(printed[one.data_set, one.least, "F1", other] for other in METHODS)
    )


def _allowed(method: str) -> float:
    """Return the excess explained by chance; infinity for S-SVM with a model per loss."""
    return {"Baseline": 0.0, "S-SVM": float("inf")}.get(method, CHANCE)


LOSSES_OF_CELLS = (F(), JACCARD, AM, G_TP_PR)
# Standard deviations allowed for the share of positives in a random half or third.
SPREAD = 3.0
# Counts that miss a printed loss by more are not looked at, unless nothing comes nearer.
WORST, CLOSE = 0.05, 0.0005


@dataclass(frozen=True)
class Question:
    """A set with one binary question, if `positives` of its `rows` are positive.

    `test` rows are drawn at random; `test_positives`: the printed number of positives among them, if any.
    """

    data_set: str
    positive: str
    rows: int
    positives: int
    test: int
    test_positives: int | None = None

    @property
    def candidates(self) -> range:
        """The numbers of test positives that a random draw plausibly has."""
        if self.test_positives is not None:
            return range(self.test_positives, self.test_positives + 1)
        share = self.positives / self.rows
        spread = SPREAD * np.sqrt(self.test * share * (1 - share) * (1 - self.test / self.rows))
        return range(round(self.test * share - spread), round(self.test * share + spread) + 1)


@dataclass(frozen=True)
class Fit:
    """Counts that come near the four printed losses, and the losses they have.

    Of all whose largest difference is at most .0005 they are those with the most plausible number of positives; where
    there are none, those with the least difference. `close` holds the least and largest number of positives of the
    former, None if there are none.
    """

    question: Question
    positives: int
    tp: int
    fp: int
    printed: tuple[float, ...]
    losses: tuple[float, ...]
    close: tuple[int, int] | None

    @property
    def misfit(self) -> float:
        """The largest difference between a printed loss and that of the counts."""
        return max(abs(a - b) for a, b in zip(self.printed, self.losses, strict=True))

    @property
    def fits(self) -> bool:
        """Whether rounding explains all differences."""
        return self.misfit <= 1.01 * ROUNDING

    @property
    def accuracy(self) -> float:
        """The share of test items predicted right."""
        return 1 - (self.positives - self.tp + self.fp) / self.question.test


@cache
def questions() -> tuple[Question, ...]:
    """List the sets with one question, both sides where the paper leaves the class open."""
    return (
        Question("WEB PAGE", "the rare class", 34780, 981, 27824, 799),
        Question("SPAMBASE", "spam", 4601, 1813, 1530),
        Question("SPAMBASE", "ham", 4601, 2788, 1530),
        Question("IMAGE", "the majority", 2310, 1320, 1010),
        Question("IMAGE", "the minority", 2310, 990, 1010),
        Question("BREAST CANCER", "malignant", 683, 239, 220),
        Question("BREAST CANCER", "benign", 683, 444, 220),
    )


@cache
def fit_of(question: Question) -> Fit:
    """Find counts that come near the printed losses among all plausible ones.

    For each number of positives and true positives all four losses rise with the false positives, so their largest
    difference is least where the rising and the falling differences meet: found by bisection, for all at once.
    O(c n log n) for c plausible numbers of positives among n test items.
    """
    printed = np.array([printed_by_cell()[question.data_set, 1, loss, "Baseline"] for loss in LOSS_NAMES])
    positives, tp, most = _pairs(question, 1.0 - printed[LOSS_NAMES.index("Jaccard")] - WORST)
    low, high = np.zeros_like(tp), most
    while (low < high).any():
        middle = (low + high) // 2
        differences = _losses(question.test, positives, tp, middle) - printed[:, None]
        enough = differences.max(axis=0) >= -differences.min(axis=0)
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
    # The least largest difference lies at the crossing or just before it.
    fp = np.concatenate([low, np.maximum(low - 1, 0)])
    positives, tp = np.tile(positives, 2), np.tile(tp, 2)
    losses = _losses(question.test, positives, tp, fp)
    misfits = np.abs(losses - printed[:, None]).max(axis=0)
    close = np.flatnonzero(misfits <= CLOSE)
    best = int(misfits.argmin())
    if close.size:
        unlikely = np.abs(positives[close] - question.test * question.positives / question.rows)
        best = int(close[np.lexsort((misfits[close], unlikely))[0]])
    return Fit(
        question,
        int(positives[best]),
        int(tp[best]),
        int(fp[best]),
        tuple(printed.tolist()),
        tuple(losses[:, best].tolist()),
        (int(positives[close].min()), int(positives[close].max())) if close.size else None,
    )


def _pairs(question: Question, least: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pair positives and TP whose Jaccard index can be `least`, with the maximum FP.

    The index is TP / (P + FP), so it is at most TP / P.
    """
    counts = [(p, np.arange(int(np.ceil(least * p)), p + 1)) for p in question.candidates]
    positives = np.concatenate([np.full(len(tp), p) for p, tp in counts])
    tp = np.concatenate([tp for _, tp in counts])
    return positives, tp, np.minimum((tp / least - positives).astype(int), question.test - positives)


def _losses(test: int, positives: np.ndarray, tp: np.ndarray, fp: np.ndarray) -> Floats:
    """Compute the four losses (4, m) of counts (m,)."""
    return np.array([loss(tp / test, (tp + fp) / test, positives / test) for loss in LOSSES_OF_CELLS])
