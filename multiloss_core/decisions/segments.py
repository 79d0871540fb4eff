"""Record thresholds per segment, and find the segments and the flags of rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isfinite
from typing import Annotated, Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from multiloss_core.decisions.validation import Count, Name, Thresholds, as_tuple, disagreement, recorded, shown
from multiloss_core.errors import DataError
from multiloss_core.formatting import plural, shortened
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.tables.column_values import BLANK, segment_names, trimmed
from multiloss_core.thresholds.data.counts import Rule, flagged, flagged_by_segment
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

MAX_SEGMENTS, MAX_VALUES, MAX_SHOWN_VALUES = 50, 200, 5

Kind = Literal["text", "number", "boolean"]
TRUE_WORDS, FALSE_WORDS = ("true", "t", "1", "1.0"), ("false", "f", "0", "0.0")
MAX_TRUTHS = 12
_TRUTH = dict.fromkeys(TRUE_WORDS, "True") | dict.fromkeys(FALSE_WORDS, "False")


@recorded
class SegmentThresholds:
    """Thresholds of one segment, and what they flag there."""

    values: Annotated[tuple[Name, ...], BeforeValidator(as_tuple), Field(min_length=1, max_length=MAX_VALUES)]
    """Values of the column, as text without outer spaces: "(blank)" for none, whole numbers without decimals. Small
    segments are pooled, so that there may be several."""
    thresholds: Thresholds
    """The k thresholds there; null for never."""
    tp: Count
    fp: Count

    @property
    def words(self) -> str:
        """The values in a line, the first ones of many."""
        return values_in_words(self.values)


@recorded
class RecordedGain:
    """Gain of value by thresholds per segment over common ones, on documents held out."""

    estimate: float
    low: float
    high: float

    @model_validator(mode="after")
    def _require_order(self) -> Self:
        if not self.low <= self.estimate <= self.high:
            raise disagreement(f"estimate should be from low to high, {self.low:g} to {self.high:g}")
        return self


@recorded
class RecordedSegments:
    """Thresholds per segment: all values of the column that are not listed use the common ones."""

    column: Name
    own: Annotated[
        tuple[SegmentThresholds, ...], BeforeValidator(as_tuple), Field(min_length=1, max_length=MAX_SEGMENTS)
    ]
    kind: Kind = "text"
    """What the column holds in the table; queries compare its cells as such."""
    gain: RecordedGain | None = None
    """Null if unknown."""

    @model_validator(mode="after")
    def _require_distinct_values(self) -> Self:
        keys = [segment_key(value, self.kind) for one in self.own for value in one.values]
        if len(keys) > MAX_VALUES:
            raise disagreement(f"segments should list at most {MAX_VALUES} values, not {len(keys)}")
        if len(set(keys)) < len(keys):
            repeated = next(key for place, key in enumerate(keys) if key in keys[:place])
            raise disagreement(f"the values of segments should be distinct, and {shown(repeated)} is there twice")
        for key in keys:
            if key != BLANK and not _is_of_kind(key, self.kind):
                raise disagreement(f"the values of segments of a {self.kind} column should be such, not {shown(key)}")
        return self

    @property
    def keys(self) -> tuple[tuple[str, ...], ...]:
        """The values of each segment in the form that cells are compared in."""
        return tuple(tuple(segment_key(value, self.kind) for value in one.values) for one in self.own)

    @property
    def thresholds_by_value(self) -> dict[str, Floats]:
        """The thresholds (k,), infinity for never, of each value that is listed."""
        return {
            key: np.array([inf if value is None else value for value in one.thresholds])
            for keys, one in zip(self.keys, self.own, strict=True)
            for key in keys
        }

    @property
    def count(self) -> int:
        """The number of values that are listed."""
        return sum(len(one.values) for one in self.own)

    @property
    def listed_words(self) -> str:
        """How many values of which column are listed: "3 values of 'channel'"."""
        return f"{plural(self.count, 'value')} of '{shortened(self.column)}'"

    def cells(self, frame: pd.DataFrame) -> "pd.Series[Any]":
        """Return the segment column (n,) of a table. Raises DataError where it is not there once."""
        places = int((frame.columns.map(str) == self.column).sum())
        if places != 1:
            raise DataError(
                f"The table has {places or 'no'} column{'s' if places > 1 else ''} '{shortened(self.column)}', and the "
                "decision has thresholds for its values; choose a table with this column once."
            )
        return frame.iloc[:, [*map(str, frame.columns)].index(self.column)]

    def names(self, frame: pd.DataFrame, rows: Indices | None = None) -> NDArray[np.object_]:
        """Read the segments (n,) of all rows of a table, or of some, counted from 0.

        Raises DataError: no such column, or two of them.
        """
        cells = self.cells(frame)
        return self.names_of(cells if rows is None else cells.iloc[rows])

    def names_of(self, cells: "pd.Series[Any]", kind: Kind | None = None) -> NDArray[np.object_]:
        """Read cells (n,) of the segment column as segments.

        `kind`: that of the column where the cells are its text. A column of text may be one of numbers in another file:
        its numbers are then compared with those that are listed, where these stay distinct. True and false are 1 and 0
        of a column of numbers.
        """
        codes, known = segment_names(cells)
        keys, kind = [segment_key(name, self.kind) for name in known], kind or segment_kind(cells)
        if self.kind == "number" and kind == "boolean":
            keys = [{"True": "1", "False": "0"}.get(segment_key(name, kind), name) for name in known]
        if self.kind == "text" and kind == "number":
            listed = [*self.thresholds_by_value]
            by_number = {_number_key(key): key for key in listed}
            if len(by_number) == len(listed):
                keys = [by_number.get(_number_key(key), key) for key in keys]
        return np.array(keys, dtype=object)[codes]

    def unlisted(self, names: NDArray[np.object_], rows: Indices | None = None) -> tuple[str, ...]:
        """Find the segments (n,) without own thresholds, most `rows` (n,) first, 1 each by default."""
        listed = self.thresholds_by_value
        counted = pd.Series(1 if rows is None else rows, index=names).groupby(level=0).sum()
        found = counted.sort_values(ascending=False, kind="stable").index
        return tuple(str(name) for name in found if name not in listed)


@dataclass(frozen=True, kw_only=True, eq=False)
class FlaggedDocuments:
    """Documents with the thresholds (k,) to count; `current` (k,) are other ones, None without.

    Where thresholds differ by segment, the scores are flags by both: every function that counts thresholds is right.
    """

    documents: RatedDocuments
    thresholds: Floats
    rule: Rule
    current: Floats | None = None


def flagged_documents(
    documents: RatedDocuments,
    frame: pd.DataFrame,
    thresholds: Floats,
    rule: Rule,
    segments: RecordedSegments | None,
    current: Floats | None = None,
) -> FlaggedDocuments:
    """Prepare documents of a table for counts at common thresholds (k,) and those of segments.

    `documents.rows` are rows of `frame`. `current` (k,): the current thresholds, of all segments. Time O(n k).

    Raises DataError: no segment column.
    """
    if segments is None:
        return FlaggedDocuments(documents=documents, thresholds=thresholds, rule=rule, current=current)
    own, each = segments.thresholds_by_value, []
    for part in (documents, documents.undecided):
        flags = [flagged_by_segment(part.scores, segments.names(frame, part.rows), thresholds, own, rule)]
        if current is not None:
            flags.append(flagged(part.scores, current, rule))
        each.append(np.column_stack(flags))
    # Only the first flag counts at the thresholds, only the second one at the current ones.
    chosen = np.array([1.0]) if current is None else np.array([1.0, inf])
    others = None if current is None else np.array([inf, 1.0])
    return FlaggedDocuments(documents=documents.with_flags(*each), thresholds=chosen, rule="any", current=others)


def segment_kind(cells: "pd.Series[Any]") -> Kind:
    """Find the kind of a segment column by its type, and by its cells where these have any type.

    Raises DataError: a column of times, whose text differs between engines.
    """
    dtype = cells.cat.categories.dtype if isinstance(cells.dtype, pd.CategoricalDtype) else cells.dtype
    found = pd.api.types.infer_dtype(cells, skipna=True) if pd.api.types.is_object_dtype(dtype) else ""
    if dtype.kind in "mM" or found.startswith(("date", "time")):
        raise DataError(
            f"Column '{shortened(cells.name)}' holds times, which are no segments; choose a column of text or numbers."
        )
    if pd.api.types.is_bool_dtype(dtype) or found == "boolean" or _are_truths(cells):
        return "boolean"
    numeric = pd.api.types.is_numeric_dtype(dtype) or found in ("integer", "floating", "mixed-integer-float", "decimal")
    return "number" if numeric else "text"


def _are_truths(cells: "pd.Series[Any]") -> bool:
    """Whether all filled cells are true or false, as databases and languages write them."""
    if pd.api.types.is_numeric_dtype(cells.dtype):
        return False
    words = {trimmed(str(cell)).lower() for cell in cells.dropna().unique()[:MAX_TRUTHS]} - {""}
    return words in ({"true"}, {"false"}, {"true", "false"}, {"t", "f"})


def segment_key(value: str, kind: Kind) -> str:
    """Write a value of a segment in the form that is compared: numbers and truths in one way."""
    text = trimmed(value) or BLANK
    if kind == "boolean":
        return _TRUTH.get(text.lower(), text)
    return _number_key(text) if kind == "number" else text


def values_in_words(values: Iterable[str]) -> str:
    """List values in a line, the first five of many."""
    listed = [shortened(value) for value in values]
    more = len(listed) - MAX_SHOWN_VALUES
    return ", ".join(listed[:MAX_SHOWN_VALUES]) + (f" and {more:,} more" if more > 0 else "")


def _number_key(text: str) -> str:
    try:
        value = float(text)
    except ValueError:
        return text
    if not isfinite(value):
        return BLANK
    if not value.is_integer():
        return repr(value)
    try:
        # Exact for whole numbers of more digits than a double has.
        return str(int(text))
    except ValueError:
        return str(int(value))


def _is_of_kind(key: str, kind: Kind) -> bool:
    if kind == "boolean":
        return key in ("True", "False")
    if kind == "text":
        return True
    try:
        return isfinite(float(key))
    except (ValueError, OverflowError):
        return False
