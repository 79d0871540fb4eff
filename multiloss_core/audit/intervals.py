"""Compute the distribution of all positives from a stratified sample."""

import numpy as np
from scipy.special import gammaincinv

from multiloss_core.audit.strata import sample_counts
from multiloss_core.numerics.arrays import Bools, Floats, Indices

LEVEL = 0.95
# The probabilities outside an interval, from below.
TAILS = (1 - LEVEL) / 2, (1 + LEVEL) / 2
DRAWS = 20_000
# Positives and negatives added to the counts, as in the interval of Jeffreys for one stratum.
ADDED = 0.5


def added_positives(sizes: Floats | Indices, blocked: Bools) -> Floats:
    """Divide half a positive (h,) over the strata below the floors; a blocked one has its own.

    Half a positive in each stratum would expect fraud in every large stratum without any. Shares follow the `sizes`
    (h,), so that fraud in a large stratum with few ratings stays in the interval. `blocked` (h,).
    """
    below = np.where(blocked, 0.0, sizes)
    shares = np.divide(below, below.sum(), out=np.zeros_like(below), where=below.sum() > 0)
    return np.where(blocked, ADDED, ADDED * shares)


def drawn_sizes(sizes: Indices, counted_from: int, generator: np.random.Generator, draws: int) -> Indices:
    """Draw sizes (draws, h) of strata that were counted in a random sample of all documents.

    The `counted_from` documents of the sample are known, and the strata of the others are Dirichlet-multinomial given
    its counts. Nothing is added to these: edges at quantiles of the sample make the shares between them a Dirichlet
    variable of the counts (Wilks 1962). A stratum without documents in the sample stays empty; the sum is that of
    `sizes` (h,). O(draws h).
    """
    counts = sample_counts(sizes, counted_from)
    shares = generator.gamma(counts, size=(draws, len(counts)))
    rest = max(int(sizes.sum() - counts.sum()), 0)
    return np.asarray(counts + generator.multinomial(rest, shares / shares.sum(axis=1, keepdims=True)), dtype=np.intp)


def total_positives(
    sizes: Indices,
    rated: Indices,
    positives: Floats | Indices,
    added: Floats,
    generator: np.random.Generator,
    draws: int,
) -> Floats:
    """Draw all positives (draws, h) of strata given the positives among the rated documents.

    Positives among the others of a stratum are beta-binomial with `added` (h,) positives and half a negative added to
    the counts, so that a stratum rated in full is known exactly. `sizes` (h,), or (draws, h) where they are drawn.
    O(draws h).
    """
    alpha, beta = positives + added, rated - positives + ADDED
    # A beta variable with alpha of 0 is 0.
    shares = np.where(alpha > 0, generator.beta(np.where(alpha > 0, alpha, 1.0), beta, (draws, len(rated))), 0.0)
    return np.asarray(positives + generator.binomial(sizes - rated, shares), dtype=np.float64)


def rough_recall_widths(
    weights: Floats, positives: Floats, added: Floats, caught: Floats, known_missed: float
) -> Floats:
    """Compute approximate widths (r,) of recall's interval for samples of positives (r, h).

    `weights` (h,) = N / n, `caught` () or (r,). The missed positives are a weighted sum of Poisson counts: gamma
    quantiles with its mean and variance (Fay and Feuer 1997). Used before there are ratings. O(r h).
    """
    counts = positives + added
    mean, variance = counts @ weights, counts @ np.square(weights)
    low, high = (known_missed + variance / mean * gammaincinv(mean**2 / variance, share) for share in TAILS)
    return np.asarray(caught / (caught + low) - caught / (caught + high))
