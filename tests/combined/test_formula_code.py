import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
from sqlalchemy import create_engine

from multiloss_core import combined_score
from multiloss_core.formatting import MINUS, direction, score_name
from tests.combined.samples import rated

NAMES = ('model "A"\'s', f"{MINUS}trust", "s0")


def awkward(documents, generator, rows=2000):
    """Draw rows with ties, blanks, tiny and large numbers."""
    scores = np.column_stack([generator.choice(column, rows) for column in documents.scores.T])
    scores[generator.random(scores.shape) < 0.1] = np.nan
    scores[:20] = generator.choice([1e-300, 0.0, -0.0, -5.0, 1e99, 1.5, np.nextafter(1.5, 0)], (20, scores.shape[1]))
    scores[20:40, 0] = scores[40:60, 0]
    own = {score_name(name): direction(name) * column for name, column in zip(documents.names, scores.T, strict=True)}
    return scores, pd.DataFrame({"row": np.arange(rows)} | own)


@pytest.fixture(scope="module", params=[2, 3])
def case(request):
    documents = rated(5, scores=request.param, names=NAMES[: request.param])
    combined = combined_score(documents)
    scores, frame = awkward(documents, np.random.default_rng(request.param))
    return combined, combined.apply(scores), frame


def as_text(frame):
    return frame.astype(object).map(lambda cell: None if pd.isna(cell) else str(cell))


def test_duckdb_gives_the_same_numbers(case):
    combined, expected, frame = case
    for table in (frame, as_text(frame).assign(row=frame["row"])):
        found = duckdb.from_df(table).query("t", f"SELECT {combined.to_sql('duckdb')} AS g FROM t ORDER BY row")
        assert found.df()["g"].tolist() == expected.tolist()


def test_sqlite_gives_the_same_numbers(case):
    combined, expected, frame = case
    with sqlite3.connect(":memory:") as connection:
        frame.to_sql("t", connection, index=False)
        found = connection.execute(f"SELECT {combined.to_sql('sqlite')} FROM t ORDER BY row").fetchall()
    connection.close()
    assert [value for (value,) in found] == expected.tolist()


@pytest.mark.slow
def test_postgresql_gives_the_same_numbers(case, postgres_database):
    combined, expected, frame = case
    engine = create_engine(postgres_database)
    with engine.begin() as connection:
        frame.to_sql("t", connection, index=False)
        sql = f"SELECT {combined.to_sql('postgresql')} FROM t ORDER BY row".replace("%", "%%")
        found = connection.exec_driver_sql(sql).fetchall()
    engine.dispose()
    assert [value for (value,) in found] == expected.tolist()


def test_python_gives_the_same_numbers(case):
    combined, expected, frame = case
    module = {}
    exec(combined.to_python(), module)
    for table in (frame, as_text(frame)):
        assert [module["combined_score"](row) for row in table.to_dict("records")] == expected.tolist()


def test_sql_of_four_scores_stays_short():
    combined = combined_score(rated(6, scores=4, names=[f"classifier {number}" for number in range(4)]))
    assert len(combined.to_sql("postgresql")) < 14_000
