"""Decisions of earlier versions open, and export the same files.

`python -m tests.decisions.test_stored_decisions` stores the exports again.
"""

import json
from pathlib import Path

import pytest

from multiloss_core import DecisionRecord
from multiloss_core.decisions import (
    html_report,
    markdown_summary,
    python_function,
    sql_where,
    thresholds_csv,
    thresholds_json,
)
from ui.data.rated import sample
from ui.shared.formatting import FRAUD

HERE = Path(__file__).resolve().parent
EXPORTS = HERE / "stored_exports"
RECORDS = {file.stem: file.read_text(encoding="utf-8") for file in sorted((HERE / "stored_records").glob("*.json"))}
# Links and stored decisions name a sample by its fingerprint.
FINGERPRINTS = {
    "Card alerts": "51137566323695f8749fbc18489bd91050f2bc10e64dcc98e862a34803b681cd",
    "Login alerts": "a7c7812ae2f64e13b1a3fea0377c75d7742ce5bd651be5087400dc493de419cf",
    "Marketplace listings": "96a391907467235c1c557fb50f6a63402f8983be0f76f8420b5f082f4e94e400",
    "Insurance claims": "ddc9c59b40ee5191917193efd1f32c65ac8a965f290c959818f81729a38e3f66",
    "Count table": "c6892bc4a19efadba932d477928ddc67aba15b54022f9eb7c41c530977f37022",
}


def exports_of(record):
    return {
        "thresholds.json": thresholds_json(record),
        "thresholds.csv": thresholds_csv(record),
        "where.sql": sql_where(record),
        "function.py.txt": python_function(record),
        "summary.md": markdown_summary(record, FRAUD),
        "report.html": html_report(record, vocabulary=FRAUD),
    }


@pytest.mark.parametrize("name", FINGERPRINTS)
def test_fingerprint_of_sample(name):
    assert sample(name).fingerprint == FINGERPRINTS[name]


@pytest.mark.parametrize("name", RECORDS)
def test_stored_decision_is_read_and_written_the_same(name):
    again = DecisionRecord.from_json(RECORDS[name]).to_json()
    assert json.loads(again) == json.loads(RECORDS[name])
    assert DecisionRecord.from_json(again) == DecisionRecord.from_json(RECORDS[name])


@pytest.mark.parametrize("name", ["documents", "money"])
def test_files_of_stored_decision(name):
    made = exports_of(DecisionRecord.from_json(RECORDS[name]))
    assert made == {file.name: file.read_bytes().decode() for file in (EXPORTS / name).iterdir()}


def test_stored_decisions_are_of_every_kind():
    records = [DecisionRecord.from_json(text) for text in RECORDS.values()]
    assert any(record.settings.amount is not None and record.current is not None for record in records)
    assert any(record.settings.amount is None and record.expected.tp_interval is not None for record in records)
    assert any(record.data.funnel is None for record in records)
    assert any(record.target.by_hand and None in record.thresholds for record in records)
    assert any("guaranteed precision" in {goal.name for goal in record.target.goal_values} for record in records)


if __name__ == "__main__":
    for folder in EXPORTS.iterdir():
        for file, content in exports_of(DecisionRecord.from_json(RECORDS[folder.name])).items():
            (folder / file).write_bytes(content.encode())
