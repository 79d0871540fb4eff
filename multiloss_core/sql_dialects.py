"""Write SQL of each engine: names, literals, tests of text, searches for nodes."""

import math
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats
from multiloss_core.tables.column_values import BLANKS, ESCAPE, MAX_SCORE, NOTHING, SIGN, SIGNS_OF_LISTS, list_form

# Types of values in a column other than a score.
Value: TypeAlias = str | bool | int | float | Decimal | date
SqlDialect = Literal["duckdb", "postgresql", "spark"]

# Nodes that pad an axis to a power of two: above every usable score, and still a number in every engine.
ABOVE_ALL = 1e300
# A literal nearer than this to the middle between two numbers may be read as either.
_SAFE_DISTANCE = Fraction(45, 100)
# Whole doubles below are written with all their digits where a type does not matter.
_WHOLE_BELOW = 1e15


class Dialect:
    """Write standard SQL.

    An engine of another kind needs a class of these few methods, and the contract tests in `tests/engines` run on it.
    """

    quote = '"'
    double = "DOUBLE PRECISION"
    text = "VARCHAR"
    # Whether rows come in the order in which they are stored, the same each time.
    keeps_order = False
    # A number that no other row of a query has.
    row_number = "row_number() OVER ()"
    # Functions for the extremes of several values.
    least, greatest = "LEAST", "GREATEST"

    def name(self, column: str) -> str:
        """Quote the name of a column or of a part of a table's name."""
        if "\0" in column or not column:
            raise DataError(f"{column!r} cannot be the name of a column.")
        return self.quote + column.replace(self.quote, 2 * self.quote) + self.quote

    def table(self, parts: Sequence[str]) -> str:
        """Quote the name of a table, given as schema and name."""
        return ".".join(self.name(part) for part in parts)

    def number(self, value: float) -> str:
        """Write a finite number as a literal of exactly this double.

        Without an exponent it would be a decimal in some engines. Some round twice, which harms the shortest decimals
        that lie almost in the middle between two numbers: those get all 17 digits.
        """
        value = float(value)
        text = repr(value)
        if abs(Fraction(text) - Fraction(value)) > _SAFE_DISTANCE * Fraction(math.ulp(value)):
            text = f"{value:.16e}"
        return text if "e" in text else f"{text}e0"

    def word(self, value: str) -> str:
        """Write text as a literal."""
        if "\0" in value:
            raise DataError("A text with a null character cannot be looked for; choose other values.")
        return "'" + value.replace("'", "''") + "'"

    def literal(self, value: Value) -> str:
        """Write a value of a column as a literal that equals it.

        Raises DataError: a value that has no literal, such as NaN.
        """
        if isinstance(value, bool | np.bool_):
            return "TRUE" if value else "FALSE"
        if isinstance(value, int | np.integer | Decimal):
            return str(value)
        if isinstance(value, float | np.floating) and np.isfinite(value):
            return self.number(float(value))
        if isinstance(value, date):
            return f"CAST({self.word(value.isoformat())} AS {'TIMESTAMP' if hasattr(value, 'hour') else 'DATE'})"
        if isinstance(value, str):
            return self.word(value)
        raise DataError(f"{value!r} cannot be looked for in a table; choose another value.")

    def is_one_of(self, expression: str, values: Sequence[Value | None]) -> str:
        """Test whether a column holds one of some values; None is NULL."""
        filled = ", ".join(self.literal(value) for value in values if value is not None)
        tests = [f"{expression} IN ({filled})"] if filled else []
        return " OR ".join([*tests, f"{expression} IS NULL"] if None in values else tests)

    def as_double(self, expression: str) -> str:
        """Cast to double precision."""
        return f"CAST({expression} AS {self.double})"

    def as_text(self, expression: str) -> str:
        """Cast to text."""
        return f"CAST({expression} AS {self.text})"

    def lower(self, expression: str) -> str:
        """Cast to text in lower case."""
        return f"LOWER({self.as_text(expression)})"

    def trimmed(self, text: str) -> str:
        """Write `trimmed` of the library in SQL."""
        for blank in BLANKS[1:]:
            text = f"REPLACE({text}, {self.word(blank)}, {self.word(' ')})"
        return f"TRIM({text})"

    def has_word(self, text: str, word: str) -> str:
        """Test whether a list holds a word as in `column_of`; NULL or false if not."""
        signs = [(sign, SIGN) for sign in SIGNS_OF_LISTS]
        for sign, now in (*signs, *((blank, "") for blank in (ESCAPE, *BLANKS))):
            text = f"REPLACE({text}, {self.word(sign)}, {self.word(now)})"
        # The text is shorter without the word: unlike LIKE, this has no wildcards and heeds upper case everywhere.
        listed = f"{self.word(SIGN)} || {text} || {self.word(SIGN)}"
        return f"LENGTH(REPLACE({listed}, {self.word(list_form(word))}, {self.word('')})) < LENGTH({listed})"

    def is_listed(self, text: str, words: Collection[str]) -> str:
        """Test whether a text is one of some lower-case words; NULL where it is NULL."""
        # SQLite leaves letters beyond ASCII as they are.
        spelled = sorted({spelling for word in words for spelling in (word, _raised_beyond_ascii(word))})
        return f"{self.trimmed(f'LOWER({text})')} IN ({', '.join(map(self.word, spelled))})"

    def is_nan(self, expression: str) -> str:
        """Test whether a double is not a number; never NULL."""
        return f"coalesce({expression} = CAST('NaN' AS {self.double}), FALSE)"

    def without_nan(self, expression: str) -> str:
        """Write a double, NULL where it is not a number: a blank, which reaches no threshold."""
        return f"(CASE WHEN NOT {self.is_nan(expression)} THEN {expression} END)"

    def is_finite(self, expression: str) -> str:
        """Test whether a double is a number of a usable size; never NULL.

        Engines put NaN above all numbers or nowhere.
        """
        size = f"abs({expression}) < {self.number(MAX_SCORE)}"
        return f"coalesce(NOT {self.is_nan(expression)} AND {size}, FALSE)"

    def double_or_blank(self, column: str, blank: str) -> str:
        """Write a cell as a double, and `blank` instead of NULL, NaN or a word for a blank."""
        # Some databases hold NaN to be larger than any number.
        blanks = ", ".join(map(self.word, ("", *NOTHING)))
        cell = f"TRIM({self.lower(column)})"
        return f"CASE WHEN {cell} NOT IN ({blanks}) THEN {self.as_double(column)} ELSE {blank} END"

    def smallest(self, values: Sequence[str]) -> str:
        """Write the smallest of two values or more, none of them NULL."""
        return f"{self.least}({', '.join(values)})"

    def largest(self, values: Sequence[str]) -> str:
        """Write the largest of two values or more, none of them NULL."""
        return f"{self.greatest}({', '.join(values)})"

    def random_part(self, expression: str) -> str:
        """Assign a text to one of 256 parts, two hexadecimal digits, alike in every engine."""
        return f"substr(md5({expression}), 1, 2)"

    def sorted_and_joined(self, text: str) -> str:
        """Aggregate texts in their order to one text."""
        return f"string_agg({text}, '' ORDER BY {text})"

    def quantiles(self, expression: str, shares: Sequence[float]) -> str:
        """Build an array of the values at ranks `shares` in [0, 1] among those that are not NULL."""
        ranks = ", ".join(map(self.number, shares))
        return f"percentile_disc(ARRAY[{ranks}]) WITHIN GROUP (ORDER BY {expression})"

    def with_codes(self, inner: str, codes: Mapping[str, tuple[str, Floats]]) -> str:
        """Add columns code -> (score, nodes at or below the score) to a subquery's rows.

        As `np.searchsorted(nodes, score, side="right")` for every finite double, 0 for NULL. Nodes must rise. Indexed
        arrays are searched by halving, one SELECT per step for all axes at once.
        """
        depth = int(np.ceil(np.log2(max(len(nodes) for _, nodes in codes.values()) + 1)))
        padded = {
            code: (score, np.concatenate([nodes, np.full(2**depth - 1 - len(nodes), ABOVE_ALL)]))
            for code, (score, nodes) in codes.items()
        }
        sql = f"SELECT t.*, {', '.join(f'0 AS {code}_0' for code in codes)} FROM ({inner}) t"
        for level in range(depth):
            half = 2 ** (depth - 1 - level)
            following = "" if level + 1 == depth else f"_{level + 1}"
            steps = ", ".join(
                f"{code}_{level} + CASE WHEN {score} >= {self._element(nodes, f'{code}_{level} + {half}')} "
                f"THEN {half} ELSE 0 END AS {code}{following}"
                for code, (score, nodes) in padded.items()
            )
            sql = f"SELECT t.*, {steps} FROM ({sql}) t"
        return sql

    def _element(self, nodes: Floats, index: str) -> str:
        raise NotImplementedError


