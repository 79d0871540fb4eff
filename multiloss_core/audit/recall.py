"""Estimate recall, missed positives, prevalence and false blocks from a rated audit."""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.audit.intervals import DRAWS, LEVEL, TAILS, added_positives, drawn_sizes, total_positives
from multiloss_core.audit.rated_audit import Audit, require_ratings
from multiloss_core.audit.strata import unblocked_counts
from multiloss_core.errors import DataError
from multiloss_core.formatting import plural
from multiloss_core.generalisation.marginal_interval import Interval
from multiloss_core.numerics.arrays import UNDEFINED, Floats, Indices
from multiloss_core.numerics.proportions import share_interval
from multiloss_core.thresholds.data.counts import Counts, Rule, rated_in_full
from multiloss_core.thresholds.data.rated_data import RatedData

Worth = Literal["yes", "no", "unknown"]
SEED, SIZE_SEED = 7_010, 7_011
# Draws for comparing what more ratings would do.
FEW_DRAWS = 4_000


@dataclass(frozen=True, eq=False, kw_only=True)
class AuditEstimates:
    """Estimates from an audit, each with its 95 % interval.

    `caught`: rated positives that are flagged and not blocked. `recall`: share of all positives that thresholds flag or
    block. `f1`: F1 score. `missed`: positives that are neither flagged nor blocked. `prevalence`: share of positives
    among all documents. `false_blocks`: negatives among blocked documents.
    """

    caught: float
    recall: Interval
    f1: Interval
    missed: Interval
    prevalence: Interval
    false_blocks: Interval


@dataclass(frozen=True, kw_only=True)
class StratumFinding:
    """Estimates of one stratum of an audit, with 95 % intervals (Wilson 1927).

    `positives`: positives among its documents; `share`: their share. `worth`: whether the share reaches a marginal
    precision; unknown where the interval holds it.
    """

    label: str
    blocked: bool
    documents: int
    rated: int
    positives: Interval
    share: Interval
    worth: Worth


