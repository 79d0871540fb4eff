"""requirements.txt, which README installs, pins exactly what the package and its extras name."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINES = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
PINS = {pin.name: pin for line in LINES if (text := line.partition("#")[0].strip()) and (pin := Requirement(text))}
WANTED = [
    (part, requirement)
    for part, texts in {"library": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}.items()
    for requirement in map(Requirement, texts)
]


@pytest.mark.parametrize(("part", "requirement"), WANTED, ids=[f"{part}-{wanted.name}" for part, wanted in WANTED])
def test_what_a_part_needs_is_pinned_within_its_range(part, requirement):
    pin = PINS[requirement.name]
    (exact,) = pin.specifier
    assert exact.operator == "=="
    assert requirement.specifier.contains(exact.version)
    assert pin.extras == requirement.extras


def test_every_pin_is_needed_by_one_part():
    assert sorted(PINS) == sorted(requirement.name for _, requirement in WANTED)
