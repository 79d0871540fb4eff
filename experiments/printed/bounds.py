"""What one printed loss says of another: F1 bounds Jaccard and G-TP/PR of the same predictions.

For one prediction with F1 loss L the Jaccard loss is 2 L / (1 + L), and the G-TP/PR loss is at most L, as a geometric
mean is never below the harmonic one. The first is concave in L, so averages over classes keep both as upper bounds.
"""

from dataclasses import dataclass
from functools import cache

from experiments.printed.tables import LOSS_NAMES, METHODS, ROUNDING, natarajan_losses, printed_by_cell, row_title

# Proposed and Tuning choose anew for each loss from the same probabilities; on test items the choice for a loss may by
# chance be a little worse than that for another.
CHANCE = 0.01


@dataclass(frozen=True)
class BoundCheck:
    """One of the 160 cells beside the largest loss that the F1 loss of its row and method allows.

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
    """Bound `loss` ("Jaccard" or "G-TP/PR") of predictions whose F1 loss, or its mean over classes, is known."""
    return {"Jaccard": 2.0 * f1_loss / (1.0 + f1_loss), "G-TP/PR": f1_loss}.get(loss)


def contradiction(data_set: str, least: int, loss: str, method: str) -> str | None:
    """Say in one sentence which other printed cell a cell cannot go with, and why; None where nothing is found.

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
    """Name the rows in which a method's F1 and Jaccard cells cannot come from the same, or nearly the same, model."""
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
    """How far above the bound chance may lift a cell; infinity where each loss has its own model (S-SVM)."""
    return {"Baseline": 0.0, "S-SVM": float("inf")}.get(method, CHANCE)
