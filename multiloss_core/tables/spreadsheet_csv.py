"""Tables of documents as files that spreadsheets may open."""

from typing import Any

import pandas as pd


def frame_as_csv(frame: pd.DataFrame, index_label: str | None = None) -> str:
    """A table as CSV text in which no cell and no column name starts a formula; with its index under `index_label`.

    Numbers, dates and truth values are written as they are, also negative ones.
    """
    safe = frame.copy(deep=False)
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        if not _is_plain(column.dtype):
            safe.isetitem(position, column.astype(object).map(_safe).array)
    safe.columns = pd.Index([_safe(str(name)) for name in frame.columns])
    return str(safe.to_csv(index=index_label is not None, index_label=_safe(index_label or ""), lineterminator="\n"))


def _is_plain(dtype: Any) -> bool:
    types = pd.api.types
    return bool(
        types.is_numeric_dtype(dtype) or types.is_datetime64_any_dtype(dtype) or types.is_timedelta64_dtype(dtype)
    )


def _safe(cell: Any) -> Any:
    return without_formula(cell) if isinstance(cell, str) else cell


def without_formula(cell: str) -> str:
    """A cell that a spreadsheet shows as text, even when it starts like a formula."""
    # Full-width signs start a formula as well, and some programs pass over white space before one.
    starts = cell[:1] in ("\t", "\r", "\n") or cell.lstrip()[:1] in tuple("=+-@＝＋－＠")
    return f"'{cell}" if starts else cell
