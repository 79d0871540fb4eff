"""State what the columns of a table of rated documents mean."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.tables.rating_column import Meaning
from multiloss_core.tables.repeated_rows import RepeatedRows
from multiloss_core.tables.score_formula import COMBINED, ScoreFormula

DecimalSign: TypeAlias = Literal[",", "."]


@dataclass(frozen=True, kw_only=True)
class ColumnMeanings:
    """Name the role of each column; None or empty where no column has it.

    `scores`: columns of numbers, also derived ones such as "minus trust" (see `column_of`). `meanings`: each rating in
    lower-case words and what it means, None while unknown. `floors`: one for each score, None for one that is estimated
    by `floor_method`. `since`: a date, YYYY-MM-DD; earlier rows are left out. `complete_until`: a date; rows from it on
    are left out, because their ratings are incomplete. `decimal_signs`: the decimal sign of columns of numbers that can
    be read in two ways. `repeats`: which rows count of a document in several rows. `alert_rules`: columns of yes and no
    beside the scores, or "reason has R12" for a word in a column of reasons. `age_weights`: whether older rows may
    count less in the choice of thresholds, where there are times. `earlier`: names of loaded files on which thresholds
    rest as well. `combined`: the formula of one score made of all `scores`, which documents then have in their place.
    `is_counts`: the table holds ready counts, under `rule` if that is known.
    """

    scores: tuple[str, ...]
    rating: str | None = None
    meanings: tuple[tuple[str, Meaning | None], ...] = ()
    weight: str | None = None
    floors: tuple[float | None, ...] = ()
    floor_method: Literal["corner", "jump"] | None = None
    leave_out_unusable: bool = False
    group: str | None = None
    amount: str | None = None
    time: str | None = None
    segment: str | None = None
    since: str | None = None
    complete_until: str | None = None
    decimal_signs: tuple[tuple[str, DecimalSign | None], ...] = ()
    alert_rules: tuple[str, ...] = ()
    repeats: RepeatedRows | None = None
    age_weights: bool = True
    earlier: tuple[str, ...] = ()
    combined: ScoreFormula | None = None
    is_counts: bool = False
    rule: Literal["any", "all"] | None = None

    def __post_init__(self) -> None:
        if self.combined is not None and self.combined.names != self.scores:
            raise DataError("The combined score is made of other scores; choose those, or fit it again.")
        if self.floor_method not in (None, "corner", "jump"):
            raise DataError(f"There is no method '{self.floor_method}' for floors; choose corner or jump.")

    @property
    def document_scores(self) -> tuple[str, ...]:
        """The scores of the documents: those of the columns, or the combined one."""
        return self.scores if self.combined is None else (COMBINED,)

    @property
    def known_meanings(self) -> dict[str, Meaning]:
        """The ratings whose meaning is known."""
        return {rating: meaning for rating, meaning in self.meanings if meaning is not None}

    @property
    def only_positive(self) -> str | None:
        """Return the rating of a positive where it and one negative are the only ratings."""
        found = sorted(self.meanings, key=lambda rating: str(rating[1]))
        return found[1][0] if [meaning for _, meaning in found] == ["negative", "positive"] else None

    def require_answers(self) -> None:
        """Raise DataError where the rating, a meaning or a decimal sign is still open."""
        if self.rating is None:
            raise DataError("No column with the ratings is chosen; choose the one that marks fraud.")
        for rating, meaning in self.meanings:
            if meaning is None:
                raise DataError(
                    f"What '{shortened(rating)}' in '{self.rating}' means is unknown; choose fraud, not fraud or "
                    "undecided."
                )
        for column, sign in self.decimal_signs:
            if sign is None:
                raise DataError(f"The numbers in '{column}' can be read in two ways; choose which one is meant.")


COUNT_TABLE = ColumnMeanings(is_counts=True, scores=())
