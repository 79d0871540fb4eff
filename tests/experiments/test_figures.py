from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from experiments.figures import (
    FOLDER,
    ITEMS,
    LOSSES,
    SEED,
    chosen_by_method,
    figure_1,
    figure_8,
    figure_9,
    figure_10,
)
from multiloss_core import CountSurfaces, expected_losses
from multiloss_core.losses import best_k, sigmoid_items

NAMES = {
    "natarajan-figure-1",
    "robles-figure-8",
    "robles-figure-9",
    *(f"robles-figure-10-{view}" for view in ("tp", "fp", "thresholds", "plane")),
}


@pytest.fixture(scope="module")
def surfaces():
    first, second = np.meshgrid(np.linspace(0, 1, 30), np.linspace(0, 1, 30), indexing="ij")
    tp = np.floor(100 * (1 - (first * second) ** 2))
    fp = np.floor(900 * (1 - np.sqrt(first * second)))
    return CountSurfaces.from_table(
        pd.DataFrame({"T1": first.ravel(), "T2": second.ravel(), "TP": tp.ravel(), "FP": fp.ravel()})
    )


def test_figure_1_shows_what_theorem_1_chooses():
    text = figure_1()
    ElementTree.fromstring(text)
    probabilities = sigmoid_items(np.random.default_rng(SEED), n=ITEMS).probabilities
    for letter, loss in zip("abcd", LOSSES, strict=True):
        k = best_k(expected_losses(probabilities, loss).values)
        assert f"({letter}) {loss.name}: {k} of {ITEMS}" in text


def test_figures_8_to_10_are_drawings_that_name_their_data(surfaces):
    chosen = chosen_by_method(surfaces)
    drawings = [figure_8(surfaces, chosen), figure_9(chosen), *figure_10(surfaces, chosen).values()]
    assert len(drawings) == 6
    for drawing in drawings:
        assert "stand in for the private Google sets" in ElementTree.fromstring(drawing).get("aria-label")


def test_the_drawings_in_the_tree_are_small_and_complete():
    files = {file.stem: file for file in FOLDER.glob("*.svg")}
    assert set(files) >= NAMES
    for name in NAMES:
        assert files[name].stat().st_size < 200_000
        ElementTree.parse(files[name])
