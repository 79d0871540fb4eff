"""Store two months of rated documents in every kind of source, and run the command."""

import json
import sys
from functools import cache
from uuid import uuid4

import duckdb
import numpy as np
import pandas as pd
import pyarrow as arrow
import pytest
from pyarrow import parquet
from sqlalchemy import create_engine
from typer.testing import CliRunner

from multiloss_core import simulate_population
from multiloss_core.command_line.app import app
from tests.engines.conftest import write_folder, write_table
from tests.resampling import resample_less


@pytest.fixture(autouse=True)
def own_main(monkeypatch):
    """Keep the main module, which an AppTest replaces and new processes import."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.fixture(scope="package", autouse=True)
def few_resamples():
    """Draw fewer resamples, in the command and in the core that it is compared with."""
    with pytest.MonkeyPatch.context() as patch:
        resample_less(patch)
        yield


KINDS = ("csv", "parquet", "folder", "duckdb", "postgresql")


@cache
def rated_month(seed=0, days=30, prevalence=0.004, documents=150_000):
    """Rated documents with a score in four digits, so that text keeps all of them."""
    documents = simulate_population(np.random.default_rng(seed), documents=documents, prevalence=prevalence).rated()
    generator, rows = np.random.default_rng(seed), len(documents.labels)
    seconds = np.sort(generator.integers(0, days * 86_400, rows)).astype("timedelta64[s]")
    return pd.DataFrame(
        {
            "model a": documents.scores[:, 0].round(4),
            "model b": documents.scores[:, 1].round(4),
            "verdict": np.where(documents.labels, "fraud", "genuine"),
            "created_at": np.datetime64("2026-01-01", "us") + seconds,
        }
    )


@pytest.fixture
def put(tmp_path, request):
    """Return a function that stores a table in a source and returns the command's arguments."""
    return lambda frame, kind: _put(frame, kind, tmp_path / "sources", request)


def _put(frame, kind, folder, request):
    folder.mkdir(exist_ok=True)
    place = folder / f"{kind}{len(list(folder.iterdir()))}"
    table = arrow.Table.from_pandas(frame, preserve_index=False)
    if kind == "csv":
        frame.to_csv(place.with_suffix(".csv"), index=False)
        return [str(place.with_suffix(".csv"))]
    if kind == "parquet":
        parquet.write_table(table, place.with_suffix(".parquet"))
        return [str(place.with_suffix(".parquet"))]
    if kind == "folder":
        write_folder(place, table)
        return [str(place)]
    if kind == "duckdb":
        with duckdb.connect(str(place)) as connection:
            connection.register("given", table)
            connection.execute("CREATE TABLE alerts AS SELECT * FROM given")
        return [str(place), "--table", "main.alerts"]
    address = request.getfixturevalue("postgres_database")
    engine = create_engine(address)
    name = f"alerts {uuid4().hex[:8]}"
    write_table(engine, name, table)
    engine.dispose()
    return [address, "--table", name]


def run(*arguments, stdin=None):
    """Run the command in this process."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def chosen(folder):
    """Read the one record of a folder."""
    (file,) = (file for file in folder.glob("decision-*.json") if not file.stem.endswith("thresholds"))
    return file, json.loads(file.read_text(encoding="utf-8"))


def complaint(result, folder=None):
    """Return the one sentence that a run ended with, which wrote nothing."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    sentence = result.stderr.strip().splitlines()[-1]
    assert not [line for line in result.stderr.strip().splitlines()[:-1] if not line.endswith("…")]
    if folder is not None:
        assert not folder.exists()
    return sentence
