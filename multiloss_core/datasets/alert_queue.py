"""Order the undecided alerts of a table by P(positive | scores)."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from multiloss_core.combined.fitting import combined_score
from multiloss_core.datasets.rated import RatedDataset
from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.tables import ColumnMeanings
from multiloss_core.tables.rating_column import ratings_so_far
from multiloss_core.tables.score_formula import COMBINED
from multiloss_core.thresholds.data.counts import Rule, flagged
from multiloss_core.thresholds.data.document_columns import read_scores


@dataclass(frozen=True, eq=False)
class AlertQueue:
    """Hold the undecided alerts of a table, the likeliest positive first.

    `rows` (n,) of the table, counted from 0, their `scores` (n,) that give the order, and which of them the thresholds
    of a decision flag, (n,).
    """

    rows: Indices
    scores: Floats
    flagged: Bools

    def listed(self, frame: pd.DataFrame, take: int | None = None) -> pd.DataFrame:
        """Return the first `take` rows with their place, flag and all columns."""
        rows = self.rows[:take]
        shown = frame.iloc[rows].reset_index(drop=True)
        added = {"queue place": np.arange(1, len(rows) + 1), "queue score": self.scores[:take].round(6)}
        first = pd.DataFrame(added | {"queue flagged": np.where(self.flagged[:take], "yes", "no")})
        return pd.concat([first, shown.drop(columns=[*first], errors="ignore")], axis=1)


def queue_of(frame: pd.DataFrame, columns: ColumnMeanings, thresholds: Floats, rule: Rule) -> AlertQueue:
    """Order the rows without a decision that reach a rating floor, or that an alert rule raised.

    The order is that of one score, of the combined score of the columns, or of one that is fitted to the rated rows of
    the table: at any number of alerts the documents with the largest P(positive | scores) are the ones to look at
    (Natarajan et al. 2016, Theorem 1). Rows alike stay in the order of the table. `thresholds` (k,): those of the
    documents, infinity for never. Where the rating column is missing, no row has a decision. Time O(n k + n log n).

    Raises
    ------
    DataError : a score that is missing, or several scores with too few ratings to fit how they combine.
    """
    waiting = np.isnan(ratings_so_far(frame, columns.rating, columns.known_meanings))
    is_rated = not waiting.all()
    if columns.repeats is not None and columns.repeats.identifier in frame.columns:
        kept = columns.repeats.kept(frame, columns.rating if columns.rating in frame.columns else None)
        waiting &= True if kept is None else kept
    rows = np.flatnonzero(waiting)
    table, _, unusable = read_scores(frame, [*columns.scores, *columns.alert_rules], rows, len(columns.alert_rules))
    table[unusable] = -np.inf
    scores, rules = np.split(table, [len(columns.scores)], axis=1)
    formula, floors = columns.combined, columns.floors
    if formula is None and (len(columns.scores) > 1 or None in (floors or (None,))):
        if not is_rated:
            raise DataError(
                f"Floors and the order of several scores come from rated rows; give a file with ratings in the column "
                f"'{columns.rating}', or a decision with a {COMBINED}."
            )
        documents = RatedDataset.from_frame(frame, replace(columns, age_weights=False)).documents
        floors = tuple(documents.floors[: len(columns.scores)].tolist())
        formula = combined_score(documents).formula if len(columns.scores) > 1 else None
    own = scores[:, 0] if formula is None else formula.apply(scores)
    alerts = (scores >= np.array(floors, dtype=np.float64)).any(axis=1) | (rules == 1).any(axis=1)
    of_documents = np.column_stack([own, rules]) if columns.combined is not None else table
    order = np.flatnonzero(alerts)[np.argsort(-own[alerts], kind="stable")]
    return AlertQueue(rows[order], own[order], flagged(of_documents[order], thresholds, rule))
