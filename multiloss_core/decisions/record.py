"""A decision that can be filed, deployed, shown and opened again: which thresholds, from what data, and why.

The JSON form is described in docs/decision-record.md; the names there are the names of the fields here.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, Self
from uuid import UUID, uuid4

import numpy as np

from multiloss_core.decisions.checks import (
    FieldError,
    checked_number,
    checked_share,
    checked_text,
    checked_thresholds,
    shown,
)
from multiloss_core.decisions.reading import MAY_BE_MISSING, as_json_object, value_of
from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats, ratio
from multiloss_core.thresholds.data.flagging import Rule
from multiloss_core.thresholds.data.grid_counts import MAX_NODES, Spacing
from multiloss_core.thresholds.data.rated_documents import DataFunnel
from multiloss_core.thresholds.generalisation.bootstrap import Interval, PointIntervals
from multiloss_core.thresholds.points.operating_point import Status

SCHEMA_VERSION: Final = 1
PROGRAM_VERSION = "0.1.0"
SET_BY_HAND = "set by hand"
MAX_SCORES = 100
MAX_WISHES = 20
MAX_NAME = 300
MAX_REASON = 20_000
# Counts that are told twice may differ by the rounding of sums of weights.
ROUNDING = 1e-6

_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class RecordedData:
    """The data: their name, the SHA-256 of data and columns (see `data_fingerprint`), and how many rows each step kept.

    The funnel is None for a table of counts.
    """

    name: str
    fingerprint: str
    funnel: DataFunnel | None = None

    def __post_init__(self) -> None:
        checked_text("name", self.name, MAX_NAME)
        if not _FINGERPRINT.fullmatch(self.fingerprint):
            raise FieldError("fingerprint", "64 digits 0-9 and a-f", shown(self.fingerprint))
        if self.funnel is not None:
            left = None
            for name, count in asdict(self.funnel).items():
                if count < 0 or (left is not None and count > left):
                    most = "" if left is None else f" and at most the {left:,} of the step before"
                    raise FieldError(f"funnel.{name}", f"a number of rows of at least 0{most}", shown(count))
                left = count


@dataclass(frozen=True)
class RecordedColumns:
    """What the columns mean: k score columns, the rating and its value that means fraud, weight, group, k floors.

    For a table of counts the scores are its threshold columns, the floors its lowest thresholds, and there is no rating.
    """

    scores: tuple[str, ...]
    floors: tuple[float, ...]
    rating: str | None = None
    positive: str | None = None
    weight: str | None = None
    group: str | None = None
    leave_out_unusable: bool = False

    def __post_init__(self) -> None:
        if not 1 <= len(self.scores) <= MAX_SCORES:
            raise FieldError("scores", f"a list of 1 to {MAX_SCORES} names", f"{len(self.scores)}")
        for i, name in enumerate(self.scores):
            checked_text(f"scores[{i + 1}]", name, MAX_NAME)
        _set(self, scores=tuple(self.scores))
        if len(set(self.scores)) != len(self.scores):
            raise FieldError("scores", "a list of distinct names")
        if len(self.floors) != len(self.scores):
            raise FieldError(
                "floors", f"a list of {len(self.scores)} numbers, one for each score", f"{len(self.floors)}"
            )
        _set(self, floors=tuple(checked_number(f"floors[{i + 1}]", floor) for i, floor in enumerate(self.floors)))
        for name in ("rating", "weight", "group"):
            if (value := getattr(self, name)) is not None:
                checked_text(name, value, MAX_NAME)
        if self.positive is not None:
            checked_text("positive", self.positive, MAX_NAME, empty=True)


@dataclass(frozen=True)
class RecordedSettings:
    """How surfaces were counted and the path was found: rule, method, spacing and resolution (nodes) of the grid.

    `amount` is the column whose money was counted; with None, which JSON leaves out, documents were.
    """

    rule: Rule
    method: str
    spacing: Spacing
    resolution: int
    amount: str | None = field(default=None, metadata={MAY_BE_MISSING: True})

    def __post_init__(self) -> None:
        checked_text("method", self.method, MAX_NAME)
        if self.amount is not None:
            checked_text("amount", self.amount, MAX_NAME)
        if not 0 <= self.resolution <= MAX_NODES:
            raise FieldError("resolution", f"a whole number from 0 to {MAX_NODES:,}", shown(self.resolution))


@dataclass(frozen=True)
class Wish:
    """One number that was asked for, with its words: "false alerts per extra catch", 4."""

    name: str
    value: float

    def __post_init__(self) -> None:
        checked_text("name", self.name, MAX_NAME)
        _set(self, value=checked_number("value", self.value))


@dataclass(frozen=True)
class RecordedTarget:
    """The target marginal precision in (0, 1), which driver led there from which wishes, and where on the path it lies.

    The driver "set by hand" has no wishes; a point off every path has neither marginal precision nor status.
    """

    driver: str
    wishes: tuple[Wish, ...] = ()
    marginal_precision: float | None = None
    status: Status | None = None

    def __post_init__(self) -> None:
        checked_text("driver", self.driver, MAX_NAME)
        if len(self.wishes) > MAX_WISHES:
            raise FieldError("wishes", f"a list of at most {MAX_WISHES}", f"{len(self.wishes)}")
        _set(self, wishes=tuple(self.wishes))
        if self.by_hand and self.wishes:
            raise FieldError("wishes", f"empty where the driver is '{SET_BY_HAND}'")
        if not self.by_hand and not self.wishes:
            raise FieldError("wishes", f"given unless the driver is '{SET_BY_HAND}'")
        if self.marginal_precision is not None:
            _set(self, marginal_precision=checked_share("marginal_precision", self.marginal_precision))

    @property
    def by_hand(self) -> bool:
        """Whether the thresholds were typed or clicked rather than optimised."""
        return self.driver == SET_BY_HAND


@dataclass(frozen=True)
class RecordedInterval:
    """An estimate for new data of the same size between two bounds, and the level in (0, 1) at which these hold it."""

    estimate: float
    low: float
    high: float
    level: float

    def __post_init__(self) -> None:
        numbers = {name: checked_number(name, getattr(self, name), low=0.0) for name in ("estimate", "low", "high")}
        _set(self, **numbers, level=checked_share("level", self.level))
        if self.low > self.high:
            raise FieldError("low", "at most the upper bound", shown(self.low))

    @classmethod
    def of(cls, interval: Interval, level: float) -> Self | None:
        """The record of an interval; None where there was nothing to estimate."""
        values = (interval.estimate, interval.low, interval.high)
        return cls(*values, level) if np.isfinite(values).all() else None


@dataclass(frozen=True)
class ExpectedCounts:
    """TP, FP, alerts and precision (None over no alerts) on the data of the record, and intervals for new data.

    Raises
    ------
    DataError : alerts other than TP + FP, or a precision other than TP / (TP + FP).
    """

    tp: float
    fp: float
    alerts: float
    precision: float | None
    tp_interval: RecordedInterval | None = None
    fp_interval: RecordedInterval | None = None
    alerts_interval: RecordedInterval | None = None
    precision_interval: RecordedInterval | None = None

    def __post_init__(self) -> None:
        _set(self, **{name: checked_number(name, getattr(self, name), low=0.0) for name in ("tp", "fp", "alerts")})
        if not _close(self.alerts, self.tp + self.fp):
            raise FieldError("alerts", f"TP + FP, {self.tp + self.fp:g}", shown(self.alerts))
        precision = ratio(self.tp, self.alerts)
        if self.precision is None:
            if self.alerts > 0:
                raise FieldError("precision", f"TP / (TP + FP), {precision:g}", "null")
        else:
            _set(self, precision=checked_number("precision", self.precision, 0.0, 1.0))
            if not _close(self.precision, precision):
                raise FieldError("precision", f"TP / (TP + FP), {precision:g}", shown(self.precision))
        if self.precision_interval is not None:
            for name in ("estimate", "low", "high"):
                checked_number(f"precision_interval.{name}", getattr(self.precision_interval, name), 0.0, 1.0)

    @classmethod
    def of(cls, tp: float, fp: float, intervals: PointIntervals | None = None) -> Self:
        """From the counts at the thresholds, and the expectations on new data where they were found."""
        alerts = tp + fp
        counted = (tp, fp, alerts, tp / alerts if alerts > 0 else None)
        if intervals is None:
            return cls(*counted)
        found = (intervals.tp, intervals.fp, intervals.alerts, intervals.precision)
        return cls(*counted, *(RecordedInterval.of(interval, intervals.level) for interval in found))

    @property
    def level(self) -> float | None:
        """The level of the intervals; None where there are none."""
        intervals = (self.tp_interval, self.fp_interval, self.alerts_interval, self.precision_interval)
        return next((interval.level for interval in intervals if interval is not None), None)


@dataclass(frozen=True)
class CurrentThresholds:
    """The thresholds (k,) in use when the decision was made, None for never, and their TP and FP on the same data."""

    thresholds: tuple[float | None, ...]
    tp: float | None = None
    fp: float | None = None

    def __post_init__(self) -> None:
        for name in ("tp", "fp"):
            if (value := getattr(self, name)) is not None:
                _set(self, **{name: checked_number(name, value, low=0.0)})
        if (self.tp is None) != (self.fp is None):
            raise FieldError("tp" if self.tp is None else "fp", "given with the other count, or neither")


@dataclass(frozen=True, kw_only=True)
class DecisionRecord:
    """A decision for thresholds (k,), None for never, in the order of the score columns; validated when made.

    `author` and `reason` may be empty. `created` is in UTC. `record_id` is a UUID that names the record wherever it goes.

    Raises
    ------
    DataError : naming the field that cannot be used, and why.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    record_id: str = field(default_factory=lambda: str(uuid4()))
    created: datetime = field(default_factory=lambda: datetime.now(UTC))
    program_version: str = PROGRAM_VERSION
    author: str = ""
    reason: str = ""
    data: RecordedData
    columns: RecordedColumns
    settings: RecordedSettings
    target: RecordedTarget
    thresholds: tuple[float | None, ...]
    expected: ExpectedCounts
    current: CurrentThresholds | None = None

    def __post_init__(self) -> None:
        if self.schema_version != SCHEMA_VERSION:
            raise FieldError("schema_version", str(SCHEMA_VERSION), shown(self.schema_version))
        if not _is_uuid(self.record_id):
            raise FieldError("record_id", "a UUID in lower case", shown(self.record_id))
        if self.created.utcoffset() != timedelta(0):
            raise FieldError("created", "a time in UTC", shown(self.created))
        _set(self, created=self.created.astimezone(UTC))
        checked_text("program_version", self.program_version, MAX_NAME)
        checked_text("author", self.author, MAX_NAME, empty=True)
        checked_text("reason", self.reason, MAX_REASON, empty=True)
        count = len(self.columns.scores)
        _set(self, thresholds=checked_thresholds("thresholds", self.thresholds, count))
        if self.current is not None:
            values = checked_thresholds("current.thresholds", self.current.thresholds, count)
            _set(self.current, thresholds=values)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a record from JSON text of at most 1 MB.

        Raises
        ------
        DataError : no JSON, another schema version, or a field that is missing, unknown or unusable.
        """
        content = as_json_object(text)
        _require_known_version(content)
        record: Self = value_of(cls, content)
        return record

    def to_json(self) -> str:
        """The record as indented JSON text, the same for the same record; `from_json` gives back an equal one."""
        return json.dumps(self.as_dict(), indent=2, allow_nan=False, ensure_ascii=False)

    def as_dict(self) -> dict[str, Any]:
        """Plain values of the record, ready for JSON."""
        content = asdict(self) | {"created": self.created.isoformat().replace("+00:00", "Z")}
        if self.settings.amount is None:
            del content["settings"]["amount"]
        return content

    @property
    def threshold_array(self) -> Floats:
        """The thresholds (k,) as `flagged` takes them; infinity is never."""
        return np.array([np.inf if value is None else value for value in self.thresholds])


def recorded_thresholds(values: Iterable[float]) -> tuple[float | None, ...]:
    """Thresholds as a record keeps them: plain numbers, and None for infinity, which is never."""
    return tuple(None if value == np.inf else float(value) for value in values)


def data_fingerprint(file_fingerprint: str, columns: RecordedColumns) -> str:
    """SHA-256 of the data and the meaning of their columns, the same in every version of the program.

    It is the hash of the JSON text of {"columns": …, "file": file_fingerprint} with sorted keys, without spaces and
    in ASCII, where `file_fingerprint` is the SHA-256 of the file.
    """
    content = {"columns": asdict(columns), "file": file_fingerprint}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


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


def _close(told: float, computed: float) -> bool:
    return abs(told - computed) <= ROUNDING * max(1.0, abs(computed))


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def _set(instance: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(instance, name, value)
