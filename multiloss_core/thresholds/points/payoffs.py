"""Convert payoffs in money into the marginal precision at which one more alert just pays."""

import math
from dataclasses import dataclass

from multiloss_core.errors import DataError


@dataclass(frozen=True, kw_only=True)
class Payoffs:
    """The payoff matrix of a flagged document, against leaving it alone, in one currency.

    `review` is the cost of looking at an alert, `catch` the value of a caught positive before its review, `annoyance`
    what a false alert costs beyond its review. Nothing is known of what is not flagged, so it counts as 0.

    Raises
    ------
    DataError : a number below 0 or infinite, false alerts that cost nothing, a review that costs as much as a catch is
        worth, or more.
    """

    review: float
    catch: float
    annoyance: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (
            ("The cost of a review", self.review),
            ("The value of a catch", self.catch),
            ("The annoyance of a false alert", self.annoyance),
        ):
            if not 0 <= value < math.inf:
                raise DataError(f"{name} must be a number of at least 0; correct it.")
        if self.of_false_alert == 0:
            raise DataError("A false alert costs nothing, so every alert pays: enter the cost of a review.")
        if self.review >= self.catch:
            raise DataError("A review costs as much as a catch is worth, or more: no alert is worth its review.")

    @property
    def of_catch(self) -> float:
        """What a true positive brings, its review paid; above 0."""
        return self.catch - self.review

    @property
    def of_false_alert(self) -> float:
        """What a false positive costs, its review included; above 0."""
        return self.review + self.annoyance

    @property
    def marginal_precision(self) -> float:
        """The share m of positives, in (0, 1), where one more alert brings nothing.

        There m of_catch = (1 - m) of_false_alert.
        """
        return self.of_false_alert / (self.catch + self.annoyance)

    def total(self, tp: float, fp: float) -> float:
        """Value flagged documents against flagging nothing; the operating point at m maximises this."""
        return tp * self.of_catch - fp * self.of_false_alert
