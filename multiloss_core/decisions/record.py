"""Define the decision record: thresholds, their data, expectations, author and reason.

The names of the fields are those of the JSON form, whose schema is docs/decision-record.schema.json.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, asdict, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Self
from uuid import uuid4

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, TypeAdapter, model_validator

from multiloss_core.decisions.audits import RecordedAudit
from multiloss_core.decisions.evidence import RecordedEvidence
from multiloss_core.decisions.record_fields import (
    CurrentThresholds,
    ExpectedCounts,
    RecordedBlock,
    RecordedColumns,
    RecordedData,
    RecordedFilter,
    RecordedSettings,
    RecordedTarget,
    require_at_most,
    require_length,
)
from multiloss_core.decisions.segments import RecordedSegments
from multiloss_core.decisions.validation import (
    AnyText,
    LongText,
    Name,
    Thresholds,
    disagreement,
    json_object,
    recorded,
    shown,
    validated_json,
)
from multiloss_core.errors import DataError
from multiloss_core.formatting import MINUS, as_html_table, comparison, count, score_name, score_threshold
from multiloss_core.numerics.arrays import Bools, Floats
from multiloss_core.tables.column_values import base_of, column_of, numbers, require_usable
from multiloss_core.tables.dataframes import as_frame
from multiloss_core.tables.yes_no import rule_cells
from multiloss_core.thresholds.data.counts import flagged, flagged_by_segment
from multiloss_core.thresholds.targets.review_band import BLOCK, PASS, REVIEW
from multiloss_core.version import __version__

SCHEMA_VERSION: Final = 1
# Fields that are left out where they are empty.
OPTIONAL_IN_COLUMNS = ("meanings", "whole_numbers", "alert_rules", "repeats", "combined")


def _in_utc(time: datetime) -> datetime:
    if time.utcoffset() != timedelta(0):
        raise ValueError("Input should be a time in UTC like 2026-01-31T09:00:00Z")
    return time.astimezone(UTC)


@recorded
class DecisionRecord:
    """A decision: thresholds, data, expectations, author and reason.

    Examples
    --------
    >>> import pandas as pd
    >>> from multiloss_core import DecisionRecord, operating_point, read_rated, smooth_path
    >>> from multiloss_core.decisions import record_of
    >>> table = pd.DataFrame({"model": [0.9, 0.8, 0.7, 0.6], "rating": ["fraud", "fraud", "ok", "ok"]})
    >>> data = read_rated(table, floors=0.5)
    >>> record = record_of(operating_point(smooth_path(data.documents), 0.5), data)
    >>> record.flags(table).tolist(), DecisionRecord.from_json(record.to_json()) == record
    ([True, True, False, False], True)
    """

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
    """Author of the decision; may be empty."""
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
    """Null if no current thresholds were known."""
    block: RecordedBlock | None = None
    """The upper of two cuts, from which on alerts are blocked without a review; null where there is one cut."""
    segments: RecordedSegments | None = None
    """Thresholds of their own for values of one column, in the place of `thresholds`. Left out where there are none."""
    audit: RecordedAudit | None = None
    """A random audit below the floors, with recall at the thresholds. Left out where there is none."""
    evidence: RecordedEvidence | None = None
    """Further evidence; null if unknown."""

    @model_validator(mode="after")
    def _require_one_threshold_for_each_score(self) -> Self:
        require_length("thresholds", self.thresholds, self.columns.scores)
        if self.current is not None:
            require_length("current.thresholds", self.current.thresholds, self.columns.scores)
        if self.block is not None:
            require_length("block.thresholds", self.block.thresholds, self.columns.scores)
            if (self.block_array < self.threshold_array).any():
                raise disagreement("block.thresholds should not be below thresholds")
            require_at_most("block.tp", self.block.tp, "expected.tp", self.expected.tp)
            require_at_most("block.fp", self.block.fp, "expected.fp", self.expected.fp)
        if self.segments is not None:
            self._require_fitting_segments(self.segments)
        return self

    def _require_fitting_segments(self, segments: RecordedSegments) -> None:
        if self.block is not None:
            raise disagreement("block and segments should not both be given: two cuts cannot differ by segment")
        for one in segments.own:
            require_length("segments.own.thresholds", one.thresholds, self.columns.scores)
        for name in ("tp", "fp"):
            counted = sum(getattr(one, name) for one in segments.own)
            require_at_most(
                f"the sum of segments.own.{name}", counted, f"expected.{name}", getattr(self.expected, name)
            )

    @classmethod
    def from_json(cls, text: str | bytes) -> "DecisionRecord":
        """Read a record from JSON text of at most 1 MB.

        Raises DataError: no JSON, another schema version, or a field that is missing, unknown or unusable.
        """
        content = json_object(text)
        _require_known_version(content)
        record = validated_json(ADAPTER, _with_inverted_names(content))
        _require_every_field(content, record.as_dict())
        return record

    def to_json(self) -> str:
        """Write the record as indented, deterministic JSON text; `from_json` restores it."""
        return json.dumps(self.as_dict(), indent=2, allow_nan=False, ensure_ascii=False)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values of the record, ready for JSON."""
        content = asdict(self) | {"created": self.created.isoformat().replace("+00:00", "Z")}
        for name in ("segments", "audit"):
            if content[name] is None:
                del content[name]
        for name in OPTIONAL_IN_DATA:
            if content["data"][name] is None:
                del content["data"][name]
        own = content["segments"]["own"] if self.segments is not None else ()
        for part in filter(None, (content, content["current"], content["block"], *own)):
            part["thresholds"] = _on_scale(part["thresholds"], self.columns.scores)
        return content | {"columns": _columns_as_dict(self.columns)}

    def flags(self, frame: pd.DataFrame) -> Bools:
        """Flag the n rows of a table by its score columns: (n,) truth values.

        A cell that is blank or NaN reaches no threshold. Where there are thresholds per segment, a row whose value is
        not listed uses the common ones.

        Raises DataError: a score column that is missing, there twice, or holds text, or no segment column.
        """
        scores, common, rule = self.scores(frame), self.threshold_array, self.settings.rule
        if self.segments is None:
            return flagged(scores, common, rule)
        return flagged_by_segment(scores, self.segments.names(frame), common, self.segments.thresholds_by_value, rule)

    def actions(self, frame: pd.DataFrame) -> NDArray[np.str_]:
        """Return the action on the n rows of a table: "block", "review" or "pass", (n,).

        Without an upper cut nothing is blocked. A cell that is blank or NaN reaches no threshold.

        Raises DataError: as `flags` does.
        """
        below = np.where(self.flags(frame), REVIEW, PASS)
        if self.block is None:
            return below
        return np.where(flagged(self.scores(frame), self.block_array, self.settings.rule), BLOCK, below)

    def scores(self, frame: pd.DataFrame) -> Floats:
        """Read the scores (n, k) of a table of n rows, NaN for blanks.

        Alert rules are 0 or 1.

        Raises DataError: a column that is missing, there twice, or holds text.
        """
        frame = as_frame(frame)
        rules, formula = self.columns.alert_rule_names, self.columns.combined
        scores = np.column_stack([score_column(frame, name) for name in self.columns.score_columns])
        if formula is not None:
            scores = formula.apply(scores)[:, np.newaxis]
        return np.column_stack([scores, *(score_column(frame, name, is_rule=True) for name in rules)])

    def __repr__(self) -> str:
        pairs = zip(self.columns.scores, self.thresholds, strict=True)
        scores = {"any": " or ", "all": " and "}[self.settings.rule].join(
            f"{score_name(name)} {'' if value is None else comparison(name)} {score_threshold(name, value)}"
            for name, value in pairs
        )
        if self.segments is not None:
            scores += f", {self.segments.listed_words} on their own"
        counts = f"TP {count(self.expected.tp)}, FP {count(self.expected.fp)}"
        return " ".join(f"DecisionRecord({self.data.name}, {self.created:%Y-%m-%d}: {scores}; {counts})".split())

    def _repr_html_(self) -> str:
        words = self.columns.threshold_words(self.thresholds)
        thresholds = {score_name(name): value for name, value in zip(self.columns.scores, words, strict=True)}
        counts = {"TP": count(self.expected.tp), "FP": count(self.expected.fp)}
        return as_html_table(f"Decision on {self.data.name}, {self.created:%Y-%m-%d}", thresholds | counts)

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


