"""The operating point: thresholds with the counts of what they flag."""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, ratio, rounding_tolerance
from multiloss_core.thresholds.data.counts import Counts, Rule, flagged

Status = Literal["inside", "at_floor", "unreachable"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class FlaggedCounts(Counts[float]):
    """Thresholds (k,) under a rule, infinity for never, with the counts of what they flag.

    `rated` counts all that was rated, whatever the rule; `reachable` what the loosest thresholds flag. Under `any`
    these are the same, and under `all` less can be reached: a document below some floor is never flagged.
    """

    thresholds: Floats
    rule: Rule
    names: tuple[str, ...]
    rated: Counts[float]
    reachable: Counts[float]

    @property
    def share_of_rated_positives(self) -> float:
        """TP over all rated positives. Not recall: what lies below the floors was never rated."""
        return ratio(self.tp, self.rated.tp)

    @property
    def reachable_share(self) -> float:
        """The largest share of the rated positives that any thresholds of this rule keep."""
        # The same weights, summed in another order, may differ by rounding.
        is_all = abs(self.rated.tp - self.reachable.tp) <= rounding_tolerance(np.array(self.rated.tp))
        return ratio(self.rated.tp if is_all else self.reachable.tp, self.rated.tp)

    def flags(self, scores: ArrayLike) -> Bools:
        """Which documents with scores (n, k) are flagged: a score counts when it is >= its threshold.

        Raises
        ------
        DataError : not k scores for each document.
        """
        table = np.asarray(scores, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(self.names):
            raise DataError(
                f"Scores must have {len(self.names)} columns, one for each classifier, not shape {table.shape}."
            )
        return flagged(table, self.thresholds, self.rule)

    def __repr__(self) -> str:
        thresholds = ", ".join(f"{name} >= {value:g}" for name, value in zip(self.names, self.thresholds, strict=True))
        return f"{type(self).__name__}({thresholds}; TP {self.tp:g}, FP {self.fp:g}, precision {self.precision:.4g})"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class _OfPath(FlaggedCounts):
    """What any point has of a path: the marginal precision in (0, 1), and the method that found the path."""

    marginal_precision: float
    method: str

    @property
    def slope(self) -> float:
        """The marginal precision as the slope dTP/dFP = m / (1 - m): the paper's target derivative."""
        return self.marginal_precision / (1 - self.marginal_precision)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class _BesidePath(_OfPath):
    """Thresholds that no target leads to.

    `marginal_precision` is that of the path where it flags as many, `between` a lower and a higher target whose points
    flag more and fewer.
    """

    between: tuple[float, float]
    status: ClassVar[Status] = "inside"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ManualPoint(_BesidePath):
    """Thresholds set by hand."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class WishedPoint(_BesidePath):
    """The best thresholds under a wish, such as a cap on alerts, that lie between the points of the slider."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OperatingPoint(_OfPath):
    """Thresholds (k,) of a path with their exact counts at a target marginal precision in (0, 1).

    `status`: `inside` the path; `at_floor` when even the documents at the floors are worth it, so that the best point
    lies below what was rated; `unreachable` when no part of the path reaches the target, so that nothing is
    flagged. `step_precision` and `step_alerts` describe the last step up to the point, `next_precision` and
    `next_alerts` the step that would follow (NaN and 0 where there is none). `estimated`: the precisions of the
    steps are those of a smooth fit, not counted.
    """

    status: Status
    step_precision: float
    step_alerts: float
    next_precision: float
    next_alerts: float
    estimated: bool = False


Point: TypeAlias = OperatingPoint | ManualPoint | WishedPoint
