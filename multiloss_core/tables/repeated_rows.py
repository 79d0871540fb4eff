"""Select one row of each document where an export has a row per status or rating of it."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Indices
from multiloss_core.tables.time_column import document_times

Keep: TypeAlias = Literal["last", "first", "all"]


@dataclass(frozen=True, kw_only=True)
class RepeatedRows:
    """State which rows count of a document that stands in several of them.

    `identifier`: the column that identifies documents. `keep`: the last or the first row of each by the times in
    column `by`, among equal times and without such a column in the order of the table; or all rows. A row without a
    rating counts only where no other one has a rating, as comments and reminders follow a decision.
    """

    identifier: str
    keep: Keep
    by: str | None = None

    def kept(self, frame: pd.DataFrame, rating: str | None = None) -> Bools | None:
        """Find the rows (n,) of a table that count; None for all.

        A row with a blank identifier is a document.

        O(n log n). Raises DataError: no such column.
        """
        if self.keep == "all":
            return None
        if self.identifier not in frame.columns:
            raise DataError(f"There is no column '{self.identifier}' to identify repeated rows; choose another one.")
        codes = pd.factorize(frame[self.identifier])[0]
        order = self._order(frame)
        order = order if self.keep == "last" else order[::-1]
        if rating is not None:
            order = order[np.argsort(_is_filled(frame[rating])[order], kind="stable")]
        kept = np.zeros(len(frame), dtype=bool)
        kept[order] = ~pd.Series(codes[order]).duplicated(keep="last").to_numpy() | (codes[order] < 0)
        return kept

    def _order(self, frame: pd.DataFrame) -> Indices:
        if self.by is None or self.by not in frame.columns:
            return np.arange(len(frame))
        filled = np.flatnonzero(_is_filled(frame[self.by]))
        times = np.full(len(frame), np.datetime64("NaT", "us"))
        with suppress(DataError):
            times[filled] = document_times(frame, self.by, filled)
        # A blank time is before all others.
        return np.argsort(times.astype("int64"), kind="stable")


def _is_filled(cells: "pd.Series[Any]") -> Bools:
    return np.asarray(cells.notna() & (cells.astype("str").str.strip() != ""), dtype=bool)
