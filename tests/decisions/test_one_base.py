"""Test that headline, tables and evidence count the same alerts, undecided ones included."""

import json
import re
from dataclasses import asdict

import numpy as np
import pytest

from multiloss_core import DecisionRecord, RatedDocuments
from multiloss_core.decisions import RecordedColumns, html_report, markdown_summary
from multiloss_core.decisions.finding_evidence import evidence_of
from tests.decisions.samples import decision, rated_frame

MEANINGS = {"confirmed": "positive", "chargeback": "positive", "genuine": "negative", "pending": "undecided"}
CURRENT = np.array([0.62, 0.62])


@pytest.fixture(scope="module")
def frame():
    generator = np.random.default_rng(2)
    frame = rated_frame()
    words = np.where(frame["verdict"] == "fraud", generator.choice(["confirmed", "chargeback"], len(frame)), "genuine")
    return frame.assign(verdict=np.where(generator.random(len(frame)) < 0.15, "pending", words))


@pytest.fixture(scope="module")
def record(frame):
    documents = RatedDocuments.from_frame(
        frame, ["card", "device"], "verdict", meanings=MEANINGS, floor_method="corner"
    )
    decided = frame[frame["verdict"] != "pending"].replace({"verdict": {"chargeback": "confirmed"}})
    columns = RecordedColumns(("card", "device"), tuple(documents.floors.tolist()), "verdict", "confirmed")
    made = decision(decided, columns, "pending.csv", "0" * 64, rule="any")
    counts = documents.counts_at(CURRENT, "any")
    evidence = evidence_of(documents, made.threshold_array, "any", current=CURRENT)
    content = json.loads(made.to_json())
    content["columns"] |= {"positive": None, "meanings": MEANINGS}
    content["current"] = {"thresholds": CURRENT.tolist(), "tp": counts.tp, "fp": counts.fp}
    return DecisionRecord.from_json(json.dumps(content | {"evidence": asdict(evidence)}))


def flagged(frame, thresholds):
    return (frame[["card", "device"]].to_numpy() >= thresholds).any(axis=1)


@pytest.mark.slow
def test_undecided_of_changes_are_those_that_pandas_counts(record, frame):
    before, after = flagged(frame, CURRENT), flagged(frame, record.threshold_array)
    pending = (frame["verdict"] == "pending").to_numpy()
    assert record.evidence.dropped.undecided == (pending & before & ~after).sum() > 0
    assert record.evidence.added.undecided == (pending & after & ~before).sum()


def test_headline_and_table_count_the_same_alerts(record, frame):
    before, after = (flagged(frame, thresholds).sum() for thresholds in (CURRENT, record.threshold_array))
    text = markdown_summary(record)
    (fewer,) = re.findall(r"([\d,]+) (?:fewer|more) alert", text.split("\n## ", maxsplit=1)[0])
    assert int(fewer.replace(",", "")) == abs(before - after)
    (row,) = [line for line in text.splitlines() if "undecided ones included" in line]
    cells = [cell.strip().replace(",", "").replace("\N{MINUS SIGN}", "-") for cell in row.strip("|").split("|")[1:]]
    assert [int(cell) for cell in cells if cell] == [after, before, after - before]


def test_ratings_are_named_as_they_were_mapped(record):
    for text in (markdown_summary(record), html_report(record)):
        assert "as usual" not in text
        assert "confirmed, chargeback" in text
        assert "pending" in text
