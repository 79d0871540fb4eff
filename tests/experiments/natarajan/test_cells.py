"""Test marks and counts of cells, and the stored results."""

from dataclasses import replace

import numpy as np
import pytest

from experiments.files import read_results
from experiments.intervals import Interval
from experiments.natarajan.cells import AGREES, CANNOT_BE, DIFFERS, Cell, marked, resampled_means, summary_of
from experiments.natarajan.data import RECIPES
from experiments.natarajan.results import SCORES, TABLES
from experiments.printed import natarajan_losses
from multiloss_core import LOSSES
from multiloss_core.losses import observed_loss

NONE = Interval(0.0, 0.0, 0.0)
# BREAST CANCER, AM is not bounded by any other printed cell.
CELL = Cell(
    row="BREAST CANCER", key="breast", least=1, loss="AM", method="Proposed", printed=0.02, ours=0.03,
    interval=Interval(0.03, 0.025, 0.035), one_run=(0.01, 0.05), floor=0.015, lowest_floor=0.014, floor_low=0.005,
    versus_proposed=NONE,
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "mark", "reason"),
    [
        ({"printed": 0.03}, AGREES, "Within our interval"),
        ({"printed": 0.02496}, AGREES, "Within our interval"),
        ({}, AGREES, "one further draw"),
        ({"printed": 0.06}, DIFFERS, "Outside"),
        ({"one_run": None}, DIFFERS, "Outside"),
        ({"printed": 0.004}, CANNOT_BE, "Below 0.005"),
        ({"printed": 0.004, "method": "S-SVM"}, DIFFERS, "Outside"),
        ({"printed": 0.004, "key": "image"}, DIFFERS, "the features may differ"),
        ({"printed": 0.8023, "key": "scene", "loss": "F1", "method": "Baseline"}, CANNOT_BE, "0.9793|at most"),
        (
            {"printed": 0.1606, "key": "webpage", "loss": "F1", "floor_low": 0.28},
            CANNOT_BE,
            "0.5363. Below 0.280",
        ),
        ({"printed": None}, None, None),
    ],
)
def test_marks_follow_intervals_bounds_and_floors(changes, mark, reason):
    found = marked(replace(CELL, **changes))
    assert found.mark == mark
    assert reason is None or any(part in found.reason for part in reason.split("|"))


def test_resampled_means_leave_out_classes_without_a_positive():
    labels = np.zeros((2, 40), dtype=bool)
    labels[0, :20] = True
    labels[1, 0] = True
    flagged = np.stack([labels, ~labels], axis=1)
    found = resampled_means(flagged, labels, LOSSES["F1"], resamples=200)
    assert found.shape == (200, 2)
    # Right predictions lose nothing and wrong ones everything, whichever classes are left.
    assert np.array_equal(found, np.tile([0.0, 1.0], (200, 1)))


def test_resampled_means_lie_around_the_loss():
    generator = np.random.default_rng(0)
    labels, flagged = generator.random((3, 300)) < 0.3, generator.random((3, 2, 300)) < 0.4
    found = resampled_means(flagged, labels, LOSSES["AM"], resamples=500)
    losses = [np.mean([observed_loss(flagged[c, m], labels[c], LOSSES["AM"]) for c in range(3)]) for m in range(2)]
    assert found.mean(axis=0) == pytest.approx(losses, abs=5e-3)


def test_the_summary_counts_rows_and_orders():
    losses = {"Proposed": (0.1, 0.2), "Baseline": (0.2, 0.3), "Tuning": (0.3, 0.1), "S-SVM": (0.4, 0.4)}
    cells = [
        replace(CELL, loss=loss, method=method, printed=printed, ours=ours, mark=AGREES,
                versus_proposed=Interval(ours - 0.2, ours - 0.25, ours - 0.15))
        for loss in ("F1", "Jaccard", "AM", "G-TP/PR")
        for method, (printed, ours) in losses.items()
    ]  # fmt: skip
    found = summary_of(cells)
    assert found.marks == {AGREES: 16}
    assert (found.orders, found.orders_as_printed) == (24, 16)
    wins = {one.method: one for one in found.wins if one.loss == "F1"}
    assert [(wins[m].printed, wins[m].ours, wins[m].clearly, wins[m].clearly_not) for m in list(losses)[1:]] == [
        (1, 1, 1, 0), (1, 0, 0, 1), (1, 1, 1, 0)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def stored():
    return read_results(TABLES)


def test_every_printed_cell_stands_beside_ours(stored):
    printed = {(one.data_set, one.least, one.loss, one.method): one.value for one in natarajan_losses()}
    beside = {
        (RECIPES[cell["key"]].name, cell["least"], cell["loss"], cell["method"]): cell["printed"]
        for cell in stored["cells"]
        if cell["printed"] is not None
    }
    assert beside == printed


OPEN = {f"{SCORES}_{key}" for key in ("breast", "spambase", "letters")}
