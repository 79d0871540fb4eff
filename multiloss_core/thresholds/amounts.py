"""Money at stake: what each rated document is worth, and what thresholds catch and annoy when money is counted."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multiloss_core.errors import DataError
from multiloss_core.thresholds.paths.path import flagged_weights
from multiloss_core.thresholds.rated import LARGEST_SCORE, RatedDocuments, numbers
from multiloss_core.thresholds.surfaces import Rule, require_rule

Floats = NDArray[np.float64]


def document_amounts(frame: pd.DataFrame, column: str, rows: NDArray[np.intp]) -> Floats:
    """The amounts (n,) >= 0 that a column holds in some rows of a table; rows (n,) count from 0.

    Raises
    ------
    DataError : no such column, or an amount that is blank, text, infinite or negative; row numbers count from 1 below
        the header.
    """
    if column not in frame.columns:
        raise DataError(f"There is no column '{column}' with amounts; choose another amount column or none.")
    cells = frame[column].iloc[rows]
    values, _, _ = numbers(cells)
    bad = ~((values >= 0) & (values < LARGEST_SCORE))
    if bad.any():
        first = int(bad.argmax())
        cell = "blank" if pd.isna(cells.iloc[first]) else f"'{str(cells.iloc[first])[:40]}'"
        raise DataError(
            f"Of the amounts in column '{column}', {bad.sum():,} cannot be read as numbers of at least 0 (first: row "
            f"{rows[first] + 1:,}, {cell}); correct them or choose no amount column."
        )
    return values


def money_at(documents: RatedDocuments, amounts: Floats, thresholds: Floats, rule: Rule) -> tuple[Floats, Floats]:
    """Money caught and money in false alerts (m,) at thresholds (m, k): sums of weight times amount over what is flagged.

    With amounts (n,) of 1 these are TP and FP. Time O(n k log m) where thresholds never fall from one row to the next, as
    along a path; elsewhere O(n k m).

    Raises
    ------
    DataError : not one amount >= 0 for each document, or an unknown rule.
    """
    require_rule(rule)
    money = _money(documents, amounts)
    caught, annoyed = (
        flagged_weights(documents.scores[side], money[side], thresholds, rule)
        for side in (documents.labels, ~documents.labels)
    )
    return caught, annoyed


def money_weighted(documents: RatedDocuments, amounts: Floats) -> RatedDocuments:
    """The same documents counted in money: each has its weight times its amount (n,) for a weight.

    Names, floors, groups, rows of the table and the funnel stay. Documents of amount 0 count for nothing; they are left out,
    and a note says how many.

    Raises
    ------
    DataError : not one amount >= 0 for each document, no money in positives or none in negatives, or what is left has
        one score only.
    """
    money = _money(documents, amounts)
    kept = money > 0
    for side, words in ((documents.labels, "positive"), (~documents.labels, "negative")):
        if not kept[side].any():
            raise DataError(
                f"All {side.sum():,} rated {words}s have the amount 0 (first: row {documents.rows[side][0] + 1:,}), so money "
                "cannot be counted; correct the amounts or count documents."
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
    )


def _money(documents: RatedDocuments, amounts: Floats) -> Floats:
    """Weight times amount of each document (n,)."""
    if np.shape(amounts) != documents.weights.shape:
        raise DataError(f"There must be one amount for each of the {len(documents.weights):,} documents.")
    if not ((amounts >= 0) & (amounts < LARGEST_SCORE)).all():
        raise DataError("Amounts must be finite numbers of at least 0; correct them or count documents.")
    return documents.weights * amounts
