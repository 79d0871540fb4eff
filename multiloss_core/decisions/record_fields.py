"""Describe the parts of a decision record; field names are those of its JSON form."""

from collections.abc import Iterable, Sized
from dataclasses import asdict
from itertools import pairwise
from math import isclose
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from multiloss_core.decisions.evidence import DAY
from multiloss_core.decisions.validation import (
    MAX_ROWS,
    AnyText,
    Count,
    Fraction,
    Name,
    Names,
    Numbers,
    Share,
    Thresholds,
    as_tuple,
    disagreement,
    recorded,
)
from multiloss_core.formatting import HAS, on_or_off, score_threshold, shortened
from multiloss_core.generalisation.marginal_interval import Interval
from multiloss_core.generalisation.new_data_intervals import PointIntervals
from multiloss_core.numerics.arrays import ratio
from multiloss_core.tables.guessing.alert_rules import MAX_ALERT_RULES
from multiloss_core.tables.rating_column import Meaning
from multiloss_core.tables.repeated_rows import RepeatedRows
from multiloss_core.tables.score_formula import COMBINED, ScoreFormula
from multiloss_core.thresholds.data.counts import Rule
from multiloss_core.thresholds.data.grid_counts import MAX_NODES, Spacing
from multiloss_core.thresholds.data.undecided_documents import DataFunnel
from multiloss_core.thresholds.paths.operating_point import Status

SET_MANUALLY = "set manually"
# Names of goals, and of what they ask for.
CAP_ON_ALERTS, ALERTS_PER_DAY, DAYS_IN_DATA = "a cap on alerts", "alerts per day", "days in the data"
PRECISION_FLOOR, PRECISION_PERCENT = "a floor on precision", "precision in percent"
COSTS = "costs"
COSTS_IN_RECORD = {"review": "cost of a review", "catch": "value of a catch", "annoyance": "annoyance of a false alert"}
MAX_GOAL_VALUES, MAX_MEANINGS, MAX_FILTERS = 20, 100, 20
MAX_FILTER_VALUES, MAX_SHOWN_VALUES = 1_000, 8
ROUNDING = 1e-6
_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"


@recorded
class RecordedFilter:
    """Rows whose column holds one of some values."""

    column: Name
    values: Annotated[
        tuple[bool | int | float | AnyText, ...],
        BeforeValidator(as_tuple),
        Field(min_length=1, max_length=MAX_FILTER_VALUES),
    ]
    """The values as JSON has them; days, times and decimals as text."""

    @property
    def words(self) -> str:
        """The values in a line, the first ones of many."""
        more = len(self.values) - MAX_SHOWN_VALUES
        named = ", ".join(shortened(str(value)) for value in self.values[:MAX_SHOWN_VALUES])
        return f"{named} and {more:,} more" if more > 0 else named


Filters = Annotated[tuple[RecordedFilter, ...], BeforeValidator(as_tuple), Field(min_length=1, max_length=MAX_FILTERS)]


