"""The table of both papers names functions and tests that exist."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
LINKS = sorted(set(re.findall(r"\[(`?)([^]`]+)`?\]\(([^)]+)\)", (DOCS / "papers.md").read_text(encoding="utf-8"))))


@pytest.mark.parametrize(("code", "name", "path"), LINKS, ids=[f"{path}:{name}" for _, name, path in LINKS])
def test_linked_name_exists(code, name, path):
    text = (DOCS / path).read_text(encoding="utf-8")
    assert not code or re.search(rf"^\s*(def|class) {name}\b|^{name}\b.*=", text, re.MULTILINE)
