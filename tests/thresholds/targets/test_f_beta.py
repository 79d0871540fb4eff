import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import (
    F,
    RatedDocuments,
    count_surfaces,
    f_beta_of_point,
    graph_path,
    operating_point,
    optimal_top_k,
)


def documents(seed, count=400):
    generator = np.random.default_rng(seed)
    scores = generator.random((count, 1))
    return RatedDocuments(scores, generator.random(count) < scores[:, 0] ** 3)


@given(seed=st.integers(0, 10_000), target=st.floats(0.02, 0.98))
def test_point_has_the_largest_f_beta_of_its_path(seed, target):
    path = graph_path(count_surfaces(documents(seed), spacing="positives", resolution=500))
    point = operating_point(path, target)
    beta = f_beta_of_point(point)
    if point.status != "inside":
        assert math.isnan(beta)
        return
    flagged = path.tp + path.fp > 0
    tp, alerts = path.tp[flagged], (path.tp + path.fp)[flagged]
    scores = (1 + beta**2) * tp / (beta**2 * path.tp[0] + alerts)
    here = (1 + beta**2) * point.tp / (beta**2 * path.tp[0] + point.alerts)
    assert here == pytest.approx(scores.max(), rel=1e-12)


def test_calibrated_f_beta_has_the_same_marginal_precision():
    probabilities = np.random.default_rng(3).beta(0.3, 2.0, 4000)
    labels = np.random.default_rng(4).random(4000) < probabilities
    path = graph_path(
        count_surfaces(RatedDocuments(probabilities[:, None], labels), spacing="positives", resolution=2000)
    )
    for target in (0.2, 0.4):
        beta = f_beta_of_point(operating_point(path, target))
        assert optimal_top_k(probabilities, F(beta)).cut == pytest.approx(target, abs=0.04)


@pytest.mark.parametrize(("target", "status"), [(0.999, "unreachable"), (1e-6, "at_floor")])
def test_outside_the_path_there_is_no_beta(target, status):
    scores = np.linspace(0, 1, 50)[:, None]
    labels = np.tile([True, False], 25)
    point = operating_point(graph_path(count_surfaces(RatedDocuments(scores, labels))), target)
    assert point.status == status
    assert math.isnan(f_beta_of_point(point))
