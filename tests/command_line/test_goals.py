"""Test the goals of the command, its standard input and its JSON."""

import gzip
import io
import json

import pytest

from multiloss_core import DecisionRecord, operating_point
from multiloss_core.datasets import RATED_SAMPLES, RatedDataset
from multiloss_core.thresholds import SMOOTH, PathSearch
from multiloss_core.thresholds.targets import point_for_alerts, point_for_precision, threshold_choices
from multiloss_core.version import __version__
from tests.command_line.conftest import chosen, complaint, run

SAMPLE = "Card alerts"
COSTS = {"review": 5, "catch": 100, "annoyance": 1}


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """A sample as a file and as data, with its path and the thresholds beside it."""
    source = RATED_SAMPLES[SAMPLE](SAMPLE)
    file = tmp_path_factory.mktemp("sample") / "card.csv"
    source.frame.to_csv(file, index=False)
    return file, RatedDataset.of(source, source.first_choice)


def expected(dataset, goal):
    search = PathSearch(dataset.documents, "any", 100, "positives")
    path = SMOOTH.find(search)
    if goal == "costs":
        return operating_point(path, 6 / 101)
    choices = threshold_choices(path, dataset.documents, fit=search.fit)
    if goal == "precision":
        return point_for_precision(path, choices, 0.5)
    return point_for_alerts(path, choices, 10 * dataset.equivalent_days)


@pytest.mark.parametrize(
    ("goal", "options", "recorded"),
    [
        ("costs", ("--costs", "costs.json"), ("costs", {"cost of a review": 5, "value of a catch": 100})),
        ("precision", ("--precision", ".5"), ("a floor on precision", {"precision in percent": 50})),
        ("alerts", ("--alerts-per-day", "10"), ("a cap on alerts", {"alerts per day": 10, "days in the data": 70})),
    ],
)
def test_a_goal_gives_the_point_of_the_library(sample, tmp_path, monkeypatch, goal, options, recorded):
    file, dataset = sample
    monkeypatch.chdir(tmp_path)
    (tmp_path / "costs.json").write_text(json.dumps(COSTS))
    result = run("choose", file, *options, "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    _, record = chosen(tmp_path / "out")
    point = expected(dataset, goal)
    assert (record["expected"]["tp"], record["expected"]["fp"]) == (point.tp, point.fp)
    assert record["target"]["goal"] == recorded[0]
    values = {value["name"]: value["value"] for value in record["target"]["goal_values"]}
    assert recorded[1].items() <= values.items()
    assert record["expected"]["precision_interval"] is not None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "Give one goal"),
        (("--precision", ".5", "--marginal-precision", ".2"), "Give one goal"),
        (("--precision", "1.5"), "between 0 and 1"),
        (("--alerts-per-day", "0"), "above 0"),
        (("--alerts-per-day", "0.001"), "allow more"),
        (("--alerts-per-day", "5", "--time", "none"), "--time"),
        (("--alerts-per-day", "5", "--segment", "channel"), "--marginal-precision"),
        (("--costs", "list.json"), "object"),
        (("--costs", "words.json"), "no JSON"),
        (("--costs", "text.json"), "plain number"),
        (("--costs", "free.json"), "false alert costs nothing"),
        (("--costs", "nowhere.json"), "nowhere.json"),
    ],
)
def test_a_wrong_goal_is_one_sentence(sample, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    for name, text in (("list", "[1]"), ("words", "five"), ("text", '{"review": "5"}'), ("free", '{"catch": 9}')):
        (tmp_path / f"{name}.json").write_text(text)
    assert words in complaint(run("choose", sample[0], *options, "--output", tmp_path / "out"), tmp_path / "out")


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
def test_a_file_may_come_through_a_pipe(sample, tmp_path, kind):
    file, dataset = sample
    data, frame = file.read_bytes(), dataset.frame
    if kind == "csv.gz":
        data = gzip.compress(data)
    elif kind != "csv":
        buffer = io.BytesIO()
        frame.to_parquet(buffer, index=False)
        data = buffer.getvalue()
    outcome = run(
        "choose", "-", "--precision", ".5", "--quiet", "--json", "-", "--output", tmp_path / "out", stdin=data
    )
    assert outcome.exit_code == 0, outcome.output
    record = DecisionRecord.from_json(outcome.stdout)
    point = expected(dataset, "precision")
    assert (record.expected.tp, record.expected.fp) == (point.tp, point.fp)
    assert "…" not in outcome.stderr
    assert DecisionRecord.from_json((tmp_path / "out" / "latest.json").read_bytes()) == record
    assert {file.name for file in (tmp_path / "out").glob("latest.*")} == {"latest.json", "latest.sql", "latest.py"}


def test_version_is_printed():
    assert run("--version").stdout.strip() == __version__
