"""Test thresholds of the command that rest on earlier files as well."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.earlier_files import drawn_alerts, populations_of
from multiloss_core import DecisionRecord, operating_point, smooth_path
from tests.command_line.conftest import chosen, complaint, run

OPTIONS = ("--marginal-precision", ".3", "--floor", "model a=2", "--floor", "model b=2")


@pytest.fixture
def months(tmp_path):
    """Three files, the newest first: paths and documents."""
    generator = np.random.default_rng(3)
    found = []
    for month, population in zip((3, 2, 1), populations_of("stable", generator)[:3], strict=True):
        documents = drawn_alerts(population, 40, generator)
        frame = pd.DataFrame(documents.scores, columns=["model a", "model b"])
        frame["verdict"] = np.where(documents.labels, "fraud", "genuine")
        frame["created_at"] = pd.Timestamp(2026, month, 1) + pd.to_timedelta(np.arange(len(frame)) % 28, unit="D")
        path = tmp_path / f"month {month}.csv"
        frame.to_csv(path, index=False)
        found.append((path, documents))
    return found


def test_thresholds_are_those_of_the_library(months, tmp_path):
    (newest, documents), (second, before), (third, first) = months
    earlier = ("--earlier", third, "--earlier", second)
    result = run("choose", newest, *OPTIONS, *earlier, "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    file, content = chosen(tmp_path / "out")
    assert content["data"]["earlier"] == ["month 2.csv", "month 1.csv"]
    assert content["data"]["earlier_half_life"] == 1.5
    joined = documents.with_earlier([before, first])
    point = operating_point(smooth_path(joined), 0.3)
    record = DecisionRecord.from_json(file.read_text(encoding="utf-8"))
    np.testing.assert_array_equal(record.threshold_array, joined.round_thresholds(point.thresholds))
    counts = documents.counts_at(point.thresholds)
    assert (record.expected.tp, record.expected.fp) == (counts.tp, counts.fp)
    assert "2 earlier files count" in result.stdout
    assert "month 2.csv" in (next((tmp_path / "out").glob("*.html"))).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--method", "graph"), "--method smooth"),
        (("--segment", "verdict"), "--segment"),
    ],
)
def test_options_that_earlier_files_do_not_fit_are_refused(months, tmp_path, more, words):
    (newest, _), (second, _), _ = months
    result = run("choose", newest, *OPTIONS, "--earlier", second, *more, "--output", tmp_path / "out")
    assert words in complaint(result)


def test_a_later_file_is_not_earlier(months, tmp_path):
    (newest, _), (second, _), _ = months
    result = run("choose", second, *OPTIONS, "--earlier", newest, "--output", tmp_path / "out")
    assert "month 3.csv" in complaint(result)
    assert "only older files" in complaint(result)
    missing = run("choose", newest, *OPTIONS, "--earlier", tmp_path / "none.csv", "--output", tmp_path / "out")
    assert "none.csv" in complaint(missing)
