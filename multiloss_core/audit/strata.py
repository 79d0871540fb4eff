"""Divide the documents that are never rated into strata by their scores."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.formatting import HAS, direction, plural, score_name, score_range, score_side, score_threshold
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.sql_dialects import Dialect, SqlDialect, dialect_of
from multiloss_core.tables.column_values import MAX_SCORE, base_of, column_of, numbers
from multiloss_core.thresholds.data.counts import Counts, Rule
from multiloss_core.thresholds.data.document_checks import checked_names, first_row
from multiloss_core.thresholds.data.document_columns import without_score
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.data.rating_floors import lowest_scores

MAX_STRATA = 8
MAX_DOCUMENTS = 10**12
# Strata below the floors, and the power that makes those near the floors small (`benchmarks/results/audit.md`).
DEFAULT_STRATA, POWER = 6, 2.0
# Number of a document without a stratum: rated anyway, or without any score.
NO_STRATUM = -1


@dataclass(frozen=True, eq=False)
class AuditStrata:
    """Strata of unrated documents, as conditions on scores that SQL and Python evaluate alike.

    Stratum i of `edges` (h - 1, k), falling from row to row, holds the documents below all `floors` (k,) that reach one
    of the edges i and none of the rows before; the last one holds all others below the floors. Where `blocks` (k,) has
    a finite threshold, one more stratum holds the documents that reach one: they are blocked without a rating.
    A blank score reaches no edge; documents without any score belong to no stratum. The last `alert_rules` scores are
    alert rules, 0 where they are blank.

    Raises DataError: no floor below infinity, edges that do not fall or reach a floor, a block threshold at or below
    its floor, or more than 8 strata.
    """

    names: tuple[str, ...]
    floors: Floats
    edges: Floats
    blocks: Floats
    alert_rules: int = 0

    def __post_init__(self) -> None:
        count = len(self.names)
        if self.floors.shape != (count,) or self.blocks.shape != (count,) or self.edges.shape[1:] != (count,):
            raise DataError(f"There must be one floor, block threshold and column of edges for each of {count} scores.")
        if not 0 <= self.alert_rules < count:
            raise DataError(f"There are {count} scores, so alert rules must number 0 to {count - 1}.")
        if not np.isfinite(self.floors).all() or not np.isfinite(self.edges).all():
            raise DataError("Rating floors and edges of strata must be numbers.")
        steps = np.diff(np.vstack([self.floors, self.edges]), axis=0)
        if (steps > 0).any() or not (steps < 0).any(axis=1).all():
            raise DataError("Edges of strata must lie below the floors and fall from one stratum to the next.")
        if not (self.blocks > self.floors).all():
            raise DataError("Each block threshold must lie above the rating floor of its score.")
        if self.count > MAX_STRATA:
            raise DataError(f"An audit has at most {MAX_STRATA} strata; choose fewer edges.")

    @property
    def has_blocked(self) -> bool:
        """Whether the last stratum holds blocked documents."""
        return bool(np.isfinite(self.blocks).any())

    @property
    def count(self) -> int:
        """The number of strata."""
        return len(self.edges) + 1 + self.has_blocked

    @property
    def blocked(self) -> Bools:
        """Whether each stratum (h,) holds blocked documents."""
        return (np.arange(self.count) == len(self.edges) + 1) & self.has_blocked

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the condition of each stratum in words."""
        *upper, last = np.vstack([self.floors, self.edges])
        words = [
            " or ".join(
                f"{score_name(name)} {score_range(name, low, high)}"
                for name, low, high in zip(self.names, edge, above, strict=True)
                if low < high
            )
            for edge, above in zip(self.edges, upper, strict=True)
        ]
        below = (
            f"{score_name(name)} {'>' if direction(name) < 0 else '<'} {score_threshold(name, high)}"
            for name, high in zip(self.names, last, strict=True)
        )
        words.append(" and ".join(below))
        if self.has_blocked:
            blocks = zip(self.names, self.blocks, strict=True)
            words.append(" or ".join(f"{score_side(n)} {score_threshold(n, b)}" for n, b in blocks if b < np.inf))
        return tuple(words)

    def assign(self, scores: ArrayLike) -> Indices:
        """Find the stratum of each document (n,) by its scores (n, k); -1 for none. O(n h k).

        Raises DataError: not one column for each score.
        """
        table = np.asarray(scores, dtype=np.float64)
        table = table[:, np.newaxis] if table.ndim == 1 else table
        if table.ndim != 2 or table.shape[1] != len(self.names):
            raise DataError(f"There must be a column of scores for each of {len(self.names)} names.")
        numbers = np.full(len(table), len(self.edges), dtype=np.intp)
        for i in range(len(self.edges) - 1, -1, -1):
            numbers[(table >= self.edges[i]).any(axis=1)] = i
        numbers[(table >= self.floors).any(axis=1)] = NO_STRATUM
        numbers[(table >= self.blocks).any(axis=1) & self.has_blocked] = len(self.edges) + 1
        # A blank, NaN, fails every comparison.
        numbers[~_has_scores(table, self.alert_rules)] = NO_STRATUM
        return numbers

    def sizes(self, scores: ArrayLike) -> Indices:
        """Count the documents of each stratum (h,) in scores (n, k)."""
        numbers = self.assign(scores)
        return np.bincount(numbers[numbers >= 0], minlength=self.count)

    def sql(self, dialect: SqlDialect | Dialect = "postgresql") -> str:
        """Write the number of the stratum as an expression of SQL; NULL for none.

        Raises DataError: an alert rule that is a word in a column of reasons.
        """
        word = next((name for name in self.names if HAS in name), None)
        if word is not None:
            raise DataError(f"The rule '{word}' is a word in a column; add a column of 0 and 1 for it to the table.")
        sql = dialect_of(dialect)
        parts = [f"NOT ({self._has_scores(sql)}) THEN NULL"]
        if self.has_blocked:
            parts.append(f"{self._reaches(self.blocks, sql)} THEN {len(self.edges) + 1}")
        parts.append(f"{self._reaches(self.floors, sql)} THEN NULL")
        parts += [f"{self._reaches(row, sql)} THEN {i}" for i, row in enumerate(self.edges)]
        return f"CASE {' '.join(f'WHEN {part}' for part in parts)} ELSE {len(self.edges)} END"

    def count_sql(self, table: str, dialect: SqlDialect | Dialect = "postgresql") -> str:
        """Write the statement that counts each stratum; `table` is inserted as it is."""
        inner = f"SELECT {self.sql(dialect)} AS audit_stratum FROM {table}"
        return (
            f"SELECT audit_stratum, count(*) AS documents FROM ({inner}) t "
            "WHERE audit_stratum IS NOT NULL GROUP BY audit_stratum ORDER BY audit_stratum"
        )

    def _reaches(self, row: Floats, dialect: Dialect) -> str:
        tests = []
        for name, value in zip(self.names, row, strict=True):
            if value < np.inf:
                sign = "<=" if direction(name) < 0 else ">="
                tests.append(f"{self._column(name, dialect)} {sign} {dialect.number(direction(name) * float(value))}")
        return f"({' OR '.join(tests)})"

    def _column(self, name: str, dialect: Dialect) -> str:
        column = dialect.name(score_name(name))
        # A rule may be a truth value.
        if name in self.names[len(self.names) - self.alert_rules :]:
            return f"coalesce(CAST({column} AS int), 0)"
        return dialect.without_nan(dialect.as_double(column))

    def _has_scores(self, dialect: Dialect) -> str:
        columns = [self._column(name, dialect) for name in self.names]
        scored = columns[: len(columns) - self.alert_rules]
        usable = [f"coalesce(abs({column}) < {dialect.number(MAX_SCORE)}, TRUE)" for column in scored]
        there = [f"{column} IS NOT NULL" for column in scored] + [f"{rule} = 1" for rule in columns[len(scored) :]]
        return f"{' AND '.join(usable)} AND ({' OR '.join(there)})"


