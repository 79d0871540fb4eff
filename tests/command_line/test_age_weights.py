"""Test age weights from a file to its decision, in the command and on pages."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.drift import alerts
from multiloss_core import DecisionRecord
from multiloss_core.datasets import RatedDataset
from multiloss_core.tables import ColumnMeanings
from tests.command_line.conftest import chosen, run


def table(kind="break", seed=0):
    found = alerts(kind, 150, np.random.default_rng(seed))
    seconds = (found.times * 91 * 86_400).astype("timedelta64[s]")
    return pd.DataFrame(
        {
            "model a": found.scores[:, 0].round(4),
            "model b": found.scores[:, 1].round(4),
            "verdict": np.where(found.labels, "fraud", "genuine"),
            "created_at": np.datetime64("2026-01-01", "us") + seconds,
        }
    )


COLUMNS = ColumnMeanings(
    scores=("model a", "model b"),
    rating="verdict",
    meanings=(("fraud", "positive"), ("genuine", "negative")),
    floors=(2.2, 2.2),
    time="created_at",
)


def test_ages_are_days_to_the_newest_document():
    frame = table()
    dataset = RatedDataset.from_frame(frame, COLUMNS)
    days = (frame["created_at"].max() - frame["created_at"]).dt.total_seconds() / 86_400
    np.testing.assert_allclose(dataset.documents.ages, days.to_numpy()[dataset.documents.rows])


def test_late_ratings_are_no_drift():
    """Frauds of the newest weeks that are rated genuine as yet would seem to have gone."""
    frame = table("none")
    newest = frame["created_at"] > frame["created_at"].max() - pd.Timedelta(days=25)
    frame.loc[newest & (np.arange(len(frame)) % 12 > 0), "verdict"] = "genuine"
    dataset = RatedDataset.from_frame(frame, COLUMNS)
    assert dataset.late_ratings is not None
    assert dataset.documents.ages is None


@pytest.mark.parametrize("change", [{"age_weights": False}, {"time": None}])
def test_choice_of_columns_leaves_ages_out(change):
    columns = ColumnMeanings(**{name: getattr(COLUMNS, name) for name in COLUMNS.__dataclass_fields__} | change)
    assert RatedDataset.from_frame(table(), columns).documents.ages is None


def test_command_records_and_prints_the_half_life(tmp_path):
    table().to_csv(tmp_path / "alerts.csv", index=False)
    arguments = ["choose", tmp_path / "alerts.csv", "--marginal-precision", ".5"]
    arguments += ["--floor", "model a=2.2", "--floor", "model b=2.2"]
    with_ages = run(*arguments, "--output", tmp_path / "aged")
    equal = run(*arguments, "--equal-ages", "--output", tmp_path / "equal")
    assert (with_ages.exit_code, equal.exit_code) == (0, 0)
    assert "Older alerts count less" in with_ages.stdout
    assert "Older alerts" not in equal.stdout
    (_, aged), (_, plain) = chosen(tmp_path / "aged"), chosen(tmp_path / "equal")
    assert 0 < aged["data"]["half_life"] < 91
    assert "half_life" not in plain["data"]
    assert aged["thresholds"] != plain["thresholds"]
    (summary,) = (tmp_path / "aged").glob("*.md")
    assert "Older alerts count" in summary.read_text(encoding="utf-8")
    (file,) = (file for file in (tmp_path / "aged").glob("decision-*.json") if "thresholds" not in file.stem)
    text = file.read_text(encoding="utf-8")
    assert DecisionRecord.from_json(text).to_json() == text
    watched = run("watch", file, tmp_path / "alerts.csv")
    assert watched.exit_code == 0, watched.output