@dataclass(frozen=True, eq=False, kw_only=True)
class AuditReading:
    """A rated audit beside the rated documents that it belongs to.

    `found` (h,), `drawn` (draws, h): positives of the strata, estimated and drawn from their posterior distribution.
    `drawn_sizes`: sizes of the strata, (draws, h) where they come from a sample, else the known ones (1, h).
    `rated`: the rated documents that are not blocked.
    """

    source: RatedData
    audit: Audit
    rated: Counts[float]
    found: Floats
    drawn: Floats
    drawn_sizes: Indices
    level: ClassVar[float] = LEVEL

    def at(self, thresholds: ArrayLike | None = None, rule: Rule = "any") -> AuditEstimates:
        """Estimate the recall of thresholds (k,) at or above the floors; of the floors by default.

        Raises DataError: see `caught_at`.
        """
        return self.of(self.caught_at(self.audit.strata.floors if thresholds is None else thresholds, rule))

    def caught_at(self, thresholds: ArrayLike, rule: Rule = "any") -> Counts[float]:
        """Count the rated documents that thresholds (k,) flag and no block threshold takes.

        Raises DataError: thresholds below the floors, or block thresholds beside the rule "all".
        """
        strata, chosen = self.audit.strata, np.asarray(thresholds, dtype=np.float64)
        if not rated_in_full(strata.floors, chosen, rule):
            raise DataError("Thresholds must not lie below the rating floors of the audit; raise them to the floors.")
        return unblocked_counts(self.source, strata, chosen, rule)

    def caught_by_segment(self, flagged: Counts[float]) -> Counts[float]:
        """Return what thresholds of their own flag for segments. Raises DataError beside blocks."""
        if self.audit.strata.has_blocked:
            raise DataError("Recall of own thresholds for segments needs an audit without block thresholds.")
        return flagged

    def of(self, flagged: Counts[float]) -> AuditEstimates:
        """Estimate the recall of rated documents that are flagged and not blocked. O(draws)."""
        sizes, blocked = self.audit.sizes, self.audit.strata.blocked
        # Summed weights may differ by rounding.
        kept_back = max(self.rated.tp - flagged.tp, 0.0)
        everything = float(sizes.sum()) + self.rated.alerts
        # The estimate is the first row.
        totals = np.vstack([self.found, self.drawn])
        caught, missed = flagged.tp + totals[:, blocked].sum(axis=1), kept_back + totals[:, ~blocked].sum(axis=1)
        drawn_blocks = np.broadcast_to(self.drawn_sizes[:, blocked].sum(axis=1), len(self.drawn))
        blocks = np.append(sizes[blocked].sum(), drawn_blocks)
        positives, alerts = caught + missed, flagged.alerts + blocks
        nothing = Interval(estimate=UNDEFINED, low=UNDEFINED, high=UNDEFINED, reason="no document is blocked")
        return AuditEstimates(
            caught=flagged.tp,
            recall=self._interval(_shares(caught, positives)),
            f1=self._interval(_shares(2 * caught, positives + alerts)),
            missed=self._interval(missed),
            prevalence=self._interval(positives / everything),
            false_blocks=self._interval(blocks - totals[:, blocked].sum(axis=1)) if blocked.any() else nothing,
        )

    def weight_of_positives(self) -> str:
        """State how many missed positives a rating below the floors stands for, if there are any."""
        audit, below = self.audit, ~self.audit.strata.blocked
        found = int(audit.positives[below].sum())
        if not found:
            return ""
        return (
            f"Missed positives below the floors: about {self.found[below].sum():,.0f}, estimated from "
            f"{plural(found, 'positive')} among {plural(int(audit.rated[below].sum()), 'rating')}. A single rating "
            f"stands for up to {audit.weights[below & (audit.positives > 0)].max():,.0f} of them."
        )

    def strata_at(self, marginal_precision: float) -> tuple[StratumFinding, ...]:
        """Compare the share of positives in each stratum with a marginal precision in (0, 1).

        A floor is worth lowering over the strata below it that reach the target: their last alerts added hold as much
        fraud as was asked of the last ones above it. A block threshold is worth raising where the blocked documents do
        not reach it.
        """
        audit, strata = self.audit, self.audit.strata
        with np.errstate(invalid="ignore"):
            shares = audit.positives / audit.rated
        low, high = share_interval(audit.positives, audit.rated, LEVEL)
        # A stratum that is rated in full is known.
        low, high = (np.where(audit.rated == audit.sizes, shares, bound) for bound in (low, high))
        positives = [audit.sizes * low, audit.sizes * high]
        if audit.counted_from is not None:
            # The distances of both bounds of share and size add up in squares (MOVER, Zou and Donner 2008).
            found = audit.sizes * shares
            both = zip((-1, 1), positives, np.quantile(self.drawn_sizes, TAILS, axis=0), strict=True)
            positives = [
                np.maximum(found + side * np.hypot(bound - found, shares * (size - audit.sizes)), audit.positives)
                for side, bound, size in both
            ]
        each = zip(
            *(strata.labels, strata.blocked.tolist(), audit.sizes.tolist(), audit.rated.tolist()),
            *(shares.tolist(), low.tolist(), high.tolist(), *(bound.tolist() for bound in positives)),
            strict=True,
        )
        return tuple(
            StratumFinding(
                label=label,
                blocked=blocked,
                documents=size,
                rated=rated,
                positives=Interval(estimate=size * share, low=fewest, high=greatest),
                share=Interval(estimate=share, low=least, high=most),
                worth="yes" if least >= marginal_precision else "no" if most < marginal_precision else "unknown",
            )
            for label, blocked, size, rated, share, least, most, fewest, greatest in each
        )

    def with_more(self, ratings: int, flagged: Counts[float]) -> tuple[int, Interval] | None:
        """Find the stratum in which more ratings narrow recall's interval most, and that interval.

        `flagged` as in `of`. The share of positives among the new ratings is taken to be that of the old ones; at most
        the documents of a stratum are rated. None where all are rated. O(h draws).
        """
        options = []
        left = ~self.audit.strata.blocked & (self.audit.sizes > self.audit.rated)
        for stratum in np.flatnonzero(left):
            rated = self.audit.rated.copy()
            rated[stratum] = min(rated[stratum] + ratings, self.audit.sizes[stratum])
            positives = self.audit.positives * rated / np.maximum(self.audit.rated, 1)
            drawn, sizes = _drawn(self.audit, rated, positives, FEW_DRAWS)
            options.append((int(stratum), replace(self, drawn=drawn, drawn_sizes=sizes).of(flagged).recall))
        return min(options, key=lambda option: option[1].high - option[1].low, default=None)

    def _interval(self, values: Floats) -> Interval:
        estimate, (low, high) = float(values[0]), np.quantile(values[1:], TAILS).tolist()
        return Interval(estimate=estimate, low=min(low, estimate), high=max(high, estimate))


