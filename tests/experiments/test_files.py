"""Test data files and stored results."""

from hashlib import sha256

import numpy as np
import pytest

from experiments.files import DataFile, checked_file, data_folder, read_results, require_counts, store_results
from experiments.natarajan.data import BREAST_FILE, breast_cancer
from multiloss_core.errors import DataError


def test_another_file_under_the_same_name_is_refused(tmp_path):
    file = DataFile("rows.csv", sha256(b"1,2\n").hexdigest())
    (tmp_path / "rows.csv").write_bytes(b"1,3\n")
    with pytest.raises(DataError, match=r"rows\.csv is not the one .* put the original back"):
        checked_file(file, tmp_path)


def test_missing_file_error_names_the_folder(tmp_path, monkeypatch):
    with pytest.raises(DataError, match=f"{BREAST_FILE.path} is not in .*{tmp_path.name}; .*MULTILOSS_DATA"):
        breast_cancer(tmp_path)
    monkeypatch.setenv("MULTILOSS_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="nowhere, is not there; set the environment variable MULTILOSS_DATA"):
        data_folder()


def test_rows_and_positives_are_counted():
    labels = np.array([[True, False], [True, True]])
    require_counts("made", labels, rows=2, positives=(2, 1))
    with pytest.raises(DataError, match="made has 2 rows with 2, 1 positives, not 3 with 2, 1"):
        require_counts("made", labels, rows=3, positives=(2, 1))
    with pytest.raises(DataError, match="with 2, 1 positives, not 2 with 1, 1"):
        require_counts("made", labels, rows=2, positives=(1, 1))


def test_results_come_back_with_date_versions_and_settings(tmp_path):
    figures = {"cells": [{"loss": np.float64(1 / 3), "interval": (0.1, float("nan"))}], "rows": np.arange(2)}
    store_results("made", figures, {"draws": 3}, "# Made", tmp_path)
    held = read_results("made", tmp_path)
    assert held["cells"] == [{"loss": 0.333333, "interval": [0.1, None]}]
    assert held["rows"] == [0, 1]
    assert held["settings"] == {"draws": 3}
    assert set(held["versions"]) == {"python", "numpy", "scipy", "scikit-learn", "dlib-bin"}
    assert (tmp_path / "made.md").read_text(encoding="utf-8").startswith(f"{held['date']}; python ")
