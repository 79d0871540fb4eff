"""Compare caps on alerts beside alert rules with a search of thresholds and rules."""

from itertools import product

import numpy as np
import pytest

from multiloss_core import RatedDocuments
from multiloss_core.thresholds import SMOOTH, PathSearch
from multiloss_core.thresholds.targets import point_for_alerts, threshold_choices


def documents(seed):
    generator = np.random.default_rng(seed)
    positive = generator.random(3_000) < 0.06
    scores = np.column_stack([generator.normal(size=3_000) + shift * positive for shift in (1.5, 1.2)])
    rules = [generator.random(3_000) < np.where(positive, *shares) for shares in ((0.3, 0.03), (0.15, 0.06))]
    rated = (scores >= 0.8).any(axis=1) | rules[0] | rules[1]
    table = np.column_stack([scores, *rules])[rated]
    return RatedDocuments(table, positive[rated], names=["a", "b", "r", "s"], floors=[0.8, 0.8], alert_rules=2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("most", [60, 150, 300])
def test_a_cap_with_rules_is_used(seed, most):
    data = documents(seed)
    search = PathSearch(data, "any", 100, "positives")
    path = SMOOTH.find(search)
    point = point_for_alerts(path, threshold_choices(path, data, fit=search.fit), most)
    counts = data.counts_at(point.thresholds, "any")
    assert (counts.tp, counts.fp) == (point.tp, point.fp)
    assert 0.98 * most <= counts.alerts <= most
    assert set(point.thresholds[2:]) <= {1.0, np.inf}
    axes = [np.quantile(column, np.linspace(0.2, 1, 60)) for column in data.scores[:, :2].T]
    best = 0.0
    for rules in product([1.0, np.inf], repeat=2):
        raised = (data.scores[:, 2:] >= rules).any(axis=1)
        for first in axes[0]:
            hit = (raised | (data.scores[:, 0] >= first))[:, np.newaxis] | (data.scores[:, [1]] >= axes[1])
            caught = (hit & data.labels[:, np.newaxis]).sum(axis=0)
            best = max(best, caught[hit.sum(axis=0) <= most].max(initial=0))
    # The grid's best is of counts on the same data, and the point of expected ones.
    assert point.tp >= 0.95 * best
