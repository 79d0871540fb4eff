"""What is stored: its parts, and the printed figures beside which it stands."""

from dataclasses import fields

import pytest

from experiments.natarajan.cells import AGREES, CANNOT_BE, DIFFERS, Cell
from experiments.natarajan.results import SCORES, SMALL_SETS, STRENGTH, TABLES
from experiments.natarajan.small_sets import SIZES
from experiments.natarajan.table_rows import METHODS, RECIPES, TABLE_LOSSES, TABLE_ROWS
from experiments.printed import natarajan_losses
from experiments.stored import RESULTS, read_results


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


def test_a_stored_cell_has_every_part(stored):
    assert len(stored["cells"]) == len(TABLE_ROWS) * len(TABLE_LOSSES) * len(METHODS)
    names = {one.name for one in fields(Cell)}
    for cell in stored["cells"]:
        assert set(cell) == names
        assert 0.0 <= cell["lowest_floor"] <= cell["floor"] <= 1.0
        assert cell["interval"]["low"] <= cell["ours"] <= cell["interval"]["high"]
        assert (cell["mark"] in {AGREES, DIFFERS, CANNOT_BE}) == (cell["printed"] is not None)
        assert (cell["reason"] is None) == (cell["mark"] is None)
    assert sum(stored["summary"]["marks"].values()) == 160
    assert stored["summary"]["orders"] == 240


def test_what_was_chosen_is_stored_for_every_set(stored):
    assert {one["key"] for one in stored["chosen"]} == set(RECIPES)
    for one in stored["chosen"]:
        assert set(one["strengths"]) <= set(RECIPES[one["key"]].strengths)
        assert set(one["svm_strengths"]) <= set(RECIPES[one["key"]].svm_strengths)
        assert one["svm_fits"] == one["draws"] * one["classes"] * len(TABLE_LOSSES)
    assert {"date", "versions", "settings"} <= set(stored)


def test_the_curves_have_a_loss_for_each_strength():
    for curve in read_results(STRENGTH)["curves"]:
        assert len(curve["losses"]) == len(curve["strengths"])
        assert all(0.0 <= loss <= 1.0 for loss in curve["losses"])


def test_the_small_sets_have_four_ways_for_each_size():
    ways = read_results(SMALL_SETS)["ways"]
    assert len(ways) == len({(one["loss"], one["size"], one["way"]) for one in ways}) == 2 * 4 * len(SIZES)


OPEN = {f"{SCORES}_{key}" for key in ("breast", "spambase", "letters")}


def test_few_scores_are_stored_and_only_of_sets_whose_terms_allow_it():
    names = {file.stem for file in RESULTS.glob(f"{SCORES}_*.json")}
    assert names == OPEN
    for name in names:
        held = read_results(name)
        assert len(held["probabilities"]) == len(held["labels"]) <= 2000
        assert all(0.0 <= probability <= 1.0 for probability in held["probabilities"])
