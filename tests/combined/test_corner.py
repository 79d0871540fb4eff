from itertools import product

import numpy as np
import pytest

from multiloss_core import DataError, flagged
from multiloss_core.combined import best_corner


@pytest.mark.parametrize("seed", range(5))
def test_best_corner_is_that_of_all_pairs_of_thresholds(seed):
    generator = np.random.default_rng(seed)
    scores, probabilities = generator.normal(size=(9, 2)), generator.random(9)
    for k in range(10):
        axes = [[*column, np.inf] for column in scores.T]
        masks = [flagged(scores, pair, "any") for pair in product(*axes)]
        most = max(probabilities[mask].sum() for mask in masks if mask.sum() == k)
        found = best_corner(scores, probabilities, k)
        assert (found.flagged == flagged(scores, found.thresholds, "any")).all()
        assert found.flagged.sum() == k
        assert probabilities[found.flagged].sum() == pytest.approx(most)


def test_more_items_than_there_are_is_one_sentence():
    with pytest.raises(DataError, match="0 to 2 items"):
        best_corner(np.eye(2), np.ones(2), 3)
