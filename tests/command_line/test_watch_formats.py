"""Watch decisions on their own rows in every kind of source."""

import json
from dataclasses import replace
from decimal import Decimal
from functools import cache

import numpy as np
import pandas as pd
import pytest

from multiloss_core import DecisionRecord
from multiloss_core.datasets.samples import RATED_SAMPLES
from multiloss_core.decisions import RecordedBlock
from tests.command_line.conftest import chosen, run

ROWS = 1_200
pytestmark = [pytest.mark.slow, pytest.mark.database]
SOURCES = ("csv", "parquet", "duckdb", "postgresql")


@cache
def alerts():
    """Alerts of a score, whose risk differs by place."""
    generator = np.random.default_rng(8)
    place = generator.integers(0, 3, ROWS)
    score = generator.random(ROWS).round(4)
    fraud = generator.random(ROWS) < np.clip(1.5 * (score - 0.3 * place), 0.01, 0.95)
    return pd.DataFrame({"score": score, "place": place, "rating": np.where(fraud, "fraud", "ok")})


def with_places(*values):
    frame = alerts()
    return frame.assign(place=pd.Series(values, dtype="object").take(frame["place"]).to_numpy())


def with_rule(raised, other):
    frame, generator = alerts(), np.random.default_rng(9)
    hit = generator.random(ROWS) < np.where(frame["rating"] == "fraud", 0.4, 0.02)
    cells = pd.Series([raised if one else other for one in hit], dtype=None)
    return frame.drop(columns="place").assign(rule=cells)


def with_blanks():
    frame = alerts().drop(columns="place")
    second = np.random.default_rng(7).random(ROWS).round(4)
    return frame.assign(second=np.where(np.arange(ROWS) % 7 == 0, np.nan, second))


def in_time(frame):
    days = np.datetime64("2026-01-05T08:00", "us") + np.arange(ROWS) * np.timedelta64(20, "m")
    return frame.assign(created_at=days)


def repeated():
    """Of some alerts a later row: databases keep no order of their own."""
    frame = in_time(alerts().drop(columns="place").assign(alert_id=[f"A{row:05d}" for row in range(ROWS)]))
    later = frame.iloc[::5].assign(rating="ok", created_at=frame["created_at"].iloc[::5] + pd.Timedelta(hours=2))
    return pd.concat([frame, later], ignore_index=True)


PLACE, RULE = ("--scores", "score", "--segment", "place"), ("--scores", "score", "--alert-rules")
CASES = {
    "words of a rule": lambda: (with_rule("HIT", None), (*RULE, "rule")),
    "yes and no": lambda: (with_rule("Y", "N"), (*RULE, "rule")),
    "truths and blanks": lambda: (with_rule(True, None), (*RULE, "rule")),
    "lists": lambda: (with_rule(["R1", "R2"], ["R3"]), (*RULE, "rule has R1")),
    "text of lists": lambda: (with_rule("R1; it's", "R3"), (*RULE, "rule has it's")),
    "text segments": lambda: (with_places("web", "Zürich 'a'", ""), PLACE),
    "number segments with blanks": lambda: (with_places(7.0, 8.0, None), PLACE),
    "decimal segments": lambda: (with_places(Decimal("0.10"), Decimal("7.50"), Decimal("8.00")), PLACE),
    "truth segments": lambda: (with_places(True, False, None), PLACE),
    "codes": lambda: (with_places("0742", "5411", "0763"), PLACE),
    "inverted": lambda: (alerts().drop(columns="place").assign(score=1 - alerts()["score"]), ()),
    "blanks": lambda: (with_blanks(), ("--scores", "score,second")),
    "weights": lambda: (
        alerts().drop(columns="place").assign(weight=np.tile([1.0, 2.5, 4.0], 400)),
        ("--weight", "weight"),
    ),
    "groups": lambda: (
        alerts().drop(columns="place").assign(customer=[f"C{row // 3}" for row in range(ROWS)]),
        ("--group", "customer"),
    ),
    "repeats": lambda: (repeated(), ("--repeats", "last")),
    "dates": lambda: (in_time(alerts().drop(columns="place")), ("--time", "created_at", "--since", "2026-01-12")),
}


@pytest.mark.parametrize("name", CASES)
def test_decision_on_its_own_rows_is_as_expected(put, tmp_path, name):
    frame, options = CASES[name]()
    check(put, tmp_path, frame, options, "2026-01-12" if name == "dates" else None)


@pytest.mark.parametrize("title", [title for title in RATED_SAMPLES if title != "Count table"])
def test_decision_on_a_sample_is_as_expected(put, tmp_path, title):
    source = RATED_SAMPLES[title](title)
    scores = source.first_choice.scores
    floors = (f"{name}={floor}" for name, floor in zip(scores, source.first_choice.floors, strict=True))
    given = ("--scores", ",".join(scores), *(word for floor in floors for word in ("--floor", floor)))
    if source.first_choice.alert_rules:
        given += ("--alert-rules", ",".join(source.first_choice.alert_rules))
    # Every some row keeps the order in time.
    check(put, tmp_path, source.frame.iloc[:: len(source.frame) // ROWS + 1].reset_index(drop=True), given)


def test_decision_with_two_cuts_is_as_expected(put, tmp_path):
    check(put, tmp_path, alerts().drop(columns="place"), (), block=True)


def check(put, tmp_path, frame, options, since=None, *, block=False):
    """Decide on a CSV file, and watch the same rows in each source."""
    places = {kind: put(frame, kind) for kind in SOURCES}
    floors = () if "--floor" in options else ("--floor-method", "corner")
    given = ("--marginal-precision", ".3", *floors, *options, "--output", tmp_path / "out")
    result = run("choose", *places["csv"], *given)
    assert result.exit_code == 0, result.output
    file, content = chosen(tmp_path / "out")
    if "--segment" in options:
        assert content["segments"], result.output
    if block:
        record = DecisionRecord.from_json(file.read_bytes())
        upper = RecordedBlock(tuple(value and value + 0.1 for value in record.thresholds), 1.0, 1.0, record.target)
        file.write_text(replace(record, block=upper).to_json(), encoding="utf-8")
    found = {}
    for kind, place in places.items():
        days = ("--since", since) if since else ()
        watched = run("watch", file, *place, *days, "--json", tmp_path / "found.json")
        assert watched.exit_code == 0, (kind, watched.output)
        found[kind] = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["observed"]
    expected = (content["expected"]["tp"], content["expected"]["fp"])
    assert {kind: (one["tp"], one["fp"]) for kind, one in found.items()} == dict.fromkeys(
        SOURCES, pytest.approx(expected)
    )
