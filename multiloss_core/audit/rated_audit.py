"""Read the ratings of an audit, and decide whether recall may be stated."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from multiloss_core.audit.draw import PROBABILITY, SIZE, STRATUM
from multiloss_core.audit.plan import AuditPlan
from multiloss_core.audit.strata import AuditStrata, audit_scores, checked_sizes
from multiloss_core.errors import DataError
from multiloss_core.formatting import plural, shortened
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.tables.rating_column import Meaning, guess_meanings, parse_ratings, rating_values
from multiloss_core.tables.yes_no import flag_values
from multiloss_core.thresholds.data.document_checks import first_row
from multiloss_core.thresholds.data.rated_documents import RatedDocuments


@dataclass(frozen=True, eq=False)
class Audit:
    """Documents, ratings and positives of each stratum (h,) of an audit.

    `unrated`: drawn documents without a rating; the others of their stratum stand for them. `scores` (m, k) and
    `labels` (m,): the rated documents themselves, None where only counts are known.

    Raises
    ------
    DataError : counts that contradict each other, or no rating at all.
    """

    strata: AuditStrata
    sizes: Indices
    rated: Indices
    positives: Indices
    unrated: int = 0
    scores: Floats | None = None
    labels: Bools | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", checked_sizes(self.strata, self.sizes))
        for name in ("rated", "positives"):
            values = np.asarray(getattr(self, name))
            if values.shape != self.sizes.shape or (values < 0).any() or (values != np.floor(values)).any():
                raise DataError("Ratings and positives must be whole numbers, one for each stratum.")
            object.__setattr__(self, name, values.astype(np.intp))
        more = self.rated > self.sizes
        if more.any():
            at = int(more.argmax())
            raise DataError(
                f"Stratum {at} has {self.rated[at]:,} ratings but {plural(self.sizes[at], 'document')}; "
                "correct its size."
            )
        if (self.positives > self.rated).any():
            at = int((self.positives > self.rated).argmax())
            raise DataError(f"Stratum {at} has more positives than ratings; correct the counts.")
        if not self.rated.any():
            raise DataError("The audit holds no rating; rate the drawn documents first.")

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        plan: AuditPlan,
        label: str,
        *,
        key: str | None = None,
        positive: object | None = None,
        meanings: Mapping[str, Meaning] | None = None,
    ) -> Self:
        """Read drawn documents with their ratings from a table.

        The table has the three columns that the draw added: stratum, inclusion probability and documents of the
        stratum. Rows without a rating are left out and counted. `positive`, `meanings`: see
        `RatedDocuments.from_frame`; here one of them may name all ratings.

        Raises
        ------
        DataError : naming column, row and correction: a column of the draw is missing, a row that another plan drew, a
            repeated document, a row in no stratum or in another one than at the draw, more rows than were drawn.
        """
        strata = plan.strata
        for name in filter(None, (label, key)):
            if name not in frame:
                raise DataError(f"The audit has no column '{name}'; choose another column.")
        for name in (STRATUM, PROBABILITY, SIZE):
            if name not in frame:
                raise DataError(f"The audit has no column '{name}'; give the rows with the columns of the draw.")
        repeated = frame.duplicated([key] if key is not None else frame.columns.difference([label]).tolist()).to_numpy()
        if repeated.any():
            raise DataError(f"Row {first_row(repeated)} of the audit repeats a document; keep one row for each.")
        scores = audit_scores(frame, strata.names, strata.alert_rules)
        numbers = strata.assign(scores)
        if (numbers < 0).any():
            raise DataError(
                f"Row {first_row(numbers < 0)} of the audit lies in no stratum, as it reaches a floor or has no "
                "number in some score; leave it out."
            )
        stratum = pd.to_numeric(frame[STRATUM], errors="coerce").to_numpy()
        if (stratum != numbers).any():
            raise DataError(
                f"Row {first_row(stratum != numbers)} of the audit was drawn in another stratum than its scores give; "
                "use the scores and strata of the draw."
            )
        drawn = np.bincount(numbers, minlength=strata.count)
        sizes = _sizes_at_draw(frame, plan, numbers)
        most = np.minimum(plan.allocation, sizes)
        if (drawn > most).any():
            at = int((drawn > most).argmax())
            raise DataError(
                f"Stratum {at} has {drawn[at]:,} rows, but {most[at]:,} were drawn; give the rows of one draw only."
            )
        labels = _ratings(frame[label], positive, meanings)
        rated = ~np.isnan(labels)
        return cls(
            strata,
            sizes,
            np.bincount(numbers[rated], minlength=strata.count),
            np.bincount(numbers[labels == 1], minlength=strata.count),
            int((~rated).sum()),
            scores[rated],
            labels[rated] == 1,
        )

    @property
    def weights(self) -> Floats:
        """The documents that a rated one of each stratum (h,) stands for, N / n."""
        return np.asarray(self.sizes / np.maximum(self.rated, 1))

    def joined(self, documents: RatedDocuments) -> RatedDocuments:
        """Join the rated documents of the audit, with weights N / n, to those above the floors.

        The result has no floors: its surfaces and paths reach below the old ones. Blocked documents come from the
        audit alone.

        Raises
        ------
        DataError : an audit of counts, whose documents are not known.
        """
        if self.scores is None or self.labels is None:
            raise DataError("Only counts of this audit are known; read its file again.")
        kept = ~(documents.scores >= self.strata.blocks).any(axis=1)
        scores = np.vstack([documents.scores[kept], self.scores])
        return RatedDocuments(
            scores,
            np.append(documents.labels[kept], self.labels),
            np.append(documents.weights[kept], self.weights[self.strata.assign(self.scores)]),
            documents.names,
            scores.min(axis=0).tolist(),
            alert_rules=documents.alert_rules,
        )


def require_ratings(audit: Audit) -> None:
    """Require ratings that cover all documents, so that recall and F-scores may be stated.

    Raises
    ------
    DataError : a stratum with documents has no rating.
    """
    missing = np.flatnonzero((audit.sizes > 0) & (audit.rated == 0))
    if missing.size:
        words = ", ".join(map(str, missing))
        raise DataError(f"The audit has no rating in stratum {words}; rate documents there.")


def _ratings(column: "pd.Series[Any]", positive: object | None, meanings: Mapping[str, Meaning] | None) -> Floats:
    """Read ratings as 1, 0 or NaN (n,); an audit may hold one value alone."""
    codes, values = rating_values(column)
    if meanings is None and positive is not None and len(values) == 1:
        (only,), wanted = values, str(positive).strip().lower()
        same = only == wanted
        is_negative = (
            len(flag_values([only, wanted])) == 2 or guess_meanings(values, str(column.name))[only] == "negative"
        )
        if not (same or is_negative):
            raise DataError(
                f"All ratings in '{column.name}' are '{shortened(only)}', which may not mean that a document is "
                "harmless; rate at least one row with the other word, or choose another column."
            )
        return np.where(codes < 0, np.nan, float(same))
    return parse_ratings(column, positive, meanings=meanings, one_class=True)


def _sizes_at_draw(frame: pd.DataFrame, plan: AuditPlan, numbers: Indices) -> Indices:
    """Read the sizes of strata (h,) at the draw; of the plan where no row is here."""
    found, shares = (
        pd.to_numeric(frame[name], errors="coerce").to_numpy(dtype=np.float64) for name in (SIZE, PROBABILITY)
    )
    sizes = plan.sizes.astype(np.float64)
    sizes[numbers[::-1]] = found[::-1]
    bad = ~((found >= 1) & (found == sizes[numbers]))
    if bad.any():
        raise DataError(
            f"'{SIZE}' in row {first_row(bad)} must be the number of documents of its stratum, as in the other rows; "
            "give the rows of one draw."
        )
    expected = np.minimum(plan.allocation, sizes)[numbers] / sizes[numbers]
    other = ~(np.abs(shares - expected) <= 1e-6 * expected)
    if other.any():
        raise DataError(
            f"'{PROBABILITY}' in row {first_row(other)} is not that of the plan; give the plan that was saved with the "
            "draw."
        )
    return checked_sizes(plan.strata, sizes)
