"""The notebooks run from start to end, and are stored with what they print."""

import runpy
from pathlib import Path

import nbformat
import pytest

SCRIPT = runpy.run_path(str(Path(__file__).resolve().parents[1] / "docs" / "notebooks.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", SCRIPT["NOTEBOOKS"], ids=lambda path: path.stem)
# Jupyter's own machinery, in this process.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_notebook_prints_what_is_stored(path, monkeypatch):
    # Set again after the test.
    monkeypatch.setenv("PYTHONPATH", "")
    stored, found = nbformat.read(path, as_version=4), SCRIPT["executed"](path)
    assert all(cell.execution_count for cell in stored.cells if cell.cell_type == "code")
    assert SCRIPT["words_of"](stored) == SCRIPT["words_of"](found)


def test_there_are_notebooks():
    assert len(SCRIPT["NOTEBOOKS"]) == 3
