"""Test one draw from the file to the cells, and the command."""

import pytest

from experiments.natarajan.__main__ import cells_of_rows
from experiments.natarajan.data import METHODS, TABLE_LOSSES
from experiments.natarajan.runs import parts_of, run_parts


def test_one_draw_of_breast_cancer(papers_data):
    seen = []
    (ran,) = run_parts(parts_of(["breast"], 1), processes=1, progress=lambda *told: seen.append(told))
    assert seen == [(1, 2, "BREAST CANCER: ranked"), (2, 2, "BREAST CANCER: structured SVM")]
    assert ran.labels.shape == (220,)
    assert not ran.svm_cut_short.any()
    cells = {(cell.loss, cell.method): cell for cell in cells_of_rows([ran])}
    assert set(cells) == {(loss.name, method) for loss in TABLE_LOSSES for method in METHODS}
    highest = {"F1": 0.1, "Jaccard": 0.18, "AM": 0.08, "G-TP/PR": 0.1}
    for (loss, method), cell in cells.items():
        assert 0.0 < cell.ours < highest[loss]
        assert cell.lowest_floor <= cell.floor
        assert method not in {"Proposed", "Baseline"} or cell.ours >= cell.floor - 1e-12
    assert cells["F1", "Proposed"].ours == pytest.approx(0.04, abs=0.03)