class DuckDBDialect(Dialect):
    """DuckDB 2."""

    double = "DOUBLE"
    keeps_order = True

    def is_nan(self, expression: str) -> str:
        """Test whether a double is not a number; isnan(NULL) is NULL here."""
        return f"coalesce(isnan({expression}), FALSE)"

    def is_finite(self, expression: str) -> str:
        """Test whether a double is a number of a usable size."""
        # DuckDB 2.0 takes the range that a Parquet file notes, which leaves out NaN, for that of all values: of
        # NOT isnan(x) AND abs(x) < 1e100 nothing is left where x has NaN. isfinite(x) stays.
        return f"coalesce(isfinite({expression}) AND abs({expression}) < {self.number(MAX_SCORE)}, FALSE)"

    def quantiles(self, expression: str, shares: Sequence[float]) -> str:
        """Build an array of exact quantiles."""
        return f"quantile_disc({expression}, [{', '.join(map(self.number, shares))}])"

    def _element(self, nodes: Floats, index: str) -> str:
        return f"(CAST([{', '.join(map(self.number, nodes))}] AS DOUBLE[]))[{index}]"


class SparkDialect(Dialect):
    """Write Spark SQL 4. Its quantiles are column values with a rank error of at most 1e-5."""

    quote = "`"
    double = "DOUBLE"
    text = "STRING"
    # A window without partitions would gather all rows in one task.
    row_number = "monotonically_increasing_id()"

    def number(self, value: float) -> str:
        """Write a double literal."""
        return f"{super().number(value)}D"

    def word(self, value: str) -> str:
        """Write text as a literal, in which a backslash escapes."""
        # Two quotes in a row would be the end of one text and the beginning of the next.
        escaped = super().word(value)[1:-1].replace("''", "'").replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"

    def sorted_and_joined(self, text: str) -> str:
        """Aggregate texts in their order to one text."""
        return f"array_join(sort_array(collect_list({text})), '')"

    def is_nan(self, expression: str) -> str:
        """Test whether a double is not a number; isnan(NULL) is FALSE here."""
        return f"isnan({expression})"

    def quantiles(self, expression: str, shares: Sequence[float]) -> str:
        """Build an array of quantiles that are off by 1e-5 of the rows at most."""
        return f"percentile_approx({expression}, array({', '.join(map(self.number, shares))}), 100000)"

    def _element(self, nodes: Floats, index: str) -> str:
        return f"element_at(array({', '.join(map(self.number, nodes))}), {index})"


