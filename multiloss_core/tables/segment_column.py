"""The segment of each rated document, such as its country or channel."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Indices

BLANK = "(blank)"


def document_segments(frame: pd.DataFrame, column: str, rows: Indices) -> NDArray[np.object_]:
    """Read the segments, text (n,), that a column of a table gives for some of its `rows` (n,), counted from 0.

    A blank cell is the segment "(blank)"; whole numbers have no decimals.

    Raises
    ------
    DataError : no such column, or more than 200 different values.
    """
    if column not in frame.columns:
        raise DataError(f"There is no column '{column}' in the table; choose another segment column or none.")
    values: pd.Series[Any] = frame[column].iloc[rows]
    if pd.api.types.is_float_dtype(values.dtype) and (values.dropna() % 1 == 0).all():
        # Whole numbers with a blank among them were read as fractions.
        values = values.astype("Int64")
    cell_codes, cells = pd.factorize(values)
    # Only different cells become words, so that a dictionary of long texts is never written out; code -1 is a blank.
    words = pd.Series([*map(str, cells.to_list()), BLANK], dtype="string").str.strip().replace("", BLANK)
    word_codes, distinct = pd.factorize(words)
    used, codes = np.unique(word_codes[cell_codes], return_inverse=True)
    known = distinct[used]
    if len(known) > MAX_SEGMENTS:
        one_more = int((codes == MAX_SEGMENTS).argmax())
        raise DataError(
            f"Column '{column}' holds {len(known):,} different values, more than the limit of {MAX_SEGMENTS} segments "
            f"(passed in row {rows[one_more] + 1:,}); choose a column with fewer values or no segment column."
        )
    # As references: one long text must not widen every cell.
    return np.array(known, dtype=object)[codes]


MAX_SEGMENTS = 200
