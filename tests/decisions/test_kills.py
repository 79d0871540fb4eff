"""The server is killed while visitors save decisions: what the screen acknowledged is in the log, and it is whole."""

import numpy as np
import pytest

from benchmarks.load.kills import Saved, kill_while_saving, outcome

KILLS, VISITORS = 1, 3


def test_nothing_acknowledged_is_lost_in_sqlite(tmp_path):
    assert_nothing_is_lost(f"sqlite:///{tmp_path / 'decisions.db'}", 0)


@pytest.mark.database
def test_nothing_acknowledged_is_lost_in_postgresql(postgres_database):
    assert_nothing_is_lost(postgres_database, 1)


def assert_nothing_is_lost(log, seed):
    saved, random = Saved(), np.random.default_rng(seed)
    for _ in range(KILLS):
        kill_while_saving(log, saved, VISITORS, random)
    found = outcome(log, saved)
    assert found.acknowledged >= KILLS
    assert not found.lost
    assert not found.faults
    # At most one of each visitor was on its way when the server was killed.
    assert 0 <= found.unheard <= KILLS * VISITORS
    assert found.entries == found.acknowledged + found.unheard
