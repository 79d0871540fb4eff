"""What every method for expected losses says of itself."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from multiloss_core.errors import DataError
from multiloss_core.losses.multivariate import Loss
from multiloss_core.numerics.arrays import Floats


def takes_every_loss(loss: Loss, n: int) -> bool:
    """Whether a method that asks nothing of a loss takes it: yes."""
    return True


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to find L_k for every k = 0..n.

    `run`: from probabilities (n,) in decreasing order, a loss and a tolerance to the L_k (n + 1,) and a bound on the
    error of each; raises DataError for a loss that it does not take. `takes`: whether it takes a loss for n items.
    `largest`: the most items it takes, `limit` why. `growth`: how its time grows with n, in words; `work`: likewise, as
    a number that only means something relative to that of another n.
    """

    name: str
    growth: str
    work: Callable[[int], float]
    run: Callable[[Floats, Loss, float], tuple[Floats, float]]
    takes: Callable[[Loss, int], bool] = takes_every_loss
    largest: float = inf
    limit: str = ""

    @property
    def label(self) -> str:
        """The name as people write it."""
        return self.name.replace("_", "-")

    def require_size(self, n: int) -> None:
        """Raise DataError for more items than the method takes."""
        if n > self.largest:
            raise DataError(
                f"There are {n:,} probabilities; the {self.name} method takes at most {self.largest:,}, as "
                f"{self.limit}."
            )
