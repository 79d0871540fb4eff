"""Run the notebooks and store their outputs."""

import os
import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SECONDS = 300


def executed(path: Path) -> nbformat.NotebookNode:
    """Return a notebook as it is after a run from start to end."""
    os.environ["PYTHONPATH"] = str(ROOT)
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=SECONDS, resources={"metadata": {"path": str(path.parent)}}).execute()
    for cell in notebook.cells:
        # Times of the run, which differ each time.
        cell.metadata.pop("execution", None)
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def words_of(notebook: nbformat.NotebookNode) -> list[str]:
    """List what the cells print, and the texts of their results; object addresses are left out."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]
    return [re.sub(r" at 0x[0-9a-f]+", "", text) for text in texts]


if __name__ == "__main__":
    for one in NOTEBOOKS:
        nbformat.write(executed(one), one)
