"""A decision that can be filed, deployed, shown and opened again: which thresholds, from what data, and why.

The names of the fields are those of the JSON form, whose schema is docs/decision-record.schema.json.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence, Sized
from dataclasses import KW_ONLY, asdict, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import isclose
from typing import Annotated, Any, Final, Self
from uuid import uuid4

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, model_validator

from multiloss_core.decisions.evidence import DAY, RecordedEvidence
from multiloss_core.decisions.validation import (
    MAX_ROWS,
    AnyText,
    Count,
    Fraction,
    LongText,
    Name,
    Names,
    Numbers,
    Share,
    Thresholds,
    as_tuple,
    disagreement,
    json_object,
    recorded,
    shown,
    validated_json,
)
from multiloss_core.errors import DataError
from multiloss_core.formatting import MINUS, comparison, count, score_name, score_threshold, shortened
from multiloss_core.generalisation.bootstrap_intervals import PointIntervals
from multiloss_core.generalisation.interval import Interval
from multiloss_core.numerics.arrays import Bools, Floats, ratio
from multiloss_core.tables.column_values import base_of, column_of, numbers, require_usable
from multiloss_core.tables.rating_column import Meaning
from multiloss_core.thresholds.data.counts import Rule, flagged
from multiloss_core.thresholds.data.grid_counts import MAX_NODES, Spacing
from multiloss_core.thresholds.data.rated_documents import DataFunnel
from multiloss_core.thresholds.paths.operating_point import Status
from multiloss_core.thresholds.targets.review_band import BLOCK, PASS, REVIEW
from multiloss_core.version import __version__

SCHEMA_VERSION: Final = 1
SET_BY_HAND = "set by hand"
MAX_WISHES, MAX_MEANINGS, MAX_FILTERS = 20, 100, 20
MAX_FILTER_VALUES, MAX_SHOWN_VALUES = 1_000, 8
ROUNDING = 1e-6
_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"
# Fields that records do not have where there is nothing to say, as all those made before there were such fields.
LEFT_OUT = (
    ("settings", "amount"),
    ("data", "rated"),
    ("data", "days"),
    ("data", "source"),
    ("data", "snapshot"),
    ("data", "counted_at"),
    ("data", "time"),
    ("data", "since"),
    ("data", "until"),
    ("data", "filters"),
    ("expected", "rated_positives"),
    ("expected", "reachable_positives"),
)


def _in_utc(time: datetime) -> datetime:
    if time.utcoffset() != timedelta(0):
        raise ValueError("Input should be a time in UTC like 2026-01-31T09:00:00Z")
    return time.astimezone(UTC)


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
    """How many rows each step kept, complete: with a number in every score; null for a table of counts."""
    rated: Count | None = None
    """How many documents the rated rows stand for. Left out of records that were made before it was kept."""
    days: Count | None = None
    """How many days there are from the first to the last rated document. Left out where no times were known."""
    source: Name | None = None
    """Where the table lies. Left out of files and samples, as all that follows."""
    snapshot: Name | None = None
    """Which state of the table was read, in the words of its engine. Left out where that is not known."""
    counted_at: Annotated[str, Field(pattern=_MOMENT)] | None = None
    """When the table was read, in UTC: 2026-01-31T09:00:00Z."""
    time: Name | None = None
    """Column of the days that the rows were chosen by. Left out where all days were."""
    since: Annotated[str, Field(pattern=DAY)] | None = None
    """The first day that was read, 2026-01-31. Left out where there is no such limit."""
    until: Annotated[str, Field(pattern=DAY)] | None = None
    """The first day that was not read any more. Left out where there is no such limit."""
    filters: Filters | None = None
    """By which values of columns the rows were chosen. Left out where all rows of these days were read."""

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
class RecordedColumns:
    """What the columns mean.

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
    """Column that says which rows belong together."""
    leave_out_unusable: bool = False
    """Whether rows with text or infinity in a score were left out."""
    meanings: Annotated[dict[AnyText, Meaning], Field(max_length=MAX_MEANINGS)] | None = None
    """What each rating means, in lower-case words. Left out of tables of counts."""
    whole_numbers: Names | None = None
    """Scores that hold whole numbers only, which no NaN is among. Left out where there are none."""

    @model_validator(mode="after")
    def _require_one_floor_for_each_score(self) -> Self:
        if len(set(self.scores)) != len(self.scores):
            raise disagreement("the names of scores should be distinct")
        _require_length("floors", self.floors, self.scores)
        return self


