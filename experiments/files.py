"""Check data files, write and read stored results, and write Markdown tables."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from platform import python_version
from typing import Any

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools

VARIABLE = "MULTILOSS_DATA"
BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[2] / "shared/data"


@dataclass(frozen=True)
class DataFile:
    """A file below the folder of the data, and the SHA-256 of its bytes in hexadecimal digits."""

    path: str
    sha256: str


def data_folder() -> Path:
    """Find the data folder: MULTILOSS_DATA, else ../shared/data beside the checkout.

    Raises DataError if there is no such folder.
    """
    folder = Path(os.environ.get(VARIABLE) or BESIDE_THE_CHECKOUT)
    if not folder.is_dir():
        raise DataError(
            f"The folder with the experiments' data, {folder}, is not there; set the environment variable {VARIABLE} "
            "to the folder that holds breast_cancer/, spambase/ and the others."
        )
    return folder


def checked_file(file: DataFile, folder: Path | None = None) -> Path:
    """Check the SHA-256 of a file and return its path; `folder`: by default `data_folder()`.

    Raises DataError if it is missing or another.
    """
    path = (data_folder() if folder is None else folder) / file.path
    if not path.is_file():
        raise DataError(
            f"The file {file.path} is not in {path.parents[len(Path(file.path).parts) - 1]}; put it there, or set "
            f"{VARIABLE} to the folder that holds it."
        )
    if sha256(path.read_bytes()).hexdigest() != file.sha256:
        raise DataError(
            f"The file {file.path} is not the one the experiments were made for (its SHA-256 differs); put the "
            "original back, as its SOURCE.txt describes it."
        )
    return path


def require_counts(name: str, labels: Bools, *, rows: int, positives: tuple[int, ...]) -> None:
    """Raise DataError unless `labels` (n,) or (n, classes) has these rows and positives."""
    found = tuple(int(count) for count in np.atleast_1d(labels.sum(axis=0)))
    if len(labels) != rows or found != positives:
        raise DataError(
            f"{name} has {len(labels):,} rows with {_listed(found)} positives, not {rows:,} with "
            f"{_listed(positives)}; put back the original file, as its SOURCE.txt describes it."
        )


def _listed(counts: tuple[int, ...]) -> str:
    return ", ".join(f"{count:,}" for count in counts)


RESULTS = Path(__file__).resolve().parent / "results"
PACKAGES = ("numpy", "scipy", "scikit-learn", "dlib-bin")
DIGITS = 6


def store_results(
    name: str, figures: Mapping[str, Any], settings: Mapping[str, Any], markdown: str = "", folder: Path = RESULTS
) -> Path:
    """Write `figures` and the setup as name.json, and `markdown` as name.md.

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


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table in Markdown."""
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in (header, ["---"] * len(header), *rows))
