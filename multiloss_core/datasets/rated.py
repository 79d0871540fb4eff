"""Build rated documents, times, segments and amounts from a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multiloss_core import inspection
from multiloss_core.combined import with_combined_score
from multiloss_core.datasets.source import RatedSource, source_key
from multiloss_core.errors import DataError
from multiloss_core.formatting import percent, shortened
from multiloss_core.numerics import Bools, Floats, ratio
from multiloss_core.tables import (
    ColumnMeanings,
    Times,
    as_frame,
    document_amounts,
    document_segments,
    local_times,
    with_decimal_sign,
)
from multiloss_core.thresholds import Rule, mean_amounts, money_at, money_weighted
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces
from multiloss_core.thresholds.data.counts import Counts
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.targets.busy_days import DailyCap

# Properties of data that some calculations need.
Support = Literal["documents", "money", "time", "segment", "group"]


@dataclass(frozen=True, eq=False)
class OverTime:
    """Hold counts by week and day; ratings are incomplete from the week `incomplete` on."""

    weeks: "inspection.WeeklyCounts"
    days: "inspection.DailyAlerts"
    incomplete: int | None = None


@dataclass(frozen=True, kw_only=True)
class LateRatings:
    """Hold the Monday, YYYY-MM-DD, from which precision falls, and it before and since then."""

    monday: str
    before: float
    late: float

    @property
    def words(self) -> str:
        """Describe the fall and its likely cause."""
        return (
            f"From {self.monday} on, {percent(self.late)} of the alerts are fraud, {percent(self.before)} before: the "
            "newest ratings may not be in yet"
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class RatedDataset:
    """Hold checked data with the table they were read from.

    `source` are rated documents, or counts of them; `source.rows` are the rows of `frame` that the documents are.
    `fingerprint` is that of the file, `key` changes with the columns, too. `amounts`, `times` and `segments` (n,)
    describe each document, where such columns exist, and `undecided_times` and `undecided_segments` (u,) each undecided
    one. `zone`: the time zone of the times, empty for none. `origin`: fields of `RecordedData` on where the rows lie.
    `earlier`: names and keys of earlier files, see `with_earlier`.
    """

    name: str
    fingerprint: str
    source: RatedDocuments | CountSurfaces
    frame: pd.DataFrame
    columns: ColumnMeanings
    amounts: Floats | None = None
    times: Times | None = None
    segments: NDArray[np.object_] | None = None
    undecided_times: Times | None = None
    undecided_segments: NDArray[np.object_] | None = None
    zone: str = ""
    origin: Mapping[str, Any] = field(default_factory=dict)
    earlier: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, source: RatedSource, columns: ColumnMeanings, *, one_class: bool = False) -> Self:
        """Build the data of a table that was read. Raises as `from_frame` does."""
        origin = {} if source.origin is None else source.origin.recorded
        return cls.from_frame(
            source.frame, columns, name=source.name, fingerprint=source.fingerprint, origin=origin, one_class=one_class
        )

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        columns: ColumnMeanings,
        *,
        name: str = "table",
        fingerprint: str = "",
        origin: Mapping[str, Any] | None = None,
        only: Bools | None = None,
        one_class: bool = False,
    ) -> Self:
        """Build and check the data of a table.

        `only`: the rows (n,) to read, in place of those of the days in `columns`. `one_class`: accept documents that
        are all positive or all negative, to count given thresholds.

        Raises
        ------
        UncertainFloorsError : floors and method are not given, and both methods do not agree.
        DataError : an open question, or a column that cannot be used.

        Examples
        --------
        >>> import pandas as pd
        >>> from multiloss_core.datasets import RatedDataset
        >>> from multiloss_core.tables import ColumnMeanings
        >>> table = pd.DataFrame({"model": [0.9, 0.7, 0.6], "rating": ["fraud", "ok", "fraud"]})
        >>> RatedDataset.from_frame(table, ColumnMeanings(scores=("model",), rating="rating", floors=(0.5,))).source
        RatedDocuments(3 documents, 2 positive; rated where model >= 0.5)
        """
        frame = as_frame(frame)
        given: dict[str, Any] = {"name": name, "fingerprint": fingerprint, "columns": columns, "origin": origin or {}}
        if columns.is_counts:
            return cls(source=CountSurfaces.from_table(frame, rule=columns.rule), frame=frame, **given)
        if columns.amount is not None and columns.amount in (columns.weight, columns.rating):
            raise DataError(
                f"Column '{columns.amount}' was chosen twice; the amount must be another column than rating and weight."
            )
        columns.require_answers()
        frame = with_decimal_sign(frame, {name: sign for name, sign in columns.decimal_signs if sign is not None})
        documents = RatedDocuments.from_frame(
            frame,
            list(columns.scores),
            columns.rating or "",
            meanings=columns.known_meanings or None,
            weight=columns.weight,
            floors=dict(zip(columns.scores, columns.floors, strict=True)) if columns.floors else None,
            floor_method=columns.floor_method,
            group=columns.group,
            leave_out_unusable=columns.leave_out_unusable,
            only=_rows_read(frame, columns, only),
            one_class=one_class,
            alert_rules=columns.alert_rules,
        )
        if columns.combined is not None:
            documents = with_combined_score(documents, columns.combined)
        rows = documents.rows
        # Read together, so that dates are understood and segments limited alike in both.
        both = np.concatenate([rows, documents.undecided.rows])
        if columns.time is not None:
            times, given["zone"] = local_times(frame, columns.time, both)
            given["times"], given["undecided_times"] = np.split(times, [rows.size])
        if columns.segment is not None:
            segments = document_segments(frame, columns.segment, both)
            given["segments"], given["undecided_segments"] = np.split(segments, [rows.size])
        if columns.amount is not None:
            given["amounts"] = document_amounts(frame, columns.amount, rows)
        dataset = cls(source=documents, frame=frame, **given)
        return dataset._with_ages() if columns.age_weights and not one_class else dataset

    def named(self, name: str) -> Self:
        """Return these data under a name; unchanged data keep what was computed of them."""
        return self if self.name == name else replace(self, name=name)

    @cached_property
    def key(self) -> str:
        """The name of the data under their columns, for caches."""
        key = source_key(self.fingerprint, self.columns)
        return " ".join([key, *(key for _, key in self.earlier)])

    def with_earlier(self, files: Sequence[Self]) -> Self:
        """Return these data beside earlier files; see `RatedDocuments.with_earlier`.

        `files`: the most recent one first, unless all have times. Raises DataError: other columns, or a file that is
        not earlier.
        """
        ends = [None if file.times is None else file.times[~np.isnat(file.times)] for file in (self, *files)]
        if all(times is not None and times.size for times in ends):
            last, *others = (times.max() for times in ends if times is not None)
            for file, end in zip(files, others, strict=True):
                if end >= last:
                    raise DataError(
                        f"'{shortened(file.name)}' ends on {end.astype('M8[D]')}, not before "
                        f"'{shortened(self.name)}' does; give only older files as earlier ones."
                    )
            files = [files[at] for at in np.argsort(np.array(others))[::-1]]
        return replace(
            self,
            source=self.documents.with_earlier([file.documents for file in files]),
            earlier=tuple((file.name, file.key) for file in files),
        )

    @property
    def earlier_columns(self) -> ColumnMeanings:
        """The columns of an earlier file, with the floors of these data."""
        formula = self.columns.combined
        floors = formula.floors if formula else tuple(self.source.floors[: len(self.columns.scores)].tolist())
        return replace(self.columns, floors=floors, floor_method=None, since=None, complete_until=None)

    @property
    def missing_earlier(self) -> str:
        """Name chosen earlier files that are not loaded, in a sentence; empty without any."""
        here = {name for name, _ in self.earlier}
        missing = [f"'{shortened(name)}'" for name in self.columns.earlier if name not in here]
        return f"Earlier files that are not loaded do not count: {', '.join(missing)}" if missing else ""

    @property
    def documents(self) -> RatedDocuments:
        """The rated documents. Raises TypeError where only counts are known; see `supports`."""
        if self.source.documents is None:
            raise TypeError("Only counts of these data are known.")
        return self.source.documents

    @property
    def notes(self) -> tuple[str, ...]:
        """List notes on rows left out while building the data; none for a table of counts."""
        notes = tuple(self.source.notes) if isinstance(self.source, RatedDocuments | RatedCounts) else ()
        repeats = self.columns.repeats
        if repeats is None or repeats.keep == "all":
            return notes
        name = shortened(repeats.identifier)
        return (f"Of {len(self.frame):,} rows the {repeats.keep} one of each '{name}' counts.", *notes)

    @property
    def days(self) -> float | None:
        """The number of calendar days from the first to the last document; None without times."""
        return None if self.times is None or not self.times.size else float(self.calendar.days)

    @property
    def equivalent_days(self) -> float | None:
        """The number of days, or of days to come that hold as many alerts; None without times."""
        return self.days if self.alert_trend is None else float(self.alert_trend.levels.sum())

    @cached_property
    def alert_trend(self) -> "inspection.AlertTrend | None":
        """The growth of all alerts over time, where it is beyond chance."""
        if not self.supports("documents") or not self.days:
            return None
        over_time = self.over_time(self.source.floors, "any")
        return inspection.alert_trend(over_time.weeks, over_time.days)

    def daily_cap(self, most: float) -> DailyCap:
        """Return a cap of alerts on nine days of ten to come. Raises TypeError without times."""
        day = np.concatenate([self.calendar.day, self.calendar.undecided_day])
        levels = None if self.alert_trend is None else self.alert_trend.levels
        return DailyCap(day=day, days=self.calendar.days, most=most, levels=levels)

    @cached_property
    def calendar(self) -> "inspection.Calendar":
        """The days of the documents. Raises TypeError without times."""
        if self.times is None:
            raise TypeError("These data have no times.")
        return inspection.calendar(self.times, self.undecided_times)

    @property
    def positives(self) -> int:
        """The number of rated positives, each counted once where documents are known."""
        return int(self.documents.labels.sum()) if self.supports("documents") else round(self.source.totals.tp)

    @property
    def undecided_weight(self) -> float:
        """The number of alerts without a decision."""
        return float(self.documents.undecided.weights.sum()) if self.supports("documents") else 0.0

    def supports(self, what: Support) -> bool:
        """Return whether the data hold documents, amounts of money, times, segments or groups."""
        if what == "documents":
            return self.source.documents is not None
        return self.amounts is not None if what == "money" else getattr(self.columns, what) is not None

    def over_time(self, thresholds: Floats, rule: Rule) -> OverTime:
        """Count thresholds (k,) by week and day, and find the first week of incomplete ratings."""
        documents = self.documents
        return OverTime(
            inspection.weekly_counts(documents, self.calendar, thresholds, rule),
            self.daily_alerts(thresholds, rule),
            inspection.incomplete_from(self._weeks),
        )

    def daily_alerts(self, thresholds: Floats, rule: Rule) -> "inspection.DailyAlerts":
        """Count the alerts of thresholds (k,) on each day."""
        return inspection.daily_alerts(self.documents, self.calendar, thresholds, rule)

    def segment_counts(self, thresholds: Floats, rule: Rule) -> "tuple[inspection.Segment, ...]":
        """Count thresholds (k,) in each segment."""
        if self.segments is None:
            raise TypeError("These data have no segments.")
        known = inspection.segmentation(self.segments, self.undecided_segments)
        return inspection.segment_counts(self.documents, known, thresholds, rule)

    def in_money(self) -> Self:
        """Weigh each document by its amount and leave out those of amount 0; the key stays.

        Raises DataError: no amounts, or nothing is left of the positives or of the negatives.
        """
        if self.amounts is None:
            raise DataError("Money cannot be counted without an amount column; choose one or count documents.")
        source = money_weighted(self.documents, self.amounts)
        kept = np.isin(self.documents.rows, source.rows)
        return replace(
            self,
            source=source,
            amounts=self.amounts[kept],
            times=None if self.times is None else self.times[kept],
            segments=None if self.segments is None else self.segments[kept],
            # Money is of decided documents only.
            undecided_times=None,
            undecided_segments=None,
        )

    def money_at(self, thresholds: Floats, rule: Rule) -> Counts[Floats]:
        """Count money at thresholds (m, k)."""
        return money_at(self.documents, self._amounts, thresholds, rule)

    def mean_amounts(self) -> tuple[float, float]:
        """Return the mean amount of a rated positive, and of a rated negative."""
        return mean_amounts(self.documents, self._amounts)

    def undecided_at(self, thresholds: Floats, rule: Rule) -> Floats:
        """Count undecided alerts (m,) at thresholds (m, k); nothing where only counts are known."""
        if not self.undecided_weight:
            return np.zeros(len(thresholds))
        # In the order of a path, so that documents are passed over once.
        distinct, places = np.unique(thresholds, axis=0, return_inverse=True)
        return self.documents.undecided.count_along(distinct, rule)[places]

    @cached_property
    def late_ratings(self) -> LateRatings | None:
        """The newest weeks whose positives may not be rated yet; None without any, or without times."""
        if not (self.supports("documents") and self.times is not None and self.times.size):
            return None
        weeks = self._weeks
        first = inspection.late_ratings_from(weeks)
        if first is None:
            return None
        before, late = (float(ratio(weeks.tp[part].sum(), weeks.alerts[part].sum())) for part in np.s_[:first, first:])
        return LateRatings(monday=str(weeks.mondays[first]), before=before, late=late)

    @property
    def has_weights(self) -> bool:
        """Whether documents stand for different numbers of documents."""
        return self.supports("documents") and bool(self.documents.weights.min() < self.documents.weights.max())

    @property
    def highest_scores(self) -> Floats:
        """The highest score (k,) of each classifier, infinity where only counts are known."""
        if not self.supports("documents"):
            return np.full(len(self.source.names), np.inf)
        return np.array([scores[-1] for scores in self.documents.ordered_scores])

    def _with_ages(self) -> Self:
        """Add ages to documents with times, unless the newest ratings are late."""
        if self.times is None or not self.times.size or np.isnat(self.times).any() or self.late_ratings is not None:
            return self
        ages = (self.times.max() - self.times) / np.timedelta64(1, "D")
        aged = replace(self, source=self.documents.with_ages(ages))
        # What was computed above does not depend on ages.
        vars(aged).update(calendar=self.calendar, late_ratings=None)
        return aged

    @property
    def _amounts(self) -> Floats:
        if self.amounts is None:
            raise TypeError("These data have no amounts.")
        return self.amounts

    @cached_property
    def _weeks(self) -> "inspection.WeeklyCounts":
        """Count what the floors flag by week."""
        return inspection.weekly_counts(self.documents, self.calendar, self.source.floors, "any")


def _rows_read(frame: pd.DataFrame, columns: ColumnMeanings, only: Bools | None) -> Bools | None:
    """Find the rows (n,) of the chosen days, and one of each document; None for all."""
    one_each = None if columns.repeats is None else columns.repeats.kept(frame, columns.rating)
    inside = _complete_rows(frame, columns) if only is None else only
    return one_each if inside is None else inside if one_each is None else inside & one_each


def _complete_rows(frame: pd.DataFrame, columns: ColumnMeanings) -> Bools | None:
    if columns.time is None or (columns.since is None and columns.complete_until is None):
        return None
    times, _ = local_times(frame, columns.time, np.arange(len(frame)))
    inside = np.ones(len(frame), dtype=bool)
    inside &= True if columns.since is None else times >= np.datetime64(columns.since)
    inside &= True if columns.complete_until is None else times < np.datetime64(columns.complete_until)
    return inside