class PostgreSQLDialect(Dialect):
    """PostgreSQL from 13 on. Its search in an array of nodes is exact."""

    text = "TEXT"

    def with_codes(self, inner: str, codes: Mapping[str, tuple[str, Floats]]) -> str:
        """Add columns of codes by the engine's own search in an array."""
        columns = ", ".join(
            f"coalesce(width_bucket({score}, ARRAY[{', '.join(map(self.number, nodes))}]::double precision[]), 0) "
            f"AS {code}"
            for code, (score, nodes) in codes.items()
        )
        return f"SELECT t.*, {columns} FROM ({inner}) t"


class StandardDialect(Dialect):
    """Standard SQL for a database that is not known."""

    def number(self, value: float) -> str:
        """Write a number as a literal that every database reads as exactly this double."""
        # A whole number is the same in every type.
        return str(int(value)) if value.is_integer() and abs(value) < _WHOLE_BELOW else super().number(value)


class SQLiteDialect(StandardDialect):
    """SQLite, whose functions for the extremes of values have other names."""

    least, greatest = "MIN", "MAX"


DUCKDB, SPARK, POSTGRESQL, STANDARD = DuckDBDialect(), SparkDialect(), PostgreSQLDialect(), StandardDialect()
SQLITE = SQLiteDialect()
_NAMED: dict[str, Dialect] = {"duckdb": DUCKDB, "postgresql": POSTGRESQL, "spark": SPARK}


def dialect_of(name: SqlDialect | Dialect) -> Dialect:
    """Find a dialect by its name. Raises DataError: there is none."""
    if isinstance(name, Dialect):
        return name
    if name not in _NAMED:
        raise DataError(f"The dialect must be 'duckdb', 'postgresql' or 'spark', not '{name}'.")
    return _NAMED[name]


def _raised_beyond_ascii(word: str) -> str:
    return "".join(letter if letter.isascii() else letter.upper() for letter in word)
