"""Figures of the samples and of public files stay as they were published.

`python -m tests.unchanged.test_unchanged` stores the summaries and the exports of the stored decisions again; with
names it prints all figures of these instead, to compare two versions of the code.
"""

import copy
import json
import math
import sys
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
from tests.unchanged.evidence import evidence_figures, file_evidence_figures
from tests.unchanged.losses import cuts_figures, losses_figures, theory_figures
from tests.unchanged.sources import RATED_FOLDER, counts_grid, rated_file, sample_data, sample_fit
from tests.unchanged.summary import summarised
from tests.unchanged.thresholds import METHODS, context_figures, rated_figures
from ui.data.rated import sample
from ui.shared.formatting import FRAUD

HERE = Path(__file__).resolve().parent
STORED, EXPORTS = HERE / "figures.json", HERE / "exports"
RECORDS = {file.stem: file.read_text(encoding="utf-8") for file in sorted((HERE / "records").glob("*.json"))}
RELATIVE, ABSOLUTE = 1e-9, 1e-9
MAX_SHOWN = 10
SAMPLES = ("Card alerts", "Login alerts", "Marketplace listings", "Insurance claims", "Count table")
FROM_SAMPLES = {
    "card_alerts": lambda: rated_figures(sample_data("Card alerts"), sample_fit("Card alerts")),
    "login_alerts": lambda: rated_figures(sample_data("Login alerts"), rules=("any",)),
    "marketplace_listings": lambda: rated_figures(sample_data("Marketplace listings")),
    # The slowest method runs on the public file of four scores.
    "insurance_claims": lambda: rated_figures(
        sample_data("Insurance claims"), rules=("any",), names=[name for name in METHODS if name != "analytic beta"]
    ),
    "count_table": lambda: rated_figures(sample_data("Count table")),
    "context": context_figures,
    "evidence": evidence_figures,
    "losses": losses_figures,
    "theory": theory_figures,
    "cuts": cuts_figures,
}
FROM_FILES = {
    "two_scores": lambda: rated_figures(rated_file("bssr1_two_scores_rated")),
    "four_scores": lambda: rated_figures(rated_file("bssr1_four_scores_rated")),
    "counts_grid": lambda: rated_figures(counts_grid()),
    "file_evidence": file_evidence_figures,
}
FIGURES = FROM_SAMPLES | FROM_FILES
NO_FILES = pytest.mark.skipif(
    not RATED_FOLDER.is_dir(), reason="The folder shared/data/rated with public rated files is not beside the checkout."
)


def stored():
    return json.loads(STORED.read_text(encoding="utf-8"))


def exports_of(record):
    return {
        "thresholds.json": thresholds_json(record),
        "thresholds.csv": thresholds_csv(record),
        "where.sql": sql_where(record),
        "function.py.txt": python_function(record),
        "summary.md": markdown_summary(record, FRAUD),
        "report.html": html_report(record, vocabulary=FRAUD),
    }


def differences(before, now, path=""):
    """List where two JSON values differ."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in [*before, *(key for key in now if key not in before)]:
            if key not in now or key not in before:
                yield f"{path}/{key}: {'gone' if key in before else 'new'}"
            else:
                yield from differences(before[key], now[key], f"{path}/{key}")
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for i, (one, other) in enumerate(zip(before, now, strict=True)):
            yield from differences(one, other, f"{path}[{i}]")
    elif not (before == now or (is_number(before) and is_number(now) and is_close(before, now))):
        yield f"{path}: {before!r} before, {now!r} now"


def is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_close(before, now):
    return math.isclose(before, now, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


@pytest.mark.parametrize("name", [*FROM_SAMPLES, *(pytest.param(name, marks=NO_FILES) for name in FROM_FILES)])
def test_figures(name):
    found = list(differences(stored()[name], json.loads(json.dumps(summarised(FIGURES[name]())))))
    assert not found, "\n".join([f"{len(found)} differences:", *found[:MAX_SHOWN]])


@pytest.mark.parametrize("name", SAMPLES)
def test_fingerprint_of_sample(name):
    assert sample(name).fingerprint == stored()["fingerprints"][name]


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


FIXED = {
    "paths": {method: {"points": [{"tp": 1000.0 + i, "precision": 1 / (i + 2)} for i in range(99)]} for method in "ab"},
    "status": ["reached", None, math.nan, True],
    "p_value": 0.003,
    "weeks": [f"2026-01-{day:02}" for day in range(1, 32)],
}


def changed(path, value):
    figures = copy.deepcopy(FIXED)
    part = figures
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return figures


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("paths", "b", "points", 37, "precision"), (1 + 3e-5) / 39),
        (("paths", "a", "points", 51, "tp"), 1051.1),
        (("status", 0), "beyond"),
        (("status", 1), 0.0),
        (("status", 2), math.inf),
        (("p_value",), 0.003001),
        (("weeks", 3), "2026-02-04"),
        (("more",), 1),
    ],
)
def test_summary_changes_with_every_value(path, value):
    assert list(differences(summarised(FIXED), summarised(changed(path, value))))
    assert not list(differences(summarised(FIXED), summarised(changed(("p_value",), 0.003 * (1 + 1e-12)))))


def test_summary_changes_with_order():
    swapped = changed(("paths", "a"), {"points": FIXED["paths"]["a"]["points"][::-1]})
    assert list(differences(summarised(FIXED), summarised(swapped)))


def write():
    figures = {name: summarised(measure()) for name, measure in FIGURES.items()}
    figures["fingerprints"] = {name: sample(name).fingerprint for name in SAMPLES}
    lines = json.dumps(figures, ensure_ascii=False, separators=(",", ":")).replace("},", "},\n")
    STORED.write_text(f"{lines}\n", encoding="utf-8")
    for folder in EXPORTS.iterdir():
        for file, content in exports_of(DecisionRecord.from_json(RECORDS[folder.name])).items():
            (folder / file).write_bytes(content.encode())


if __name__ == "__main__":
    if names := sys.argv[1:]:
        print(json.dumps({name: FIGURES[name]() for name in names}, indent=1))
    else:
        write()
