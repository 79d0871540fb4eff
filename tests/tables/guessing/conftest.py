import numpy as np
import pytest

from tests.tables.exports.cells import Alerts


@pytest.fixture(scope="module")
def alerts():
    return Alerts(np.random.default_rng(5), 400)
