"""Populations with two or more scores whose best combination is known."""

import numpy as np

from multiloss_core import RatedDocuments


def normal_scores(generator, count, shift, correlation=0.0, scores=2):
    root = np.linalg.cholesky((1 - correlation) * np.eye(scores) + correlation)
    return generator.standard_normal((count, scores)) @ root.T + shift


def rated(seed, *, positives=150, ratio=7, shift=2.0, correlation=0.0, scores=2, floor=1.5, names=None):
    """Draw documents whose log odds rise with the sum of the scores."""
    generator = np.random.default_rng(seed)
    table = np.vstack(
        [
            normal_scores(generator, 40 * positives, shift, correlation, scores)[:positives],
            normal_scores(generator, 8 * ratio * positives, 0.0, correlation, scores),
        ]
    )
    labels = np.arange(len(table)) < positives
    seen = (table >= floor).any(axis=1)
    return RatedDocuments(table[seen], labels[seen], floors=[floor] * scores, names=names)
