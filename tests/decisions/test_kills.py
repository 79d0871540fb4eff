"""The server is killed while decisions are saved: what the screens acknowledged is in the log, nothing is by halves."""

import numpy as np
import pytest

from benchmarks.kills.killing import Kills, kill_and_look, look

KILLS = 2
SEED = 20


@pytest.mark.slow
def test_what_was_acknowledged_is_there_and_nothing_is_by_halves(address, tmp_path):
    random, kills = np.random.default_rng(SEED), Kills()
    for _ in range(KILLS):
        kill_and_look(tmp_path, address, random, kills)
    assert kills.faults == []
    assert kills.kills == KILLS
    assert len(kills.acknowledged) >= KILLS
    # Had one been lost, it would have been told.
    kills.acknowledged["a decision that nobody saved"] = max(kills.acknowledged.values()) + 1
    kills.asked.add("a decision that nobody saved")
    assert "a decision that nobody saved" in "".join(look(address, kills))
    assert kills.lost == 1
