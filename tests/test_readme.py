"""README is short, its links lead somewhere, and its Python runs."""

import doctest
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_readme_fits_on_two_screens():
    assert len(TEXT.splitlines()) <= 100


def test_links_of_documents_lead_to_files():
    # The lesson's links are places of the application, tried in a browser.
    pages = (file for file in (ROOT / "docs").glob("*.md") if file.name != "lesson.md")
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *pages]
    links = [
        (file.name, link)
        for file in files
        for link in re.findall(r"\]\((?!\w+:|/)([^)#\s]+)", file.read_text(encoding="utf-8"))
        if not (file.parent / link).exists()
    ]
    assert links == []


def test_python_of_readme_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(.+?)```", TEXT, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    assert "inside" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("name", ["audits.md", "model-change.md", "python.md", "sources-and-segments.md"])
def test_examples_of_documents_run(name):
    page = ROOT / "docs" / name
    assert doctest.testfile(str(page), module_relative=False).failed == 0


def test_stable_names_are_those_of_the_library():
    assert runpy.run_path(str(ROOT / "docs" / "api.py"))["page"]() == (ROOT / "docs" / "api.md").read_text("utf-8")
