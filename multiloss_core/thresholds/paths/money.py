"""Count money instead of documents: amounts of documents, caught and in false alerts."""

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats, ratio
from multiloss_core.tables.column_values import MAX_SCORE
from multiloss_core.thresholds.data.counts import Counts, Rule, flagged_weights, require_rule
from multiloss_core.thresholds.data.rated_documents import RatedDocuments


def money_at(documents: RatedDocuments, amounts: Floats, thresholds: Floats, rule: Rule) -> Counts[Floats]:
    """Count money caught (TP) and money in false alerts (FP), (m,), at thresholds (m, k).

    Both are sums of weight times amount; with amounts (n,) of 1 they are TP and FP. Time O(n k log m) where thresholds
    never fall from one row to the next, as along a path; elsewhere O(n k m).

    Raises DataError: not one amount >= 0 for each document, or an unknown rule.
    """
    require_rule(rule)
    money = _money(documents, amounts)
    caught, in_false_alerts = (
        flagged_weights(documents.scores[side], money[side], thresholds, rule)
        for side in (documents.labels, ~documents.labels)
    )
    return Counts(caught, in_false_alerts)


def money_weighted(documents: RatedDocuments, amounts: Floats) -> RatedDocuments:
    """Multiply the weight of each document by its amount (n,).

    Names, floors, groups, rows of the table and the funnel stay. Documents of amount 0 are dropped, and a note gives
    their number.

    Raises DataError: not one amount >= 0 for each document, no money in positives or none in negatives, or what is left
    has one score only.
    """
    money = _money(documents, amounts)
    kept = money > 0
    for side, words in ((documents.labels, "positive"), (~documents.labels, "negative")):
        if side.any() and not kept[side].any():
            raise DataError(
                f"All {side.sum():,} rated {words}s have the amount 0 (first: row {documents.rows[side][0] + 1:,}), so "
                "money cannot be counted; correct the amounts or count documents."
            )
    left_out = len(kept) - int(kept.sum())
    zero = "document of amount 0 counts" if left_out == 1 else "documents of amount 0 count"
    return RatedDocuments(
        documents.scores[kept],
        documents.labels[kept],
        money[kept],
        documents.names,
        documents.floors.tolist(),
        groups=None if documents.groups is None else documents.groups[kept],
        rows=documents.rows[kept],
        funnel=documents.funnel,
        notes=(f"{left_out:,} {zero} for nothing where money is counted.",) if left_out else (),
        one_class=bool(documents.labels.all() or not documents.labels.any()),
        alert_rules=documents.alert_rules,
        ages=None if documents.ages is None else documents.ages[kept],
    )


def mean_amounts(documents: RatedDocuments, amounts: Floats) -> tuple[float, float]:
    """Compute the weighted mean amounts of rated positives and negatives; NaN without any.

    Raises DataError: not one amount >= 0 for each document.
    """
    money = _money(documents, amounts)
    positive, negative = (
        ratio(float(money[side].sum()), float(documents.weights[side].sum()))
        for side in (documents.labels, ~documents.labels)
    )
    return positive, negative


def _money(documents: RatedDocuments, amounts: Floats) -> Floats:
    """Multiply weight and amount of each document, (n,)."""
    if np.shape(amounts) != documents.weights.shape:
        raise DataError(f"There must be one amount for each of the {len(documents.weights):,} documents.")
    if not ((amounts >= 0) & (amounts < MAX_SCORE)).all():
        raise DataError("Amounts must be finite numbers of at least 0; correct them or count documents.")
    return documents.weights * amounts
