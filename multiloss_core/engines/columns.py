"""State what the columns of a table in an engine mean, and which of its rows are read."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from multiloss_core.errors import DataError
from multiloss_core.sql_dialects import Value
from multiloss_core.tables.column_meanings import ColumnMeanings

MAX_CLASSIFIERS = 4
# Types of values to filter by, and of ratings.
MAX_VALUES = 1_000


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Rows whose `column` holds one of `values`."""

    column: str
    values: tuple[Value, ...]


@dataclass(frozen=True, kw_only=True)
class RowWindow:
    """Select rows by days `since` (inclusive) `until` (exclusive) of `time`, and by filters."""

    time: str | None = None
    since: date | None = None
    until: date | None = None
    filters: tuple[Filter, ...] = ()

    def __post_init__(self) -> None:
        if self.time is None and (self.since or self.until):
            raise DataError("A range of dates needs a column of dates; choose one or leave the range out.")
        if self.since and self.until and self.since >= self.until:
            raise DataError(f"The range of dates from {self.since} until before {self.until} holds no day.")
        for entry in self.filters:
            if not 0 < len(entry.values) <= MAX_VALUES:
                raise DataError(f"Choose from 1 to {MAX_VALUES:,} values of '{entry.column}', or no filter by it.")


ALL_ROWS = RowWindow()


@dataclass(frozen=True, kw_only=True)
class RatedColumns(ColumnMeanings):
    """Meanings of the columns of a table, with the values that ratings have there.

    `positive` and `negative`: the values of `rating` with that meaning; rows with any other, or with none, are not
    decided; None stands for NULL. `floors` (k,): only documents at or above some floor were rated; empty where every
    document was. `derived`: names among scores, alert rules and weight that stand in no table, each with the column
    that it is made of; see `column_of`.
    """

    rating: str
    positive: tuple[Value | None, ...]
    negative: tuple[Value | None, ...]
    floors: tuple[float, ...] = ()
    window: RowWindow = ALL_ROWS
    derived: tuple[tuple[str, str], ...] = ()
    one_class: bool = False

    def __post_init__(self) -> None:
        if not 0 < len(self.scores) <= MAX_CLASSIFIERS:
            raise DataError(f"Choose from one to {MAX_CLASSIFIERS} score columns, not {len(self.scores)}.")
        used = [*self.classifiers, self.rating, *filter(None, (self.weight, self.group))]
        for place, name in enumerate(used):
            if name in used[:place]:
                raise DataError(
                    f"Column '{name}' was chosen twice; scores, rating, weight and group must be different columns."
                )
        for meaning, values in (("positive", self.positive), ("negative", self.negative)):
            if not values and not (self.one_class and (self.positive or self.negative)):
                raise DataError(
                    f"No value of '{self.rating}' means {meaning}; true and false positives are both needed."
                )
        both = set(self.positive) & set(self.negative)
        if both:
            raise DataError(f"{both.pop()!r} in '{self.rating}' cannot mean both positive and negative.")
        if self.floors and len(self.floors) != len(self.classifiers):
            raise DataError(
                f"{len(self.floors)} floors were given for {len(self.classifiers)} score columns; give one each."
            )

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The scores, then the alert rules (k,)."""
        return (*self.scores, *self.alert_rules)

    @property
    def used(self) -> tuple[str, ...]:
        """All columns of the table that are read, each once."""
        named: Sequence[str | None] = (
            *self.classifiers, self.rating, self.weight, self.time, self.segment, self.group, self.window.time,
            *(entry.column for entry in self.window.filters),
        )  # fmt: skip
        return tuple(dict.fromkeys(self.base_of(name) for name in named if name is not None))

    def base_of(self, name: str) -> str:
        """Return the column of the table that a score, alert rule or weight is read from."""
        return dict(self.derived).get(name, name)
