"""Probabilities of a class: logistic regression whose L2 is chosen by cross-validated log loss on training rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, diags_array, issparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from experiments.sets.natarajan import Features
from multiloss_core.losses.calibration import stratified_folds
from multiloss_core.numerics.arrays import Bools, Floats, Indices

FOLDS = 5
# A word in fewer training documents tells nothing of others.
LEAST_DOCUMENTS = 3
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
    """The rule fitted on all training rows at the `strength` chosen, and probabilities of rows left out of the fit."""

    rule: LogisticRule
    strength: float
    out_of_fold: Floats


def prepared_features(features: Features, training: Indices, scaling: str) -> Features:
    """Scale by what the training rows say: "standardised", "as they are", or "text" (log-tf, idf, unit length)."""
    if scaling == "as they are":
        return features
    if scaling == "text":
        return _weighted_words(csr_array(features), training)
    dense = np.asarray(features, dtype=np.float64)
    spread = dense[training].std(axis=0)
    return np.asarray((dense - dense[training].mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def cross_fit(
    features: Features, labels: Bools, strengths: Sequence[float], generator: np.random.Generator
) -> CrossFit:
    """Choose the L2 strength of the least cross-validated log loss, C = 1 / L2 among `strengths`, and fit with it."""
    fold = stratified_folds(labels, FOLDS, generator)
    left_out = np.empty((len(strengths), labels.size))
    for part in range(FOLDS):
        rules = fit_logistic(features[fold != part], labels[fold != part], strengths)
        left_out[:, fold == part] = [rule(features[fold == part]) for rule in rules]
    best = int(np.argmin([log_loss(probabilities, labels) for probabilities in left_out]))
    (rule,) = fit_logistic(features, labels, strengths[best : best + 1])
    return CrossFit(rule, strengths[best], left_out[best])


def fit_logistic(features: Features, labels: Bools, strengths: Sequence[float]) -> list[LogisticRule]:
    """Fit one rule for each C = 1 / L2, the intercept unshrunk; rows of one kind alone give their constant."""
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


def _weighted_words(counts: csr_array, training: Indices) -> csr_array:
    documents = (counts[training] > 0).sum(axis=0)
    kept = np.flatnonzero(documents >= LEAST_DOCUMENTS)
    weighted = csr_array(counts[:, kept])
    weighted.data = 1.0 + np.log(weighted.data)
    weighted = weighted @ diags_array(np.log(len(training) / documents[kept]) + 1.0)
    lengths = np.sqrt(weighted.multiply(weighted).sum(axis=1))
    return csr_array(diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ weighted)
