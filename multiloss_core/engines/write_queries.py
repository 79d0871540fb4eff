"""Write one SELECT per question from a dialect, a table and its columns.

Everything that a person chose comes in by `Dialect.name` and `Dialect.literal` and by nothing else.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from multiloss_core.engines.columns import RatedColumns, RowWindow
from multiloss_core.formatting import HAS, MINUS
from multiloss_core.numerics.arrays import Floats
from multiloss_core.sql_dialects import ABOVE_ALL, Dialect
from multiloss_core.tables.column_values import MAX_SCORE, SMALLEST_WEIGHT
from multiloss_core.tables.yes_no import raised_words
from multiloss_core.thresholds.data.counts import Rule

By = Literal["day", "segment", "part"]
# More occupied cells than any grid of 4 million nodes has; one more is asked for, to notice that there are more.
MAX_CELLS = 4_000_000


def some_rows(dialect: Dialect, table: str, window: RowWindow, most: int) -> str:
    """Select at most `most` rows of a window as they are."""
    return f"SELECT * FROM {table}{_where(dialect, window)} LIMIT {most}"


def row_count(dialect: Dialect, table: str, window: RowWindow) -> str:
    """Count the rows: `n`."""
    return f"SELECT count(*) AS n FROM {table}{_where(dialect, window)}"


def rows_of_values(dialect: Dialect, table: str, window: RowWindow, column: str, texts: Sequence[str]) -> str:
    """Count the rows with one of some texts in `column`, `n`, and its values there, `different`."""
    cell = dialect.as_text(dialect.name(column))
    where = _where(dialect, window, f"{cell} IN ({', '.join(map(dialect.word, texts))})")
    return f"SELECT count(*) AS n, count(DISTINCT {cell}) AS different FROM {table}{where}"


def column_values(dialect: Dialect, table: str, window: RowWindow, column: str, most: int) -> str:
    """Count the commonest values of a column (`value`, `n`), up to `most` + 1."""
    name = dialect.name(column)
    return (
        f"SELECT {name} AS value, count(*) AS n FROM {table}{_where(dialect, window)} "
        f"GROUP BY {name} ORDER BY n DESC, {name} LIMIT {most + 1}"
    )


def funnel(dialect: Dialect, table: str, columns: RatedColumns) -> str:
    """Count in one row those that survive each step, with faults and range of each score.

    `read`, `rated`, `complete`, `at_or_above_floor`, `positives`, `bad_weights`, `undecided`; for score j from 1 on
    `blank_j`, `unusable_j`, `low_j`, `high_j`.
    """
    names = _names(columns)
    decided = "positive IS NOT NULL"
    complete = f"{decided} AND {_has_usable_scores(dialect, columns, names)}"
    reaching = f"{complete} AND {_reaches_floor(dialect, columns, names)}"
    parts = [
        f"count(*) AS {dialect.name('read')}",
        f"{_times(decided)} AS rated",
        f"{_times(complete)} AS complete",
        f"{_times(reaching)} AS at_or_above_floor",
        f"{_times(f'{reaching} AND positive = 1')} AS positives",
        f"{_times(f'{decided} AND NOT ({_good_weight(dialect, names)})')} AS bad_weights",
        f"{_times('positive IS NULL')} AS undecided",
    ]
    for j, score in enumerate(names.scores, 1):
        is_blank, usable = f"{score} IS NULL", dialect.is_finite(score)
        inside = f"CASE WHEN {decided} AND {usable} THEN {score} END"
        parts += [
            f"{_times(f'{decided} AND {is_blank}')} AS blank_{j}",
            f"{_times(f'{decided} AND NOT {is_blank} AND NOT {usable}')} AS unusable_{j}",
            f"min({inside}) AS low_{j}",
            f"max({inside}) AS high_{j}",
        ]
    return f"SELECT {', '.join(parts)} FROM ({base(dialect, table, columns)}) b"


def distinct_scores(dialect: Dialect, table: str, columns: RatedColumns, score: int, most: int) -> str:
    """Count the scores of positives (`score`, `n`), up to `most` + 1."""
    name = f"s{score + 1}"
    return (
        f"SELECT {name} AS score, count(*) AS n FROM ({usable(dialect, table, columns)}) u WHERE positive = 1 "
        f"AND {name} IS NOT NULL GROUP BY {name} LIMIT {most + 1}"
    )


def lowest_scores(dialect: Dialect, table: str, columns: RatedColumns, below: Mapping[int, float]) -> str:
    """Find the lowest scores, `low_1` … `low_k`, of usable documents below `below`."""
    found = ", ".join(f"min(s{j + 1}) AS low_{j + 1}" for j in range(len(columns.classifiers)))
    limits = " AND ".join(f"s{j + 1} < {dialect.number(limit)}" for j, limit in below.items())
    return f"SELECT {found} FROM ({usable(dialect, table, columns)}) u{f' WHERE {limits}' if limits else ''}"


def positive_quantiles(dialect: Dialect, table: str, columns: RatedColumns, score: int, shares: Sequence[float]) -> str:
    """Find quantiles of a score of positives: one array, `found`."""
    found = dialect.quantiles(f"s{score + 1}", shares)
    return f"SELECT {found} AS found FROM ({usable(dialect, table, columns)}) u WHERE positive = 1"


def cells(dialect: Dialect, table: str, columns: RatedColumns, axes: Sequence[Floats], by: By | None = None) -> str:
    """Count usable documents in the cells of a grid: `c1` … `ck`, `positive`, `n`, `w` and `w2`.

    `w` is the sum of weights, `w2` that of their squares; also what they are counted by, as in `along_path`.
    """
    codes = {
        f"c{j + 1}": (score, axis) for j, (score, axis) in enumerate(zip(_names(columns).scores, axes, strict=True))
    }
    keys = ", ".join([*codes, *filter(None, (by,)), "positive"])
    inner = dialect.with_codes(usable(dialect, table, columns), codes)
    return f"SELECT {keys}, {_SUMS} FROM ({inner}) q GROUP BY {keys} LIMIT {MAX_CELLS + 1}"


def along_path(
    dialect: Dialect, table: str, columns: RatedColumns, thresholds: Floats, rule: Rule, by: By | None = None
) -> str:
    """Count usable documents by the first vertex of a path (m, k), 0 to m, that omits them.

    `step`, `positive`, `n`, `w`, `w2`, and what they are counted by: `day`, `segment` or `part` (of the groups).
    """
    first = dialect.with_codes(
        usable(dialect, table, columns),
        {f"c{j + 1}": (score, thresholds[:, j]) for j, score in enumerate(_names(columns).scores)},
    )
    codes = ", ".join(f"c{j + 1}" for j in range(len(columns.classifiers)))
    # `greatest` and `least` need more than one value.
    step = codes if len(columns.classifiers) == 1 else f"{'greatest' if rule == 'any' else 'least'}({codes})"
    keys = ", ".join([step, *filter(None, (by,)), "positive"])
    shown = ", ".join([f"{step} AS step", *filter(None, (by,)), "positive"])
    return f"SELECT {shown}, {_SUMS} FROM ({first}) q GROUP BY {keys}"


def documents_between(
    dialect: Dialect, table: str, columns: RatedColumns, loose: Floats, strict: Floats, rule: Rule, most: int
) -> str:
    """Select at most `most` rows that `loose` (k,) flags and `strict` (k,) does not."""
    known = _expressions(dialect, columns)
    inside, outside = (_flags(dialect, known, thresholds, rule) for thresholds in (loose, strict))
    where = _where(dialect, columns.window, _usable(dialect, columns, known), inside, f"NOT {outside}")
    return f"SELECT * FROM {table}{where} LIMIT {most}"


def base(dialect: Dialect, table: str, columns: RatedColumns) -> str:
    """Select a window's scores `s1` … `sk`, `positive`, weight, day, segment and part."""
    known = _expressions(dialect, columns)
    parts = [
        *(f"{score} AS s{j}" for j, score in enumerate(known.scores, 1)),
        f"{known.positive} AS positive",
        f"{known.weight} AS w",
    ]
    if columns.time is not None:
        parts.append(f"CAST({dialect.name(columns.time)} AS DATE) AS day")
    if columns.segment is not None:
        parts.append(f"coalesce({dialect.as_text(dialect.name(columns.segment))}, '') AS segment")
    if columns.group is not None:
        # A row without a group forms its own group; no trimmed name begins with a space.
        name = dialect.trimmed(dialect.as_text(dialect.name(columns.group)))
        group = f"coalesce(nullif({name}, ''), concat(' ', {dialect.row_number}))"
        parts.append(f"{dialect.random_part(group)} AS part")
    return f"SELECT {', '.join(parts)} FROM {table}{_where(dialect, columns.window)}"


