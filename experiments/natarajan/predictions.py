"""Predict the test items of one class by every method of the tables."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, hstack, issparse
from scipy.special import expit
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from experiments.natarajan.data import METHODS, TABLE_LOSSES, Features
from experiments.natarajan.structured_svm import StructuredSvm, fit_structured_svm
from multiloss_core import expected_losses
from multiloss_core.losses import Loss, best_k, fit_isotonic, fit_platt, observed_loss, random_half, tuned_threshold
from multiloss_core.losses.calibration import stratified_folds
from multiloss_core.numerics.arrays import Bools, Floats, Indices

FOLDS = 5
# Words in fewer training documents are left out.
MIN_DOCUMENTS = 3
CLOSEST = 1e-12


@dataclass(frozen=True, eq=False)
class LogisticRule:
    """P(positive | x) = 1 / (1 + exp(-(w x + b)))."""

    weights: Floats
    intercept: float

    def __call__(self, features: Features) -> Floats:
        """Compute the probability of each row (n, d)."""
        return np.asarray(expit(features @ self.weights + self.intercept), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class CrossFit:
    """The rule fitted on all training rows at `strength`, and out-of-fold probabilities."""

    rule: LogisticRule
    strength: float
    out_of_fold: Floats


def prepared_features(features: Features, training: Indices, scaling: str) -> Features:
    """Scale by training rows: "standardised", "as they are" or "text" (log-tf, idf, length 1)."""
    if scaling == "as they are":
        return features
    if scaling == "text":
        counts = csr_array(features)
        kept = np.flatnonzero((counts[training] > 0).sum(axis=0) >= MIN_DOCUMENTS)
        weighting = TfidfTransformer(sublinear_tf=True, smooth_idf=False).fit(counts[training][:, kept])
        return csr_array(weighting.transform(counts[:, kept]))
    return np.asarray(StandardScaler().fit(np.asarray(features)[training]).transform(features), dtype=np.float64)


def cross_fit(
    features: Features, labels: Bools, strengths: Sequence[float], generator: np.random.Generator
) -> CrossFit:
    """Choose C = 1 / L2 with the least cross-validated log loss, and fit with it."""
    fold = stratified_folds(labels, FOLDS, generator)
    left_out = np.empty((len(strengths), labels.size))
    for part in range(FOLDS):
        rules = fit_logistic(features[fold != part], labels[fold != part], strengths)
        left_out[:, fold == part] = [rule(features[fold == part]) for rule in rules]
    best = int(np.argmin([log_loss(probabilities, labels) for probabilities in left_out]))
    (rule,) = fit_logistic(features, labels, strengths[best : best + 1])
    return CrossFit(rule, strengths[best], left_out[best])


def fit_logistic(features: Features, labels: Bools, strengths: Sequence[float]) -> list[LogisticRule]:
    """Fit one rule for each C = 1 / L2, intercept unshrunk; a constant for one class alone."""
    if labels.all() or not labels.any():
        constant = np.inf if labels.all() else -np.inf
        return [LogisticRule(np.zeros(features.shape[1]), constant)] * len(strengths)
    solver = "lbfgs" if issparse(features) else "newton-cholesky"
    model = LogisticRegression(solver=solver, max_iter=2000, warm_start=True)
    rules = []
    for strength in strengths:
        model.set_params(C=strength).fit(features, labels)
        rules.append(LogisticRule(model.coef_[0].copy(), float(model.intercept_[0])))
    return rules


def log_loss(probabilities: Floats, labels: Bools) -> float:
    """Compute the mean of -log of the probability of what was observed."""
    of_observed = np.where(labels, probabilities, 1.0 - probabilities)
    return float(-np.log(np.clip(of_observed, CLOSEST, None)).mean())


HALF = 0.5


@dataclass(frozen=True, eq=False)
class OneClass:
    """Training and test rows of one class: features (n, d), scaled, and labels (n,) bool."""

    train: Features
    train_labels: Bools
    test: Features
    test_labels: Bools


@dataclass(frozen=True, eq=False)
class RankingCuts:
    """All cuts of the ranking by logistic regression.

    `flagged` (losses, methods, n): what each method of `METHODS` flags, nothing yet for S-SVM; `best` (losses, n): the
    cut of least test loss, found with the test labels; `floors` (losses,): its loss, and `floors_of_strengths`
    (losses,): the least such loss at any of the L2 strengths; `strength`: the C chosen; `probabilities` (n,).
    """

    flagged: Bools
    best: Bools
    floors: Floats
    floors_of_strengths: Floats
    strength: float
    probabilities: Floats


def cuts_of_ranking(one: OneClass, strengths: Sequence[float], generator: np.random.Generator) -> RankingCuts:
    """Fit probabilities on the training rows and cut the test items by all methods but S-SVM."""
    fitted = cross_fit(one.train, one.train_labels, strengths, generator)
    probabilities = fitted.rule(one.test)
    isotonic, platt = (
        fit(fitted.out_of_fold, one.train_labels).apply(probabilities) for fit in (fit_isotonic, fit_platt)
    )
    tuned = [_tuned_on_half(one, fitted, generator), _tuned_out_of_fold(one, fitted, probabilities)]
    flagged = np.zeros((len(TABLE_LOSSES), len(METHODS), probabilities.size), dtype=bool)
    best = np.zeros((len(TABLE_LOSSES), probabilities.size), dtype=bool)
    for at, loss in enumerate(TABLE_LOSSES):
        by_method = {
            "Proposed": flag_top_k(probabilities, probabilities, loss),
            "Baseline": probabilities >= HALF,
            "Tuning": tuned[0][at],
            "Proposed, isotonic": flag_top_k(isotonic, probabilities, loss),
            "Proposed, Platt": flag_top_k(platt, probabilities, loss),
            "Tuning, out of fold": tuned[1][at],
        }
        for method, chosen in by_method.items():
            flagged[at, METHODS.index(method)] = chosen
        best[at] = probabilities >= tuned_threshold(probabilities, one.test_labels, loss).threshold
    rankings = [probabilities]
    # For a floor that does not hang on the strength chosen.
    if not issparse(one.train) or one.train.shape[1] < one.train.shape[0]:
        rankings += [rule(one.test) for rule in fit_logistic(one.train, one.train_labels, strengths)]
    floors = np.array(
        [[tuned_threshold(p, one.test_labels, loss).observed_loss for p in rankings] for loss in TABLE_LOSSES]
    )
    return RankingCuts(flagged, best, floors[:, 0], floors.min(axis=1), fitted.strength, probabilities)


def flag_top_k(probabilities: Floats, ranking: Floats, loss: Loss) -> Bools:
    """Flag the k >= 1 items of least expected loss, as Algorithm 1 of the paper does.

    Items that calibration made equal are taken in the order of `ranking`.
    """
    k = best_k(expected_losses(probabilities, loss).values, at_least=1)
    flagged = np.zeros(probabilities.size, dtype=bool)
    flagged[np.lexsort((-ranking, -probabilities))[:k]] = True
    return flagged


def _tuned_on_half(one: OneClass, fitted: CrossFit, generator: np.random.Generator) -> list[Bools]:
    half = random_half(one.train_labels.size, generator)
    (rule,) = fit_logistic(one.train[half], one.train_labels[half], [fitted.strength])
    tuning, labels, test = rule(one.train[~half]), one.train_labels[~half], rule(one.test)
    return [test >= tuned_threshold(tuning, labels, loss).threshold for loss in TABLE_LOSSES]


def _tuned_out_of_fold(one: OneClass, fitted: CrossFit, probabilities: Floats) -> list[Bools]:
    thresholds = [tuned_threshold(fitted.out_of_fold, one.train_labels, loss).threshold for loss in TABLE_LOSSES]
    return [probabilities >= threshold for threshold in thresholds]


def svm_losses_held_out(one: OneClass, strengths: Sequence[float], generator: np.random.Generator) -> Floats:
    """Compute losses (losses, strengths) of SVMs on a held-out third of the training rows."""
    held_out = stratified_folds(one.train_labels, 3, generator) == 0
    apart = OneClass(one.train[~held_out], one.train_labels[~held_out], one.train[held_out], one.train_labels[held_out])
    return np.array(
        [
            [observed_loss(flagged_by_svm(apart, loss, strength)[0], apart.test_labels, loss) for strength in strengths]
            for loss in TABLE_LOSSES
        ]
    )


def flagged_by_svm(one: OneClass, loss: Loss, strength: float) -> tuple[Bools, StructuredSvm]:
    """Flag test items by a structured SVM with an intercept, fitted on all training rows."""
    fitted = fit_structured_svm(with_constant(one.train), one.train_labels, loss, strength=strength)
    return np.asarray(with_constant(one.test) @ fitted.weights > 0.0), fitted


def with_constant(features: Features) -> Features:
    """Append a column of ones."""
    ones = np.ones((features.shape[0], 1))
    if isinstance(features, np.ndarray):
        return np.hstack([features, ones])
    return csr_array(hstack([features, csr_array(ones)]))
