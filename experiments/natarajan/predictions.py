"""What every method flags among the test items of one class, under every loss of the tables."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, hstack, issparse

from experiments.natarajan.probabilities import CrossFit, cross_fit, fit_logistic
from experiments.natarajan.table_rows import METHODS, TABLE_LOSSES
from experiments.sets.natarajan import Features
from experiments.structured_svm import StructuredSvm, fit_structured_svm
from multiloss_core import expected_losses
from multiloss_core.losses import Loss, best_k, fit_isotonic, fit_platt, observed_loss, random_half, tuned_threshold
from multiloss_core.losses.calibration import stratified_folds
from multiloss_core.numerics.arrays import Bools, Floats

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
    """Fit the probabilities of a class on its training rows and cut the test items by every method but the S-SVM."""
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
    """Flag the k >= 1 items of least expected loss, as Algorithm 1 of the paper does, which begins at k = 1.

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
    """Compute the losses (losses, strengths) on a held-out third of the training rows of SVMs fitted on the others."""
    held_out = stratified_folds(one.train_labels, 3, generator) == 0
    apart = OneClass(one.train[~held_out], one.train_labels[~held_out], one.train[held_out], one.train_labels[held_out])
    return np.array(
        [
            [observed_loss(flagged_by_svm(apart, loss, strength)[0], apart.test_labels, loss) for strength in strengths]
            for loss in TABLE_LOSSES
        ]
    )


def flagged_by_svm(one: OneClass, loss: Loss, strength: float) -> tuple[Bools, StructuredSvm]:
    """Flag the test items by a structured SVM with a constant feature, fitted on all training rows."""
    fitted = fit_structured_svm(with_constant(one.train), one.train_labels, loss, strength=strength)
    return np.asarray(with_constant(one.test) @ fitted.weights > 0.0), fitted


def with_constant(features: Features) -> Features:
    """Append a column of ones."""
    ones = np.ones((features.shape[0], 1))
    if isinstance(features, np.ndarray):
        return np.hstack([features, ones])
    return csr_array(hstack([features, csr_array(ones)]))
