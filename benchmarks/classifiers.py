"""Compare F1 of `TopKClassifier` with that of one tuned threshold; print Markdown.

Run: python -m benchmarks.classifiers [splits]
Tables that come with scikit-learn and simulated ones, each half to fit and half to score, with three classifiers.
Difference: F1 of `TopKClassifier`, as it is and without calibration, minus that of `TunedThresholdClassifierCV`, in
points, with the standard error of its mean over splits. Seeds are fixed.
"""

import sys
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedShuffleSplit, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.reporting import print_setup, print_table
from multiloss_core import TopKClassifier

SPLITS = 10
MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=0.1)),
    "naive Bayes": GaussianNB(),
    "forest": RandomForestClassifier(60, min_samples_leaf=2, random_state=0, n_jobs=1),
}


def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Make features and labels of 0 and 1 by name."""
    digits, cancer = load_digits(), load_breast_cancer()
    rare = {"weights": [0.97], "flip_y": 0.02, "class_sep": 0.7, "random_state": 1}
    noisy = {"weights": [0.9], "flip_y": 0.1, "class_sep": 0.7, "random_state": 2}
    return {
        "digit 8": (digits.data, (digits.target == 8).astype(int)),
        "digit 3, a quarter of the pixels": (digits.data[:, ::4], (digits.target == 3).astype(int)),
        "breast cancer, four features": (cancer.data[:, :4], 1 - cancer.target),
        "simulated, 3 %": make_classification(6_000, **rare),
        "simulated, 10 %, noisy": make_classification(3_000, **noisy),
    }


def main() -> None:
    splits = int(sys.argv[1]) if len(sys.argv) > 1 else SPLITS
    # Some digits have constant pixels.
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    print_setup("F1 of top k beside one tuned threshold", ["scikit-learn", "numpy"], f". {splits} splits.")
    rows = []
    for name, (features, labels) in tables().items():
        for model, estimator in MODELS.items():
            compared = [
                TopKClassifier(estimator),
                TopKClassifier(estimator, calibrate=None),
                TunedThresholdClassifierCV(estimator, scoring="f1", random_state=0),
            ]
            found = np.array(
                [
                    [
                        100 * f1_score(labels[test], one.fit(features[train], labels[train]).predict(features[test]))
                        for one in compared
                    ]
                    for train, test in StratifiedShuffleSplit(splits, test_size=0.5, random_state=0).split(
                        features, labels
                    )
                ]
            )
            gains = found[:, :2] - found[:, 2:]
            errors = gains.std(axis=0) / np.sqrt(splits)
            cells = [f"{mean:+.2f} ± {error:.2f}" for mean, error in zip(gains.mean(axis=0), errors, strict=True)]
            rows.append((name, model, str(labels.sum() // 2), f"{found[:, 2].mean():.1f}", *cells))
    print_table(
        "Points of F1 above one tuned threshold",
        ("table", "classifier", "positives to fit", "F1 of one threshold", "top k", "top k, not calibrated"),
        rows,
    )


if __name__ == "__main__":
    main()
