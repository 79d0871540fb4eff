"""Results in the tree: small JSON and Markdown files that say when, with what and how they were made."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from platform import python_version
from typing import Any

from multiloss_core.errors import DataError

RESULTS = Path(__file__).resolve().parent / "results"
PACKAGES = ("numpy", "scipy", "scikit-learn", "dlib-bin")
DIGITS = 6


def store_results(
    name: str, figures: Mapping[str, Any], settings: Mapping[str, Any], markdown: str = "", folder: Path = RESULTS
) -> Path:
    """Write `figures` as name.json with date, versions and settings, and `markdown` below the same line as name.md.

    Floats are rounded to six decimals; NaN and infinity become null. Returns the path of the JSON file.
    """
    made = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "versions": {"python": python_version(), **{package: version(package) for package in PACKAGES}},
        "settings": dict(settings),
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(_plain({**made, **figures}), ensure_ascii=False) + "\n", encoding="utf-8")
    if markdown:
        path.with_suffix(".md").write_text(f"{_headline(made)}\n\n{markdown.strip()}\n", encoding="utf-8")
    return path


def read_results(name: str, folder: Path = RESULTS) -> dict[str, Any]:
    """Read what `store_results` wrote; DataError if it is not there."""
    path = folder / f"{name}.json"
    if not path.is_file():
        raise DataError(f"The stored results {name}.json are not in experiments/results; run the experiment again.")
    held: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return held


def _headline(made: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{package} {number}" for package, number in made["versions"].items())
    settings = ", ".join(f"{key} {value}" for key, value in made["settings"].items())
    return f"{made['date']}; {versions}; {settings}."


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(held) for held in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float):
        return round(value, DIGITS) if isfinite(value) else None
    return value
