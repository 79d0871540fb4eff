"""Two detectors trained on each of the public tables of the folder `shared/data` beside the checkout."""

import gzip
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from multiloss_core.numerics import Bools, Floats

DATA = Path(__file__).resolve().parents[3] / "shared/data"
# Of the words of messages, so many of the commonest.
WORDS = 400


def available_detectors() -> list[str]:
    """Name those whose tables are there."""
    return [name for name, (folder, _) in _TABLES.items() if (DATA / folder).is_dir()]


@cache
def real_scores(name: str) -> tuple[Floats, Bools]:
    """Score a public table by two detectors (n, 2), out of fold and in log odds, with its labels (n,).

    One is a logistic regression on the even columns, the other a random forest on the odd ones.
    """
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.model_selection import cross_val_predict  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    folder, read = _TABLES[name]
    columns, labels = read(DATA / folder)
    detectors = (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        RandomForestClassifier(100, min_samples_leaf=3, random_state=0, n_jobs=1),
    )
    found = [
        cross_val_predict(detector, columns[:, j::2], labels, cv=5, method="predict_proba")[:, 1]
        for j, detector in enumerate(detectors)
    ]
    shares = np.clip(np.column_stack(found), 1e-4, 1 - 1e-4)
    return np.log(shares / (1 - shares)), labels


def _creditcard(folder: Path) -> tuple[Floats, Bools]:
    with np.load(folder / "creditcard_casecontrol.npz", allow_pickle=False) as file:
        return file["X"].astype(np.float64), file["y"] == 1


def _mammography(folder: Path) -> tuple[Floats, Bools]:
    table = pd.read_csv(folder / "mammography.csv.gz", header=None)
    return table.iloc[:, :-1].to_numpy(dtype=np.float64), table.iloc[:, -1].eq("'1'").to_numpy()


def _bank(folder: Path) -> tuple[Floats, Bools]:
    # The duration of a call is known after its outcome only.
    table = pd.read_csv(folder / "bank-additional-full.csv.gz", sep=";").drop(columns="duration")
    return pd.get_dummies(table.drop(columns="y")).to_numpy(dtype=np.float64), table["y"].eq("yes").to_numpy()


def _letter(folder: Path) -> tuple[Floats, Bools]:
    table = pd.read_csv(folder / "letter-recognition.data.gz", header=None)
    return table.iloc[:, 1:].to_numpy(dtype=np.float64), table[0].eq("H").to_numpy()


def _spam(folder: Path) -> tuple[Floats, Bools]:
    with gzip.open(folder / "spambase.arff.gz", "rt") as file:
        rows = [line for line in file if line[0].isdigit()]
    table = np.loadtxt(rows, delimiter=",")
    return table[:, :-1], table[:, -1] == 1


def _webpage(folder: Path) -> tuple[Floats, Bools]:
    with np.load(folder / "webpage_34780.npz", allow_pickle=False) as file:
        starts, columns = file["indptr"], file["indices"]
        table = np.zeros(tuple(file["shape"]))
        table[np.repeat(np.arange(len(table)), np.diff(starts)), columns] = 1.0
        return table, file["y"] == 1


def _breast_cancer(folder: Path) -> tuple[Floats, Bools]:
    table = pd.read_csv(folder / "breast-cancer-wisconsin.data", header=None, na_values="?").dropna()
    return table.iloc[:, 1:-1].to_numpy(dtype=np.float64), table.iloc[:, -1].eq(4).to_numpy()


def _segment(folder: Path) -> tuple[Floats, Bools]:
    with gzip.open(folder / "segment.arff.gz", "rt") as file:
        rows = [line.strip().split(",") for line in file if line[:1].isdigit()]
    table = pd.DataFrame(rows).drop_duplicates()
    return table.iloc[:, :-1].to_numpy(dtype=np.float64), table.iloc[:, -1].eq("cement").to_numpy()


def _scene(folder: Path) -> tuple[Floats, Bools]:
    rows = []
    for part in ("train", "test"):
        with gzip.open(folder / f"scene-{part}.arff.gz", "rt") as file:
            rows += [line for line in file if line[:1].isdigit()]
    table = np.loadtxt(rows, delimiter=",")
    # The last six columns are kinds of scenes: the first are beaches.
    return table[:, :-6], table[:, -6] == 1


def _reuters(folder: Path) -> tuple[Floats, Bools]:
    with np.load(folder / "reuters_modapte_single_tf.npz", allow_pickle=False) as file:
        counts = csr_array((file["data"], file["indices"], file["indptr"]), shape=tuple(file["shape"]))
        commonest = np.argsort(-np.diff(counts.tocsc().indptr), kind="stable")[:WORDS]
        topics = file["topics"][file["y"]]
    return np.log1p(counts[:, commonest].toarray().astype(np.float64)), topics == "crude"


# The folder and how its table is read.
_TABLES: dict[str, tuple[str, Callable[[Path], tuple[Floats, Bools]]]] = {
    "card_detectors": ("creditcard_casecontrol", _creditcard),
    "mammography_detectors": ("mammography", _mammography),
    "bank_detectors": ("bank_marketing", _bank),
    "letter_detectors": ("letter", _letter),
    "spam_detectors": ("spambase", _spam),
    "webpage_detectors": ("webpage_w8a", _webpage),
    "tumour_detectors": ("breast_cancer", _breast_cancer),
    "image_detectors": ("image_segment", _segment),
    "scene_detectors": ("scene", _scene),
    "news_detectors": ("reuters", _reuters),
}
