"""Read the ratings of an audit, and decide whether recall may be stated."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from multiloss_core.audit.draw import DRAW, PROBABILITY, SIZE, STRATUM, draw_mark
from multiloss_core.audit.plan import AuditPlan
from multiloss_core.audit.strata import (
    NO_STRATUM,
    AuditStrata,
    audit_scores,
    checked_sample,
    checked_sizes,
    sample_counts,
)
from multiloss_core.errors import DataError
from multiloss_core.formatting import plural, shortened
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.tables.column_values import BLANK, base_of, numbers
from multiloss_core.tables.rating_column import Meaning, parse_ratings, polarity, rating_values, read_meanings
from multiloss_core.tables.spreadsheet_csv import without_formula
from multiloss_core.tables.vocabulary import listed, name_words
from multiloss_core.tables.yes_no import flag_values
from multiloss_core.thresholds.data.document_checks import first_row
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.data.rating_floors import lowest_scores

# Beyond it spreadsheets round whole numbers.
MAX_EXACT = 1e15


def rounding_errors(values: Floats) -> Floats:
    """Bound the rounding errors (n,) of numbers with the decimals or digits of their column.

    Half a unit of the last decimal or of the last significant digit that any of the numbers has; O(n).
    """
    finite = np.isfinite(values)
    written = [Decimal(repr(value)).normalize().as_tuple() for value in values[finite & (values != 0)].tolist()]
    decimals = max((-int(number.exponent) for number in written), default=0)
    digits = max((len(number.digits) for number in written), default=1)
    with np.errstate(divide="ignore", over="ignore"):
        places = np.floor(np.log10(np.abs(np.where(finite, values, 1.0)))) + 1 - digits
        return np.asarray(np.maximum(10.0**places, 10.0**-decimals) / 2)


def is_rounded_identifier(word: str) -> bool:
    """Return whether a spreadsheet may have rounded an identifier, as in 4.1E+15."""
    try:
        return abs(float(word)) >= MAX_EXACT
    except ValueError:
        return False


# Rows that may be missing without being asked about; growth of a stratum between plan and draw, by factor and number.
MAX_MISSING, MAX_GROWTH, MAX_GROWN = 3, 5.0, 100
MAX_LISTED = 36


class RatedPositive(NamedTuple):
    """The key of a rated positive and the number of its stratum."""

    key: str
    stratum: int


@dataclass(frozen=True, eq=False)
class Audit:
    """Documents, ratings and positives of each stratum (h,) of an audit.

    `unrated`: drawn documents without a rating, `missing`: those without a row; the others of their stratum stand for
    both. `scores` (m, k), `labels`, `drawn_from` and `keys` (m,): the rated documents themselves, their strata and
    identifiers, None where only counts are known. `notes`: sentences about the file. `counted_from`: as in `AuditPlan`,
    where the sizes are uncertain.

    Raises DataError: counts that contradict each other, or no rating at all.
    """

    strata: AuditStrata
    sizes: Indices
    rated: Indices
    positives: Indices
    unrated: int = 0
    scores: Floats | None = None
    labels: Bools | None = None
    drawn_from: Indices | None = None
    missing: int = 0
    notes: tuple[str, ...] = ()
    counted_from: int | None = None
    keys: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", checked_sizes(self.strata, self.sizes))
        checked_sample(self.sizes, self.counted_from)
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
        allow_missing: bool = False,
    ) -> Self:
        """Read drawn documents with their ratings from a table.

        The table has the four columns that the draw added: stratum, inclusion probability, documents of the stratum and
        the mark of the draw. Rows without a rating are left out and counted. `positive`, `meanings`: see
        `RatedDocuments.from_frame`; here one of them may name all ratings, and other words for yes, no, fraud or not
        fraud are read where they are clear. Scores may be rounded. `allow_missing`: drawn rows that are not in the
        table are missing at random, also if they are more than 3. The sizes of strata are those at the draw, or those
        of the plan, and uncertain, if it was from the sample that the plan was counted in.

        Raises DataError: naming column, row and correction: a column of the draw is missing, a row that another plan or
        draw drew, a repeated document, a row in no stratum or in another one than at the draw, more rows than were
        drawn, or fewer.
        """
        strata = plan.strata
        for name in filter(None, (label, key)):
            if name not in frame:
                raise DataError(f"The audit has no column '{name}'; choose another column.")
        for name in (STRATUM, PROBABILITY, SIZE, DRAW):
            if name not in frame:
                raise DataError(f"The audit has no column '{name}'; give the rows with the columns of the draw.")
        seed, drawn_by = _draw_of(frame, plan)
        key_notes = _check_keys(frame, label, key, drawn_by)
        scores = audit_scores(frame, strata.names, strata.alert_rules)
        stratum = _drawn_strata(frame, strata, scores)
        sizes, is_sample = _sizes_at_draw(frame, plan, stratum)
        notes = [f"Drawn with seed {seed} by '{drawn_by}'", *key_notes]
        missing = np.minimum(plan.allocation, sizes) - np.bincount(stratum, minlength=strata.count)
        if (missing < 0).any():
            at = int((missing < 0).argmax())
            rows, most = np.count_nonzero(stratum == at), min(plan.allocation[at], sizes[at])
            raise DataError(f"Stratum {at} has {rows:,} rows, but {most:,} were drawn; give the rows of one draw only.")
        labels = _ratings(frame[label], positive, meanings)
        rated = ~np.isnan(labels)
        absent = int(missing.sum())
        if absent:
            notes.append(f"{plural(absent, 'drawn row', 'are')} missing: {_by_stratum(missing)}")
            if absent > MAX_MISSING and not allow_missing:
                raise DataError(
                    f"{notes[-1]}; give all rows of the draw, or confirm by allow-missing that these are missing at "
                    "random."
                )
        if not rated.all():
            notes.append(f"Without a rating: {_by_stratum(np.bincount(stratum[~rated], minlength=strata.count))}")
        if (
            not absent
            and drawn_by in frame
            and draw_mark(_keys(frame[drawn_by]), drawn_by, seed) != frame[DRAW].iloc[0]
        ):
            notes.append(
                f"The identifiers in '{drawn_by}' are not those of the draw: a spreadsheet may have changed them; "
                "restore the rows if any was exchanged"
            )
        if is_sample:
            notes.append(f"Drawn from a sample of {sizes.sum():,} of {plan.sizes.sum():,} documents")
        elif (sizes != plan.sizes).any():
            notes.append(f"Strata had {sizes.sum():,} documents at the draw, {plan.sizes.sum():,} in the plan")
        return cls(
            strata,
            plan.sizes if is_sample else sizes,
            np.bincount(stratum[rated], minlength=strata.count),
            np.bincount(stratum[labels == 1], minlength=strata.count),
            int((~rated).sum()),
            scores[rated],
            labels[rated] == 1,
            stratum[rated],
            absent,
            tuple(notes),
            plan.counted_from if is_sample else None,
            tuple(np.array(_identifiers(frame, key or drawn_by, key_notes))[rated].tolist()),
        )

    @property
    def weights(self) -> Floats:
        """The documents that a rated one of each stratum (h,) stands for, N / n."""
        return np.asarray(self.sizes / np.maximum(self.rated, 1))

    def positives_below(self) -> tuple[RatedPositive, ...]:
        """List the positives below the floors that stand for most documents, at most 36.

        The heaviest comes first; empty where only counts are known.
        """
        if self.labels is None or self.drawn_from is None or self.keys is None:
            return ()
        rows = np.flatnonzero(self.labels & ~self.strata.blocked[self.drawn_from])
        each = [RatedPositive(self.keys[row], int(self.drawn_from[row])) for row in rows]
        return tuple(sorted(each, key=lambda one: -self.weights[one.stratum])[:MAX_LISTED])

    def refuted(self, keys: Iterable[str]) -> Self:
        """Return the audit with the positives of these keys rated negative, by a second rating.

        Raises DataError: a key of no positive, or an audit of counts.
        """
        second = [*dict.fromkeys(keys)]
        if not second:
            return self
        if self.labels is None or self.drawn_from is None or self.keys is None:
            raise DataError("Only counts of this audit are known; read its file again.")
        changed = np.isin(self.keys, second) & self.labels
        unknown = set(second) - set(np.array(self.keys)[changed])
        if unknown:
            raise DataError(f"The audit has no positive with the key '{shortened(min(unknown))}'; correct the key.")
        return replace(
            self,
            positives=self.positives - np.bincount(self.drawn_from[changed], minlength=self.strata.count),
            labels=self.labels & ~changed,
            notes=(*self.notes, f"{plural(len(second), 'positive', 'are')} negative by a second rating"),
        )

    def joined(self, documents: RatedDocuments) -> RatedDocuments:
        """Join the rated documents of the audit, with weights N / n, to those above the floors.

        The result has no floors: its surfaces and paths reach below the old ones. Blocked documents come from the
        audit alone.

        Raises DataError: an audit of counts, whose documents are not known.
        """
        if self.scores is None or self.labels is None or self.drawn_from is None:
            raise DataError("Only counts of this audit are known; read its file again.")
        kept = ~(documents.scores >= self.strata.blocks).any(axis=1)
        scores = np.vstack([documents.scores[kept], self.scores])
        return RatedDocuments(
            scores,
            np.append(documents.labels[kept], self.labels),
            np.append(documents.weights[kept], self.weights[self.drawn_from]),
            documents.names,
            lowest_scores(scores).tolist(),
            alert_rules=documents.alert_rules,
        )


def require_ratings(audit: Audit) -> None:
    """Require ratings that cover all documents, so that recall and F-scores may be stated.

    Raises DataError: a stratum with documents has no rating.
    """
    missing = np.flatnonzero((audit.sizes > 0) & (audit.rated == 0))
    if missing.size:
        words = ", ".join(map(str, missing))
        raise DataError(f"The audit has no rating in stratum {words}; rate documents there.")


def answer_meanings(
    column: "pd.Series[Any]", positive: object | None = None, meanings: Mapping[str, Meaning] | None = None
) -> dict[str, Meaning | None]:
    """Find the meaning of each answer in lower case; None where it must be asked.

    By `meanings` and the `positive` word, by words for fraud and not fraud, and by yes and no where those or the name
    of the column say which is fraud. Blank cells stay unrated.
    """
    values, name = rating_values(column)[1], str(column.name)
    known = {str(word).strip().lower(): meaning for word, meaning in (meanings or {}).items() if word != BLANK}
    if positive is not None:
        (wanted,) = rating_values(pd.Series([positive]))[1] or [""]
        known[wanted] = "positive"
        if wanted in values and len(values) == 2:
            return {value: "positive" if value == wanted else "negative" for value in values}
    flags, readings = flag_values([*dict.fromkeys([*values, *known])]), read_meanings(values, name)
    sides: dict[bool, Meaning] = {}
    for word, meaning in known.items():
        if word in flags and meaning != "undecided":
            sides |= {flags[word]: meaning, not flags[word]: "negative" if meaning == "positive" else "positive"}
    asks_for_fraud = polarity(name)[0] == "positive" and set(name_words(name)) & listed("label", "rating")
    return {
        value: known.get(value)
        or (sides.get(flags[value]) if value in flags else None)
        or readings[value][int(bool(asks_for_fraud) and value in flags and not sides)]
        for value in values
    }


def _ratings(column: "pd.Series[Any]", positive: object | None, meanings: Mapping[str, Meaning] | None) -> Floats:
    """Read ratings as 1, 0 or NaN (n,); an audit may hold one value alone."""
    found = answer_meanings(column, positive, meanings)
    for place, (word, meaning) in enumerate(found.items()):
        if meaning is None:
            row = first_row(rating_values(column)[0] == place)
            raise DataError(
                f"Column '{column.name}' holds '{shortened(word)}' in row {row}, which has no clear meaning; "
                "name the rating for fraud (--positive), write known words, or leave undecided cells blank."
            )
    given = {word: meaning for word, meaning in found.items() if meaning is not None}
    return parse_ratings(column, meanings=given, one_class=True)


def _draw_of(frame: pd.DataFrame, plan: AuditPlan) -> tuple[int, str]:
    """Return seed and key column of the one draw in a table."""
    marks = frame[DRAW].astype("string").str.strip().fillna("")
    other = (marks != (plan.draw or marks.iloc[0])).to_numpy() if len(marks) else np.ones(1, dtype=bool)
    if other.any():
        raise DataError(
            f"'{DRAW}' in row {first_row(other)} is of another draw; give the rows of one draw, and the plan that was "
            "saved with it."
        )
    _, seed, key = [*marks.iloc[0].split(" ", 2), "", ""][:3]
    if not seed.removeprefix("-").isdecimal():
        raise DataError(f"'{DRAW}' in row 1 is no mark of a draw; restore the column from the drawn file.")
    return int(seed), key


def _keys(column: "pd.Series[Any]") -> list[str]:
    """Write identifiers as at the draw, without decimals and the sign that stops a formula."""
    words = [str(value).removesuffix(".0") for value in column]
    return [word[1:] if word.startswith("'") and without_formula(word[1:]) == word else word for word in words]


def _identifiers(frame: pd.DataFrame, column: str, problems: list[str]) -> list[str]:
    """Write the key of each row (n,), or its number where there is no usable one."""
    rows = [f"row {row}" for row in range(1, len(frame) + 1)]
    return rows if problems or column not in frame else _keys(frame[column])


def _check_keys(frame: pd.DataFrame, label: str, key: str | None, drawn_by: str) -> list[str]:
    """Find repeated documents; return a note where a spreadsheet rounded the identifiers."""
    column = drawn_by if key is None and drawn_by in frame else key
    notes: list[str] = []
    if column is not None:
        repeated = frame[column].duplicated().to_numpy()
        rounded = next((word for word in map(str, frame[column][repeated]) if is_rounded_identifier(word)), None)
        if rounded is not None:
            notes.append(
                f"The column '{column}' was rounded by a spreadsheet and repeats {rounded}; restore it from the draw"
            )
            if key is not None:
                raise DataError(f"{notes[0]}.")
        elif repeated.any():
            raise DataError(f"Row {first_row(repeated)} of the audit repeats a document; keep one row for each.")
    if column is None or notes:
        repeated = frame.duplicated(frame.columns.difference([label]).tolist()).to_numpy()
        if repeated.any():
            raise DataError(f"Row {first_row(repeated)} of the audit repeats a document; keep one row for each.")
    return notes


def _drawn_strata(frame: pd.DataFrame, strata: AuditStrata, scores: Floats) -> Indices:
    """Return the strata of the draw (n,), of which scores (n, k) may fall short by rounding."""
    names = strata.names[: len(strata.names) - strata.alert_rules]
    low, high = frame.copy(deep=False), frame.copy(deep=False)
    for base in {base_of(frame, name) for name in names} - {None}:
        values = numbers(frame[base])[0]
        half = rounding_errors(values)
        low[base], high[base] = values - half, values + half
    # Inverted scores exchange the ends.
    ends = [audit_scores(one, strata.names, strata.alert_rules) for one in (low, high)]
    order = np.append(np.arange(strata.count) - 2 * strata.count * strata.blocked, NO_STRATUM)
    here, last, first = (strata.assign(table) for table in (scores, np.minimum(*ends), np.maximum(*ends)))
    known = pd.to_numeric(frame[STRATUM], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    stratum = np.where(np.isin(known, np.arange(strata.count)), known, NO_STRATUM).astype(np.intp)
    fits = (order[first] <= order[stratum]) & (order[stratum] <= order[last]) & (stratum >= 0)
    if not fits.all():
        row = first_row(~fits)
        if here[~fits][0] < 0:
            raise DataError(
                f"Row {row} of the audit lies in no stratum, as it reaches a floor or has no number in some score; "
                "restore its scores from the drawn file, or leave it out."
            )
        raise DataError(
            f"Row {row} of the audit was drawn in another stratum than its scores give; use the scores and strata of "
            "the draw."
        )
    return stratum


def _by_stratum(rows: Indices) -> str:
    return ", ".join(f"{rows[at]:,} in stratum {at}" for at in np.flatnonzero(rows))


def _sizes_at_draw(frame: pd.DataFrame, plan: AuditPlan, numbers: Indices) -> tuple[Indices, bool]:
    """Read the sizes of strata (h,) at the draw, and whether it was from the sample of the plan.

    Where no row of a stratum is here, its size is that of the plan or of the sample.
    """
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
    is_sample = False
    if plan.counted_from is not None:
        counts = sample_counts(plan.sizes, plan.counted_from)
        # Scaling up rounds.
        is_sample = bool((np.abs(sizes - counts)[numbers] <= 1).all())
        sizes = np.where(is_sample & ~np.isin(np.arange(len(sizes)), numbers), counts, sizes)
    grown = np.maximum(sizes, plan.sizes) > MAX_GROWTH * np.minimum(sizes, plan.sizes) + MAX_GROWN
    if grown.any() and not is_sample:
        at = int(grown.argmax())
        raise DataError(
            f"Stratum {at} has {sizes[at]:,.0f} documents in '{SIZE}' but {plan.sizes[at]:,} in the plan; make the "
            "plan for the documents that are drawn from."
        )
    expected = np.minimum(plan.allocation, sizes)[numbers] / sizes[numbers]
    other = ~(np.abs(shares - expected) <= np.maximum(1e-6 * expected, rounding_errors(shares)))
    if other.any():
        raise DataError(
            f"'{PROBABILITY}' in row {first_row(other)} is not that of the plan; give the plan that was saved with the "
            "draw."
        )
    return checked_sizes(plan.strata, sizes), is_sample
