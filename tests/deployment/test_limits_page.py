"""The page on limits names constants that exist in the files it names."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    line for line in (ROOT / "docs" / "limits.md").read_text(encoding="utf-8").splitlines() if line.startswith("| ")
]
LIMITS = [cells for line in ROWS if "`" in (cells := line.strip("| ").split(" | "))[-1]]


def test_limits_stand_in_their_files():
    missing = []
    for cells in LIMITS:
        files = [ROOT / name for name in re.findall(r"`([^`]+)`", cells[-1])]
        text = "".join(file.read_text(encoding="utf-8") for file in files)
        names = re.findall(r"`…?([^`]+)`", cells[-2])
        missing += [name for name in names if not re.search(rf"{re.escape(name)}\b", text)]
    assert missing == []
