import csv

import pytest

from experiments.files import RESULTS, read_results
from experiments.printed import robles_rows
from experiments.robles.draws import MODES
from multiloss_core import RatedDocuments


@pytest.fixture(scope="module")
def results():
    return read_results("robles")


def test_every_printed_figure_stands_beside_ours(results):
    cells = results["compared"]
    assert len(cells) == 2 * 3 * len(robles_rows())
    assert {cell["mark"] for cell in cells} <= {"agrees", "differs", "no counterpart"}
    assert {cell["mode"] for cell in cells} == set(MODES)
    for cell in cells:
        assert (cell["reason"] == "") == (cell["mark"] != "no counterpart")
        if cell["deviation"] is not None:
            assert cell["deviation"] == pytest.approx(cell["ours"]["mean"] - cell["printed"], abs=2e-6)
            inside = cell["ours"]["low"] - 6e-5 <= cell["printed"] <= cell["ours"]["high"] + 6e-5
            assert (cell["mark"] == "agrees") == inside


def test_the_rated_rows_can_be_opened(results):
    rated = results["rated"]
    with (RESULTS / rated["file"]).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["score 1", "score 2", "deposit"]
    assert 500 < len(rows) <= 2000
    scores = [[float(first), float(second)] for first, second, _ in rows]
    documents = RatedDocuments(scores, [int(rating) for *_, rating in rows])
    assert 0 < documents.labels.sum() < len(rows)
    # Six decimals were stored.
    assert all(a >= rated["floors"][0] - 1e-5 or b >= rated["floors"][1] - 1e-5 for a, b in scores)
