"""The lock pins what the package and its extras name, within their ranges."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKED = [
    Requirement(line.removesuffix("\\").strip())
    for line in (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    if "==" in line
]
WANTED = [
    requirement
    for texts in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    for requirement in map(Requirement, texts)
    # An extra may name others.
    if requirement.name != PROJECT["name"]
]


@pytest.mark.parametrize("wanted", WANTED, ids=str)
def test_what_a_part_needs_is_locked_within_its_range(wanted):
    found = [pin for pin in LOCKED if pin.name.lower() == wanted.name.lower()]
    assert found
    versions = [exact.version for pin in found for exact in pin.specifier]
    assert any(wanted.specifier.contains(version) for version in versions)
