"""Read the ratings of an audit, and decide whether recall may be stated."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from multiloss_core.audit.draw import PROBABILITY, STRATUM
from multiloss_core.audit.plan import AuditPlan
from multiloss_core.audit.strata import AuditStrata, checked_sizes
from multiloss_core.errors import DataError
from multiloss_core.formatting import plural
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.tables.rating_column import Meaning, parse_ratings, rating_values
from multiloss_core.thresholds.data.document_checks import first_row
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

# Largest ratio of the sizes of a stratum in plan and draw.
FAR = 4


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

        Strata come from the scores. Their sizes are those at the draw, planned ratings over the inclusion probability
        in `audit_probability`; without this column they are those of the plan. Rows without a rating are left out and
        counted. `positive`, `meanings`: see `RatedDocuments.from_frame`.

        Raises
        ------
        DataError : naming column, row and correction: a probability outside (0, 1] or not constant in a stratum, a
            repeated document, a row in no stratum or in another one than at the draw, more rows than were planned.
        """
        strata = plan.strata
        for name in filter(None, (label, key)):
            if name not in frame:
                raise DataError(f"The audit has no column '{name}'; choose another column.")
        if key is not None and frame[key].duplicated().any():
            row = first_row(frame[key].duplicated().to_numpy())
            raise DataError(f"The document in row {row} of the audit is repeated; keep one row for each '{key}'.")
        scores = strata.scores_of(frame)
        numbers = strata.assign(scores)
        if (numbers < 0).any():
            raise DataError(
                f"Row {first_row(numbers < 0)} of the audit lies in no stratum, as it reaches a floor or has no "
                "number in some score; leave it out."
            )
        if STRATUM in frame:
            other = pd.to_numeric(frame[STRATUM], errors="coerce").to_numpy() != numbers
            if other.any():
                raise DataError(
                    f"Row {first_row(other)} of the audit was drawn in another stratum than its scores give; "
                    "use the scores and strata of the draw."
                )
        drawn = np.bincount(numbers, minlength=strata.count)
        if (drawn > plan.allocation).any():
            at = int((drawn > plan.allocation).argmax())
            raise DataError(
                f"Stratum {at} has {drawn[at]:,} rows, but {plan.allocation[at]:,} were planned; give the rows of one "
                "draw only."
            )
        labels = _ratings(frame[label], positive, meanings)
        rated = ~np.isnan(labels)
        return cls(
            strata,
            _sizes_at_draw(plan, drawn, _probabilities(frame, numbers, strata.count)),
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

    @property
    def unknown(self) -> Indices:
        """Return the numbers of the strata with documents and without a rating."""
        return np.flatnonzero((self.sizes > 0) & (self.rated == 0))


@dataclass(frozen=True)
class RecallDecision:
    """Whether recall and F-scores may be stated; `covered` is the share of documents in [0, 1].

    `reason`: a sentence that explains a refusal.
    """

    allowed: bool
    covered: float
    reason: str = ""

    def __bool__(self) -> bool:
        return self.allowed


def can_state_recall(audit: Audit | None, alerts: float = 0.0) -> RecallDecision:
    """Decide whether ratings cover all documents, so that recall and F-scores may be stated.

    An audit covers a stratum with at least one rating; `alerts` (rated in full above the floors) count as covered.

    Examples
    --------
    >>> from multiloss_core.audit import can_state_recall
    >>> can_state_recall(None).allowed
    False
    """
    if audit is None:
        return RecallDecision(False, 0.0, "Documents below the floors were not rated; recall needs a random audit.")
    total = float(audit.sizes.sum()) + alerts
    missing = audit.unknown
    covered = 1 - float(audit.sizes[missing].sum()) / total
    if missing.size:
        words = ", ".join(map(str, missing))
        return RecallDecision(False, covered, f"The audit has no rating in stratum {words}; rate documents there.")
    return RecallDecision(True, covered)


def _ratings(column: "pd.Series[Any]", positive: object | None, meanings: Mapping[str, Meaning] | None) -> Floats:
    """Read ratings as 1, 0 or NaN (n,); an audit may hold one value alone."""
    codes, values = rating_values(column)
    if meanings is None and positive is not None and len(values) == 1:
        same = str(values[0]).casefold() == str(positive).strip().casefold()
        return np.where(codes < 0, np.nan, float(same))
    return parse_ratings(column, positive, meanings=meanings, one_class=True)


def _sizes_at_draw(plan: AuditPlan, drawn: Indices, shares: Floats | None) -> Indices:
    """Return the documents of each stratum (h,) at the draw."""
    if shares is None:
        return plan.sizes
    known = np.where(shares > 0, shares, 1.0)
    sizes = np.where(shares > 0, np.where(shares < 1, np.rint(plan.allocation / known), drawn), plan.sizes)
    # Data grow between plan and draw, but not many times.
    far = (sizes > FAR * plan.sizes) | (FAR * sizes < plan.sizes)
    far &= (shares > 0) & (shares < 1)
    if far.any():
        at = int(far.argmax())
        raise DataError(
            f"By '{PROBABILITY}' stratum {at} had {sizes[at]:,.0f} documents, but {plan.sizes[at]:,} in the plan; use "
            "the plan of this draw."
        )
    return sizes.astype(np.intp)


def _probabilities(frame: pd.DataFrame, numbers: Indices, count: int) -> Floats | None:
    if PROBABILITY not in frame:
        return None
    values = pd.to_numeric(frame[PROBABILITY], errors="coerce").to_numpy(dtype=np.float64)
    bad = ~((values > 0) & (values <= 1))
    if bad.any():
        raise DataError(f"'{PROBABILITY}' in row {first_row(bad)} must lie above 0 and at most at 1.")
    first = np.zeros(count)
    first[numbers[::-1]] = values[::-1]
    other = np.abs(values - first[numbers]) > 1e-6 * values
    if other.any():
        raise DataError(
            f"'{PROBABILITY}' in row {first_row(other)} differs from the others of its stratum; "
            "use the probabilities of one draw."
        )
    return first
