"""pins.txt pins exactly what the package and its extras name; parts of it agree."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pins_of(file):
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return {pin.name: pin for line in lines if (text := line.partition("#")[0].strip()) and (pin := Requirement(text))}


PINS = pins_of("pins.txt")
WANTED = [
    (part, requirement)
    for part, texts in {"library": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}.items()
    for requirement in map(Requirement, texts)
    # An extra may name others.
    if requirement.name != PROJECT["name"]
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
