"""Read the values of Dockerfile and compose.yaml."""

import json
import shutil
from pathlib import Path

import yaml
from dockerfile_parse import DockerfileParser

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
with (ROOT / "Dockerfile").open("rb") as _file:
    DOCKERFILE = DockerfileParser(fileobj=_file)
    ENVIRONMENT = dict(DOCKERFILE.envs)
    INSTRUCTIONS = [(found["instruction"], found["value"]) for found in DOCKERFILE.structure]


def values_of(instruction):
    """All values of one instruction of the Dockerfile, in its order."""
    return [value for name, value in INSTRUCTIONS if name == instruction]


def command():
    (value,) = values_of("CMD")
    return json.loads(value)


def health_check():
    (value,) = values_of("HEALTHCHECK")
    return json.loads(value.partition("CMD")[2])


def copy_build_context(target):
    """Copy what .dockerignore lets into the image."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in lines
    for name in (line.removeprefix("!") for line in lines if line.startswith("!")):
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place, ignore=shutil.ignore_patterns("__pycache__", "plotly-*"))
        else:
            shutil.copy2(ROOT / name, place)
