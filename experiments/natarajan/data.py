"""Load the sets of Natarajan et al. 2016, Tables 2 and 3; define rows and recipes."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from experiments.files import DataFile, checked_file, require_counts
from multiloss_core import LOSSES
from multiloss_core.losses import Loss
from multiloss_core.numerics.arrays import Bools, Floats

TABLE_LOSSES: tuple[Loss, ...] = tuple(LOSSES[name] for name in ("F1", "Jaccard", "AM", "G-TP/PR"))
PRINTED_METHODS = ("Proposed", "Baseline", "Tuning", "S-SVM")
ADDED_METHODS = ("Proposed, isotonic", "Proposed, Platt", "Tuning, out of fold")
METHODS = (*PRINTED_METHODS, *ADDED_METHODS)
# What cuts the ranking of the logistic regression, and so cannot go below its best cut.
CUTS_OF_ONE_RANKING = ("Proposed", "Baseline", "Tuning")


@dataclass(frozen=True)
class Recipe:
    """Settings of a set: `name` as printed.

    `svm_strengths`: the values of C of the structured SVM tried on a held-out third; `strengths`: those of C = 1 / L2
    tried by cross-validation; `scaling`: "standardised", "as they are" or "text"; `same_features`: whether these are
    the paper's, as far as known.
    """

    name: str
    svm_strengths: tuple[float, ...]
    strengths: tuple[float, ...] = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)
    scaling: str = "standardised"
    same_features: bool = True


_DECADES = (1e1, 1e2, 1e3, 1e4)
RECIPES: MappingProxyType[str, Recipe] = MappingProxyType(
    {
        "reuters": Recipe("REUTERS", (1e4, 1e6, 1e8), (1.0, 10.0, 100.0, 1000.0), "text", same_features=False),
        "letters": Recipe("LETTERS", (1e2, 1e3, 1e4)),
        "scene": Recipe("SCENE", (1e1, 1e2, 1e3)),
        "webpage": Recipe("WEB PAGE", (1e2, 1e3, 1e4, 1e5), (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0), "as they are"),
        "spambase": Recipe("SPAMBASE", _DECADES),
        "image": Recipe("IMAGE", _DECADES, same_features=False),
        "breast": Recipe("BREAST CANCER", _DECADES),
    }
)


@dataclass(frozen=True)
class TableRow:
    """One printed row: key of its set in `RECIPES`, minimum positives of a class."""

    key: str
    least: int = 1

    @property
    def name(self) -> str:
        """The row's name as on the screen."""
        name = RECIPES[self.key].name
        return f"{name}, T = {self.least}" if self.key == "reuters" else name


TABLE_ROWS = (
    *(TableRow("reuters", least) for least in (1, 10, 50, 100)),
    *(TableRow(key) for key in ("letters", "scene", "webpage", "spambase", "image", "breast")),
)


Features = Floats | csr_array

BREAST_FILE = DataFile(
    "breast_cancer/breast-cancer-wisconsin.data", "402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64"
)
SPAMBASE_FILE = DataFile(
    "spambase/spambase.arff.gz", "c4451b4633c73791cb27632ebbd94b9d62531332fd8a1d2e802ad4b237d6a3ba"
)
IMAGE_FILE = DataFile(
    "image_segment/segment.arff.gz", "e2392690f8acf3c9ec84f0967aeed927342a5cff0eb61de9859be4a0a492499d"
)
WEB_PAGE_FILE = DataFile(
    "webpage_w8a/webpage_34780.npz", "e10d52b6e0f362e8e9c3468f8e644cb0996da41b7f1f33dbd67d9a3a6ada1252"
)
LETTER_FILE = DataFile(
    "letter/letter-recognition.data.gz", "727e9a5fa1cd942b5df985f3ebf1fca0c3be4137c057613c475d004b51e7165e"
)
SCENE_TRAIN_FILE = DataFile(
    "scene/scene-train.arff.gz", "b95b8cb382db2dd6a9161b7030c229ea8582921b48c68317d062435235b3472c"
)
SCENE_TEST_FILE = DataFile(
    "scene/scene-test.arff.gz", "833905e318ac1bd51507f3e452cc57d76e896eb5f9e2a8d4a6008694fd85fd46"
)
REUTERS_FILE = DataFile(
    "reuters/reuters_modapte_single_tf.npz", "2392688a0e6f3eb688e0c277088f3bce6ad93e0b8b0bc500ac9ee54d03332f6d"
)

SCENE_CLASSES = ("Beach", "Sunset", "FallFoliage", "Field", "Mountain", "Urban")
# The positive side of IDA's two-class labels; it fits the printed figures too.
IMAGE_POSITIVE = ("brickface", "foliage", "path", "sky")
ONLY_CONSTANT_COLUMN_OF_IMAGE = 2
LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
POSITIVES_OF_LETTERS = (
    *(789, 766, 736, 805, 768, 775, 773, 734, 755, 747, 739, 761, 792),
    *(783, 753, 803, 783, 758, 748, 796, 813, 764, 752, 787, 786, 734),
)


@dataclass(frozen=True, eq=False)
class BinaryProblems:
    """A set of n items with one yes-or-no question for each of m classes.

    `features` (n, d), dense or sparse, as in the file; `labels` (n, m) bool; `is_test` (n,) bool where the split is
    published, else None, and then `training_rows` of the n are drawn at random.
    """

    name: str
    features: Features
    labels: Bools
    classes: tuple[str, ...]
    is_test: Bools | None
    training_rows: int


