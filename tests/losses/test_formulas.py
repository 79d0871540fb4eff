import re
from math import sqrt

import numpy as np
import pytest

from multiloss_core import AM, AUC, G_TP_PR, JACCARD, LOSSES, DataError, F, UserLoss
from multiloss_core.losses import (
    ConfusionMatrix,
    formula_with_numbers,
    has_empty_rate,
    loss_formula,
    observed_counts,
    promised_counts,
)

EVERY_LOSS = [*LOSSES.values(), F(2.0), F(0.5), F(0.3)]
MATRICES = [ConfusionMatrix(*map(float, cells)) for cells in np.random.default_rng(3).integers(1, 4000, (20, 4))]


def computed(latex, **names):
    """Read LaTeX of fractions, roots and products as arithmetic, and compute it."""
    text = re.sub(r"\\mathrm\{(\w+)\}", r"\1", latex.replace("{,}", "").replace(r"\left", "").replace(r"\right", ""))
    text = text.replace(r"\cdot", "*")
    while found := re.search(r"\\(frac|sqrt)\{", text):
        first, rest = group(text[found.end() - 1 :])
        if found[1] == "sqrt":
            text = f"{text[: found.start()]} root({first}) {rest}"
        else:
            second, rest = group(rest)
            text = f"{text[: found.start()]} (({first}) / ({second})) {rest}"
    text = re.sub(r"(?<=[\w)]) (?=\(|[uvp]\b)", " * ", re.sub(r" +", " ", text))
    text = re.sub(r"\b(root|TP|FP|FN|TN) \* \(", lambda f: f[0] if f[1] != "root" else "root(", text)
    return eval(text, {"root": sqrt} | names)


def group(text):
    """Split a text into the content of its leading braces and the rest."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if not depth:
            return text[1:place], text[place + 1 :]
    raise AssertionError(text)


@pytest.mark.parametrize("loss", EVERY_LOSS, ids=lambda loss: loss.name)
def test_both_formula_forms_equal_the_loss(loss):
    formula = loss_formula(loss)
    for matrix in MATRICES:
        counts = {"TP": matrix.tp, "FP": matrix.fp, "FN": matrix.fn, "TN": matrix.tn}
        n = sum(counts.values())
        rates = {"u": matrix.tp / n, "v": (matrix.tp + matrix.fp) / n, "p": (matrix.tp + matrix.fn) / n}
        expected = float(loss(**rates))
        assert computed(formula.in_counts, **counts) == pytest.approx(expected)
        assert computed(formula.in_rates, **rates) == pytest.approx(expected)
        assert matrix.loss(loss) == pytest.approx(expected)


@pytest.mark.parametrize("loss", EVERY_LOSS, ids=lambda loss: loss.name)
def test_formula_with_numbers_equals_its_value(loss):
    for matrix in MATRICES:
        filled, result = formula_with_numbers(loss, matrix).rsplit("=", 1)
        assert not re.search(r"TP|FP|FN|TN|WEIGHT|BOTH", filled)
        assert computed(filled) == pytest.approx(float(result), abs=6e-5)


def test_promised_counts_are_the_means_over_every_outcome():
    probabilities, flagged = np.array([0.9, 0.2, 0.6, 0.5]), np.array([True, False, True, False])
    means = np.zeros(4)
    for outcome in range(16):
        labels = (outcome >> np.arange(4)) & 1 == 1
        chance = np.prod(np.where(labels, probabilities, 1 - probabilities))
        counted = observed_counts(flagged, labels)
        means += chance * np.array([counted.tp, counted.fp, counted.fn, counted.tn])
    found = promised_counts(probabilities, flagged)
    np.testing.assert_allclose([found.tp, found.fp, found.fn, found.tn], means)


def test_empty_rate_is_detected():
    nothing_positive = ConfusionMatrix(0.0, 3.0, 0.0, 5.0)
    assert has_empty_rate(AM, nothing_positive)
    assert not has_empty_rate(JACCARD, nothing_positive)
    assert has_empty_rate(JACCARD, ConfusionMatrix(0.0, 0.0, 0.0, 5.0))
    assert has_empty_rate(G_TP_PR, ConfusionMatrix(0.0, 0.0, 2.0, 5.0))
    assert has_empty_rate(AUC, ConfusionMatrix(4.0, 0.0, 2.0, 0.0))
    assert not any(has_empty_rate(loss, matrix) for loss in EVERY_LOSS for matrix in MATRICES)


def test_loss_without_formula_is_rejected():
    with pytest.raises(DataError, match="no formula for the own loss; choose one of AM, F1,"):
        loss_formula(UserLoss(lambda u, v, p: u, "own"))
    with pytest.raises(DataError, match="not all 0"):
        ConfusionMatrix(0.0, 0.0, 0.0, 0.0)
    with pytest.raises(DataError, match="3 predictions do not fit 2 probabilities"):
        promised_counts([0.1, 0.2], [True, False, True])
    with pytest.raises(DataError, match="1 predictions do not fit 2 labels"):
        observed_counts([True], [True, False])