@recorded
class RecordedSettings:
    """How surfaces were counted and the path was found."""

    rule: Rule
    """Whether any or all of the scores must reach their thresholds."""
    method: Name
    """How the path was found."""
    spacing: Spacing
    """Where the nodes of the grid lie."""
    resolution: Annotated[int, Field(ge=0, le=MAX_NODES)]
    """Nodes for each classifier, at most; 0 for a table of counts."""
    amount: Name | None = None
    """Column whose money was counted: then every TP, FP and number of alerts is a sum of it (times the weight), and
    precisions are shares of money. Left out where documents were counted."""


@recorded
class Wish:
    """One number that was asked for, with its words: "false alerts per extra catch", 4."""

    name: Name
    value: float


@recorded
class RecordedTarget:
    """What drove the decision, and where on the path it lies."""

    driver: Name
    """What the point was driven by, or "set by hand"."""
    wishes: Annotated[tuple[Wish, ...], Field(max_length=MAX_WISHES)] = ()
    """What was asked for; empty where the driver is "set by hand"."""
    marginal_precision: Fraction | None = None
    """The target; null where none led to the thresholds."""
    status: Status | None = None
    """Where on the path the point of the target lies; null without a target."""

    @model_validator(mode="after")
    def _require_wishes_of_a_driver(self) -> Self:
        if self.by_hand == bool(self.wishes):
            raise disagreement(f"wishes should be empty where the driver is '{SET_BY_HAND}', and given elsewhere")
        return self

    @property
    def by_hand(self) -> bool:
        """Whether the thresholds were typed or clicked rather than optimised."""
        return self.driver == SET_BY_HAND


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
        _require_at_most("low", self.low, "high", self.high)
        _require_at_most("low", self.low, "estimate", self.estimate)
        _require_at_most("estimate", self.estimate, "high", self.high)
        return self

    @classmethod
    def of(cls, interval: Interval, level: float) -> Self | None:
        """Record an interval; None where there was nothing to estimate."""
        values = (interval.estimate, interval.low, interval.high)
        return cls(*values, level) if np.isfinite(values).all() else None