def breast_cancer(folder: Path | None = None) -> BinaryProblems:
    """Load BREAST CANCER: the 683 complete rows, 9 grades from 1 to 10; malignant is positive."""
    rows = np.genfromtxt(checked_file(BREAST_FILE, folder), delimiter=",", missing_values="?", filling_values=np.nan)
    complete = rows[~np.isnan(rows).any(axis=1)]
    labels = (complete[:, -1:] == 4).astype(bool)
    require_counts("BREAST CANCER", labels, rows=683, positives=(239,))
    return BinaryProblems("BREAST CANCER", complete[:, 1:-1], labels, ("malignant",), None, 463)


def spambase(folder: Path | None = None) -> BinaryProblems:
    """Load SPAMBASE: 4,601 messages, 57 frequencies; spam is positive (39 %), to fit the paper."""
    rows = np.array(_arff_rows(checked_file(SPAMBASE_FILE, folder)), dtype=np.float64)
    labels = rows[:, -1:] == 1
    require_counts("SPAMBASE", labels, rows=4601, positives=(1813,))
    return BinaryProblems("SPAMBASE", rows[:, :-1], labels, ("spam",), None, 3071)


def image(folder: Path | None = None) -> BinaryProblems:
    """Load IMAGE: 2,310 segments, 18 measures; those of `IMAGE_POSITIVE` are positive (57 %)."""
    rows = _arff_rows(checked_file(IMAGE_FILE, folder))
    measures = np.delete(np.array([row[:-1] for row in rows], float), ONLY_CONSTANT_COLUMN_OF_IMAGE, axis=1)
    labels = np.array([[row[-1] in IMAGE_POSITIVE] for row in rows])
    require_counts("IMAGE", labels, rows=2310, positives=(1320,))
    return BinaryProblems("IMAGE", measures, labels, (" / ".join(IMAGE_POSITIVE),), None, 1300)


def web_page(folder: Path | None = None) -> BinaryProblems:
    """Load WEB PAGE: the 34,780 distinct rows of w8a, 300 words that occur or not."""
    with np.load(checked_file(WEB_PAGE_FILE, folder)) as held:
        features = csr_array((np.ones(held["indices"].size), held["indices"], held["indptr"]), shape=held["shape"])
        labels = held["y"][:, None] == 1
    require_counts("WEB PAGE", labels, rows=34780, positives=(981,))
    return BinaryProblems("WEB PAGE", features, labels, ("positive",), None, 6956)


def letters(folder: Path | None = None) -> BinaryProblems:
    """Load LETTERS: 20,000 letters, 16 measures; the first 16,000 train, 26 classes."""
    with gzip.open(checked_file(LETTER_FILE, folder), "rt", encoding="ascii") as file:
        rows = [line.strip().split(",") for line in file]
    read = np.array([row[0] for row in rows])
    labels = read[:, None] == np.array(LETTERS)
    require_counts("LETTERS", labels, rows=20000, positives=POSITIVES_OF_LETTERS)
    measures = np.array([row[1:] for row in rows], dtype=np.float64)
    return BinaryProblems("LETTERS", measures, labels, LETTERS, np.arange(len(rows)) >= 16000, 16000)


def scene(folder: Path | None = None) -> BinaryProblems:
    """Load SCENE: images with one label, 294 colour measures, published split, 6 classes."""
    parts = [
        np.array(_arff_rows(checked_file(file, folder)), dtype=np.float64)
        for file in (SCENE_TRAIN_FILE, SCENE_TEST_FILE)
    ]
    rows = np.concatenate(parts)
    is_test = np.arange(len(rows)) >= len(parts[0])
    single = rows[:, -len(SCENE_CLASSES) :].sum(axis=1) == 1
    rows, is_test = rows[single], is_test[single]
    labels = rows[:, -len(SCENE_CLASSES) :] == 1
    require_counts("SCENE", labels, rows=2230, positives=(369, 364, 360, 327, 405, 405))
    require_counts("SCENE, test rows", is_test, rows=2230, positives=(1093,))
    return BinaryProblems("SCENE", rows[:, : -len(SCENE_CLASSES)], labels, SCENE_CLASSES, is_test, 1137)


def reuters(folder: Path | None = None) -> BinaryProblems:
    """Load REUTERS: 8,293 documents of 65 topics, 26,221 word counts, published split."""
    with np.load(checked_file(REUTERS_FILE, folder)) as held:
        parts = held["data"].astype(np.float64), held["indices"], held["indptr"]
        features = csr_array(parts, shape=held["shape"])
        labels = held["y"][:, None] == np.arange(held["topics"].size)
        topics, is_test = tuple(map(str, held["topics"])), held["is_test"].astype(bool)
    require_counts("REUTERS", labels.any(axis=1), rows=8293, positives=(8293,))
    require_counts("REUTERS, test rows", is_test, rows=8293, positives=(2347,))
    return BinaryProblems("REUTERS", features, labels, topics, is_test, 5946)


NATARAJAN_SETS: MappingProxyType[str, Callable[..., BinaryProblems]] = MappingProxyType(
    {
        "reuters": reuters,
        "letters": letters,
        "scene": scene,
        "webpage": web_page,
        "spambase": spambase,
        "image": image,
        "breast": breast_cancer,
    }
)


def topics_with(problems: BinaryProblems, least: int) -> NDArray[np.intp]:
    """Find classes with at least `least` positives in both parts of a published split."""
    if problems.is_test is None:
        return np.arange(len(problems.classes))
    enough = [problems.labels[rows].sum(axis=0) >= least for rows in (problems.is_test, ~problems.is_test)]
    return np.flatnonzero(enough[0] & enough[1])


def _arff_rows(file: Path) -> list[list[str]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip().lower() == "@data":
                break
        return [line.strip().split(",") for line in lines if line.strip()]
