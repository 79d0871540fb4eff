"""Convert payoffs in money into the marginal precision at which one more alert just pays."""

import math
from dataclasses import dataclass, replace
from typing import TypeVar

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats

Number = TypeVar("Number", float, Floats)


@dataclass(frozen=True, kw_only=True)
class Payoffs:
    """Payoffs of a flagged document, against leaving it alone, in one currency.

    `review`: cost of reviewing an alert; `annoyance`: further cost of a false alert. A true positive is worth, before
    its review, `catch` plus the share `recovered`, in [0, 1], of its amount. Unflagged documents count as 0.

    Raises
    ------
    DataError : a number below 0 or infinite, a share above 1, false alerts without cost, a review that costs at least
    as much as a catch is worth.

    Examples
    --------
    >>> from multiloss_core.thresholds import Payoffs
    >>> Payoffs(review=5, catch=100).marginal_precision
    0.05
    """

    review: float
    catch: float = 0.0
    annoyance: float = 0.0
    recovered: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (
            ("The cost of a review", self.review),
            ("The value of a catch", self.catch),
            ("The annoyance of a false alert", self.annoyance),
            ("The share of the amount recovered", self.recovered),
        ):
            if not 0 <= value < math.inf:
                raise DataError(f"{name} must be a number of at least 0; correct it.")
        if self.recovered > 1:
            raise DataError("The share of the amount recovered is at most 100 %; correct it.")
        if self.of_false_alert == 0:
            raise DataError("A false alert costs nothing, so every alert pays: enter the cost of a review.")
        if self.review >= self.catch and not self.recovered:
            raise DataError("A review costs at least as much as a catch is worth, so no alert is worth its review.")

    @property
    def of_catch(self) -> float:
        """Return the value of a true positive less its review, without the share of its amount."""
        return self.catch - self.review

    @property
    def of_false_alert(self) -> float:
        """Return the cost of a false positive with its review; above 0."""
        return self.review + self.annoyance

    @property
    def marginal_precision(self) -> float:
        """Compute the share m of positives, in (0, 1), where one more alert brings nothing.

        There m of_catch = (1 - m) of_false_alert.

        Raises DataError: a share of amounts is recovered: use `at_amount` first.
        """
        if self.recovered:
            raise DataError("The value of a catch depends on its amount; enter the mean amount.")
        return self.of_false_alert / (self.catch + self.annoyance)

    def at_amount(self, mean_amount: float) -> "Payoffs":
        """Set the value of every catch to that of the mean amount.

        Raises DataError: no alert is worth its review.
        """
        return replace(self, catch=self.catch + self.recovered * mean_amount, recovered=0.0)

    def marginal_precision_of_money(self, mean_positive: float, mean_negative: float) -> float:
        """Compute the break-even share of positives, in (0, 1), in the money flagged last.

        The mean amounts, above 0, of positives and of negatives convert money into documents.

        Raises DataError: no alert is worth its review.
        """
        caught = self.at_amount(mean_positive).of_catch / mean_positive
        false = self.of_false_alert / mean_negative
        return false / (caught + false)

    def total(self, tp: Number, fp: Number, amount: Number | float = 0.0) -> Number:
        """Compute the value of flagged documents, with `amount` the money in TP.

        recovered amount + catch TP - review (TP + FP) - annoyance FP, for numbers or arrays of one shape. For fixed
        values the operating point at m maximises this.
        """
        return tp * self.of_catch - fp * self.of_false_alert + amount * self.recovered
