"""Estimate recall, missed positives, prevalence and false blocks from a rated audit."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.audit.intervals import ADDED, DRAWS, LEVEL, added_positives, quantile_bounds, total_positives
from multiloss_core.audit.rated_audit import Audit, RecallDecision, can_state_recall
from multiloss_core.errors import DataError
from multiloss_core.generalisation.interval import Interval
from multiloss_core.numerics.arrays import UNDEFINED, Floats, ratio
from multiloss_core.numerics.proportions import effective_size
from multiloss_core.thresholds.data.counts import Rule, rated_in_full
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

SEED = 7_010


@dataclass(frozen=True, eq=False, kw_only=True)
class AuditEstimates:
    """Estimates from an audit, each with its 95 % interval.

    `recall`: share of the positives of these documents that thresholds flag or block; `recall_of_new_data`: the same
    for new documents, where the number of flagged positives varies too. `f1`: F1 score. `missed`: positives that are
    neither flagged nor blocked. `prevalence`: share of positives among all documents. `false_blocks`: negatives among
    blocked documents. `positives_of_strata` (h,): estimated positives N x / n of each stratum. `decision`: see
    `can_state_recall`.
    """

    recall: Interval
    recall_of_new_data: Interval
    f1: Interval
    missed: Interval
    prevalence: Interval
    false_blocks: Interval
    positives_of_strata: Floats
    decision: RecallDecision


def audit_estimates(
    documents: RatedDocuments,
    audit: Audit,
    thresholds: ArrayLike | None = None,
    *,
    rule: Rule = "any",
    rely_on_plan: bool = False,
    level: float = LEVEL,
    draws: int = DRAWS,
) -> AuditEstimates:
    """Estimate the recall of thresholds (k,) at or above the floors; of the floors by default.

    Estimates are stratified: sum of N_h x_h / n_h over strata (Cochran 1977). Rated documents are counted exactly,
    with their weights. Intervals are quantiles of posterior totals: in each stratum beta-binomial, so that what is
    rated in full is known, with half a positive added in all. For one stratum that is the interval of Jeffreys. With
    `rely_on_plan` the half follows the fraud that the plan expected: narrower, but too narrow where the extrapolation
    was wrong (`added_positives`). They need no normal approximation and hold with 0, 1 or 2 positives (coverage:
    `benchmarks/results/audit.md`). Fixed seed; time O(draws h).

    Raises
    ------
    DataError : other names or floors than those of the audit, rated documents that are blocked, thresholds below the
        floors, a stratum without ratings, or a level outside (0, 1).

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import RatedDocuments
    >>> from multiloss_core.audit import Audit, audit_estimates, score_strata
    >>> scores = np.arange(10_000) / 10_000
    >>> documents = RatedDocuments(scores[-100:], np.arange(100) >= 60, names=["model"], floors=[0.99])
    >>> strata = score_strata(scores, [0.99], names=["model"], count=2)
    >>> audit = Audit(strata, strata.sizes(scores), np.array([500, 500]), np.array([4, 0]))
    >>> estimates = audit_estimates(documents, audit)
    >>> round(estimates.recall.estimate, 3), round(estimates.missed.estimate, 1)
    (0.669, 19.8)
    """
    strata = audit.strata
    if documents.alert_rules or documents.names != strata.names or (documents.floors != strata.floors).any():
        raise DataError("The audit needs rated documents with its own scores and floors; read them with these.")
    if (documents.scores >= strata.blocks).any():
        raise DataError("Some rated documents reach a block threshold; leave them out, as the audit stands for them.")
    if not 0 < level < 1:
        raise DataError(f"The level of an interval must lie between 0 and 1, not at {level}.")
    decision = can_state_recall(audit, documents.totals.alerts)
    if not decision:
        raise DataError(decision.reason)
    chosen = strata.floors if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    flagged = documents.counts_at(chosen, rule)
    if not rated_in_full(strata.floors, chosen, rule):
        raise DataError("Thresholds must not lie below the rating floors of the audit; raise them to the floors.")
    rated = documents.totals
    # Summed weights may differ by rounding.
    kept_back = max(rated.tp - flagged.tp, 0.0)
    everything = float(audit.sizes.sum()) + rated.alerts

    blocked, sizes = strata.blocked, audit.sizes
    occupied = sizes > 0
    found = np.divide(sizes * audit.positives, audit.rated, out=np.zeros(len(sizes)), where=occupied)
    generator = np.random.default_rng(SEED)
    added = added_positives(sizes, audit.rated, blocked, rely_on_plan=rely_on_plan)
    totals = np.zeros((draws, len(sizes)))
    totals[:, occupied] = total_positives(
        sizes[occupied], audit.rated[occupied], audit.positives[occupied], added[occupied], generator, draws
    )

    def interval(estimate: float, values: Floats) -> Interval:
        low, high = quantile_bounds(values, level)
        return Interval(estimate=estimate, low=min(low, estimate), high=max(high, estimate))

    alerts = flagged.alerts + float(sizes[blocked].sum())
    caught, missed = flagged.tp + float(found[blocked].sum()), kept_back + float(found[~blocked].sum())
    drawn_caught = flagged.tp + totals[:, blocked].sum(axis=1)
    drawn_missed = kept_back + totals[:, ~blocked].sum(axis=1)
    positives, drawn_positives = caught + missed, drawn_caught + drawn_missed
    of_new_data = _recall_of_new_data(documents, audit, added, (flagged.tp, kept_back), generator, draws)
    nothing = Interval(estimate=UNDEFINED, low=UNDEFINED, high=UNDEFINED, reason="no document is blocked")
    return AuditEstimates(
        recall=interval(ratio(caught, positives), _shares(drawn_caught, drawn_positives)),
        recall_of_new_data=interval(ratio(caught, positives), of_new_data),
        f1=interval(ratio(2 * caught, positives + alerts), _shares(2 * drawn_caught, drawn_positives + alerts)),
        missed=interval(missed, drawn_missed),
        prevalence=interval(positives / everything, drawn_positives / everything),
        false_blocks=interval(
            float((sizes - found)[blocked].sum()), sizes[blocked].sum() - totals[:, blocked].sum(axis=1)
        )
        if blocked.any()
        else nothing,
        positives_of_strata=found,
        decision=decision,
    )


def _recall_of_new_data(
    documents: RatedDocuments,
    audit: Audit,
    added: Floats,
    rated_positives: tuple[float, float],
    generator: np.random.Generator,
    draws: int,
) -> Floats:
    """Draw recall (draws,) of the process: rated positives are Poisson, strata are infinite."""
    weights = documents.weights[documents.labels]
    # Weighted positives vary as their effective number does (Kish 1965).
    scale = ratio(float(weights.sum()), effective_size(weights)) if weights.size else 1.0
    flagged, kept_back = (
        scale * generator.gamma(count / scale + share, 1.0, draws) if count + share > 0 else np.zeros(draws)
        for count, share in zip(rated_positives, (ADDED, 0.0), strict=True)
    )
    alpha, beta = audit.positives + added, audit.rated - audit.positives + ADDED
    shares = np.where(alpha > 0, generator.beta(np.where(alpha > 0, alpha, 1.0), beta, (draws, len(alpha))), 0.0)
    found = shares * audit.sizes
    blocked = audit.strata.blocked
    caught = flagged + found[:, blocked].sum(axis=1)
    return _shares(caught, caught + kept_back + found[:, ~blocked].sum(axis=1))


def _shares(part: Floats, whole: Floats) -> Floats:
    # Without a positive in a draw nothing is missed.
    return np.divide(part, whole, out=np.ones_like(whole), where=whole > 0)