def read_audit(source: RatedData, audit: Audit, *, draws: int = DRAWS) -> AuditReading:
    """Read a rated audit beside the documents rated at or above the floors.

    Estimates are stratified: sum of N_h x_h / n_h over strata (Cochran 1977). Intervals are quantiles of posterior
    totals: in each stratum beta-binomial, so that what is rated in full is known, with half a positive added in all.
    For one stratum that is the interval of Jeffreys. They need no normal approximation and hold with 0, 1 or 2
    positives (coverage: `benchmarks/results/audit.md`). Sizes of strata that were counted in a sample are drawn as
    well. Rated documents that reach a block threshold are left out: the
    audit stands for them. Fixed seed; time O(draws h).

    Raises DataError: other names or floors than those of the audit, or a stratum without ratings.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import RatedDocuments
    >>> from multiloss_core.audit import Audit, read_audit, score_strata
    >>> scores = np.arange(10_000) / 10_000
    >>> documents = RatedDocuments(scores[-100:], np.arange(100) >= 60, names=["model"], floors=[0.99])
    >>> strata = score_strata(scores, [0.99], names=["model"], count=2)
    >>> audit = Audit(strata, strata.sizes(scores), np.array([500, 500]), np.array([4, 0]))
    >>> estimates = read_audit(documents, audit).at([0.995])
    >>> round(estimates.recall.estimate, 3), round(estimates.missed.estimate, 1)
    (0.669, 19.8)
    """
    strata = audit.strata
    if source.names != strata.names or (source.floors != strata.floors).any():
        raise DataError("The audit has other scores or floors than these data; read them with those of the plan.")
    require_ratings(audit)
    rated = unblocked_counts(source, strata, strata.floors) if strata.has_blocked else source.totals
    found = np.divide(audit.sizes * audit.positives, audit.rated, out=np.zeros(len(audit.sizes)), where=audit.sizes > 0)
    drawn, sizes = _drawn(audit, audit.rated, audit.positives.astype(np.float64), draws)
    return AuditReading(source=source, audit=audit, rated=rated, found=found, drawn=drawn, drawn_sizes=sizes)


def _drawn(audit: Audit, rated: ArrayLike, positives: Floats, draws: int) -> tuple[Floats, Indices]:
    """Draw the positives of all strata (draws, h), and their sizes.

    Strata without documents have none. Sizes from a sample are drawn; known ones are (1, h).
    """
    occupied, ratings = audit.sizes > 0, np.asarray(rated)
    added = added_positives(audit.sizes, audit.strata.blocked)
    totals, sizes = np.zeros((draws, len(audit.sizes))), audit.sizes[np.newaxis]
    if audit.counted_from is not None:
        sizes = np.maximum(
            drawn_sizes(audit.sizes, audit.counted_from, np.random.default_rng(SIZE_SEED), draws), ratings
        )
    totals[:, occupied] = total_positives(
        sizes[:, occupied], ratings[occupied], positives[occupied], added[occupied], np.random.default_rng(SEED), draws
    )
    return totals, sizes


def _shares(part: Floats, whole: Floats) -> Floats:
    # Without a positive nothing is missed.
    return np.divide(part, whole, out=np.ones_like(whole), where=whole > 0)