def _has_scores(table: Floats, alert_rules: int) -> Bools:
    """Find documents (n,) with a score or an alert rule that is on, and without infinite scores."""
    is_blank = np.isnan(table)
    usable = (is_blank | (np.abs(table) < MAX_SCORE)).all(axis=1)
    return np.asarray(usable & ~without_score(np.where(is_blank, -np.inf, table), alert_rules))


def audit_scores(frame: pd.DataFrame, names: Sequence[str], alert_rules: int = 0) -> Floats:
    """Read the scores (n, k) of a table, high = suspicious; NaN where a cell is blank.

    The last `alert_rules` columns are alert rules, 0 where they are blank.

    Raises DataError: a score column is missing or holds text.
    """
    columns = []
    for place, name in enumerate(names):
        if base_of(frame, name) is None:
            raise DataError(f"The table has no column '{score_name(name)}'; add the score.")
        values, blank, _ = numbers(column_of(frame, name))
        if (np.isnan(values) & ~blank).any():
            row = first_row(np.isnan(values) & ~blank)
            raise DataError(f"The column '{score_name(name)}' must hold numbers; correct row {row}.")
        columns.append(np.nan_to_num(values) if place >= len(names) - alert_rules else values)
    return np.column_stack(columns)


def unblocked_counts(
    source: RatedData, strata: AuditStrata, thresholds: ArrayLike, rule: Rule = "any"
) -> Counts[float]:
    """Count rated documents that thresholds (k,) flag and no block threshold takes.

    The audit stands for blocked documents, rated or not.

    Raises DataError: block thresholds beside the rule "all", whose flags need not hold what is blocked.
    """
    if not strata.has_blocked:
        return source.counts_at(thresholds, rule)
    if rule != "any":
        raise DataError("Block thresholds need the rule that any score flags; plan the audit without them.")
    either = source.counts_at(np.minimum(np.asarray(thresholds, dtype=np.float64), strata.blocks), rule)
    blocked = source.counts_at(strata.blocks, rule)
    # Summed weights may differ by rounding.
    return Counts(max(either.tp - blocked.tp, 0.0), max(either.fp - blocked.fp, 0.0))


