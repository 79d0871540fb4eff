"""Read the columns of a table as numbers, amounts, groups, segments or a currency."""

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multiloss_core.errors import DataError
from multiloss_core.formatting import HAS, MINUS, plural, shortened
from multiloss_core.numerics.arrays import Bools, Floats, Indices

MAX_SCORE = 1e100
# Quotients of smaller weights are infinite.
SMALLEST_WEIGHT = 1e-100
# Rows of a table from which the roles of its columns are guessed.
MAX_SAMPLED = 10_000

Table = TypeVar("Table", pd.DataFrame, "pd.Series[Any]")


def numbers(column: "pd.Series[Any]") -> tuple[Floats, Bools, Bools]:
    """Read a column as numbers; return the values and masks of blank and of unusable cells."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        # Few words may stand for cells that would fill the memory: they are not written out. Code -1 is a blank.
        values, blank, unusable = numbers(pd.Series(column.cat.categories))
        codes = column.cat.codes.to_numpy()
        return np.append(values, np.nan)[codes], np.append(blank, True)[codes], np.append(unusable, False)[codes]
    empty = column.isna().to_numpy()
    if pd.api.types.is_datetime64_any_dtype(column.dtype) or pd.api.types.is_timedelta64_dtype(column.dtype):
        values = np.full(len(column), np.nan)
    else:
        if not pd.api.types.is_numeric_dtype(column.dtype):
            empty = empty | (column.astype("string").str.strip() == "").fillna(True).to_numpy(dtype=bool)
        values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    return values, empty, ~empty & ~(np.abs(values) < MAX_SCORE)


def are_weights(values: Floats) -> Bools:
    """Return which numbers can be weights: above 0, with finite sums and quotients."""
    return (values >= SMALLEST_WEIGHT) & (values < MAX_SCORE)


def require_usable(column: "pd.Series[Any]", usable: Bools, rows: Indices, *, expected: str, way_out: str) -> None:
    """Require that every cell (n,) is `usable`; `rows` (n,) count table rows from 0.

    Raises DataError: naming the column, how many cells are not what is `expected`, the first of them, and the
    `way_out`.
    """
    if usable.all():
        return
    first = int(usable.argmin())
    shown = "" if pd.isna(column.iloc[first]) else shortened(column.iloc[first])
    cell = f"'{shown}'" if shown else "blank"
    raise DataError(
        f"Column '{column.name}' has values that are not {expected} ({plural((~usable).sum(), 'row')}, first: "
        f"row {rows[first] + 1:,}, {cell}); {way_out}."
    )


def is_numeric(column: "pd.Series[Any]") -> bool:
    """Return whether a column holds numbers, or text of which most reads as numbers."""
    if pd.api.types.is_bool_dtype(column.dtype) or pd.api.types.is_datetime64_any_dtype(column.dtype):
        return False
    if pd.api.types.is_numeric_dtype(column.dtype):
        return True
    return bool(np.mean(~np.isnan(sampled_numbers(column))) > 0.5)


def sampled_numbers(column: "pd.Series[Any]") -> Floats:
    """Return at most 10,000 evenly spread cells as numbers; NaN for text and blanks."""
    cells = sampled(column)
    if pd.api.types.is_numeric_dtype(cells.dtype):
        return cells.to_numpy(dtype=np.float64, na_value=np.nan)
    codes, known = pd.factorize(cells)
    values = pd.to_numeric(pd.Series(known).astype("object"), errors="coerce").to_numpy(dtype=np.float64)
    return np.append(values, np.nan)[codes]


def sampled(table: Table) -> Table:
    """Take at most 10,000 rows of a table, evenly spread over it."""
    return table.iloc[np.linspace(0, len(table) - 1, min(len(table), MAX_SAMPLED)).astype(np.intp)]


RECIPROCAL = "1 / "


def column_of(frame: pd.DataFrame, name: str) -> "pd.Series[Any]":
    """Return a column (n,) by name; "minus X" holds -X, and "1 / X" the reciprocals of X.

    "X has W" holds 1 where the cell of X is the word W, or a list with it, and 0 elsewhere. A column
    that really has such a name is taken first, of several with one name the first. Cells that are no numbers stay as
    they are; the caller reports them.

    Raises DataError: no such column.
    """
    base = base_of(frame, name)
    if base is None:
        raise DataError(f"There is no column '{name}' in the table; choose another one.")
    column: pd.Series[Any] = frame.iloc[:, list(frame.columns).index(base)]
    if base == name:
        return column
    if name.startswith(f"{base}{HAS}"):
        codes, cells = pd.factorize(_without_decimals(column))
        word = list_form(name.removeprefix(f"{base}{HAS}"))
        held = np.array([*(word in list_form(str(cell)) for cell in cells), False], dtype=np.float64)
        return pd.Series(held[codes], index=column.index, name=name)
    values, _, unusable = numbers(column)
    with np.errstate(divide="ignore"):
        derived = -values if name.startswith(MINUS) else 1 / values
    if not unusable.any():
        return pd.Series(derived, index=column.index, name=name)
    return pd.Series(np.where(unusable, column.astype(object), derived), index=column.index, name=name)


def base_of(frame: pd.DataFrame, name: str) -> str | None:
    """Return the table column that a name is derived from; None where there is none."""
    for prefix in ("", MINUS, RECIPROCAL):
        if name.startswith(prefix) and name.removeprefix(prefix) in frame.columns:
            return name.removeprefix(prefix)
    # The longest name first, as a name may hold the words between.
    split = [name[:place] for place in range(len(name) - 1, 0, -1) if name.startswith(HAS, place)]
    return next((base for base in split if base in frame.columns), None)


# Words for "no number"; in a column of numbers they count as blank.
NOTHING = (
    *("na", "n/a", "#n/a", "#na", "n.a.", "nan", "null", "none", "nil", "-", "--", "—", "–", "?", ".", "(null)"),
    *("#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!", "<na>", "\\n", "k.a.", "k. a."),
)
_THRESHOLD_NAME = re.compile(r"^(t|threshold)[\s_]?\d*$|threshold", re.I)
BLANKS = (" ", "\t", "\r", "\n", "\N{NO-BREAK SPACE}")
_SPACES = dict.fromkeys(map(ord, BLANKS), " ")
# What tools write around and between the words of a list: JSON, Python, PostgreSQL, line ends, and these signs.
SIGNS_OF_LISTS = ("\r", "\n", "\\n", "<br>", "|", " / ", " + ", " & ", ",", '"', "'", "[", "]", "{", "}")
SIGN = ";"
# What escapes a quote in a list as text.
ESCAPE = "\\"
# Commas and the like may also stand within the name of one rule: they separate words that recur elsewhere.
_SURE_SIGNS = re.compile(r"[;|\r\n]|\\n|<br>")
_OTHER_SIGNS = tuple(map(re.compile, (r",(?![0-9]{3}\b)|(?<![0-9]),", " / ", r" \+ ", " & ")))
_LIST = re.compile(r"\s*[\[{].*[\]}]\s*", re.DOTALL)
MIN_RECURRING = 0.5


def words_of(column: "pd.Series[Any]") -> tuple[Indices, list[tuple[str, ...]]]:
    """Split cells into the words of lists, as tools write them.

    Returns a code for each cell (n,), -1 if blank, and the words of each code. Words are stripped; upper and lower case
    differ. Semicolons, bars and line ends separate words, and so do all signs within brackets. Commas, and " / ", " + "
    and " & ", do so where at least half of the words between them occur in other cells, too.
    """
    codes, cells = pd.factorize(_without_decimals(column))
    texts = [str(cell) for cell in cells]
    split = [_listed(text) if _LIST.fullmatch(text) else _parts(_SURE_SIGNS, text) for text in texts]
    for sign in _OTHER_SIGNS:
        finer = [tuple(part for word in words for part in _parts(sign, word)) for words in split]
        if _recur(split, finer):
            split = finer
    return np.asarray(codes, dtype=np.intp), split


def _parts(sign: re.Pattern[str], text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(trimmed, sign.split(text))))


def _listed(text: str) -> tuple[str, ...]:
    """Read the words of a list in brackets; quoted ones hold any sign."""
    quoted = re.findall(r"""(?:^|[\[{,])\s*(["'])(.*?)\1(?=\s*[,\]}])""", text, re.DOTALL)
    if quoted:
        return tuple(filter(None, (trimmed(word) for _, word in quoted)))
    return tuple(filter(None, (trimmed(part).strip("\"'") for part in re.split("[,;|\n]", text.strip(" []{}\t\r\n")))))


def _recur(whole: Sequence[tuple[str, ...]], finer: Sequence[tuple[str, ...]]) -> bool:
    """Whether half of the parts of words that would be split also occur elsewhere."""
    cells = Counter(part for words in finer for part in set(words))
    parts = [part for before, words in zip(whole, finer, strict=True) if len(words) > len(before) for part in words]
    return bool(parts) and sum(cells[part] > 1 for part in parts) >= MIN_RECURRING * len(parts)


def list_form(text: str) -> str:
    """Write a list, or a word of one, without blanks and with the same sign around all words."""
    for sign in SIGNS_OF_LISTS:
        text = text.replace(sign, SIGN)
    # As queries do, so that both compare words alike.
    for blank in (ESCAPE, *BLANKS):
        text = text.replace(blank, "")
    return f"{SIGN}{text.strip(SIGN)}{SIGN}"


def threshold_columns(frame: pd.DataFrame) -> list[str]:
    """Find threshold columns of a count table: by name, else all numeric ones but TP and FP."""
    others = [c for c in frame.columns if str(c).strip().lower() not in {"tp", "fp"}]
    named = [c for c in others if _THRESHOLD_NAME.search(str(c).strip())]
    return named or [c for c in others if pd.api.types.is_numeric_dtype(frame[c].dtype)]


def trimmed(text: str) -> str:
    """Write tabs, line ends and no-break spaces as spaces, and remove those around the text."""
    return text.translate(_SPACES).strip(" ")


def document_amounts(frame: pd.DataFrame, column: str, rows: Indices) -> Floats:
    """Read a column as amounts (n,) >= 0 of some `rows` (n,) of a table, counted from 0.

    Raises DataError: no such column, or an amount that is blank, text, infinite or negative; row numbers count from 1
    below the header.
    """
    if column not in frame.columns:
        raise DataError(f"There is no column '{column}' with amounts; choose another amount column or none.")
    cells = frame[column].iloc[rows]
    values, _, _ = numbers(cells)
    usable = (values >= 0) & (values < MAX_SCORE)
    way_out = "correct these amounts or choose no amount column"
    require_usable(cells, usable, rows, expected="numbers of at least 0", way_out=way_out)
    return values


Groups: TypeAlias = Sequence[Hashable] | NDArray[Any] | pd.Series


def group_numbers(groups: Groups, count: int) -> Indices:
    """Assign groups the numbers 0..g-1 by appearance, (n,); a missing one is its own group.

    Raises DataError: not one group for each of `count` documents, or something that cannot be compared.
    """
    column = groups if isinstance(groups, np.ndarray | pd.Series) else pd.Series(list(groups))
    if column.shape != (count,):
        raise DataError(f"There must be one group for each of the {count:,} documents, not shape {column.shape}.")
    try:
        codes, known = pd.factorize(column)
    except TypeError:
        raise DataError("Groups must be numbers or words; some of them are lists or tables.") from None
    missing = codes < 0
    if not missing.any():
        return np.asarray(codes, dtype=np.intp)
    alone = np.where(missing, len(known) + np.cumsum(missing) - 1, codes)
    return np.asarray(pd.factorize(alone)[0], dtype=np.intp)


def group_column(frame: pd.DataFrame, name: str, rows: Indices) -> tuple[Indices, int]:
    """Read the group numbers of some rows, and the number of blank ones among them.

    Raises DataError: one group only, from which nothing can be held out.
    """
    column: pd.Series[Any] = frame[name].iloc[rows]
    if pd.api.types.is_string_dtype(column.dtype):
        words = column.astype("string").str.strip()
        column = words.where(words != "")
    numbers = group_numbers(column, rows.size)
    blank = int(column.isna().sum())
    if blank == rows.size:
        raise DataError(f"All {blank:,} usable rows of '{name}' are blank; choose another group column or none.")
    if numbers.max(initial=0) == 0:
        raise DataError(
            f"Column '{name}' holds one group only, '{shortened(column.iloc[0])}', in all {rows.size:,} usable rows "
            f"(from row {rows[0] + 1:,} on), so no group can be held out; choose another group column or none."
        )
    return numbers, blank


BLANK = "(blank)"
MAX_SEGMENTS = 200


def document_segments(frame: pd.DataFrame, column: str, rows: Indices) -> NDArray[np.object_]:
    """Read the segments, text (n,), of some `rows` (n,) of a table, counted from 0.

    A blank cell is the segment "(blank)"; whole numbers have no decimals.

    Raises DataError: no such column, or more than 200 different values.
    """
    if column not in frame.columns:
        raise DataError(f"There is no column '{column}' in the table; choose another segment column or none.")
    codes, known = segment_names(frame[column].iloc[rows])
    if len(known) > MAX_SEGMENTS:
        one_more = int((codes == MAX_SEGMENTS).argmax())
        raise DataError(
            f"Column '{column}' holds {len(known):,} different values, more than the limit of {MAX_SEGMENTS} segments "
            f"(passed in row {rows[one_more] + 1:,}); choose a column with fewer values or no segment column."
        )
    # As references: one long text must not widen every cell.
    return np.array(known, dtype=object)[codes]


def segment_names(values: "pd.Series[Any]") -> tuple[Indices, tuple[str, ...]]:
    """Read cells (n,) as segments: positions (n,) in their distinct names. Time O(n)."""
    cell_codes, cells = pd.factorize(_without_decimals(values))
    # Only different cells become words, so that a dictionary of long texts is never written out; code -1 is a blank.
    words = [*(trimmed(str(cell)) or BLANK for cell in cells.to_list()), BLANK]
    word_codes, distinct = pd.factorize(np.array(words, dtype=object))
    used, codes = np.unique(word_codes[cell_codes], return_inverse=True)
    return np.asarray(codes, dtype=np.intp), tuple(map(str, distinct[used]))


def _without_decimals(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Restore whole numbers that were read as fractions because of blanks."""
    is_whole = pd.api.types.is_float_dtype(column.dtype) and (column.dropna() % 1 == 0).all()
    if is_whole and not (column.abs() >= 2**63).any():
        return column.astype("Int64")
    return column


_CURRENCY_NAMES = {"currency", "currency code", "währung", "waehrung", "devise", "moneda", "moeda", "valuta"}
_CODES = (
    "EUR|USD|GBP|CHF|JPY|CNY|INR|BRL|MXN|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|ZAR|SGD|HKD|ILS|AED|SAR|KRW|"
    "NGN|KES"
)
_IN_NAME = re.compile(rf"(?<![A-Za-z])({_CODES})(?![A-Za-z])|([$€£¥₹])", re.IGNORECASE)
MAX_LETTERS = 12


def currency_of_amounts(frame: pd.DataFrame, amount: str | None, units: Mapping[str, str]) -> str | None:
    """Return the currency of a table or its `amount` column, at most 12 characters, or None.

    `units`: what stands beside the numbers of a column. A column named as currencies are must hold one value only.
    O(n) for n rows.
    """
    for column in frame.columns:
        if str(column).replace("_", " ").strip().casefold() in _CURRENCY_NAMES:
            found = frame[column].dropna().astype(str).str.strip()
            values = set(found[found != ""].unique())
            if len(values) == 1 and len(word := values.pop()) <= MAX_LETTERS:
                return word
    if amount is None:
        return None
    if (unit := units.get(amount, "").strip()) and len(unit) <= MAX_LETTERS:
        return unit
    named = _IN_NAME.search(amount)
    return None if named is None else named[0].upper()