@recorded
class ExpectedCounts:
    """Counts on the data of the record, and what is expected on new data of the same size (null: not found)."""

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
    """All rated positives, whatever the rule: what TP is a share of. Left out of records made before it was kept."""
    reachable_positives: Count | None = None
    """The most TP that any thresholds under the rule have. Left out with `rated_positives`."""

    @model_validator(mode="after")
    def _require_agreement(self) -> Self:
        _require_close("alerts", self.alerts, "TP + FP", self.tp + self.fp)
        if self.alerts > 0 or self.precision is not None:
            _require_close("precision", self.precision, "TP / (TP + FP)", ratio(self.tp, self.alerts))
        interval = self.precision_interval
        if interval is not None and max(interval.estimate, interval.high) > 1:
            raise disagreement(f"precision_interval should be from 0 to 1, not up to {interval.high:g}")
        most, reachable = self.rated_positives, self.reachable_positives
        if (most is None) != (reachable is None):
            raise disagreement(
                f"rated_positives and reachable_positives should both be given or neither, not {most} and {reachable}"
            )
        if most is not None and reachable is not None:
            _require_at_most("tp", self.tp, "reachable_positives", reachable)
            _require_at_most("reachable_positives", reachable, "rated_positives", most)
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
        """Record the counts at the thresholds, and the expectations on new data where they were found.

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
    """The thresholds in use when the decision was made, and their counts on the same data."""

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
    """The upper of two cuts: what reaches it is blocked, and what reaches `thresholds` of the record alone is reviewed.

    TP and FP are counted in the unit of the record.
    """

    thresholds: Thresholds
    """The k thresholds of the upper cut, none below that of the record; null for never."""
    tp: Count
    fp: Count
    target: RecordedTarget
    """What drove the upper cut."""
    reviews_per_day: Count | None = None
    """How many can be reviewed a day; null where nobody said."""


@recorded
class DecisionRecord:
    """A decision for thresholds: what was decided, from which data, what it is expected to do, by whom and why."""

    _: KW_ONLY
    schema_version: Annotated[int, Field(ge=SCHEMA_VERSION, le=SCHEMA_VERSION)] = SCHEMA_VERSION
    record_id: Annotated[str, Field(pattern="^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")] = field(
        default_factory=lambda: str(uuid4())
    )
    """UUID that names the record wherever it goes."""
    created: Annotated[datetime, AfterValidator(_in_utc)] = field(default_factory=lambda: datetime.now(UTC))
    """When it was made, in UTC: 2026-01-31T09:00:00Z."""
    program_version: Name = __version__
    """Version of the program that made it."""
    author: AnyText = ""
    """Who decided; may be empty."""
    reason: LongText = ""
    """Why, in the author's words; may be empty."""
    data: RecordedData
    columns: RecordedColumns
    settings: RecordedSettings
    target: RecordedTarget
    thresholds: Thresholds
    """The k thresholds in the order of the score columns, null for never. A score at or above its threshold reaches
    it."""
    expected: ExpectedCounts
    current: CurrentThresholds | None = None
    """Null where no thresholds were in use or known."""
    block: RecordedBlock | None = None
    """The upper of two cuts, where a part of what is flagged is blocked without a review. Left out where there is one
    cut, as in all records made before there were two."""
    evidence: RecordedEvidence | None = None
    """What else the data said. Left out of records that were made before it was kept."""

    @model_validator(mode="after")
    def _require_one_threshold_for_each_score(self) -> Self:
        _require_length("thresholds", self.thresholds, self.columns.scores)
        if self.current is not None:
            _require_length("current.thresholds", self.current.thresholds, self.columns.scores)
        if self.block is not None:
            _require_length("block.thresholds", self.block.thresholds, self.columns.scores)
            if (self.block_array < self.threshold_array).any():
                raise disagreement("block.thresholds should not be below thresholds")
            _require_at_most("block.tp", self.block.tp, "expected.tp", self.expected.tp)
            _require_at_most("block.fp", self.block.fp, "expected.fp", self.expected.fp)
        return self

    @classmethod
    def from_json(cls, text: str | bytes) -> "DecisionRecord":
        """Read a record from JSON text of at most 1 MB.

        Raises
        ------
        DataError : no JSON, another schema version, or a field that is missing, unknown or unusable.
        """
        content = json_object(text)
        _require_known_version(content)
        record = validated_json(ADAPTER, _with_inverted_names(content))
        _require_every_field(content, record.as_dict())
        return record

    def to_json(self) -> str:
        """Give the record as indented JSON text, always the same; `from_json` gives back an equal record."""
        return json.dumps(self.as_dict(), indent=2, allow_nan=False, ensure_ascii=False)

    def as_dict(self) -> dict[str, Any]:
        """Give plain values of the record, ready for JSON."""
        content = asdict(self) | {"created": self.created.isoformat().replace("+00:00", "Z")}
        for part, name in LEFT_OUT:
            if content[part][name] is None:
                del content[part][name]
        if self.block is None:
            del content["block"]
        if self.evidence is None:
            del content["evidence"]
        for part in filter(None, (content, content["current"], content.get("block"))):
            part["thresholds"] = _on_scale(part["thresholds"], self.columns.scores)
        return content | {"columns": _columns_as_dict(self.columns)}

    def flags(self, frame: pd.DataFrame) -> Bools:
        """Flag the n rows of a table by its score columns: (n,) truth values.

        A cell that is blank or NaN reaches no threshold.

        Raises
        ------
        DataError : a score column that is missing, there twice, or holds text.
        """
        return flagged(self._scores(frame), self.threshold_array, self.settings.rule)

    def actions(self, frame: pd.DataFrame) -> NDArray[np.str_]:
        """Say of the n rows of a table what is done: "block", "review" or "pass", (n,).

        Without an upper cut nothing is blocked. A cell that is blank or NaN reaches no threshold.

        Raises
        ------
        DataError : a score column that is missing, there twice, or holds text.
        """
        scores, rule = self._scores(frame), self.settings.rule
        below = np.where(flagged(scores, self.threshold_array, rule), REVIEW, PASS)
        return below if self.block is None else np.where(flagged(scores, self.block_array, rule), BLOCK, below)

    def _scores(self, frame: pd.DataFrame) -> Floats:
        return np.column_stack([_score_column(frame, name) for name in self.columns.scores])

    def __repr__(self) -> str:
        pairs = zip(self.columns.scores, self.thresholds, strict=True)
        scores = {"any": " or ", "all": " and "}[self.settings.rule].join(
            f"{score_name(name)} {'' if value is None else comparison(name)} {score_threshold(name, value)}"
            for name, value in pairs
        )
        counts = f"TP {count(self.expected.tp)}, FP {count(self.expected.fp)}"
        return " ".join(f"DecisionRecord({self.data.name}, {self.created:%Y-%m-%d}: {scores}; {counts})".split())

    @property
    def threshold_array(self) -> Floats:
        """The thresholds (k,) as `flagged` takes them; infinity is never."""
        return _as_array(self.thresholds)

    @property
    def block_array(self) -> Floats:
        """The upper thresholds (k,), infinity for never; all of them where there is no upper cut."""
        return _as_array((None,) * len(self.thresholds) if self.block is None else self.block.thresholds)


