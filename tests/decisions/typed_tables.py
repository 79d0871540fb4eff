"""Draw tables of any column types, decide on them, and flag their rows by every export."""

import csv
import io
import json
import math
import random
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial

import numpy as np
import pyarrow as arrow
from pyarrow import parquet

from multiloss_core import DataError, DecisionRecord, flagged
from multiloss_core.datasets import RatedDataset
from multiloss_core.decisions import flagged_documents, python_function, recorded_columns, sql_where
from multiloss_core.decisions.segments import RecordedSegments, SegmentThresholds, segment_kind
from multiloss_core.formatting import HAS, MINUS
from multiloss_core.tables import ColumnMeanings, read_file
from multiloss_core.tables.column_values import segment_names, words_of
from multiloss_core.tables.yes_no import is_yes_no, only_word
from tests.decisions.records import make_record

ROWS = 24
NAMES = (
    *(
        "score",
        "Order",
        "end",
        "user",
        'a "quoted" name',
        "it's",
        "model.v2",
        "{{ braces }}",
        "{% raw %}",
        "back\\slash",
    ),
    *("line\nbreak", "оценка", "スコア", "🕵 risk", "100 %_", "-- no comment", "; DROP TABLE alerts", "Straße", "a`b"),
)
# The types of each kind of column: Arrow, which DuckDB takes as they are, PostgreSQL and SQLite.
TYPES = {
    "double": (arrow.float64(), "double precision", "REAL"),
    "real": (arrow.float32(), "real", "REAL"),
    "decimal": (arrow.decimal128(18, 4), "numeric(18, 4)", "NUMERIC"),
    "fine decimal": (arrow.decimal128(30, 18), "numeric(30, 18)", "TEXT"),
    "bigint": (arrow.int64(), "bigint", "INTEGER"),
    "integer": (arrow.int32(), "integer", "INTEGER"),
    "text": (arrow.string(), "text", "TEXT"),
    "char": (arrow.string(), "char(40)", "TEXT"),
    "enum": (arrow.dictionary(arrow.int8(), arrow.string()), "varchar(40)", "TEXT"),
    "boolean": (arrow.bool_(), "boolean", "INTEGER"),
    "date": (arrow.date32(), "date", "TEXT"),
    "timestamp": (arrow.timestamp("us"), "timestamp", "TEXT"),
    "time": (arrow.time64("us"), "time", "TEXT"),
    "list": (arrow.list_(arrow.string()), "text[]", "TEXT"),
}
SCORES = ("double", "real", "decimal", "fine decimal", "bigint", "large bigint", "integer", "text", "char")
RULES = ("boolean", "integer", "double", "text", "char", "enum", "listed", "list")
SEGMENTS = (
    *("text", "char", "enum", "boolean", "bigint", "large bigint", "integer", "decimal", "double", "real", "codes"),
    *("date", "timestamp", "time", "truths"),
)
KIND_OF = {"large bigint": "bigint", "listed": "text", "codes": "text", "truths": "text"}
BLANK_SCORES = ("", "  ", "NaN", "nan", "NULL", "n/a", "-", "?", "#N/A", "None")
YES_NO = (
    ("true", "false"),
    ("T", "F"),
    ("Y", "N"),
    ("yes", "No"),
    ("HIT", ""),
    ("x", None),
    ("1", "0"),
    ("ja", "nein"),
)
WORDS = ("R1", "R12", "velocity", "Velocity", "it's", "100 %_", "größe", "новый счёт", "🕵")
PLACES = (
    "web",
    "Web",
    "app store",
    "it's",
    'a "b"',
    "Zürich",
    "ZÜRICH",
    "город",
    "город ",
    "n/a",
    *("null", "NaN", "a\tb", "\N{NO-BREAK SPACE}web", "back\\slash", "-", "(blank)", "007"),
)


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column with its cells, None where blank."""

    name: str
    kind: str
    cells: tuple


@dataclass(frozen=True, kw_only=True)
class Table:
    """Hold the columns of a table to decide on."""

    seed: int
    scores: tuple[Column, ...]
    inverted: tuple[bool, ...]
    rules: tuple[Column, ...]
    segment: Column | None

    @property
    def columns(self):
        rating = Column(name="rating", kind="text", cells=tuple("fraud" if i % 3 == 0 else "ok" for i in range(ROWS)))
        place = Column(name="row_no", kind="integer", cells=tuple(range(ROWS)))
        return (place, *self.scores, *self.rules, *([self.segment] if self.segment else []), rating)

    @property
    def arrow(self):
        return arrow.table({one.name: arrow.array(one.cells, type=TYPES[one.kind][0]) for one in self.columns})

    @property
    def parquet(self):
        parquet.write_table(self.arrow, file := io.BytesIO())
        return file.getvalue()

    @property
    def csv(self):
        writer = csv.writer(file := io.StringIO(newline=""))
        writer.writerow([one.name for one in self.columns])
        writer.writerows(zip(*([_written(cell) for cell in one.cells] for one in self.columns), strict=True))
        return file.getvalue()


def _written(cell):
    return "; ".join(cell) if isinstance(cell, list) else "" if cell is None else str(cell)


def table_of(seed):
    """Draw a table."""
    draw = random.Random(seed)
    names = draw.sample(NAMES, 5)
    count, rules = draw.choice((1, 1, 2, 2, 3)), draw.choice((0, 0, 1, 1, 2))
    scores = tuple(_column(draw, names.pop(), draw.choice(SCORES), _scores) for _ in range(count))
    return Table(
        seed=seed,
        scores=scores,
        inverted=tuple(draw.random() < 0.25 for _ in scores),
        rules=tuple(
            _column(draw, name, draw.choice(RULES), _rules)
            for name in (f"rule {i} {draw.choice(NAMES)}" for i in range(rules))
        ),
        segment=_column(draw, names.pop(), draw.choice(SEGMENTS), _segments) if draw.random() < 0.7 else None,
    )


def _column(draw, name, drawn, cells):
    kind = KIND_OF.get(drawn, drawn)
    found = cells(draw, drawn)
    if draw.random() < 0.6 and kind != "list":
        found = [None if draw.random() < 0.1 else cell for cell in found]
    return Column(name=name, kind=kind, cells=tuple(found))


def _scores(draw, drawn):
    """Draw scores of few values, so that thresholds meet many of them."""
    if drawn == "large bigint":
        pool = [2**53 + draw.randrange(-3, 4) for _ in range(8)] + [draw.randrange(2**62) for _ in range(3)]
    elif drawn in ("bigint", "integer"):
        pool = [draw.randrange(-20, 100) for _ in range(10)]
    else:
        digits = draw.choice((1, 2, 4) if drawn == "decimal" else (1, 2, 4, 17))
        scale = draw.choice((1, 1, 100, 1000))
        pool = [round(draw.random() * scale, digits) for _ in range(10)] + [-round(draw.random(), digits)]
        pool += [1e-7, 12345678.875] if drawn in ("double", "real", "text") else []
    if drawn == "real":
        pool = [float(np.float32(value)) for value in pool]
    if "decimal" in drawn:
        pool = [Decimal(repr(value)).quantize(Decimal("1e-4" if drawn == "decimal" else "1e-18")) for value in pool]
    if drawn in ("double", "real"):
        pool += [math.nan] * draw.choice((0, 1))
    if drawn in ("text", "char"):
        pool = [draw.choice(("{}", "{}", " {} ")).format(value) for value in pool]
        pool += draw.sample(BLANK_SCORES, draw.choice((0, 0, 1, 2)))
    return [draw.choice(pool) for _ in range(ROWS)]


def _rules(draw, drawn):
    share = draw.choice((0.1, 0.3))
    if drawn in ("listed", "list"):
        known = draw.sample(WORDS, 5)
        chosen = [draw.sample(known, draw.choice((0, 1, 1, 2))) for _ in range(ROWS)]
        return chosen if drawn == "list" else [draw.choice(("; ", ";", "|")).join(words) or None for words in chosen]
    yes, no = {"boolean": (True, False), "integer": (1, 0), "double": (1.0, 0.0)}.get(drawn) or draw.choice(YES_NO)
    return [yes, *(yes if draw.random() < share else no for _ in range(ROWS - 1))]


def _segments(draw, drawn):
    if drawn in ("text", "char", "enum"):
        pool = draw.sample(PLACES, 5)
    elif drawn == "codes":
        pool = draw.choice((["0742", "742", "5411"], ["742", " 5411", "12", "7.0", draw.choice(BLANK_SCORES)]))
    elif drawn == "truths":
        pool = draw.choice((("true", "false"), ("t", "f"), ("True", "FALSE"), ("Y", "N"), ("1", "0")))
    elif drawn == "boolean":
        pool = (True, False)
    elif drawn in ("bigint", "integer"):
        pool = draw.sample(range(-5, 6), 5)
    elif drawn == "large bigint":
        pool = [2**53 + i for i in range(4)]
    elif drawn in ("double", "real", "decimal"):
        pool = draw.choice(((0.0, 1.0, 2.0), (0.1, 0.25, 3.0, -7.5), (1e6, 0.001, 12.5)))
        pool = [*pool, 1e20, math.nan, 1e-7] if drawn == "double" and draw.random() < 0.5 else pool
        pool = [float(np.float32(value)) for value in pool] if drawn == "real" else pool
        pool = [Decimal(repr(value)).quantize(Decimal("1e-4")) for value in pool] if drawn == "decimal" else pool
    else:
        days = [datetime(2026, 1, 31) + timedelta(days=i, seconds=3723 * draw.randrange(24)) for i in range(4)]
        pool = {"date": [day.date() for day in days], "time": [day.time() for day in days]}.get(drawn, days)
    return [draw.choice(pool) for _ in range(ROWS)]


def frame_of(table):
    """Read every other table from a Parquet file, and the others from a CSV file."""
    if table.seed % 2:
        return read_file(table.csv.encode(), "alerts.csv").frame
    return read_file(table.parquet, "alerts.parquet").frame


def decided(table, frame):
    """Decide on a frame of the table: the record, and which rows the product counts as flagged.

    Raises DataError where the product refuses the table.
    """
    draw = random.Random(table.seed + 1)
    data = RatedDataset.from_frame(frame, _meanings(draw, table, frame), one_class=True)
    documents = data.documents
    rules = documents.alert_rules

    def thresholds():
        scores = documents.scores.T[: documents.scores.shape[1] - rules]
        return (
            *(_threshold(draw, column) for column in scores),
            *(draw.choice((1.0, 1.0, None)) for _ in range(rules)),
        )

    common, segments = thresholds(), None
    if table.segment is not None:
        cells = frame[table.segment.name]
        known = segment_names(cells)[1]
        chosen = draw.sample(known, min(len(known), draw.choice((1, 2, 3))))
        own = tuple(SegmentThresholds((name,), thresholds(), 1.0, 1.0) for name in chosen)
        segments = RecordedSegments(table.segment.name, own, segment_kind(cells))
    made = make_record(documents.names, common)
    record = replace(
        made,
        columns=recorded_columns(data),
        settings=replace(made.settings, rule=draw.choice(("any", "all"))),
        segments=segments,
        current=None,
        evidence=None,
    )
    record = DecisionRecord.from_json(record.to_json())
    at = flagged_documents(documents, frame, record.threshold_array, record.settings.rule, record.segments)
    flags = np.zeros(len(frame), dtype=bool)
    flags[at.documents.rows] = flagged(at.documents.scores, at.thresholds, at.rule)
    return record, flags.tolist()


def _meanings(draw, table, frame):
    scores = tuple(
        f"{MINUS}{one.name}" if is_inverted else one.name
        for one, is_inverted in zip(table.scores, table.inverted, strict=True)
    )
    return ColumnMeanings(
        scores=scores,
        rating="rating",
        meanings=(("fraud", "positive"), ("ok", "negative")),
        floors=(-1e99,) * len(scores),
        alert_rules=tuple(_rule_name(draw, frame, one) for one in table.rules),
    )


def _rule_name(draw, frame, column):
    if is_yes_no(frame[column.name]) or column.kind in ("boolean", "integer", "double"):
        return column.name
    word = only_word(frame[column.name])
    words = sorted({word for cell in words_of(frame[column.name])[1] for word in cell})
    return f"{column.name}{HAS}{draw.choice(words) if word is None else word}" if words else column.name


def _threshold(draw, scores):
    """Draw a threshold at a score, just beside one, between or beyond all, or none."""
    known = [score for score in scores if np.isfinite(score)]
    if not known or draw.random() < 0.15:
        return None
    score = float(draw.choice(known))
    beside = (score, math.nextafter(score, math.inf), math.nextafter(score, -math.inf), score + 0.5, 1e9)
    return draw.choice(beside[:3] if draw.random() < 0.8 else beside)


def python_flags(record):
    """Return a function that flags rows by the exported module."""
    exec(compile(python_function(record), "flag.py", "exec"), space := {})
    return lambda rows: [space["flag"](row) for row in rows]


def in_duckdb(connection):
    """Return a function that makes a table in DuckDB."""

    def make(table):
        connection.register("given", table.arrow)
        connection.execute("CREATE OR REPLACE TABLE alerts AS SELECT * FROM given")
        return connection

    return make


def in_sqlite(connection, *, text=False):
    """Return a function that makes a table in SQLite, with types or as text, as `.import` does."""
    write = _written if text else _for_sqlite

    def make(table):
        types = ("TEXT" if text and one.name != "row_no" else TYPES[one.kind][2] for one in table.columns)
        _create(connection, table, types)
        marks = ", ".join("?" * len(table.columns))
        rows = zip(*(map(write, one.cells) for one in table.columns), strict=True)
        connection.executemany(f"INSERT INTO alerts VALUES ({marks})", rows)
        return connection

    return make


def in_postgresql(connection):
    """Return a function that makes a table in PostgreSQL."""
    # Prepared statements would expect the columns of an earlier table.
    connection.prepare_threshold = None

    def make(table):
        _create(connection, table, (TYPES[one.kind][1] for one in table.columns))
        with connection.cursor().copy("COPY alerts FROM STDIN") as copy:
            for row in zip(*(one.cells for one in table.columns), strict=True):
                copy.write_row(row)
        return connection

    return make


def _for_sqlite(cell):
    if isinstance(cell, list):
        return json.dumps(cell, ensure_ascii=False)
    return str(cell) if isinstance(cell, Decimal | date | time) else cell


def _create(connection, table, types):
    names = ('"' + one.name.replace('"', '""') + '"' for one in table.columns)
    connection.execute("DROP TABLE IF EXISTS alerts")
    connection.execute(f"CREATE TABLE alerts ({', '.join(map(' '.join, zip(names, types, strict=True)))})")


def differences(table, databases):
    """Compare the exports of a decision on a table with the rows that the product counts.

    `databases`: functions that make the table, by name. Returns the comparisons by kind, and a description of each
    difference. A table that is refused has no comparison.
    """
    try:
        frame = frame_of(table)
        record, expected = decided(table, frame)
    except DataError:
        return Counter(), []
    except Exception as error:
        return Counter({("Record", "table"): 1}), [f"Table {table.seed}: Record, table, failed: {error!r:.200}"]
    python = python_flags(record)
    found = {
        ("Record", "table"): lambda: record.flags(frame).tolist(),
        ("Python", "CSV"): lambda: python(csv.DictReader(io.StringIO(table.csv, newline=""))),
        ("Python", "pandas"): lambda: python(table.arrow.to_pandas(integer_object_nulls=True).to_dict("records")),
    }
    for name, make in databases.items():
        connection = make(table)
        found["SQL", name] = partial(_selected, connection, record)
        # As text, PostgreSQL shortens single precision: 0.1 would be another number than in its own comparisons.
        options = {"binary": True} if name == "PostgreSQL" else {}
        found["Python", name] = partial(lambda made, options: python(_rows(made, **options)), connection, options)
    counts, wrong = Counter(), []
    for (export, name), flags in found.items():
        counts[export, name] += 1
        try:
            actual = flags()
            rows = [row for row in range(ROWS) if bool(actual[row]) != expected[row]]
            fault = f"differs in rows {rows}" if rows else ""
        except Exception as error:
            fault = f"failed: {error!r:.200}"
        if fault:
            wrong.append(f"Table {table.seed}: {export}, {name}, {fault}")
    return counts, wrong


def _selected(connection, record):
    chosen = {row for (row,) in connection.execute(f"SELECT row_no FROM alerts {sql_where(record)}").fetchall()}
    return [row in chosen for row in range(ROWS)]


def _rows(connection, **options):
    found = connection.execute("SELECT * FROM alerts ORDER BY row_no", **options)
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
