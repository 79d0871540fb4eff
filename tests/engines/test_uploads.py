"""Compare large files on disk with the same files in memory."""

import gc
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as arrow
import pytest

from multiloss_core import DataError
from multiloss_core.engines import fetch_rows, loading, read_rated_source
from multiloss_core.tables import document_times, guess_columns, read_file
from tests.hostile import files

ROWS = 4_000
# Some that are read, and some that are refused for their cells, columns and rows.
BOMBS = (
    "two words of a megabyte in 2,500 rows",
    "eight words of 32,000 letters in 400,000 rows",
    "50,000 columns of text",
    "5,000,001 rows",
    "a cell far away",
)


@pytest.fixture(autouse=True)
def few_fetched(monkeypatch):
    monkeypatch.setattr(loading, "MAX_HELD", 1_000)


def frame():
    generator = np.random.default_rng(3)
    moments = pd.date_range("2026-01-01", periods=ROWS, freq="47min")
    return pd.DataFrame(
        {
            "case": [f"{number:06d}" for number in range(ROWS)],
            "score": generator.random(ROWS).round(4),
            "odd": np.where(generator.random(ROWS) < 0.1, np.nan, generator.random(ROWS).round(3)),
            "amount": (9_000 * generator.random(ROWS)).round(2),
            "iso": moments.astype(str),
            "zoned": moments.strftime("%Y-%m-%dT%H:%M:%S+02:00"),
            "European": moments.strftime("%d/%m/%Y %H:%M"),
            "American": moments.strftime("%m/%d/%Y %I:%M %p"),
            "nearly": np.where(np.arange(ROWS) == 1_234, "soon", moments.astype(str)),
            "rating": generator.choice(["fraud", "ok", "pending"], ROWS),
        }
    )


def stored(source):
    return fetch_rows(source.origin.engine, source.origin.sample.table, most=ROWS).frame


@pytest.mark.parametrize(
    "encode",
    [
        lambda table: table.to_csv(index=False).encode(),
        lambda table: table.to_csv(index=False, sep=";", decimal=",").encode("utf-16"),
        lambda table: files.parquet_of(arrow.Table.from_pandas(table), row_group_size=700),
    ],
    ids=["csv", "german", "parquet"],
)
def test_columns_mean_what_they_mean_in_memory(encode):
    data = encode(frame())
    source, here = read_rated_source(data, "f"), read_file(data, "f")
    assert (source.rows, source.is_sample, source.origin.sample.table) == (ROWS, True, "f")
    assert (source.notes[1:], source.ambiguous) == (here.notes, here.ambiguous)
    found = stored(source)
    assert [*found.columns] == [*here.frame.columns]
    times = ["iso", "zoned", "European", "American"]
    for name in times:
        assert (found[name].to_numpy() == document_times(here.frame, name, np.arange(ROWS))).all()
    others = found.columns.difference(times)
    pd.testing.assert_frame_equal(found[others], here.frame[others])
    places = np.linspace(0, ROWS - 1, 1_000).astype(int)
    pd.testing.assert_frame_equal(source.frame, here.frame.iloc[places].reset_index(drop=True))
    assert source.guess == guess_columns(source.frame)


def test_few_rows_are_those_of_the_file():
    data = frame().iloc[:1_000].to_csv(index=False).encode()
    source, here = read_rated_source(data, "f.csv"), read_file(data, "f.csv")
    assert (source.origin, source.disk) == (None, 0)
    pd.testing.assert_frame_equal(source.frame, here.frame)
    assert source.guess == guess_columns(here.frame)


def test_ambiguous_dates_stay_text():
    dates = pd.date_range("2026-01-01", periods=12, freq="MS")
    written = np.resize(dates.strftime("%d/%m/%Y"), ROWS)
    unsure = frame().assign(iso=written)
    assert stored(read_rated_source(unsure.to_csv(index=False).encode(), "f"))["iso"].tolist() == written.tolist()


@pytest.mark.parametrize("end", ["closed", "forgotten"])
def test_the_folder_goes_with_the_engine(end):
    source = read_rated_source(frame().to_csv(index=False).encode(), "f.csv")
    folder = Path(source.origin.engine._path).parent
    assert folder.stat().st_mode & 0o077 == 0
    assert source.disk == sum(file.stat().st_size for file in folder.iterdir()) > 0
    if end == "closed":
        source.origin.engine.close()
    del source
    gc.collect()
    assert not folder.exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_as_ever(name, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    data = files.BOMBS[name]()

    def outcome(most):
        monkeypatch.setattr(loading, "MAX_HELD", most)
        try:
            return len(read_rated_source(data, "bomb").frame) and ""
        except DataError as error:
            return str(error)

    refusals = [outcome(most) for most in (10**9, 1_000)]
    assert refusals[0] == refusals[1]
    gc.collect()
    assert list(tmp_path.glob("multiloss-file-*")) == []
