"""Take tables of other libraries."""

from typing import Any

import pandas as pd

from multiloss_core.errors import DataError


def as_frame(table: Any) -> pd.DataFrame:
    """Return a table as a DataFrame of pandas; one that is read through Arrow is copied.

    That are tables with the Arrow stream of PyCapsules: of Polars, PyArrow, DuckDB, Ibis and others.

    Raises DataError: something else, or PyArrow is not installed.
    """
    if isinstance(table, pd.DataFrame):
        return table
    if not hasattr(table, "__arrow_c_stream__"):
        raise DataError(
            "This takes a DataFrame of pandas or a table of Polars, PyArrow or DuckDB, not a value of the type "
            f"{type(table).__name__}."
        )
    try:
        import pyarrow  # noqa: PLC0415
    except ModuleNotFoundError:
        raise DataError("A table of another library is read by PyArrow; install multiloss-core[files].") from None
    frame: pd.DataFrame = pyarrow.table(table).to_pandas()
    return frame