def _as_array(thresholds: Iterable[float | None]) -> Floats:
    return np.array([np.inf if value is None else value for value in thresholds])


ADAPTER = TypeAdapter(DecisionRecord)


def recorded_thresholds(values: Iterable[float]) -> tuple[float | None, ...]:
    """Turn thresholds into what a record keeps: plain numbers, and None for infinity, which is never."""
    return tuple(None if value == np.inf else float(value) for value in values)


def recorded_filters(chosen: Iterable[tuple[str, Sequence[object]]]) -> tuple[RecordedFilter, ...] | None:
    """Record columns with the values that rows were chosen by; None where there are none."""
    filters = (RecordedFilter(column, tuple(map(_plain, values))) for column, values in chosen)
    return tuple(filters) or None


def data_fingerprint(file_fingerprint: str, columns: RecordedColumns) -> str:
    """Compute the SHA-256 of the data and the meaning of their columns, the same in every version of the program.

    It is the hash of the JSON text of {"columns": …, "file": file_fingerprint} with sorted keys, without spaces and
    in ASCII, where `file_fingerprint` is the SHA-256 of the file.
    """
    content = {"columns": _columns_as_dict(columns), "file": file_fingerprint}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def _plain(value: object) -> bool | int | float | str:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    return float(value) if isinstance(value, float | np.floating) else str(value)


def _columns_as_dict(columns: RecordedColumns) -> dict[str, Any]:
    """Write columns by their names in the table, with floors on their scale; inverted scores are listed."""
    content = asdict(columns)
    for name in ("meanings", "whole_numbers"):
        if content[name] is None:
            del content[name]
    if columns.whole_numbers:
        content["whole_numbers"] = [*map(score_name, columns.whole_numbers)]
    inverted = [score_name(name) for name in columns.scores if name.startswith(MINUS)]
    names = {"scores": [*map(score_name, columns.scores)], "floors": _on_scale(columns.floors, columns.scores)}
    return content | names | ({"inverted": inverted} if inverted else {})