@recorded
class RecordedData:
    """The data that was decided on."""

    name: Name
    """Name of the file or sample."""
    fingerprint: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """SHA-256 of the data and the meaning of their columns (see `data_fingerprint`)."""
    funnel: DataFunnel | None = None
    """Number of rows after each step, complete: with every score; null for a table of counts."""
    rated: Count | None = None
    """Number of documents that the rated rows represent."""
    days: Count | None = None
    """Days from the first to the last rated document. Null without times."""
    source: Name | None = None
    """Place of the table; null for files and samples, as are the next fields."""
    snapshot: Name | None = None
    """State of the table when read, in the words of its engine; null if unknown."""
    counted_at: Annotated[str, Field(pattern=_MOMENT)] | None = None
    """When the table was read, in UTC: 2026-01-31T09:00:00Z."""
    time: Name | None = None
    """Column of the days that the rows were chosen by; null where all days were."""
    since: Annotated[str, Field(pattern=DAY)] | None = None
    """The first day that was read, 2026-01-31; null without such a limit."""
    until: Annotated[str, Field(pattern=DAY)] | None = None
    """The first day that was not read any more; null without such a limit."""
    filters: Filters | None = None
    """By which values of columns the rows were chosen; null where all rows of these days were read."""
    late_from: Annotated[str, Field(pattern=DAY)] | None = None
    """The Monday from which precision falls, as ratings may not be in yet. Left out where there is none."""
    half_life: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Days after which a document counts half in the choice of thresholds. Left out where all count alike."""
    earlier: Annotated[tuple[Name, ...], BeforeValidator(as_tuple), Field(min_length=1)] | None = None
    """Names of earlier files that the choice of thresholds rests on as well, the most recent one first. Left out
    without any, as the next field."""
    earlier_half_life: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """Files after which a document counts half; 0 where earlier files do not count."""

    @model_validator(mode="after")
    def _require_narrowing(self) -> Self:
        if self.funnel is None:
            return self
        steps = asdict(self.funnel)
        for step, rows in steps.items():
            if abs(rows) > MAX_ROWS:
                raise disagreement(f"rows of step '{step}' of the funnel should be at most {MAX_ROWS:,}")
        for (_, before), (step, rows) in pairwise(steps.items()):
            if not 0 <= rows <= before:
                raise disagreement(f"rows of step '{step}' of the funnel should be from 0 to {before:,}, not {rows:,}")
        return self


@recorded
class RecordedAlertRule:
    """An alert rule: a column of 0 and 1, or a word in a column of reasons."""

    name: Name
    """Its name among the scores."""
    column: Name
    word: AnyText | None = None
    """The word that a cell holds where the rule raised the document; null for a column of 0 and 1."""
    kind: Literal["number", "boolean", "text"] = "number"
    """What the column holds in the table; queries read its cells as such."""


@recorded
class RecordedColumns:
    """Meanings of the columns.

    For a table of counts the scores are its threshold columns, the floors its lowest thresholds; it has no rating.
    """

    scores: Names
    """The k score columns, all different."""
    floors: Numbers
    """The k rating floors: documents at or above some floor were rated."""
    rating: Name | None = None
    """Column with the rating; null for a table of counts."""
    positive: AnyText | None = None
    """The rating of a positive, where there is one and one of a negative; null where `meanings` has more."""
    weight: Name | None = None
    """Column with the number of documents each row stands for."""
    group: Name | None = None
    """Column that groups related rows."""
    leave_out_unusable: bool = False
    """Whether rows with text or infinity in a score were left out."""
    meanings: Annotated[dict[AnyText, Meaning], Field(max_length=MAX_MEANINGS)] | None = None
    """Meaning of each rating, in lower-case words. Left out of tables of counts."""
    whole_numbers: Names | None = None
    """Scores that hold whole numbers only, in records of earlier versions."""
    alert_rules: (
        Annotated[tuple[RecordedAlertRule, ...], BeforeValidator(as_tuple), Field(max_length=MAX_ALERT_RULES)] | None
    ) = None
    """The last ones of the scores that are alert rules: on at the threshold 1, off at null. Left out without any."""
    repeats: RepeatedRows | None = None
    """Which rows count of a document in several rows. Left out where each row counts."""
    combined: ScoreFormula | None = None
    """Formula of the combined score, the only score, from columns of the table. Left out of decisions without one."""

    @model_validator(mode="after")
    def _require_one_floor_for_each_score(self) -> Self:
        if len(set(self.scores)) != len(self.scores):
            raise disagreement("the names of scores should be distinct")
        require_length("floors", self.floors, self.scores)
        if self.combined is not None and self.scores[: self.score_count] != (COMBINED,):
            raise disagreement(f"a decision with a combined score should have '{COMBINED}' as its only score")
        if self.alert_rule_names != self.scores[len(self.scores) - len(self.alert_rule_names) :]:
            raise disagreement("alert_rules should be the last ones of the scores")
        if any(HAS in name and ";" in name.rpartition(HAS)[2] for name in self.alert_rule_names):
            raise disagreement(
                "the word of an alert rule should hold no semicolon, which separates the words of a list"
            )
        return self

    @property
    def alert_rule_names(self) -> tuple[str, ...]:
        """The names of the alert rules among the scores."""
        return tuple(rule.name for rule in self.alert_rules or ())

    @property
    def score_count(self) -> int:
        """The number of scores without alert rules."""
        return len(self.scores) - len(self.alert_rule_names)

    @property
    def score_columns(self) -> tuple[str, ...]:
        """The columns of the table that hold scores, also those of a combined score."""
        return self.scores[: self.score_count] if self.combined is None else self.combined.names

    @property
    def read_columns(self) -> tuple[str, ...]:
        """The columns of the table that scores and alert rules are read from."""
        return (*self.score_columns, *self.alert_rule_names)

    def threshold_words(self, thresholds: Iterable[float | None]) -> tuple[str, ...]:
        """Write each of k thresholds: "0.5" or "never", alert rules as "on" or "off"."""
        writers = [score_threshold] * self.score_count + [on_or_off] * len(self.alert_rule_names)
        named = zip(writers, self.scores, thresholds, strict=True)
        return tuple(write(name, value) for write, name, value in named)


@recorded
class RecordedSettings:
    """Settings of the counts and of the search for the path."""

    rule: Rule
    """Whether any or all of the scores must reach their thresholds."""
    method: Name
    """Method that found the path."""
    spacing: Spacing
    """Spacing of the grid nodes."""
    resolution: Annotated[int, Field(ge=0, le=MAX_NODES)]
    """Nodes for each classifier, at most; 0 for a table of counts."""
    amount: Name | None = None
    """Column whose money was counted: then every TP, FP and number of alerts is a sum of it (times the weight), and
    precisions are shares of money. Null where documents were counted."""


@recorded
class GoalValue:
    """One number that was asked for, with its words: "false alerts per extra catch", 4."""

    name: Name
    value: float


@recorded
class RecordedTarget:
    """The active goal of the decision and its place on the path."""

    goal: Name
    """The active goal, or "set manually"."""
    goal_values: Annotated[tuple[GoalValue, ...], Field(max_length=MAX_GOAL_VALUES)] = ()
    """Values of the goals; empty where the goal is "set manually"."""
    marginal_precision: Fraction | None = None
    """The target; null where none led to the thresholds."""
    status: Status | None = None
    """Place of the point of the target on the path; null without a target."""

    @model_validator(mode="after")
    def _require_values_of_a_goal(self) -> Self:
        if self.by_hand == bool(self.goal_values):
            raise disagreement(f"goal_values should be empty where the goal is '{SET_MANUALLY}', and given elsewhere")
        return self

    @property
    def by_hand(self) -> bool:
        """Whether the thresholds were set manually rather than optimised."""
        return self.goal == SET_MANUALLY


@recorded
class RecordedInterval:
    """An estimate for new data of the same size, and the bounds that hold it."""

    estimate: Count
    low: Count
    high: Count
    level: Fraction
    """The level at which the bounds hold it."""

    @model_validator(mode="after")
    def _require_estimate_inside(self) -> Self:
        require_at_most("low", self.low, "high", self.high)
        require_at_most("low", self.low, "estimate", self.estimate)
        require_at_most("estimate", self.estimate, "high", self.high)
        return self

    @classmethod
    def of(cls, interval: Interval, level: float) -> Self | None:
        """Record an interval; None where there was nothing to estimate."""
        values = (interval.estimate, interval.low, interval.high)
        return cls(*values, level) if np.isfinite(values).all() else None


@recorded
class ExpectedCounts:
    """Counts on the recorded data, and expectations on as many new data (null: unknown)."""

    tp: Count
    fp: Count
    alerts: Count
    """TP + FP."""
    precision: Share | None
    """TP / (TP + FP); null without alerts."""
    tp_interval: RecordedInterval | None = None
    fp_interval: RecordedInterval | None = None
    alerts_interval: RecordedInterval | None = None
    precision_interval: RecordedInterval | None = None
    rated_positives: Count | None = None
    """All rated positives, whatever the rule: what TP is a share of; null for a table of counts."""
    reachable_positives: Count | None = None
    """The most TP that any thresholds under the rule have; null with `rated_positives`."""

    @model_validator(mode="after")
    def _require_agreement(self) -> Self:
        require_close("alerts", self.alerts, "TP + FP", self.tp + self.fp)
        if self.alerts > 0 or self.precision is not None:
            require_close("precision", self.precision, "TP / (TP + FP)", ratio(self.tp, self.alerts))
        interval = self.precision_interval
        if interval is not None and max(interval.estimate, interval.high) > 1:
            raise disagreement(f"precision_interval should be from 0 to 1, not up to {interval.high:g}")
        most, reachable = self.rated_positives, self.reachable_positives
        if (most is None) != (reachable is None):
            raise disagreement(
                f"rated_positives and reachable_positives should both be given or neither, not {most} and {reachable}"
            )
        if most is not None and reachable is not None:
            require_at_most("tp", self.tp, "reachable_positives", reachable)
            require_at_most("reachable_positives", reachable, "rated_positives", most)
        return self

    @classmethod
    def of(
        cls,
        tp: float,
        fp: float,
        intervals: PointIntervals | None = None,
        *,
        positives: tuple[float, float] | None = None,
    ) -> Self:
        """Record the counts at the thresholds, and expectations on new data if known.

        `positives`: all that were rated, and as many as any thresholds under the rule catch.
        """
        alerts = tp + fp
        counted = (tp, fp, alerts, tp / alerts if alerts > 0 else None)
        rated, reachable = positives or (None, None)
        if intervals is None:
            return cls(*counted, rated_positives=rated, reachable_positives=reachable)
        expected, level = intervals.expected, intervals.level
        return cls(
            *counted,
            tp_interval=RecordedInterval.of(expected.tp, level),
            fp_interval=RecordedInterval.of(expected.fp, level),
            alerts_interval=RecordedInterval.of(expected.alerts, level),
            precision_interval=RecordedInterval.of(expected.precision, level),
            rated_positives=rated,
            reachable_positives=reachable,
        )

    @property
    def level(self) -> float | None:
        """The level of the intervals; None where there are none."""
        intervals = (self.tp_interval, self.fp_interval, self.alerts_interval, self.precision_interval)
        return next((interval.level for interval in intervals if interval is not None), None)


@recorded
class CurrentThresholds:
    """The current thresholds at the time of the decision, and their counts on the same data."""

    thresholds: Thresholds
    """The k thresholds; null for never."""
    tp: Count | None = None
    fp: Count | None = None

    @model_validator(mode="after")
    def _require_both_counts_or_none(self) -> Self:
        if (self.tp is None) != (self.fp is None):
            raise disagreement(f"tp and fp should both be given or neither, not {self.tp} and {self.fp}")
        return self


@recorded
class RecordedBlock:
    """The upper of two cuts: block above it, review between it and `thresholds` of the record.

    TP and FP are counted in the unit of the record.
    """

    thresholds: Thresholds
    """The k thresholds of the upper cut, none below that of the record; null for never."""
    tp: Count
    fp: Count
    target: RecordedTarget
    """The active goal of the upper cut."""
    reviews_per_day: Count | None = None
    """Reviews possible per day; null if unknown."""


def require_length(name: str, values: Sized, scores: Sized) -> None:
    """Reject a list without exactly one entry per score."""
    if len(values) != len(scores):
        raise disagreement(f"{name} should be a list of {len(scores)} numbers, one for each score, not {len(values)}")


def require_at_most(name: str, value: float, other: str, most: float) -> None:
    """Reject a number above its limit."""
    if value > most * (1 + ROUNDING):
        raise disagreement(f"{name} should be at most {other}, {most:g}, not {value:g}")


def require_close(name: str, stored: float | None, formula: str, computed: float) -> None:
    """Allow for rounding of sums of weights in counts stored twice."""
    if stored is None or not isclose(stored, computed, rel_tol=ROUNDING, abs_tol=ROUNDING):
        raise disagreement(f"{name} should be {formula}, {computed:g}, not {stored}")
