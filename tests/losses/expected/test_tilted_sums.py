"""Compare Chebyshev series with direct sums, and long rows with the direct method."""

import numpy as np
import pytest

from multiloss_core import AM, AUC, G_TP_PR, JACCARD, F, FractionalLinear
from multiloss_core.losses.expected import near_linear as module
from multiloss_core.losses.expected.near_linear import near_linear
from multiloss_core.losses.expected.tilted_sums import Items, Series, Tilt

EXPONENTS = np.geomspace(1e-9, 60.0, 40)[:, np.newaxis]


def vectors(n):
    generator = np.random.default_rng(n)
    yield generator.random(n)
    yield generator.beta(0.2, 3.0, n)
    yield 1.0 - generator.beta(0.2, 3.0, n)
    yield generator.random(n) * 1e-7
    yield 1.0 - generator.random(n) * 1e-9
    yield np.full(n, 0.3)
    yield np.repeat([1.0, 0.5, 0.0], n // 3 + 1)[:n]
    yield 0.4 + 0.2 * generator.random(n)


@pytest.mark.parametrize(("allowed", "flipped"), [(1e-6, True), (1e-10, False)])
def test_series_are_within_their_relative_error(allowed, flipped):
    used = 0
    for probabilities in vectors(9_000):
        p = np.sort(probabilities)[::-1]
        items = Items(1.0 - p, p) if flipped else Items(p, 1.0 - p)
        with np.errstate(all="ignore"):
            series = Series(items, EXPONENTS, allowed)
        assert series.error <= allowed
        start = np.zeros_like(EXPONENTS)
        for chunk in np.flatnonzero(series.degrees >= 0):
            used += 1
            short, direct = Tilt(items, EXPONENTS, series, chunk), Tilt(items, EXPONENTS, None, chunk)
            for name in ("means", "logs"):
                for order in ("prefix", "suffix"):
                    sums = getattr(short, order)(name, start).full()
                    true = getattr(direct, order)(name, start).full()
                    assert np.all(np.abs(sums - true) <= (series.error + 1e-12) * np.abs(true))
                np.testing.assert_allclose(short.total(name), direct.total(name), rtol=series.error + 1e-12)
    assert used > 8


def test_series_take_exponents_of_0():
    p = np.linspace(0.9, 0.1, 5_000)
    items, none = Items(p, 1.0 - p), np.zeros((1, 1))
    with np.errstate(all="ignore"):
        series = Series(items, none, 1e-9)
    assert series.degrees.tolist() == [1, 1]
    sums = Tilt(items, none, series, 0).prefix("means", none)
    np.testing.assert_allclose(sums.full()[0, 1:], np.cumsum(p[:4096]), rtol=1e-12)
    np.testing.assert_allclose(sums.last[0, 0], p[:4096].sum(), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "loss",
    [
        F(),
        F(3.0),
        JACCARD,
        AM,
        G_TP_PR,
        AUC,
        FractionalLinear((1, -2, 0.3, 0.1), (1, 0.5, 0.2, -0.3), name="general"),
        FractionalLinear((0, 1, 1, -1), (5, -1, -2, -1), name="falling"),
        FractionalLinear((1, 0, -1, -1), (1.5, 0, -1, 0), name="unflagged"),
    ],
    ids=lambda loss: loss.name,
)
def test_long_rows_by_series_agree_with_direct_sums(loss, monkeypatch):
    rows = [np.sort(row)[::-1].copy() for row in vectors(20_000)]
    by_series = [near_linear(row, loss, tolerance) for row in rows for tolerance in (1e-6, 1e-9)]
    monkeypatch.setattr(module, "MIN_ITEMS", 10**9)
    for place, row in enumerate(rows):
        direct, its_bound = near_linear(row, loss, 1e-9)
        for (values, bound), tolerance in zip(by_series[2 * place : 2 * place + 2], (1e-6, 1e-9), strict=True):
            assert bound <= tolerance
            assert np.abs(values - direct).max() <= bound + its_bound