def score_strata(
    scores: ArrayLike,
    floors: ArrayLike,
    *,
    blocks: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    count: int = DEFAULT_STRATA,
    alert_rules: int = 0,
) -> AuditStrata:
    """Choose strata by the nearness of a document's highest percentile to the floors.

    `scores` (n, k) of all documents or of a random sample, high = suspicious; `floors` (k,); `blocks` (k,), infinity
    for none. Edge i of each score is the quantile that a share ((i + 1) / `count`)^2 of the documents below all
    floors reaches; a document belongs to the first stratum with an edge that it reaches. Tied scores may make fewer
    strata. Deterministic. Time O(n k log n).

    Raises DataError: no document below the floors, more than 8 strata, or see `AuditStrata`.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core.audit import score_strata
    >>> strata = score_strata(np.arange(100) / 100, [0.9], count=3)
    >>> strata.edges[:, 0], strata.sizes(np.arange(100) / 100)
    (array([0.8, 0.5]), array([10, 30, 50]))
    """
    table = np.asarray(scores, dtype=np.float64)
    table = table[:, np.newaxis] if table.ndim == 1 else table
    floor_array = np.atleast_1d(np.asarray(floors, dtype=np.float64))
    if table.ndim != 2 or floor_array.shape != (table.shape[1],):
        raise DataError("There must be one rating floor for each column of scores.")
    block_array = np.full(len(floor_array), np.inf) if blocks is None else np.asarray(blocks, dtype=np.float64)
    block_array = np.atleast_1d(block_array)
    if not 1 <= count <= MAX_STRATA:
        raise DataError(f"Choose 1 to {MAX_STRATA} strata, not {count}.")
    below = np.where(np.isnan(table), -np.inf, table)[_has_scores(table, alert_rules)]
    below = below[(below < floor_array).all(axis=1)]
    if not len(below):
        raise DataError(f"None of {plural(len(table), 'document')} lies below all floors; add the unrated documents.")
    # A blank is in the last stratum, if another score has no higher one.
    below = np.where(np.isneginf(below), lowest_scores(below), below)
    ranks = np.ceil(len(below) * (np.arange(1, count) / count) ** POWER).astype(np.intp)
    # A score that does not vary, as an alert rule that is off, divides nothing.
    constant = below.max(axis=0) == below.min(axis=0)
    edges = np.where(constant, floor_array, np.sort(below, axis=0)[::-1][ranks - 1])
    # A repeated edge or one at the lowest score makes an empty stratum.
    kept: list[Floats] = []
    left = np.ones(len(below), dtype=bool)
    for row in edges:
        rest = left & ~(below >= row).any(axis=1)
        if rest.any() and rest.sum() < left.sum():
            kept.append(row)
            left = rest
    names = checked_names(names, len(floor_array))
    return AuditStrata(names, floor_array, np.array(kept).reshape(-1, len(floor_array)), block_array, alert_rules)


