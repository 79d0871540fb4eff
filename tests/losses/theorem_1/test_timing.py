from itertools import count

import pytest

from multiloss_core import AM, AUC, G_MEAN, JACCARD, DataError, F, UserLoss, expected_losses
from multiloss_core.losses import METHODS, methods_for, timed_runs

ITEMS_HALVED = UserLoss(lambda u, v, p: 0 * u + 0 * p + abs(v - 0.5), "half")


def ticking(seconds):
    """A clock that advances by fixed seconds on each call."""
    ticks = count()
    return lambda: seconds * next(ticks)


@pytest.mark.parametrize(
    ("loss", "methods"),
    [
        (F(), ["exhaustive", "cubic", "quadratic", "windowed", "near_linear"]),
        (JACCARD, ["exhaustive", "cubic", "quadratic", "windowed", "near_linear"]),
        (AM, ["exhaustive", "cubic", "windowed", "near_linear"]),
        (AUC, ["exhaustive", "cubic", "windowed", "near_linear"]),
        (G_MEAN, ["exhaustive", "cubic", "windowed"]),
        (ITEMS_HALVED, ["exhaustive", "cubic"]),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_methods_are_those_that_take_the_loss(loss, methods):
    assert methods_for(loss) == methods
    for method in METHODS:
        if method in methods:
            assert expected_losses([0.2] * 10, loss, method=method).method == method
        else:
            with pytest.raises(DataError):
                expected_losses([0.2] * 10, loss, method=method)


def test_a_method_ends_before_a_run_that_would_take_too_long():
    # Every run seems to take 0.4 seconds: twice that is below the limit, eight times that is not.
    runs = list(
        timed_runs(F(), methods=["cubic", "near_linear"], clock=ticking(0.4), seconds_each=0.9, seconds_in_all=6.0)
    )
    assert [run.n for run in runs if run.method == "cubic"] == [16]
    assert [run.n for run in runs if run.method == "near_linear"][:3] == [16, 32, 64]
    assert all(run.seconds == pytest.approx(0.4) for run in runs)


def test_all_methods_end_when_the_time_is_up():
    runs = list(timed_runs(F(), clock=ticking(1.0), seconds_each=1e9, seconds_in_all=10.0))
    # Each run reads the clock twice, and each decision to continue once.
    assert [(run.method, run.n) for run in runs] == [("exhaustive", n) for n in (2, 4, 6, 8)]
