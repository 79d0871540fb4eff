import numpy as np
import pytest

from multiloss_core import AM, LOSSES, DataError, F, FractionalLinear, exhaustive_search
from multiloss_core.losses import verify_theorem_1


def test_theorem_1_holds_on_every_draw_and_counts_run():
    losses = list(LOSSES.values())
    states = list(verify_theorem_1(np.random.default_rng(0), losses, n=7, scale=2.0, draws=25))
    assert [state.done for state in states] == list(range(1, 26))
    for state in states:
        assert state.draws == 25
        assert dict(state.top_k) == dict.fromkeys(LOSSES, state.done)
        assert state.failures == ()


def test_keeps_the_draws_that_fail():
    backwards = FractionalLinear((1, 2, -1, 0), (1, 0, 0, 0), name="backwards")
    *_, last = verify_theorem_1(np.random.default_rng(1), [backwards, F()], n=5, scale=1.0, draws=30)
    assert last.top_k["F1"] == 30
    assert 0 < len(last.failures) == 30 - last.top_k["backwards"]
    for failure in last.failures:
        assert failure.loss_name == "backwards"
        assert not exhaustive_search(failure.probabilities, backwards).is_top_k


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 15}, "number of items is 15; choose 1 to 14"),
        ({"n": 0}, "number of items is 0"),
        ({"draws": 0}, "number of draws is 0; choose at least 1"),
        ({"scale": float("nan")}, "scale of w is nan"),
        ({"scale": -1.0}, "scale of w is -1"),
    ],
)
def test_refuses_at_once(arguments, message):
    with pytest.raises(DataError, match=message):
        verify_theorem_1(np.random.default_rng(0), [AM], **{"n": 4, "scale": 1.0, "draws": 5, **arguments})
