"""Define the interface of the methods for expected losses."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.losses.multivariate import Loss
from multiloss_core.numerics.arrays import Floats

# From rows of falling probabilities (B, n), a loss and a tolerance to L_k (B, n + 1) and bounds (B,) on their errors.
Run = Callable[[Floats, Loss, float], tuple[Floats, Floats]]


def by_row(run: Callable[[Floats, Loss, float], tuple[Floats, float]]) -> Run:
    """Apply a function of one row of probabilities (n,) to each of (B, n)."""

    def run_rows(descending: Floats, loss: Loss, tolerance: float) -> tuple[Floats, Floats]:
        values, bounds = zip(*(run(row, loss, tolerance) for row in descending), strict=True)
        return np.stack(values), np.array(bounds)

    return run_rows


def takes_every_loss(loss: Loss, n: int) -> bool:
    """Accept every loss."""
    return True


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to find L_k for every k = 0..n.

    `run`: from rows of falling probabilities (B, n), a loss and a tolerance to the L_k (B, n + 1) and a bound (B,) on
    the errors of each row; raises DataError for an unsuitable loss. `takes`: whether it takes a loss for n items.
    `largest`: the maximum number of items, `limit`: its reason. `growth`: growth of its time with n, in words; `work`:
    likewise, as a number relative to that of another n.
    """

    name: str
    growth: str
    work: Callable[[int], float]
    run: Run
    takes: Callable[[Loss, int], bool] = takes_every_loss
    largest: float = inf
    limit: str = ""

    @property
    def label(self) -> str:
        """Return the name for people."""
        return self.name.replace("_", "-")

    def require_size(self, n: int) -> None:
        """Raise DataError for more items than `largest`."""
        if n > self.largest:
            raise DataError(
                f"There are {n:,} probabilities; the {self.name} method takes at most {self.largest:,}, as "
                f"{self.limit}."
            )
