import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression

from multiloss_core import DataError
from multiloss_core.losses import CALIBRATIONS, cross_fitted, fit_isotonic, fit_platt
from multiloss_core.losses.calibration import stratified_folds

EVERY_KIND = pytest.mark.parametrize("kind", CALIBRATIONS)
SCORED = st.lists(st.tuples(st.floats(0, 1) | st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.booleans()), min_size=1)


def drawn(n, seed=0, exaggeration=1.8, digits=4):
    """Probabilities that say too much, and the outcomes."""
    generator = np.random.default_rng(seed)
    log_odds = -2.0 + 1.5 * generator.standard_normal(n)
    return expit(exaggeration * log_odds).round(digits), generator.random(n) < expit(log_odds)


@pytest.mark.parametrize("digits", [2, 12])
def test_isotonic_is_that_of_scikit_learn(digits):
    probabilities, labels = drawn(600, digits=digits)
    theirs = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(probabilities, labels)
    asked = np.append(np.linspace(0, 1, 1001), probabilities)
    np.testing.assert_allclose(fit_isotonic(probabilities, labels).apply(asked), theirs.predict(asked), atol=1e-12)


@pytest.mark.parametrize("n", [20, 3000])
def test_platt_is_that_of_scikit_learn(n):
    probabilities, labels = drawn(n, digits=12)
    theirs = _SigmoidCalibration().fit(logit(probabilities), labels)
    found = fit_platt(probabilities, labels)
    assert found.slope == pytest.approx(-theirs.a_, rel=1e-3)
    np.testing.assert_allclose(found.apply(probabilities), theirs.predict(logit(probabilities)), atol=2e-4)


@EVERY_KIND
def test_nothing_of_an_items_own_fold_is_used(kind):
    probabilities, labels = drawn(300)
    fold_of = stratified_folds(labels, 5, np.random.default_rng(1))
    found = cross_fitted(probabilities, labels, 5, np.random.default_rng(1), kind)
    for fold in range(5):
        out = fold_of == fold
        expected = CALIBRATIONS[kind](probabilities[~out], labels[~out]).apply(probabilities[out])
        np.testing.assert_array_equal(found[out], expected)


@EVERY_KIND
@settings(deadline=None)
@given(SCORED)
def test_maps_rise_within_0_to_1_and_keep_ties(kind, items):
    probabilities, labels = np.array([p for p, _ in items]), np.array([y for _, y in items])
    fitted = CALIBRATIONS[kind](probabilities, labels)
    values = fitted.apply(np.sort(np.append(probabilities, [0.0, 0.5, 0.5, 1.0])))
    assert ((values >= 0) & (values <= 1)).all()
    assert (np.diff(values) >= -1e-15).all()
    _, first, place = np.unique(probabilities, return_index=True, return_inverse=True)
    calibrated = fitted.apply(probabilities)
    np.testing.assert_array_equal(calibrated, calibrated[first][place])


@given(st.lists(st.booleans(), min_size=2, max_size=60), st.integers(2, 7), st.integers(0, 99))
def test_folds_hold_equal_shares_of_positives(labels, folds, seed):
    labels = np.array(labels)
    fold_of = stratified_folds(labels, folds, np.random.default_rng(seed))
    for part in (fold_of, fold_of[labels]):
        counts = np.bincount(part, minlength=folds)
        assert counts.max() - counts.min() <= 1


@EVERY_KIND
def test_held_out_probabilities_come_closer_to_the_truth(kind):
    probabilities, labels = drawn(4000)
    calibrated = cross_fitted(probabilities, labels, 5, np.random.default_rng(0), kind)
    assert abs(calibrated.sum() - labels.sum()) < 0.02 * labels.sum()
    assert abs(probabilities.sum() - labels.sum()) > 0.1 * labels.sum()
    assert ((calibrated - labels) ** 2).mean() < ((probabilities - labels) ** 2).mean()


def test_platt_is_level_where_outcomes_fall_with_the_probability():
    found = fit_platt([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [True, True, True, False, False, False])
    assert found.slope == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("folds", "kind", "message"),
    [(1, "platt", "into 1 folds"), (9, "platt", "into 9 folds"), (2, "beta", "no calibration 'beta'")],
)
def test_wrong_folds_and_kinds_are_refused(folds, kind, message):
    with pytest.raises(DataError, match=message):
        cross_fitted([0.1, 0.9, 0.4], np.array([True, False, True]), folds, np.random.default_rng(0), kind)


@pytest.mark.parametrize("fit", CALIBRATIONS.values())
def test_unusable_items_are_refused(fit):
    with pytest.raises(DataError, match="truth values"):
        fit([0.1, 0.2], [True])
    with pytest.raises(DataError, match="Probability 1 is 3"):
        fit([3.0, 0.2], [True, False])


@pytest.mark.parametrize("count", [3, 57, 1_000])
@pytest.mark.parametrize("constant", [0.0, 1e-12, 0.1, 0.3, 0.7, 0.9999, 1.0])
def test_platt_is_level_for_equal_probabilities(constant, count):
    labels = np.arange(count) % 3 == 0
    positives, negatives = labels.sum(), (~labels).sum()
    level = (positives * (positives + 1) / (positives + 2) + negatives / (negatives + 2)) / count
    everywhere = np.linspace(0, 1, 41)
    assert fit_platt(np.full(count, constant), labels).apply(everywhere) == pytest.approx(level, abs=1e-9)
    nearly = np.full(count, constant)
    nearly[0] = min(constant + 1e-7 * constant * (1 - constant), 1.0)
    assert fit_platt(nearly, labels).apply(everywhere) == pytest.approx(level, abs=1e-6)


def test_probabilities_beyond_one_by_rounding_are_one():
    items = [0.2, 0.9, np.nextafter(1.0, 2.0), 1 + 6e-10, -1e-12]
    found = fit_isotonic(items, [False, True, True, True, False])
    assert found.knots.min() == 0.0
    assert found.knots.max() == 1.0
    with pytest.raises(DataError, match=r"Probability 2 is 1\.0000001"):
        fit_isotonic([0.2, 1.0000001], [True, False])