def halved_strata(
    floors: ArrayLike,
    *,
    blocks: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    count: int = 4,
    alert_rules: int = 0,
) -> AuditStrata:
    """Propose strata without any scores: edges at 1/2, 1/4, … of a floor.

    `floors` (k,), `blocks` (k,), infinity for none. Edges lie at 2, 4, … times a negative floor, and below a floor of 0
    at -1, -3, … The last `alert_rules` scores divide nothing.

    Raises DataError: see `AuditStrata`.

    Examples
    --------
    >>> from multiloss_core.audit import halved_strata
    >>> halved_strata([0.8, -3.0], count=3).edges
    array([[ 0.4, -6. ],
           [ 0.2, -12. ]])
    """
    floor_array = np.atleast_1d(np.asarray(floors, dtype=np.float64))
    block_array = np.full(len(floor_array), np.inf) if blocks is None else np.asarray(blocks, dtype=np.float64)
    steps = 2.0 ** np.arange(1, count)[:, np.newaxis]
    edges = np.where(floor_array > 0, floor_array / steps, np.where(floor_array < 0, floor_array * steps, 1 - steps))
    first_rule = len(floor_array) - alert_rules
    edges[:, first_rule:] = floor_array[first_rule:]
    return AuditStrata(checked_names(names, len(floor_array)), floor_array, edges, block_array, alert_rules)


def checked_sizes(strata: AuditStrata, sizes: ArrayLike) -> Indices:
    """Check the sizes of strata (h,). Raises DataError for negative or broken ones, or all 0."""
    values = np.asarray(sizes, dtype=np.float64)
    if values.shape != (strata.count,):
        raise DataError(f"There must be one size for each of {strata.count} strata, not shape {values.shape}.")
    if not ((values >= 0) & (values <= MAX_DOCUMENTS) & (values == np.floor(values))).all() or not values.any():
        raise DataError("Sizes of strata must be whole numbers of documents from 0 to 10^12, not all 0.")
    return values.astype(np.intp)


def checked_sample(sizes: Indices, counted_from: float | None) -> int | None:
    """Check how many documents of a sample gave the sizes of strata (h,). Raises DataError."""
    if counted_from is not None and not (1 <= counted_from <= sizes.sum() and counted_from == int(counted_from)):
        raise DataError(
            f"Strata of {sizes.sum():,} documents cannot be counted in {counted_from:,} of a sample; correct the "
            "number of all documents."
        )
    return None if counted_from is None else int(counted_from)


def sample_counts(sizes: Indices, counted_from: int) -> Indices:
    """Find the documents of each stratum (h,) in a sample from which sizes (h,) were scaled up."""
    return np.rint(sizes * (counted_from / sizes.sum())).astype(np.intp)
