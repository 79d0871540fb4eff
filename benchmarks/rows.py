"""Compare mean F1 of a row by top k with that of one tuned threshold; print Markdown.

Run: python -m benchmarks.rows [splits]
Tables that come with scikit-learn or lie in `shared/data`, with one label in each row or several that go together, and
simulated ones. Half of the rows is fitted by logistic regressions, the other half scored. The threshold has the best
mean F1 on cross-validated probabilities. Differences from it are means over splits. Seeds are fixed.
"""

import gzip
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, make_multilabel_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.batches import best_threshold, row_f1
from benchmarks.reporting import print_setup, print_table
from multiloss_core import TopKClassifier
from multiloss_core.numerics import Bools, Floats

SPLITS, LETTERS = 4, 6_000
DATA = Path(__file__).parents[2] / "shared/data"
PROPERTIES = ([0, 6, 8, 9], [8], [0, 2, 4, 6, 8], [2, 3, 5, 7], [0, 2, 3, 5, 6, 8, 9], [6, 9], [1, 4, 7])
SPARSE = ([8], [6, 8], [2, 3], [2, 8], [3])
OF_LETTERS = ([0, 4, 8, 14, 20], [1, 3, 14, 15, 16, 17], [0, 1, 2, 3, 4], [21, 22, 23, 24, 25], [8, 9, 11, 19])
MODEL = make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=300))


def tables() -> dict[str, tuple[Floats, Bools]]:
    """Make features (n, d) and labels (n, L) by name."""
    pixels, digits = load_digits(return_X_y=True)
    found = {
        "digits": (pixels, np.eye(10, dtype=bool)[digits]),
        "properties of digits": (pixels, _members(digits, PROPERTIES)),
        "rare properties of digits": (pixels, _members(digits, SPARSE)),
    }
    for labels, can_be_empty in ((6, False), (6, True), (12, True)):
        features, known = make_multilabel_classification(
            3_000, 30, n_classes=labels, n_labels=2, allow_unlabeled=can_be_empty, random_state=labels + can_be_empty
        )
        found[f"simulated, {labels} labels{', some rows empty' if can_be_empty else ''}"] = features, known == 1
    if (DATA / "scene").is_dir():
        lines = [line for part in ("train", "test") for line in _lines(DATA / f"scene/scene-{part}.arff.gz")]
        scenes = np.array([line.split(",") for line in lines if line and line[0] not in "@%"], dtype=np.float64)
        found["scene"] = scenes[:, :294:2], scenes[:, 294:] > 0
    if (DATA / "letter").is_dir():
        rows = [line.split(",") for line in _lines(DATA / "letter/letter-recognition.data.gz")[:LETTERS]]
        letters = np.array([ord(row[0]) - ord("A") for row in rows])
        shapes = np.array([row[1:] for row in rows], dtype=np.float64)
        found["letters"] = shapes, np.eye(26, dtype=bool)[letters]
        found["properties of letters"] = shapes, _members(letters, OF_LETTERS)
    return found


def main() -> None:
    splits = int(sys.argv[1]) if len(sys.argv) > 1 else SPLITS
    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    # Some digits have constant pixels.
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    print_setup("F1 of rows with dependent labels", ["scikit-learn", "numpy"], f". {splits} splits.")
    rows, means = [], []
    for name, (features, labels) in tables().items():
        found = np.array([_scores(features, labels, split) for split in range(splits)])
        gains = found[:, 1:] - found[:, :1]
        means.append(gains.mean(axis=0))
        errors = gains.std(axis=0) / np.sqrt(splits)
        cells = [f"{mean:+.3f} ± {error:.3f}" for mean, error in zip(means[-1], errors, strict=True)]
        empty = f"{1 - labels.any(axis=1).mean():.0%}"
        rows.append((name, str(labels.shape[1]), empty, f"{found[:, 0].mean():.3f}", *cells))
    rows.append(("mean", "", "", "", *(f"{mean:+.3f}" for mean in np.mean(means, axis=0))))
    print_table(
        "Mean F1 of a row above one tuned threshold",
        ("table", "labels", "empty rows", "F1 of one threshold", "top k", "top k of independent labels"),
        rows,
    )


def _scores(features: Floats, labels: Bools, split: int) -> list[float]:
    fitted, left, known, truth = train_test_split(features, labels, test_size=0.5, random_state=split)
    held_out = np.column_stack(
        [cross_val_predict(MODEL, fitted, column.astype(int), method="predict_proba", cv=3)[:, 1] for column in known.T]
    )
    scores = []
    for empty_rows in (True, False):
        classifier = TopKClassifier(MODEL, per="row", empty_rows=empty_rows).fit(fitted, known.astype(int))
        scores.append(float(row_f1(classifier.predict(left) == 1, truth).mean()))
    plain = TopKClassifier(MODEL, per="row", calibrate=None).fit(fitted, known.astype(int)).predict_proba(left)
    return [float(row_f1(plain >= best_threshold(held_out, known), truth).mean()), *scores]


def _members(values: np.ndarray, sets: tuple[list[int], ...]) -> Bools:
    return np.column_stack([np.isin(values, members) for members in sets])


def _lines(file: Path) -> list[str]:
    with gzip.open(file, "rt", encoding="utf-8") as text:
        return [line.strip() for line in text]


if __name__ == "__main__":
    main()
