import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import precision_recall_fscore_support

from experiments.printed import robles_rows
from experiments.robles.comparison import NO_DATA, compared, measured
from experiments.robles.draws import Outcome


def outcome(rows, *, draw=0, status="default", data_set="bank", kind="Naive Bayes", row="classifier 1", mode="apart"):
    return Outcome(data_set, kind, draw, mode, row, status, rows, 39.0 if data_set == "creditcard" else 1.0)


def test_measures_equal_scikit_learns_and_scipys():
    cells = [(30, 20, 10, 140), (28, 25, 12, 135), (35, 18, 5, 142)]
    found = measured([outcome(rows, draw=draw) for draw, rows in enumerate(cells)])[0].intervals
    expected = []
    for tp, fp, fn, tn in cells:
        truth, flagged = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn]), np.repeat([1, 1, 0, 0], [tp, fp, fn, tn])
        expected.append(precision_recall_fscore_support(truth, flagged, average="binary")[:3])
    for j, name in enumerate(("precision", "recall", "F1")):
        values = np.array(expected)[:, j]
        interval = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
        assert (found[name].mean, found[name].low, found[name].high) == pytest.approx(
            (values.mean(), interval.low, interval.high)
        )
    assert found["net"].mean == pytest.approx(np.mean([(tp - fp) / 40 for tp, fp, _, _ in cells]))


def test_one_draw_is_resampled():
    interval = measured([outcome((30, 20, 10, 1140))])[0].intervals["recall"]
    spread = np.sqrt(0.75 * 0.25 / 40)
    assert interval.mean == 0.75
    assert (interval.low, interval.high) == pytest.approx((0.75 - 1.96 * spread, 0.75 + 1.96 * spread), abs=0.02)


def test_draws_that_flag_nothing_have_no_precision():
    rows = [(0, 0, 40, 160), (0, 0, 40, 160), (30, 20, 10, 140)]
    outcomes = [
        outcome(cells, draw=draw, status=status, row="Graph")
        for draw, (cells, status) in enumerate(zip(rows, ("unreachable", "unreachable", "inside"), strict=True))
    ]
    found = measured(outcomes)[0]
    assert (found.draws, found.unreachable, found.empty, found.status) == (3, 2, 2, "unreachable")
    assert found.intervals["precision"].mean == 0.6
    assert found.intervals["recall"].mean == 0.25


def test_every_printed_figure_has_a_mark_in_both_modes():
    cells = compared(measured([outcome((600, 534, 558, 8605), draw=draw) for draw in range(2)]))
    assert len(cells) == 2 * 3 * len(robles_rows())
    here = {(one.row, one.measure): one for one in cells if (one.data_set, one.kind, one.mode) ==
            ("Bank", "Naive Bayes", "apart")}  # fmt: skip
    assert here["classifier 1", "precision"].mark == "differs"
    assert here["classifier 1", "precision"].deviation == pytest.approx(600 / 1134 - 0.5284)
    assert here["classifier 2", "recall"].reason == "not run"
    for one in cells:
        if one.data_set == "IEEEFraud":
            assert (one.mark, one.reason) == ("no counterpart", NO_DATA)