def usable(dialect: Dialect, table: str, columns: RatedColumns) -> str:
    """Select decided, complete rows of `base` with usable weight, at or above a floor."""
    return f"SELECT * FROM ({base(dialect, table, columns)}) b WHERE {_usable(dialect, columns, _names(columns))}"


class _Names(NamedTuple):
    """Name the scores, rating and weight of a row: names of `base`, or expressions."""

    scores: tuple[str, ...]
    positive: str = "positive"
    weight: str = "w"


_SUMS = "count(*) AS n, sum(w) AS w, sum(w * w) AS w2"


def _names(columns: RatedColumns) -> _Names:
    return _Names(tuple(f"s{j + 1}" for j in range(len(columns.classifiers))))


def _expressions(dialect: Dialect, columns: RatedColumns) -> _Names:
    rating = dialect.name(columns.rating)
    meanings = " ".join(
        f"WHEN {dialect.is_one_of(rating, values)} THEN {number}"
        for number, values in ((1, columns.positive), (0, columns.negative))
        if values
    )
    weight = dialect.number(1.0) if columns.weight is None else _numbers(dialect, columns, columns.weight)
    scores = tuple(dialect.without_nan(_numbers(dialect, columns, name)) for name in columns.scores)
    rules = tuple(_raised(dialect, columns, name) for name in columns.alert_rules)
    return _Names((*scores, *rules), f"CASE {meanings} END", weight)


