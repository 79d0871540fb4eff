import sys

import pytest

from experiments.natarajan.__main__ import main
from multiloss_core.errors import DataError


def test_a_folder_without_the_data_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("MULTILOSS_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["natarajan", "spambase", "--processes", "1"])
    with pytest.raises(DataError, match=r"spambase\.arff\.gz is not in"):
        main()


def test_a_set_that_is_not_there_is_named(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["natarajan", "mnist"])
    with pytest.raises(SystemExit):
        main()
    assert "invalid choice: 'mnist'" in capsys.readouterr().err
