"""Find the folder with the data, and refuse a file that is not the one the experiments were made for."""

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools

VARIABLE = "MULTILOSS_DATA"
BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[3] / "shared/data"


@dataclass(frozen=True)
class DataFile:
    """A file below the folder of the data, and the SHA-256 of its bytes in hexadecimal digits."""

    path: str
    sha256: str


def data_folder() -> Path:
    """Find the folder of the data: the environment's MULTILOSS_DATA, else ../shared/data beside the checkout.

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
    """Return where a file is, once its bytes are known to be right; `folder` is `data_folder()` if left out.

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
    """Raise DataError unless `labels` (n,) or (n, classes) has this many rows and positives of each class."""
    found = tuple(int(count) for count in np.atleast_1d(labels.sum(axis=0)))
    if len(labels) != rows or found != positives:
        raise DataError(
            f"{name} has {len(labels):,} rows with {_listed(found)} positives, not {rows:,} with "
            f"{_listed(positives)}; put back the original file, as its SOURCE.txt describes it."
        )


def _listed(counts: tuple[int, ...]) -> str:
    return ", ".join(f"{count:,}" for count in counts)
