"""Hold rated predicted positives: the documents that people looked at because some classifier scored them high."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.formatting import MINUS, comparison, direction, plural, score_name, shortened
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.numerics.rounding import shortest_between
from multiloss_core.tables.column_values import (
    LARGEST_SCORE,
    Groups,
    are_weights,
    base_of,
    column_of,
    group_column,
    group_numbers,
    numbers,
    require_usable,
)
from multiloss_core.tables.rating_column import Meaning, parse_ratings
from multiloss_core.tables.reading.other_rows import repeated_rows
from multiloss_core.thresholds.data.counts import (
    Counts,
    Rule,
    checked_thresholds,
    flagged,
    flagged_weights,
    require_rule,
)
from multiloss_core.thresholds.data.rating_floors import (
    FloorMethod,
    UncertainFloorsError,
    estimate_floors,
    suggest_floors,
)
from multiloss_core.thresholds.data.undecided_documents import UndecidedDocuments, no_documents

HUGE_TIE_SHARE = 0.5


@dataclass(frozen=True, kw_only=True)
class DataFunnel:
    """How many rows survived each step from the file to the rated documents (rows, not weights)."""

    read: int
    rated: int
    complete: int
    at_or_above_floor: int
    positives: int

    @property
    def steps(self) -> tuple[tuple[str, int], ...]:
        """The steps in order, each with its words and its count."""
        return (
            ("rows read", self.read),
            ("rated", self.rated),
            ("complete scores", self.complete),
            ("at or above a floor", self.at_or_above_floor),
            ("positives", self.positives),
        )


@dataclass(frozen=True, eq=False)
class RatedDocuments:
    """Documents with k scores, a human rating and a weight each; validated when made.

    Parameters
    ----------
    scores : (n, k) finite numbers, higher = more suspicious.
    labels : (n,) of 0/1 or bool, 1 = positive.
    weights : (n,) numbers > 0, how many documents each one stands for; 1 each when left out.
    names : k distinct names of the classifiers; "score 1", "score 2", … when left out.
    floors : rating floor of each classifier, a sequence of k numbers or a mapping name -> number. Only documents
        at or above some floor were rated. Those not given are suggested (see `suggest_floors`); a note says so where
        they are uncertain.
    groups : n numbers or words that say which documents belong together (alerts of one customer); kept as numbers
        0..g-1. A missing one is a group of its own; left out, all documents are taken as independent.
    rows : (n,) positions of the documents in the table that they come from, counted from 0; 0..n-1 when left out.
    undecided : alerts of the same classifiers that nobody has decided yet; none when left out.
    below_floors : rows of the table, counted from 0, of rated documents below all floors, which are left out.
    one_class : accept documents that are all positive or all negative, to count at given thresholds.

    Raises
    ------
    DataError : wrong shapes, unusable values, one class only (unless `one_class`), a constant score, a floor above
        every score, or documents below all floors (`from_frame` drops and counts those instead).

    Examples
    --------
    >>> from multiloss_core import RatedDocuments
    >>> scores = [[0.9, 0.2], [0.8, 0.7], [0.7, 0.1], [0.6, 0.9], [0.5, 0.3], [0.2, 0.6]]
    >>> documents = RatedDocuments(scores, [1, 1, 0, 1, 0, 0], floors=[0.5, 0.6])
    >>> documents.totals
    Counts(tp=3.0, fp=3.0)
    """

    scores: Floats
    labels: Bools
    weights: Floats
    names: tuple[str, ...]
    floors: Floats
    groups: Indices | None
    rows: Indices
    undecided: UndecidedDocuments
    below_floors: Indices
    funnel: DataFunnel
    notes: tuple[str, ...]

    def __init__(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        weights: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        floors: Sequence[float | None] | Mapping[str, float | None] | None = None,
        *,
        groups: Groups | None = None,
        rows: ArrayLike | None = None,
        undecided: UndecidedDocuments | None = None,
        below_floors: Indices | None = None,
        funnel: DataFunnel | None = None,
        notes: Sequence[str] = (),
        one_class: bool = False,
    ) -> None:
        score_table = np.array(scores, dtype=np.float64, order="F")
        if score_table.ndim == 1:
            score_table = score_table[:, np.newaxis]
        if score_table.ndim != 2 or 0 in score_table.shape:
            raise DataError(f"Scores must be a table of documents by classifiers, not of shape {score_table.shape}.")
        count, classifiers = score_table.shape
        name_tuple = _checked_names(names, classifiers)
        _require_usable_scores(score_table, name_tuple)
        label_array = _checked_labels(labels, count, one_class)
        weight_array = _checked_weights(weights, count)
        group_array = None if groups is None else group_numbers(groups, count)
        row_array = _checked_rows(rows, count)
        floor_array, floor_notes = _complete_floors(score_table, name_tuple, floors)
        below = (score_table < floor_array).all(axis=1)
        if below.any():
            raise DataError(
                f"{below.sum():,} documents (first: row {_first(below)}) lie below all rating floors and cannot have "
                "been rated as predicted positives; lower the floors or leave those rows out."
            )
        positives = int(label_array.sum())
        values = {
            "scores": score_table,
            "labels": label_array,
            "weights": weight_array,
            "names": name_tuple,
            "floors": floor_array,
            "groups": group_array,
            "rows": row_array,
            "undecided": _with_groups(undecided or no_documents(classifiers), group_array),
            "below_floors": np.empty(0, dtype=np.intp) if below_floors is None else below_floors,
            "funnel": funnel
            or DataFunnel(read=count, rated=count, complete=count, at_or_above_floor=count, positives=positives),
            "notes": (*notes, *floor_notes, *_cautions(score_table, label_array, name_tuple, floor_array)),
        }
        for array in (score_table, label_array, weight_array, floor_array, group_array, row_array):
            if array is not None:
                array.setflags(write=False)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        floors = ", ".join(
            f"{score_name(name)} {comparison(name)} {direction(name) * floor:g}"
            for name, floor in zip(self.names, self.floors, strict=True)
        )
        return f"RatedDocuments({len(self.labels):,} documents, {self.labels.sum():,} positive; rated where {floors})"

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        scores: Sequence[str],
        label: str,
        positive: object | None = None,
        weight: str | None = None,
        floors: Sequence[float | None] | Mapping[str, float | None] | None = None,
        *,
        meanings: Mapping[str, Meaning] | None = None,
        floor_method: FloorMethod | None = None,
        group: str | None = None,
        leave_out_unusable: bool = False,
        only: Bools | None = None,
        one_class: bool = False,
    ) -> Self:
        """Read rated documents from columns of a table.

        Rows without a rating, then rows with a blank score, then rows below all floors are left out; the funnel and
        the notes count them. Text or infinity in a score is an error, or such rows are left out and counted when
        `leave_out_unusable`. `positive` names the rating that means positive, or `meanings` says of each rating what it
        means; both may be left out when the ratings are 0/1, true/false or usual words (see `parse_ratings`). Rows
        whose rating is blank or undecided, with numbers in every score, become the `undecided`. Scores and weight may
        be derived columns (see `column_of`). Rows that share a value of `group` belong together; a blank one stands
        alone. `only`: which rows (n,) of the table to read. Row numbers in messages count from 1 below the header.
        Floors that are not given are estimated by `floor_method` (see `FloorEstimate`). `one_class`: see the class.

        Raises
        ------
        UncertainFloorsError : floors and method are not given, and both methods do not agree.
        DataError : naming the column, the row or count, and what to do.

        Examples
        --------
        >>> import pandas as pd
        >>> from multiloss_core import RatedDocuments
        >>> table = pd.DataFrame({"model": [0.9, 0.7, 0.6], "rating": ["fraud", "ok", "fraud"]})
        >>> documents = RatedDocuments.from_frame(table, ["model"], "rating", floors=[0.5])
        >>> documents.labels
        array([ True, False,  True])
        """
        _require_columns(frame, [*scores, label, *filter(None, (weight, group))])
        if not scores:
            raise DataError("Choose at least one score column.")
        notes = list(_repeats(frame if only is None else frame[only]))
        read = np.ones(len(frame), dtype=bool) if only is None else only
        rating = parse_ratings(frame[label], positive, meanings=meanings, one_class=one_class)
        decided = ~np.isnan(rating)
        rows, waiting = np.flatnonzero(read & decided), np.flatnonzero(read & ~decided)
        rated = rows.size

        table, blank, unusable = _score_columns(frame, scores, rows)
        if not leave_out_unusable:
            way_out = "correct them, leave such rows out, or choose another score column"
            for name, wrong in zip(scores, unusable.T, strict=True):
                require_usable(_column(frame, name, rows), ~wrong, rows, expected="finite numbers", way_out=way_out)
        for mask, what in ((unusable, "a score that is not a finite number"), (blank, "a blank score")):
            if mask.any():
                row, column = np.argwhere(mask)[0]
                found = mask.any(axis=1)
                notes.append(
                    f"{plural(found.sum(), 'row')} with {what} {_were(found.sum())} left out "
                    f"(first: row {rows[row] + 1:,}, column '{scores[column]}')."
                )
        complete = ~(blank | unusable).any(axis=1)
        if not complete.any():
            raise DataError(
                f"No rated row has a number in every score column ({_listed(scores)}); choose fewer columns."
            )
        rows, table = rows[complete], table[complete]
        complete_count = rows.size

        _require_usable_scores(table, tuple(scores), rows)
        floor_array = _estimated_floors(table, tuple(scores), floors, floor_method, rows)
        below = (table < floor_array).all(axis=1)
        if below.any():
            notes.append(
                f"{plural(below.sum(), 'rated document', 'lie')} below all floors and {_were(below.sum())} left out "
                f"(first: row {rows[below][0] + 1:,}); lower a floor to keep them."
            )
        left_out, rows, table = rows[below], rows[~below], table[~below]
        labels = rating[rows] == 1.0
        if (labels.all() or not labels.any()) and not one_class:
            kind = "positive" if labels.all() else "negative"
            raise DataError(
                f"Every usable row of '{label}' is {kind} ({rows.size:,} rows, first: row {rows[0] + 1:,}); "
                "true and false positives are both needed: check the positive value, the floors and the file."
            )
        undecided = _undecided(frame, scores, weight, waiting, floor_array)
        if waiting.size:
            notes.append(_undecided_words(label, waiting.size, len(undecided)))
        groups = None
        if group is not None:
            groups, alone = group_column(frame, group, rows)
            if alone:
                stand = "stands alone," if alone == 1 else "stand alone, each"
                notes.append(f"{plural(alone, 'row')} without a value in '{group}' {stand} as a group of its own.")
            if len(undecided):
                both, _ = group_column(frame, group, np.concatenate([rows, undecided.rows]))
                undecided = replace(undecided, groups=both[rows.size :])
        return cls(
            table,
            labels,
            _weight_column(frame, weight, rows),
            scores,
            floor_array.tolist(),
            groups=groups,
            rows=rows,
            undecided=undecided,
            below_floors=left_out,
            funnel=DataFunnel(
                read=int(read.sum()),
                rated=rated,
                complete=complete_count,
                at_or_above_floor=rows.size,
                positives=int(labels.sum()),
            ),
            notes=notes,
            one_class=one_class,
        )

    def part(self, rows: Indices | Bools) -> Self:
        """Take some of the documents (positions or a mask), with the same floors and their groups renumbered.

        Raises
        ------
        DataError : they are of one class, share one score, or lie below a floor, as in the constructor.
        """
        return type(self)(
            self.scores[rows],
            self.labels[rows],
            self.weights[rows],
            self.names,
            self.floors.tolist(),
            groups=None if self.groups is None else self.groups[rows],
            rows=self.rows[rows],
        )

    @cached_property
    def order(self) -> tuple[Indices, ...]:
        """For each classifier, the positions of the documents from its lowest to its highest score; sorted once."""
        return tuple(np.argsort(column, kind="stable") for column in self.scores.T)

    @cached_property
    def ordered_scores(self) -> tuple[Floats, ...]:
        """For each classifier, its scores from the lowest to the highest; sorted once."""
        return tuple(column[order] for column, order in zip(self.scores.T, self.order, strict=True))

    @cached_property
    def _all_ordered_scores(self) -> tuple[Floats, ...]:
        """As `ordered_scores`, with those of the undecided documents among them."""
        waiting = self.undecided.scores.T
        return tuple(np.sort(np.append(known, more)) for known, more in zip(self.ordered_scores, waiting, strict=True))

    @property
    def documents(self) -> Self:
        """The documents themselves; a table of counts has none."""
        return self

    @property
    def totals(self) -> Counts[float]:
        """Weight of the rated positives and negatives, whatever the rule: TP and FP at the floors under `any`."""
        return self.counts_of(np.ones(len(self.labels), dtype=bool))

    def counts_of(self, chosen: Bools) -> Counts[float]:
        """Count the documents of a mask (n,)."""
        tp, fp = (float(self.weights[chosen & kind].sum()) for kind in (self.labels, ~self.labels))
        return Counts(tp, fp)

    def counts_at(self, thresholds: ArrayLike, rule: Rule = "any") -> Counts[float]:
        """Count what thresholds (k,) flag, infinity for never. Time O(n k).

        Raises
        ------
        DataError : not one usable threshold for each classifier, or an unknown rule.
        """
        require_rule(rule)
        return self.counts_of(flagged(self.scores, checked_thresholds(thresholds, self.names), rule))

    def counts_along(self, thresholds: Floats, rule: Rule = "any") -> Counts[Floats]:
        """Count what each row of thresholds (m, k) flags, exactly and for any k without a grid.

        Time O(n k log m) where thresholds never fall from one row to the next, as along a path: every document then has
        one turning point, the first row that no longer flags it. Elsewhere O(n k m).
        """
        tp, fp = (
            flagged_weights(self.scores[kind], self.weights[kind], thresholds, rule)
            for kind in (self.labels, ~self.labels)
        )
        return Counts(tp, fp)

    def counted_thresholds(self, thresholds: Floats) -> Floats:
        """Return thresholds (k,) as they are: documents are counted at any of them."""
        return thresholds

    def round_thresholds(self, thresholds: ArrayLike) -> Floats:
        """Shorten thresholds (k,) to the fewest decimal digits that flag the very same documents, undecided ones too.

        A threshold at its floor stays as it is: below it nobody rated. One above every score stays above every score.
        """
        result = np.array(thresholds, dtype=np.float64)
        for j, threshold in enumerate(result):
            if threshold <= self.floors[j]:
                continue
            scores = self._all_ordered_scores[j]
            first = int(np.searchsorted(scores, threshold))
            lower = max(float(scores[first - 1]) if first else -np.inf, float(self.floors[j]))
            upper = float(scores[first]) if first < len(scores) else np.inf
            result[j] = shortest_between(float(threshold), lower, upper)
        return result


def _with_groups(undecided: UndecidedDocuments, groups: Indices | None) -> UndecidedDocuments:
    """Have each undecided document stand alone where rated ones have groups (n,) and it has none."""
    if groups is None or undecided.groups is not None:
        return undecided
    return replace(undecided, groups=groups.max() + 1 + np.arange(len(undecided)))


def _checked_names(names: Sequence[str] | None, classifiers: int) -> tuple[str, ...]:
    result = tuple(map(str, names)) if names is not None else tuple(f"score {j + 1}" for j in range(classifiers))
    if len(result) != classifiers:
        raise DataError(f"{len(result)} names were given for {classifiers} score columns.")
    if len(set(result)) != classifiers:
        raise DataError(f"The score columns need distinct names, not {_listed(result)}.")
    return result


def _checked_labels(labels: ArrayLike, count: int, one_class: bool) -> Bools:
    values = np.asarray(labels)
    if values.shape != (count,):
        raise DataError(f"There must be one label for each of the {count:,} documents, not shape {values.shape}.")
    other = ~np.isin(values, (0, 1))
    if other.any():
        raise DataError(f"Labels must be 0 or 1; row {_first(other)} holds {values[other][0]!r}.")
    result = values.astype(bool)
    if (result.all() or not result.any()) and not one_class:
        raise DataError("All labels are the same; true and false positives are both needed.")
    return result


def _checked_weights(weights: ArrayLike | None, count: int) -> Floats:
    if weights is None:
        return np.ones(count)
    values = np.array(weights, dtype=np.float64)
    if values.shape != (count,):
        raise DataError(f"There must be one weight for each of the {count:,} documents, not shape {values.shape}.")
    bad = ~are_weights(values)
    if bad.any():
        raise DataError(f"Weights must be numbers above 0; row {_first(bad)} holds {values[bad][0]!s}.")
    return values


def _checked_rows(rows: ArrayLike | None, count: int) -> Indices:
    if rows is None:
        return np.arange(count)
    values = np.array(rows)
    if values.shape != (count,) or not np.issubdtype(values.dtype, np.integer) or (values < 0).any():
        raise DataError(f"There must be one row of a table, counted from 0, for each of the {count:,} documents.")
    return values.astype(np.intp)


def _require_usable_scores(scores: Floats, names: tuple[str, ...], rows: Indices | None = None) -> None:
    bad = ~(np.abs(scores) < LARGEST_SCORE)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        number = (rows[row] if rows is not None else row) + 1
        raise DataError(
            f"Column '{names[column]}' has {bad[:, column].sum():,} values that are not usable numbers "
            f"(first: row {number:,}); correct or remove them."
        )
    for j, name in enumerate(names):
        if scores[:, j].min() == scores[:, j].max():
            raise DataError(
                f"Column '{name}' holds the same score, {scores[0, j]:g}, in all {len(scores):,} rows from row "
                f"{1 if rows is None else rows[0] + 1:,} on, so no threshold can be chosen on it; "
                "leave that column out."
            )


def _complete_floors(
    scores: Floats, names: tuple[str, ...], floors: Sequence[float | None] | Mapping[str, float | None] | None
) -> tuple[Floats, list[str]]:
    """Suggest the floors (k,) that are not given, with a note where they are uncertain."""
    try:
        return _estimated_floors(scores, names, floors, None, np.arange(len(scores))), []
    except UncertainFloorsError as question:
        given = dict(zip(names, _floors_by_position(names, floors), strict=True))
        suggested = dict(zip(question.estimate.names, question.estimate.corner.tolist(), strict=True))
        completed = suggested | {name: floor for name, floor in given.items() if floor is not None}
        return np.array([completed[name] for name in names]), [f"Rating floors are uncertain. {question.sentence}."]


def _estimated_floors(
    scores: Floats,
    names: tuple[str, ...],
    floors: Sequence[float | None] | Mapping[str, float | None] | None,
    method: FloorMethod | None,
    rows: Indices,
) -> Floats:
    """Estimate the floors (k,) that are not given by a method.

    Raises UncertainFloorsError where the method is needed and missing.
    """
    given = _floors_by_position(names, floors)
    result = np.array(given, dtype=np.float64)
    for j, name in enumerate(names):
        highest = scores[:, j].max()
        if result[j] > highest:
            raise DataError(
                f"The rating floor of '{name}', {result[j]:g}, lies above its largest score, {highest:g} (row "
                f"{scores[:, j].argmax() + 1:,} of the usable ones); lower the floor or leave that column out."
            )
    missing = np.isnan(result)
    if missing.any():
        # A document at or above a given floor was rated because of it and tells nothing of the others.
        unexplained = (scores[:, ~missing] < result[~missing]).all(axis=1)
        if not unexplained.any():
            result[missing] = scores[:, missing].min(axis=0)
        elif method == "corner":
            result[missing] = suggest_floors(scores[unexplained][:, missing])
        else:
            open_names = [name for name, is_missing in zip(names, missing, strict=True) if is_missing]
            estimate = estimate_floors(scores[unexplained][:, missing], open_names)
            if method is None and not estimate.is_certain:
                raise UncertainFloorsError(estimate, rows[unexplained][estimate.below])
            result[missing] = estimate.jump if method == "jump" else estimate.corner
    return result


def _floors_by_position(
    names: tuple[str, ...], floors: Sequence[float | None] | Mapping[str, float | None] | None
) -> list[float | None]:
    if floors is None:
        return [None] * len(names)
    if isinstance(floors, Mapping):
        unknown = set(floors) - set(names)
        if unknown:
            raise DataError(f"A floor is given for {_listed(sorted(unknown))}, which is no score column.")
        values = [floors.get(name) for name in names]
    else:
        values = list(floors)
        if len(values) != len(names):
            raise DataError(f"{len(values)} floors were given for {len(names)} score columns; give one each.")
    for name, value in zip(names, values, strict=True):
        if value is not None and not abs(value) < LARGEST_SCORE:
            raise DataError(f"The rating floor of '{name}' must be a finite number, not {value}.")
    return values


def _cautions(scores: Floats, labels: Bools, names: tuple[str, ...], floors: Floats) -> list[str]:
    result = []
    if labels.sum() == 1:
        result.append("Only one document is positive: every threshold here rests on that single case; rate more.")
    for j, name in enumerate(names):
        values, counts = np.unique(scores[:, j], return_counts=True)
        if counts.max() > HUGE_TIE_SHARE * len(scores):
            result.append(
                f"{counts.max():,} of {len(scores):,} documents share the score {values[counts.argmax()]:g} in "
                f"'{name}'; ties are never split, so TP and FP jump there."
            )
        if _is_apart(values, counts):
            result.append(
                f"{plural(counts[-1], 'document', 'share')} the score {values[-1]:.15g} in '{name}', far above all "
                f"others (at most {values[-2]:.15g}), so that any threshold flags them; if it means that there is no "
                "score, make it blank."
            )
    # Where people looked because of a score, documents lie below its floor that another score brought in.
    cut = scores.min(axis=0) < floors
    if (scores[:, cut] >= floors[cut]).any(axis=1).all():
        result += [
            f"No row was reviewed because of '{name}' alone: wherever it stands, another score reaches its floor."
            for name, has_floor in zip(names, cut, strict=True)
            if not has_floor
        ]
    return result


def _is_apart(values: Floats, counts: Indices) -> bool:
    """Whether some documents share the highest of the scores (v,) and it lies far above all others.

    Far is three times the range of the others; half their range where it is 99, 999 and so on. Probabilities are never.
    """
    if values.size < 3 or counts[-1] < 2 or values[-1] <= 1:
        return False
    of_nines = values[-1] > 9 and set(f"{values[-1]:.15g}") == {"9"}
    return bool(values[-1] - values[-2] > (0.5 if of_nines else 3.0) * (values[-2] - values[0]))


def _require_columns(frame: pd.DataFrame, wanted: Sequence[str]) -> None:
    if frame.empty:
        raise DataError("The table has no rows; choose a file with a header and at least two rated rows.")
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise DataError(f"Column name '{repeated[0]}' occurs more than once; rename one of them.")
    for column in wanted:
        if base_of(frame, column) is None:
            raise DataError(f"There is no column '{column}'; the table has {_listed(frame.columns[:8])}.")
        if column.startswith(MINUS) and column in frame.columns:
            raise DataError(f"Column '{column}' is named like an inverted score; rename it to tell the two apart.")
    for position, column in enumerate(wanted):
        if column in wanted[:position]:
            raise DataError(
                f"Column '{column}' was chosen twice; scores, rating, weight and group must be different columns."
            )


def _score_columns(frame: pd.DataFrame, scores: Sequence[str], rows: Indices) -> tuple[Floats, Bools, Bools]:
    table = np.empty((rows.size, len(scores)), order="F")
    blank = np.zeros(table.shape, dtype=bool)
    unusable = np.zeros(table.shape, dtype=bool)
    for j, name in enumerate(scores):
        table[:, j], blank[:, j], unusable[:, j] = numbers(_column(frame, name, rows))
    return table, blank, unusable


def _column(frame: pd.DataFrame, name: str, rows: Indices) -> "pd.Series[Any]":
    return column_of(frame, name).iloc[rows]


def _undecided(
    frame: pd.DataFrame, scores: Sequence[str], weight: str | None, waiting: Indices, floors: Floats
) -> UndecidedDocuments:
    """Take those of the rows without a decision that are alerts: with usable scores and weight, one at its floor."""
    table, blank, unusable = _score_columns(frame, scores, waiting)
    weights = np.ones(waiting.size) if weight is None else numbers(_column(frame, weight, waiting))[0]
    kept = ~(blank | unusable).any(axis=1) & (table >= floors).any(axis=1) & are_weights(weights)
    return UndecidedDocuments(scores=table[kept], weights=weights[kept], rows=waiting[kept])


def _undecided_words(label: str, rows: int, alerts: int) -> str:
    """Say what becomes of the rows whose rating is blank or not known yet."""
    told = f"{plural(rows, 'row', 'are')} undecided in '{label}': neither true nor false positives"
    if alerts == rows:
        return f"{told}, but alerts."
    return f"{told}; {alerts:,} of them count as alerts, the others have no usable score at or above a floor."


def _weight_column(frame: pd.DataFrame, weight: str | None, rows: Indices) -> Floats | None:
    if weight is None:
        return None
    column = _column(frame, weight, rows)
    values, _, _ = numbers(column)
    way_out = "correct these weights or choose no weight column"
    require_usable(column, are_weights(values), rows, expected="numbers above 0", way_out=way_out)
    return values


def _repeats(frame: pd.DataFrame) -> Iterator[str]:
    """Say how many rows stand twice, where a column identifies them."""
    repeats, identifier = repeated_rows(frame)
    if repeats:
        yield (
            f"{plural(repeats, 'row', 'are')} identical to an earlier one in every column, "
            f"'{shortened(identifier)}' included, and counted again; leave out repeated rows to count each once."
        )


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _first(mask: Any) -> str:
    return f"{mask.argmax() + 1:,}"


def _listed(names: Any) -> str:
    return ", ".join(f"'{name}'" for name in names)
