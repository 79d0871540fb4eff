"""What can be said of one column from its name and at most 10,000 of its cells."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.tables.number_column import is_numeric, sampled, sampled_numbers
from multiloss_core.tables.rating_column import rating_values
from multiloss_core.tables.vocabulary import name_words

MOST_RATINGS = 20


@dataclass(frozen=True, eq=False)
class Column:
    """A column as a guess sees it: `cells` (m,) are at most 10,000, evenly spread over the table."""

    name: str
    cells: "pd.Series[Any]"

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the name."""
        return name_words(self.name)

    @cached_property
    def distinct(self) -> int:
        """How many different cells there are; blank ones do not count."""
        return int(self.cells.nunique())

    @cached_property
    def filled(self) -> int:
        """How many cells are not blank."""
        return int(self.cells.count())

    @cached_property
    def is_text(self) -> bool:
        """Whether the cells are words."""
        cells = self.cells
        known = cells.cat.categories if isinstance(cells.dtype, pd.CategoricalDtype) else cells
        return bool(pd.api.types.is_string_dtype(known.dtype))

    @cached_property
    def is_number(self) -> bool:
        """Whether the cells are numbers. Text is none where numbers begin with zeros, as identifiers do."""
        if not is_numeric(self.cells):
            return False
        return not self.is_text or not any(re.match(r"\s*0\d", str(cell)) for cell in pd.unique(self.cells))

    @cached_property
    def numbers(self) -> Floats:
        """The finite numbers among the cells."""
        values = self.all_numbers
        return values[np.isfinite(values)]

    @cached_property
    def all_numbers(self) -> Floats:
        """The cells as numbers (m,), NaN where they are none."""
        return sampled_numbers(self.cells)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all numbers are whole."""
        return bool((self.numbers == np.rint(self.numbers)).all())

    @cached_property
    def ratings(self) -> tuple[Indices, list[str]]:
        """The cells as `rating_values`; none where there are too many different ones."""
        if not 1 <= self.distinct <= MOST_RATINGS or (self.is_number and not self.is_whole):
            return np.full(len(self.cells), -1), []
        return rating_values(self.cells)


def columns_of(frame: pd.DataFrame) -> list[Column]:
    """Take the columns of a table apart, looked at in at most 10,000 rows."""
    return list(_columns(sampled(frame)))


def _columns(sample: pd.DataFrame) -> Iterator[Column]:
    for position, name in enumerate(sample.columns):
        cells: pd.Series[Any] = sample.iloc[:, position]
        if isinstance(cells.dtype, pd.CategoricalDtype):
            cells = cells.cat.remove_unused_categories()
        yield Column(str(name), cells)
