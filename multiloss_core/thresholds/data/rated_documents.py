"""Hold rated predicted positives: documents rated because a classifier scored them high."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import NoneType
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError, require_type
from multiloss_core.formatting import as_html_table, comparison, count, direction, plural, score_name, score_threshold
from multiloss_core.numerics.arrays import Bools, Floats, Indices, number_array
from multiloss_core.numerics.rounding import short_threshold
from multiloss_core.tables.column_values import Groups, group_column, group_numbers, require_usable
from multiloss_core.tables.rating_column import Meaning, parse_ratings
from multiloss_core.thresholds.data.counts import (
    Counts,
    Rule,
    checked_thresholds,
    flagged,
    flagged_weights,
    require_rule,
)
from multiloss_core.thresholds.data.document_checks import (
    cautions_about,
    checked_ages,
    checked_labels,
    checked_names,
    checked_rows,
    checked_weights,
    complete_floors,
    estimated_floors,
    first_row,
    quoted_names,
    require_usable_scores,
)
from multiloss_core.thresholds.data.document_columns import (
    heavy_group_note,
    read_scores,
    read_weights,
    repeated_rows_note,
    rows_of_column,
    score_notes,
    undecided_alerts,
    undecided_note,
    were,
    with_columns,
    without_score,
)
from multiloss_core.thresholds.data.rating_floors import FloorMethod
from multiloss_core.thresholds.data.undecided_documents import DataFunnel, UndecidedDocuments, no_documents


@dataclass(frozen=True, eq=False)
class RatedDocuments:
    """Documents with k scores, a human rating and a weight each; validated when made.

    Parameters
    ----------
    scores : (n, k) finite numbers, higher = more suspicious. A blank (NaN or -inf, kept as -inf) reaches no threshold.
    labels : (n,) of 0/1 or bool, 1 = positive.
    weights : (n,) numbers > 0, how many documents each one stands for; 1 each when left out.
    names : k distinct names of the classifiers; "score 1", "score 2", … when left out.
    floors : rating floor of each classifier, a sequence of k numbers or a mapping name -> number. Only documents
        at or above some floor were rated. Those not given are suggested (see `suggest_floors`), with a note where
        they are uncertain.
    groups : n numbers or words that say which documents belong together (alerts of one customer); kept as numbers
        0..g-1. A missing one is a group of its own; left out, all documents are taken as independent.
    rows : (n,) positions of the documents in the table that they come from, counted from 0; 0..n-1 when left out.
    undecided : alerts of the same classifiers without a decision; none when left out.
    below_floors : rows of the table, counted from 0, of rated documents below all floors, which are left out.
    one_class : accept documents that are all positive or all negative, to count at given thresholds.
    alert_rules : number of the last columns of `scores` that are alert rules: 1 where the rule raised the document, 0
        elsewhere. A rule is a classifier with one threshold: 1 is on, infinity is off. Its floor is 1.
    ages : (n,) days from each document to the newest one, so that old ones may count less in the default path (see
        `AgeWeights`); left out, all count alike.

    `earlier`: documents of earlier files (see `with_earlier`), whose ages count files; None without any.

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
    alert_rules: int
    ages: Floats | None
    earlier: Self | None

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
        alert_rules: int = 0,
        ages: ArrayLike | None = None,
    ) -> None:
        if names is None and isinstance(scores, pd.DataFrame):
            names = [*map(str, scores.columns)]
        score_table = number_array(scores, "Scores")
        score_table[np.isnan(score_table)] = -np.inf
        if score_table.ndim == 1:
            score_table = score_table[:, np.newaxis]
        if score_table.ndim != 2 or 0 in score_table.shape:
            raise DataError(f"Scores must be a table of documents by classifiers, not of shape {score_table.shape}.")
        count, classifiers = score_table.shape
        name_tuple = checked_names(names, classifiers)
        if not 0 <= alert_rules < classifiers:
            raise DataError("Alert rules stand beside at least one score; choose a score column.")
        require_usable_scores(score_table, name_tuple, alert_rules=alert_rules)
        label_array = checked_labels(labels, count, one_class)
        weight_array = checked_weights(weights, count)
        age_array = None if ages is None else checked_ages(ages, count)
        group_array = None if groups is None else group_numbers(groups, count)
        row_array = checked_rows(rows, count)
        floor_array, floor_notes = complete_floors(score_table, name_tuple, floors, alert_rules)
        below = (score_table < floor_array).all(axis=1)
        if below.any():
            raise DataError(
                f"{below.sum():,} documents (first: row {first_row(below)}) lie below all rating floors and cannot "
                "have been rated as predicted positives; lower the floors or leave those rows out."
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
            "undecided": (undecided or no_documents(classifiers)).with_groups_of(group_array),
            "below_floors": np.empty(0, dtype=np.intp) if below_floors is None else below_floors,
            "funnel": funnel
            or DataFunnel(read=count, rated=count, complete=count, at_or_above_floor=count, positives=positives),
            "notes": (
                *notes,
                *floor_notes,
                *cautions_about(score_table, label_array, name_tuple, floor_array, alert_rules),
            ),
            "alert_rules": alert_rules,
            "ages": age_array,
            "earlier": None,
        }
        for array in (score_table, label_array, weight_array, floor_array, group_array, row_array, age_array):
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

    def _repr_html_(self) -> str:
        named = zip(self.names, self.floors, strict=True)
        floors = {f"floor of {score_name(name)}": score_threshold(name, floor) for name, floor in named}
        counts = {"documents": count(len(self.labels)), "positives": count(self.labels.sum())}
        return as_html_table("Rated documents", counts | floors)

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
        alert_rules: Sequence[str] = (),
    ) -> Self:
        """Read rated documents from columns of a table.

        Rows without a rating, then rows without any score, then rows below all floors are left out; the funnel and
        the notes count them. A blank beside another score reaches no threshold. Text or infinity in a score is an
        error, or such rows are left out and counted when `leave_out_unusable`. `positive` names the rating that means
        positive, or `meanings` gives what each rating means; both may be left out when the ratings are 0/1, true/false
        or usual words (see `parse_ratings`). Rows whose rating is blank or undecided, at or above a floor, become the
        `undecided`. Scores and weight may be derived columns (see `column_of`). Rows that share a value of `group`
        belong together; a blank one stands alone. `only`: which rows (n,) of the table to read. Row numbers in messages
        count from 1 below the header. Floors that are not given are estimated by `floor_method` (see `FloorEstimate`).
        `one_class`: see the class. `alert_rules`: columns of 0 and 1 (blank is 0), or rules of a column of reasons such
        as "reason has R12"; they become the last columns of the scores.

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
        require_type(scores, (list, tuple, pd.Index, np.ndarray), "a list of names of score columns")
        require_type(label, str, "the name of one column of ratings")
        require_type(meanings, (Mapping, NoneType), "a mapping of ratings to their meanings")
        if not scores:
            raise DataError("Choose at least one score column.")
        scores = [*scores, *alert_rules]
        frame = with_columns(frame, [*scores, label, *filter(None, (weight, group))])
        notes = list(repeated_rows_note(frame if only is None else frame[only]))
        read = np.ones(len(frame), dtype=bool) if only is None else only
        rating = parse_ratings(frame[label], positive, meanings=meanings, one_class=one_class)
        decided = ~np.isnan(rating)
        rows, waiting = np.flatnonzero(read & decided), np.flatnonzero(read & ~decided)
        rated = rows.size

        table, blank, unusable = read_scores(frame, scores, rows, len(alert_rules))
        if not leave_out_unusable:
            way_out = "correct them, leave such rows out, or choose another score column"
            for name, wrong in zip(scores, unusable.T, strict=True):
                cells = rows_of_column(frame, name, rows)
                require_usable(cells, ~wrong, rows, expected="finite numbers", way_out=way_out)
        empty = without_score(table, len(alert_rules))
        complete = ~(unusable.any(axis=1) | empty)
        notes += score_notes(scores, rows, unusable, blank, empty)
        if not complete.any():
            raise DataError(f"No rated row has a number in {quoted_names(scores)}; choose other score columns.")
        rows, table = rows[complete], table[complete]
        complete_count = rows.size

        require_usable_scores(table, tuple(scores), rows, alert_rules=len(alert_rules))
        floor_array = estimated_floors(table, tuple(scores), floors, floor_method, rows, len(alert_rules))
        below = (table < floor_array).all(axis=1)
        if below.any():
            count = int(below.sum())
            notes.append(
                f"{plural(count, 'rated document', 'lie')} below all floors and {were(count)} left out "
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
        undecided = undecided_alerts(frame, scores, weight, waiting, floor_array, len(alert_rules))
        if waiting.size:
            notes.append(undecided_note(label, waiting.size, len(undecided)))
        groups, weights = None, read_weights(frame, weight, rows)
        if group is not None:
            groups, alone = group_column(frame, group, rows)
            notes += heavy_group_note(frame[group].iloc[rows], groups, weights)
            if alone:
                stand = "stands alone," if alone == 1 else "stand alone, each"
                notes.append(f"{plural(alone, 'row')} without a value in '{group}' {stand} as a group of its own.")
            if len(undecided):
                both, _ = group_column(frame, group, np.concatenate([rows, undecided.rows]))
                undecided = replace(undecided, groups=both[rows.size :])
        return cls(
            table,
            labels,
            weights,
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
            alert_rules=len(alert_rules),
        )

    def part(self, rows: Indices | Bools) -> Self:
        """Take some documents (positions or a mask), with the same floors and renumbered groups.

        Raises
        ------
        DataError : they are of one class, share one score, or lie below a floor, as in the constructor.
        """
        found = self._taken(rows, self.floors)
        object.__setattr__(found, "earlier", self.earlier)
        return found

    def _taken(self, rows: Indices | Bools, floors: Floats, *, one_class: bool = False) -> Self:
        """Take some documents (positions or a mask) with floors (k,)."""
        return type(self)(
            self.scores[rows],
            self.labels[rows],
            self.weights[rows],
            self.names,
            floors.tolist(),
            groups=None if self.groups is None else self.groups[rows],
            rows=self.rows[rows],
            one_class=one_class,
            alert_rules=self.alert_rules,
            ages=None if self.ages is None else self.ages[rows],
        )

    def with_ages(self, ages: ArrayLike | None) -> Self:
        """Return the same documents with ages in days (n,), or without any."""
        aged, known = copy(self), None if ages is None else checked_ages(ages, len(self.labels))
        if known is not None:
            known.setflags(write=False)
        object.__setattr__(aged, "ages", known)
        return aged

    def with_earlier(self, files: Sequence["RatedDocuments"]) -> Self:
        """Return the same documents beside those of earlier files.

        The default path then rests on all of them, see `choose_earlier_weights`; counts are those of these documents
        alone. `files`: the most recent one first. Documents of earlier files below all floors of these are left out.
        Ages within the files do not count then.

        Raises
        ------
        DataError : other classifiers or alert rules, or no document at or above a floor.
        """
        earlier: RatedDocuments | None = None
        for number, file in enumerate(files, start=1):
            if (file.names, file.alert_rules) != (self.names, self.alert_rules):
                raise DataError(
                    f"Earlier file {number} has the scores {quoted_names(file.names)}, the newest one "
                    f"{quoted_names(self.names)}; give files with the same columns."
                )
            kept = np.flatnonzero((file.scores >= self.floors).any(axis=1))
            if not kept.size:
                raise DataError(f"No document of earlier file {number} reaches a rating floor of the newest one.")
            part = file._taken(kept, self.floors, one_class=True).with_ages(np.full(kept.size, float(number)))
            earlier = part if earlier is None else earlier.joined(part)
        found = copy(self)
        object.__setattr__(found, "earlier", earlier)
        if earlier is not None:
            object.__setattr__(found, "ages", None)
        return found

    def with_flags(self, rated: Bools, undecided: Bools) -> Self:
        """Return the same documents with flags (n, m) and (u, m) as scores: 1 or 0.

        Every document stays, also where all of them are flagged, which would be a constant score.
        """
        count = rated.shape[1]
        changed = {
            "scores": rated.astype(np.float64),
            "names": tuple(f"flag {place}" for place in range(1, count + 1)),
            "floors": np.zeros(count),
            "undecided": replace(self.undecided, scores=undecided.astype(np.float64)),
            "alert_rules": 0,
        }
        # Without what was sorted by the scores.
        flagged_ones = object.__new__(type(self))
        for field in fields(self):
            object.__setattr__(flagged_ones, field.name, changed.get(field.name, getattr(self, field.name)))
        return flagged_ones

    def joined(self, others: "RatedDocuments") -> Self:
        """Return these documents and others of the same classifiers, with the floors of these.

        No group is in both.
        """
        tables = (self, others)
        groups = None
        if any(table.groups is not None for table in tables):
            first, second = (np.arange(len(t.labels)) if t.groups is None else t.groups for t in tables)
            groups = np.append(first, first.max() + 1 + second)
        return type(self)(
            np.vstack([self.scores, others.scores]),
            np.append(self.labels, others.labels),
            np.append(self.weights, others.weights),
            self.names,
            self.floors.tolist(),
            groups=groups,
            one_class=True,
            alert_rules=self.alert_rules,
            ages=None if self.ages is None or others.ages is None else np.append(self.ages, others.ages),
        )

    @cached_property
    def order(self) -> tuple[Indices, ...]:
        """Return the positions of documents by rising score of each classifier, sorted once."""
        return tuple(np.argsort(column, kind="stable") for column in self.scores.T)

    @cached_property
    def ordered_scores(self) -> tuple[Floats, ...]:
        """Return the scores of each classifier from lowest to highest, sorted once."""
        return tuple(column[order] for column, order in zip(self.scores.T, self.order, strict=True))

    @cached_property
    def _all_ordered_scores(self) -> tuple[Floats, ...]:
        """Return `ordered_scores` with those of undecided documents."""
        waiting = self.undecided.scores.T
        return tuple(np.sort(np.append(known, more)) for known, more in zip(self.ordered_scores, waiting, strict=True))

    @property
    def documents(self) -> Self:
        """The documents themselves; a table of counts has none."""
        return self

    @property
    def score_count(self) -> int:
        """The number of scores; the columns after them are alert rules."""
        return len(self.names) - self.alert_rules

    @property
    def totals(self) -> Counts[float]:
        """Weight of the rated positives and negatives: TP and FP at the floors under `any`."""
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
        """Shorten thresholds (k,) to the fewest decimals that flag the same documents.

        They flag the same documents in engines that keep scores in single precision, where distinct scores stay
        distinct: there a score of 0.9 is a little less than the threshold 0.9. A threshold at its floor
        stays as it is: lower documents were not rated. One above every score stays above every score.
        """
        rounded = map(short_threshold, np.asarray(thresholds, dtype=np.float64), self._all_ordered_scores, self.floors)
        return np.array([*rounded])
