import numpy as np
import pytest

from experiments.natarajan import studies
from experiments.natarajan.predictions import OneClass
from experiments.natarajan.studies import HALF, OPTIMAL_K, TUNED, TUNED_FOR_SIZE, small_set_losses


def test_optimal_k_is_best_for_right_probabilities(monkeypatch):
    generator = np.random.default_rng(0)
    features = generator.normal(size=(3000, 1))
    labels = generator.random(3000) < 1 / (1 + np.exp(-2 * features[:, 0] + 2))
    one = OneClass(features[:2000], labels[:2000], features[2000:], labels[2000:])
    monkeypatch.setattr(studies, "one_class", lambda _: one)
    monkeypatch.setattr(studies, "TUNING_BATCHES", 300)
    found = {(each.loss, each.way): each for each in small_set_losses(sizes=(5,), batches=300)}
    assert {way for _, way in found} == {OPTIMAL_K, TUNED, TUNED_FOR_SIZE, HALF}
    for loss in ("F1", "G-TP/PR"):
        best = found[loss, OPTIMAL_K]
        assert (best.versus_optimal_k.low, best.versus_optimal_k.high) == (0.0, 0.0)
        assert 0.1 < best.interval.mean < 0.6
        for way in (TUNED, TUNED_FOR_SIZE, HALF):
            # Optimal for right probabilities: nothing is better but by chance.
            assert found[loss, way].versus_optimal_k.high > 0.0
            assert found[loss, way].interval.mean - best.interval.mean == pytest.approx(
                found[loss, way].versus_optimal_k.mean
            )
