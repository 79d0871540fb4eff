"""Convert text columns to numbers where that is certain; keep other text."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as arrow

from multiloss_core.errors import DataError
from multiloss_core.formatting import plural, shortened
from multiloss_core.tables.reading.numbers import NumberShape, Sign, as_numbers, comma_numbers, first_word, number_shape
from multiloss_core.tables.reading.table_file import DecodedFile, frame_of

Columns = dict[str, arrow.ChunkedArray]


def typed_columns(
    columns: Mapping[str, arrow.ChunkedArray],
    *,
    is_open: bool = False,
    has_certain_point: bool = False,
    doubtful: Collection[str] = (),
    read_again: Callable[[Sequence[str]], Columns] = lambda names: {},
) -> DecodedFile:
    """Turn columns of text, whole or as dictionaries, into numbers where they hold numbers.

    Ambiguous columns stay text.

    A column that has 1.234 but no certain point is one of decimals, unless another column has decimal commas, or
    nothing in the file shows the usual sign (`is_open`, and not `has_certain_point`). `doubtful` are columns that
    were read as such numbers already; `read_again` gives their text.
    """
    texts = {name: _distinct(column) for name, column in columns.items() if is_text(column)}
    quick = {name: read for name, cells in texts.items() if (read := comma_numbers(cells)) is not None and read[1]}
    shapes = {name: number_shape(cells) for name, cells in texts.items() if name not in quick}
    signs = {"," for _ in quick} | {
        shape.decimal for shape in shapes.values() if shape.is_numeric and not shape.trouble
    }
    point_may_group = "," in signs or (is_open and not has_certain_point and "." not in signs)
    ambiguous = {name for name in doubtful if point_may_group}
    found: Columns = dict(columns)
    notes: list[str] = []
    found.update(read_again([name for name in columns if name in ambiguous]) if ambiguous else {})
    found.update({name: _spread(values, columns[name]) for name, (values, _) in quick.items()})
    for name, shape in shapes.items():
        notes.extend(_notes(name, shape, None if arrow.types.is_dictionary(columns[name].type) else texts[name]))
        if not shape.is_numeric or shape.trouble:
            continue
        if shape.either == "," or (shape.either == "." and point_may_group):
            ambiguous.add(name)
            continue
        found[name] = _spread(as_numbers(texts[name], shape.decimal or shape.either or "."), columns[name])
    return DecodedFile(
        columns=found,
        notes=tuple(notes),
        ambiguous=tuple(name for name in columns if name in ambiguous),
        units={name: shape.unit for name, shape in shapes.items() if shape.is_numeric and shape.unit},
    )


def without_empty(columns: Columns, name: str) -> tuple[Columns, tuple[str, ...]]:
    """Drop columns without name and cells, and blank rows at the end.

    Raises DataError: nothing is left.
    """
    unnamed = {f"column {position}" for position in range(1, len(columns) + 1)}
    kept = {title: cells for title, cells in columns.items() if title not in unnamed or cells.null_count < len(cells)}
    rows = len(next(iter(columns.values())))
    filled = 0
    for cells in kept.values():
        if not rows or cells[rows - 1].is_valid:
            filled = rows
            break
        known = np.flatnonzero(cells.is_valid().to_numpy(zero_copy_only=False))
        filled = max(filled, int(known[-1]) + 1 if known.size else 0)
    if not filled:
        raise DataError(f"'{name}' has a header but no rows; choose a file with rows below it.")
    if filled < rows:
        kept = {title: cells.slice(0, filled) for title, cells in kept.items()}
    notes = []
    if len(kept) < len(columns):
        notes.append(f"{plural(len(columns) - len(kept), 'column')} without a name and without cells left out.")
    if filled < rows:
        notes.append(f"{plural(rows - filled, 'blank row')} at the end left out.")
    return kept, tuple(notes)


def with_decimal_sign(frame: pd.DataFrame, signs: Mapping[str, Sign]) -> pd.DataFrame:
    """Read text columns as numbers by their decimal signs; the other sign groups digits.

    Raises DataError: no such column.
    """
    changed = {}
    for name, sign in signs.items():
        if name not in frame.columns:
            raise DataError(f"There is no column '{shortened(name)}' in the table; choose another one.")
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            text = arrow.array(frame[name].astype("str"), arrow.string(), from_pandas=True)
            numbers = frame_of([(name, as_numbers(arrow.chunked_array([text]), sign))])
            changed[name] = numbers[name].set_axis(frame.index)
    return frame.assign(**changed)


def is_text(column: arrow.ChunkedArray) -> bool:
    """Whether a column holds text, whole or as a dictionary."""
    return is_words(column.type.value_type if arrow.types.is_dictionary(column.type) else column.type)


def is_words(kind: Any) -> bool:
    """Whether an Arrow type is text of any layout."""
    types = arrow.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _distinct(column: arrow.ChunkedArray) -> arrow.ChunkedArray:
    """Give the cells, or of a dictionary its words: these may be few where the cells are many."""
    if not arrow.types.is_dictionary(column.type):
        return column.cast(arrow.string())
    unified = column.unify_dictionaries()
    words = unified.chunk(0).dictionary if unified.num_chunks else arrow.array([], arrow.string())
    return arrow.chunked_array([words.cast(arrow.string())])


def _spread(values: arrow.ChunkedArray, column: arrow.ChunkedArray) -> arrow.ChunkedArray:
    """Give each cell of a dictionary the value of its word."""
    if not arrow.types.is_dictionary(column.type):
        return values
    words = values.combine_chunks()
    chunks = column.unify_dictionaries().chunks
    if arrow.types.is_string(words.type):
        return arrow.chunked_array([arrow.DictionaryArray.from_arrays(chunk.indices, words) for chunk in chunks])
    return arrow.chunked_array([words.take(chunk.indices) for chunk in chunks], words.type)


def _notes(name: str, shape: NumberShape, cells: arrow.ChunkedArray | None) -> Iterator[str]:
    """Describe how a column was read; without `cells` words were counted."""
    if not shape.is_numeric:
        return
    title, noun = f"Column '{shortened(name)}'", "word" if cells is None else "cell"
    if shape.trouble:
        yield f"{title} was left as text, because {shape.trouble}."
        return
    if shape.nothings:
        such = "such as 'NA'" if cells is None else "with a word such as 'NA'"
        verb = "counts" if shape.nothings == 1 else "count"
        yield f"{title} holds numbers; {plural(shape.nothings, noun)} {such} {verb} as blank."
    if shape.words:
        row, word = first_word(cells) if cells is not None else (0, "")
        where = f" (first: row {row:,}, '{shortened(word)}')" if row else ""
        yield f"{title} holds numbers but for {plural(shape.words, noun)}{where}."