def _numbers(dialect: Dialect, columns: RatedColumns, name: str) -> str:
    """Write a score or weight as doubles, also one derived, as `column_of` makes it."""
    base = columns.base_of(name)
    values = dialect.as_double(dialect.name(base))
    if base == name:
        return values
    if name.startswith(MINUS):
        return f"(-{values})"
    # Some engines have no infinite quotient; too large a number is rejected like it.
    zero, above_all = dialect.number(0.0), dialect.number(ABOVE_ALL)
    return f"(CASE WHEN {values} = {zero} THEN {above_all} ELSE {dialect.number(1.0)} / {values} END)"


def _raised(dialect: Dialect, columns: RatedColumns, name: str) -> str:
    """Write an alert rule as 1 or 0; a blank is 0, as in `RatedDocuments.from_frame`."""
    base = columns.base_of(name)
    if base == name:
        text = dialect.as_text(dialect.name(name))
        yes, no = (dialect.is_listed(text, words) for words in raised_words())
        cell = f"CASE WHEN {yes} THEN '1' WHEN {no} THEN '0' ELSE {dialect.trimmed(text)} END"
        return f"coalesce({dialect.as_double(cell)}, {dialect.number(0.0)})"
    raised = dialect.has_word(dialect.as_text(dialect.name(base)), name.removeprefix(f"{base}{HAS}"))
    return f"CASE WHEN {raised} THEN {dialect.number(1.0)} ELSE {dialect.number(0.0)} END"


def _usable(dialect: Dialect, columns: RatedColumns, names: _Names) -> str:
    return (
        f"{names.positive} IS NOT NULL AND {_has_usable_scores(dialect, columns, names)} "
        f"AND {_good_weight(dialect, names)} AND {_reaches_floor(dialect, columns, names)}"
    )


def _times(condition: str) -> str:
    return f"sum(CASE WHEN {condition} THEN 1 ELSE 0 END)"


def _has_usable_scores(dialect: Dialect, columns: RatedColumns, names: _Names) -> str:
    """Test that no score is infinite, and that there is a score or an alert rule that is on."""
    usable = (f"({score} IS NULL OR {dialect.is_finite(score)})" for score in names.scores)
    scored = len(columns.scores)
    there = [f"{score} IS NOT NULL" for score in names.scores[:scored]]
    raised = [f"{rule} = {dialect.number(1.0)}" for rule in names.scores[scored:]]
    return f"{' AND '.join(usable)} AND ({' OR '.join(there + raised)})"


def _good_weight(dialect: Dialect, names: _Names) -> str:
    return (
        f"coalesce({names.weight} >= {dialect.number(SMALLEST_WEIGHT)} AND "
        f"{names.weight} < {dialect.number(MAX_SCORE)}, FALSE)"
    )


def _reaches_floor(dialect: Dialect, columns: RatedColumns, names: _Names) -> str:
    if not columns.floors:
        return "TRUE"
    reaches = (f"{score} >= {dialect.number(floor)}" for score, floor in zip(names.scores, columns.floors, strict=True))
    return f"({' OR '.join(reaches)})"


def _flags(dialect: Dialect, names: _Names, thresholds: Floats, rule: Rule) -> str:
    # No score reaches infinity, which has no literal.
    above = [
        f"coalesce({score} >= {dialect.number(threshold)}, FALSE)" if threshold < MAX_SCORE else "FALSE"
        for score, threshold in zip(names.scores, thresholds, strict=True)
    ]
    return f"({(' OR ' if rule == 'any' else ' AND ').join(above)})"


def _where(dialect: Dialect, window: RowWindow, *others: str) -> str:
    conditions = [
        f"{dialect.name(entry.column)} IN ({', '.join(map(dialect.literal, entry.values))})" for entry in window.filters
    ]
    if window.time is not None:
        day = f"CAST({dialect.name(window.time)} AS DATE)"
        for sign, limit in ((">=", window.since), ("<", window.until)):
            if limit is not None:
                conditions.append(f"{day} {sign} {dialect.literal(limit)}")
    conditions += others
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""