# Fields of `RecordedData` that are written only where they say something.
OPTIONAL_IN_DATA = ("late_from", "half_life", "earlier", "earlier_half_life")
ADAPTER = TypeAdapter(DecisionRecord)


def recorded_thresholds(values: Iterable[float]) -> tuple[float | None, ...]:
    """Convert thresholds to plain numbers, infinity (never) to None."""
    return tuple(None if value == np.inf else float(value) for value in values)


def recorded_filters(chosen: Iterable[tuple[str, Sequence[object]]]) -> tuple[RecordedFilter, ...] | None:
    """Record columns with the values that rows were chosen by; None where there are none."""
    filters = (RecordedFilter(column, tuple(map(_plain, values))) for column, values in chosen)
    return tuple(filters) or None


def data_fingerprint(file_fingerprint: str, columns: RecordedColumns) -> str:
    """Compute the SHA-256 of the data and column meanings, independent of the version.

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
    """Write columns by their names in the table, floors on their scale, inverted scores listed."""
    content = asdict(columns)
    for name in OPTIONAL_IN_COLUMNS:
        if content[name] is None:
            del content[name]
    if columns.whole_numbers:
        content["whole_numbers"] = [*map(score_name, columns.whole_numbers)]
    inverted = [score_name(name) for name in columns.scores if name.startswith(MINUS)]
    names = {"scores": [*map(score_name, columns.scores)], "floors": _on_scale(columns.floors, columns.scores)}
    return content | names | ({"inverted": inverted} if inverted else {})


def _with_inverted_names(content: dict[str, Any]) -> dict[str, Any]:
    """Restore inverted scores of `as_dict`: names get a minus, numbers the other sign."""
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
            changed[part] = _with_scale(content[part], names)
    segments = content.get("segments")
    if isinstance(segments, dict) and isinstance(segments.get("own"), list):
        changed["segments"] = segments | {"own": [_with_scale(one, names) for one in segments["own"]]}
    return changed | {"thresholds": _on_scale(content.get("thresholds"), names)}


def _with_scale(part: Any, names: Sequence[str]) -> Any:
    """Change the sign of the thresholds of inverted scores in a part of a record."""
    return part | {"thresholds": _on_scale(part.get("thresholds"), names)} if isinstance(part, dict) else part


def _on_scale(values: Any, names: Sequence[str]) -> Any:
    """Change the sign of the numbers (k,) of inverted scores; return other values unchanged."""
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
    """Reject a missing field that the program always writes, even if it has a default."""
    for name, value in written.items():
        if name not in content:
            raise DataError(f"Field '{place}{name}' of the decision record is missing; save the record again.")
        if isinstance(value, dict):
            _require_every_field(content[name], value, f"{place}{name}.")


def score_column(frame: pd.DataFrame, name: str, *, is_rule: bool = False) -> Floats:
    """Read one score or alert rule (n,) of each row, NaN where a score is blank.

    Raises DataError: a column that is missing, there twice, or holds text.
    """
    places = frame.columns.map(str) == base_of(frame, name)
    if places.sum() != 1:
        found = f"{places.sum() or 'no'} column{'s' if places.sum() > 1 else ''} '{name}'"
        raise DataError(
            f"The table has {found}, and the decision needs one; choose a table with the scores of the decision."
        )
    column = column_of(frame, name)
    if is_rule:
        values, unusable = rule_cells(column)
        usable = ~unusable
    else:
        values, blank, _ = numbers(column)
        usable = blank | ~np.isnan(values)
    require_usable(column, usable, np.arange(len(frame)), expected="numbers", way_out="correct them and try again")
    return values
