"""Write a combined score in SQL and Python; both give the numbers of `ScoreFormula.apply`."""

from typing import Literal

from multiloss_core.formatting import direction, score_name
from multiloss_core.sql_dialects import SQLITE, Dialect, SqlDialect, dialect_of
from multiloss_core.tables.column_values import NOTHING
from multiloss_core.tables.score_formula import KINDS, ScoreFactors, ScoreFormula


def formula_in_sql(formula: ScoreFormula, dialect: SqlDialect | Literal["sqlite"] | Dialect = "duckdb") -> str:
    """Write the combined score as an SQL value: a subquery of the score columns.

    Columns may hold numbers or text with decimal points. A NULL, NaN or word for a blank reaches neither floor nor
    knot. Of four scores it has less than 12 kB. Raises DataError: there is no such dialect.
    """
    known = SQLITE if dialect == "sqlite" else dialect_of(dialect)
    names = _aliases(formula)
    cells = ", ".join(f"{_cell(name, known)} AS {alias}" for name, alias in zip(formula.names, names, strict=True))
    single, highest, lowest = (
        [_factor(one, kind, alias, known) for alias, one in zip(names, formula.factors, strict=True)] for kind in KINDS
    )
    against = " * ".join([known.number(formula.odds), *single, known.smallest(highest), known.largest(lowest)])
    floors = zip(names, formula.floors, strict=True)
    rated = " OR ".join(f"{alias} >= {known.number(floor)}" for alias, floor in floors)
    one, zero = known.number(1.0), known.number(0.0)
    return f"(SELECT CASE WHEN {rated} THEN {one} / ({one} + {against}) ELSE {zero} END FROM (SELECT {cells}) AS c)"


def _aliases(formula: ScoreFormula) -> list[str]:
    """Name the scores in the subquery as no column is named."""
    # Some engines would take an alias for the column beside it.
    start, columns = "s", [score_name(name).lower() for name in formula.names]
    while any(column.startswith(start) for column in columns):
        start += "s"
    return [f"{start}{place}" for place in range(len(columns))]


def _cell(name: str, dialect: Dialect) -> str:
    """Write a score, higher = more suspicious; NULL for a blank."""
    cell = dialect.double_or_blank(dialect.name(score_name(name)), "NULL")
    return cell if direction(name) > 0 else f"-({cell})"


def _factor(one: ScoreFactors, kind: str, cell: str, dialect: Dialect) -> str:
    """Write the factor of a score, from the highest knot down."""
    number, values = dialect.number, getattr(one, kind)
    if len(set(values)) == 1:
        return number(values[0])
    steps = [f"WHEN {cell} >= {number(one.knots[-1])} THEN {number(values[-1])}"]
    pieces = [*zip(one.knots, values, one.slopes(kind), strict=False)]
    steps += [
        f"WHEN {cell} >= {number(knot)} THEN {number(value)} + ({cell} - {number(knot)}) * {number(slope)}"
        for knot, value, slope in reversed(pieces)
    ]
    return f"CASE {' '.join(steps)} ELSE {number(values[0])} END"


_FUNCTION = '''ODDS = {odds}
# Of each score: its column, whether low values are suspicious, its floor, and knots, factors and slopes of its tables.
FACTORS = {factors}


def combined_score(document):
    """Return the combined score, in 0 to 1, of a mapping from columns to scores; a blank may be missing or None."""
    from bisect import bisect_right

    against, kinds, is_rated = ODDS, ([], [], []), False
    for column, is_low_suspicious, floor, knots, tables in FACTORS:
        score = _number(document.get(column))
        score = -score if is_low_suspicious else score
        is_rated = is_rated or score >= floor
        is_inside = score >= knots[0]
        place = bisect_right(knots, score) - 1 if is_inside else 0
        for found, (values, slopes) in zip(kinds, tables):
            found.append(values[place] + (score - knots[place]) * slopes[place] if is_inside else values[0])
    for factor in kinds[0]:
        against = against * factor
    return 1.0 / (1.0 + against * min(kinds[1]) * max(kinds[2])) if is_rated else 0.0
'''
_MODULE = '''"""Combined score: P(positive | scores) from a table of factors for each score."""

{function}

def _number(cell):
    if cell is None or cell != cell or type(cell).__name__ == "NAType":
        return float("nan")
    if isinstance(cell, str) and cell.strip().lower() in {blanks}:
        return float("nan")
    return float(cell)
'''


def formula_in_python(formula: ScoreFormula, *, alone: bool = True) -> str:
    """Write the source of a module with a function `combined_score(document)`.

    Not `alone`: only the function, beside one that reads numbers as `_number(cell)`.
    """
    factors = [
        (
            score_name(name),
            direction(name) < 0,
            floor,
            [*one.knots],
            [([*getattr(one, kind)], [*one.slopes(kind), 0.0]) for kind in KINDS],
        )
        for name, floor, one in zip(formula.names, formula.floors, formula.factors, strict=True)
    ]
    function = _FUNCTION.format(odds=formula.odds, factors=ascii(factors))
    return _MODULE.format(function=function, blanks=ascii(sorted({"", *NOTHING}))) if alone else function
