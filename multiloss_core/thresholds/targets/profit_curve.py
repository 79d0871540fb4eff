"""Compute the profit of payoffs along a path and its best vertex."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats, rounding_tolerance
from multiloss_core.thresholds.data.counts import Counts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.money import money_at
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath
from multiloss_core.thresholds.targets.payoffs import Payoffs

NEARLY = 0.99


@dataclass(frozen=True, eq=False)
class CasesAlong:
    """Counts at the vertices (m,) of a path: `counts` (weights), and `amount` of money in TP.

    `amount` is None for unknown amounts.
    """

    counts: Counts[Floats]
    amount: Floats | None = None

    def totals(self, payoffs: Payoffs) -> Floats:
        """Compute the value of every vertex against flagging nothing, (m,).

        Raises DataError: a share of unknown amounts.
        """
        if self.amount is None and payoffs.recovered:
            raise DataError(
                "These data have no amounts to recover a share of; choose an amount column on Rated data, or enter 0 %."
            )
        return payoffs.total(self.counts.tp, self.counts.fp, 0.0 if self.amount is None else self.amount)


@dataclass(frozen=True, eq=False)
class ProfitCurve:
    """The `alerts` (documents or weights) of every vertex, and their values `totals`, (m,)."""

    alerts: Floats
    totals: Floats

    @cached_property
    def best(self) -> int:
        """Return the vertex with the highest value; ties go to the strictest."""
        highest = self.totals.max()
        return int(np.flatnonzero(self.totals >= highest - rounding_tolerance(np.abs(self.totals)))[-1])

    @property
    def nearly_best(self) -> tuple[float, float]:
        """Return the range of alerts around the best vertex with at least 99 % of its value."""
        enough = self.totals >= NEARLY * self.totals[self.best]
        gaps = np.flatnonzero(~enough)
        first = gaps[gaps < self.best].max(initial=-1) + 1
        last = gaps[gaps > self.best].min(initial=len(enough)) - 1
        return float(self.alerts[last]), float(self.alerts[first])


def cases_along(path: ThresholdPath, documents: RatedDocuments | None, amounts: Floats | None) -> CasesAlong:
    """Count documents and money in TP at every vertex of a path, in any unit of the path.

    Without `documents` the path's own counts are taken, which must be of documents. `amounts` (n,): money of each
    document. Time O(n k log m), along a path that is not monotone O(n k m).

    Raises DataError: not one amount of at least 0 for each document.
    """
    if documents is None:
        return CasesAlong(Counts(path.tp, path.fp))
    counts = money_at(documents, np.ones(len(documents.labels)), path.thresholds, path.rule)
    return CasesAlong(counts, None if amounts is None else money_at(documents, amounts, path.thresholds, path.rule).tp)


def profit_curve(cases: CasesAlong, payoffs: Payoffs) -> ProfitCurve:
    """Compute the value of every vertex of a path; O(m).

    Raises DataError: a share of unknown amounts.
    """
    return ProfitCurve(cases.counts.alerts, cases.totals(payoffs))