def _with_inverted_names(content: dict[str, Any]) -> dict[str, Any]:
    """Read what `as_dict` wrote of inverted scores: their names get a minus, and their numbers the other sign."""
    columns = content.get("columns")
    if not isinstance(columns, dict) or "inverted" not in columns:
        return content
    inverted, scores = columns["inverted"], columns.get("scores")
    if not isinstance(scores, list) or not isinstance(inverted, list) or not all(name in scores for name in inverted):
        raise DataError("Field 'columns.inverted' should list scores of the decision; save the record again.")
    names = [f"{MINUS}{name}" if name in inverted else name for name in scores]
    read = {name: value for name, value in columns.items() if name != "inverted"} | {"scores": names}
    if isinstance(whole := columns.get("whole_numbers"), list):
        read["whole_numbers"] = [f"{MINUS}{name}" if name in inverted else name for name in whole]
    changed = content | {"columns": read | {"floors": _on_scale(columns.get("floors"), names)}}
    for part in ("current", "block"):
        if isinstance(content.get(part), dict):
            changed[part] = content[part] | {"thresholds": _on_scale(content[part].get("thresholds"), names)}
    return changed | {"thresholds": _on_scale(content.get("thresholds"), names)}


def _on_scale(values: Any, names: Sequence[str]) -> Any:
    """Change the sign of the numbers (k,) of inverted scores; what is no such list stays as it is."""
    if not isinstance(values, list | tuple) or len(values) != len(names):
        return values
    return [
        -value if str(name).startswith(MINUS) and type(value) in (int, float) else value
        for name, value in zip(names, values, strict=True)
    ]


def _require_known_version(content: dict[str, Any]) -> None:
    if "schema_version" not in content:
        raise DataError(
            "Field 'schema_version' is missing, so this is no decision record; choose a file that was saved as one."
        )
    version = content["schema_version"]
    if type(version) is int and version > SCHEMA_VERSION:
        raise DataError(
            f"The decision record has schema_version {shown(version)}, and this program knows up to {SCHEMA_VERSION}; "
            "update the program to open it."
        )


def _require_every_field(content: dict[str, Any], written: dict[str, Any], place: str = "") -> None:
    """Refuse a field left out that the program always writes, though it has a default when a record is made."""
    for name, value in written.items():
        if name not in content:
            raise DataError(f"Field '{place}{name}' of the decision record is missing; save the record again.")
        if isinstance(value, dict):
            _require_every_field(content[name], value, f"{place}{name}.")


def _score_column(frame: pd.DataFrame, name: str) -> Floats:
    """Read one score of each row, NaN where the cell is blank."""
    places = frame.columns.map(str) == base_of(frame, name)
    if places.sum() != 1:
        found = f"{places.sum() or 'no'} column{'s' if places.sum() > 1 else ''} '{name}'"
        raise DataError(
            f"The table has {found}, and the decision needs one; choose a table with the scores of the decision."
        )
    column = column_of(frame, name)
    values, blank, _ = numbers(column)
    usable = blank | ~np.isnan(values)
    require_usable(column, usable, np.arange(len(frame)), expected="numbers", way_out="correct them and try again")
    return values


def _require_length(name: str, values: Sized, scores: Sized) -> None:
    if len(values) != len(scores):
        raise disagreement(f"{name} should be a list of {len(scores)} numbers, one for each score, not {len(values)}")


def _require_at_most(name: str, value: float, other: str, most: float) -> None:
    if value > most * (1 + ROUNDING):
        raise disagreement(f"{name} should be at most {other}, {most:g}, not {value:g}")


def _require_close(name: str, told: float | None, formula: str, computed: float) -> None:
    """Allow for the rounding of sums of weights, by which counts that are told twice may differ."""
    if told is None or not isclose(told, computed, rel_tol=ROUNDING, abs_tol=ROUNDING):
        raise disagreement(f"{name} should be {formula}, {computed:g}, not {told}")
