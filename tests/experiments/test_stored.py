import numpy as np
import pytest

from experiments.stored import read_results, store_results
from multiloss_core.errors import DataError


def test_results_come_back_with_date_versions_and_settings(tmp_path):
    figures = {"cells": [{"loss": np.float64(1 / 3), "interval": (0.1, float("nan"))}], "rows": np.arange(2)}
    store_results("made", figures, {"draws": 3}, "# Made", tmp_path)
    held = read_results("made", tmp_path)
    assert held["cells"] == [{"loss": 0.333333, "interval": [0.1, None]}]
    assert held["rows"] == [0, 1]
    assert held["settings"] == {"draws": 3}
    assert set(held["versions"]) == {"python", "numpy", "scipy", "scikit-learn", "dlib-bin"}
    assert (tmp_path / "made.md").read_text(encoding="utf-8").startswith(f"{held['date']}; python ")


def test_results_that_were_never_stored_are_named(tmp_path):
    with pytest.raises(DataError, match=r"made\.json are not in"):
        read_results("made", tmp_path)
