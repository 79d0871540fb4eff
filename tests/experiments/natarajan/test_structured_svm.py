from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from experiments.natarajan.structured_svm import fit_structured_svm, is_concave, most_violated_prediction
from multiloss_core import LOSSES
from multiloss_core.losses import observed_loss
from multiloss_core.losses.multivariate import F, UserLoss

ALL_LOSSES = [*LOSSES.values(), F(2.0)]
TWICE_THE_ERROR_RATE = UserLoss(lambda u, v, p: 2 * (p + v - 2 * u), "twice the error rate", (0.0, 2.0))


def violation(flagged, scores, labels, loss):
    return observed_loss(flagged, labels, loss) + np.where(flagged, 1.0, -1.0) @ scores / labels.size


@st.composite
def scored(draw, most):
    n = draw(st.integers(1, most))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scale = draw(st.sampled_from([0.0, 0.1, 1.0, 10.0]))
    # Rounded, so that scores tie.
    return np.round(generator.normal(size=n), 1) * scale, generator.random(n) < draw(
        st.sampled_from([0.0, 0.1, 0.5, 1.0])
    )


@pytest.mark.parametrize("loss", ALL_LOSSES, ids=lambda loss: loss.name)
@given(drawn=scored(most=9))
def test_no_prediction_of_all_violates_more(loss, drawn):
    scores, labels = drawn
    found = most_violated_prediction(scores, labels, loss)
    most = max(
        violation(np.array(flagged), scores, labels, loss) for flagged in product([False, True], repeat=labels.size)
    )
    assert found.value == pytest.approx(most, abs=1e-12)
    assert violation(found.flagged, scores, labels, loss) == pytest.approx(found.value, abs=1e-12)


@pytest.mark.parametrize("loss", [loss for loss in ALL_LOSSES if is_concave(loss)], ids=lambda loss: loss.name)
@given(drawn=scored(most=60))
def test_bisection_finds_what_the_full_table_holds(loss, drawn):
    scores, labels = drawn
    in_full = UserLoss(loss, loss.name, (0.0, 1.0))
    assert not is_concave(in_full)
    bisected, full = (most_violated_prediction(scores, labels, one) for one in (loss, in_full))
    assert bisected.value == pytest.approx(full.value, abs=1e-12)


@pytest.mark.parametrize("strength", [1.0, 100.0])
def test_twice_the_error_rate_gives_the_ordinary_svm(strength):
    generator = np.random.default_rng(0)
    features = np.c_[generator.normal(size=(200, 5)), np.ones(200)]
    labels = features[:, 0] + generator.normal(size=200) > 0.3
    found = fit_structured_svm(features, labels, TWICE_THE_ERROR_RATE, strength=strength, gap=1e-6, most_planes=2000)
    share = 2 * strength / labels.size
    other = LinearSVC(loss="hinge", C=share, fit_intercept=False, max_iter=1_000_000, tol=1e-8).fit(features, labels)
    weights = other.coef_[0]
    margins = np.where(labels, 1, -1) * (features @ weights)
    assert found.objective == pytest.approx(weights @ weights / 2 + share * np.maximum(0, 1 - margins).sum(), rel=1e-4)
    assert found.gap <= 1e-6
    assert not found.cut_short
