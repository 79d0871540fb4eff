"""Samples of rated documents as they come: plain, rated in part by score or at random, several of one customer."""

from collections.abc import Callable

import numpy as np

from benchmarks.shared.populations import RatedPopulation, sample_of_size
from multiloss_core import RatedDocuments
from multiloss_core.numerics import Floats

LARGEST_WEIGHT = 20.0
# Of all documents, the share that is rated whole, and the share above which all others lie at the largest weight.
WHOLE, HALF = 0.03, 0.5
ALERTS_OF_A_CUSTOMER = 5
REFERENCE = 200_000

Form = Callable[[RatedPopulation, int, int], RatedDocuments]


def plain(source: RatedPopulation, positives: int, seed: int) -> RatedDocuments:
    """Draw about so many rated positives."""
    return sample_of_size(source, round(positives / source.share_positive), seed)


def weighted_by_score(source: RatedPopulation, positives: int, seed: int) -> RatedDocuments:
    """Rate all documents with a score among the highest, and the fewer the lower the scores: weights 1 to 20."""
    weigh = _weights_by_score(source)
    kept = float((1 / weigh(source.positives)).mean())
    documents = sample_of_size(source, round(positives / kept / source.share_positive), seed)
    weights = weigh(documents.scores)
    rated = np.random.default_rng([seed, 2]).random(len(weights)) < 1 / weights
    return _part(documents, rated, weights)


def weighted_at_random(source: RatedPopulation, positives: int, seed: int) -> RatedDocuments:
    """Give documents weights from 1 to 20 that have nothing to do with their scores."""
    documents = plain(source, positives, seed)
    exponents = np.random.default_rng([seed, 3]).uniform(0.0, 1.0, len(documents.labels))
    return _part(documents, np.ones(len(exponents), dtype=bool), LARGEST_WEIGHT**exponents)


def by_customer(source: RatedPopulation, positives: int, seed: int) -> RatedDocuments:
    """Draw customers of about five alerts each, all of one rating and of the same scores."""
    customers = round(positives / source.share_positive / ALERTS_OF_A_CUSTOMER)
    first = sample_of_size(source, customers, seed)
    sizes = 1 + np.random.default_rng([seed, 4]).poisson(ALERTS_OF_A_CUSTOMER - 1, customers)
    rows = np.repeat(np.arange(customers), sizes)
    return RatedDocuments(first.scores[rows], first.labels[rows], None, first.names, first.floors.tolist(), groups=rows)


FORMS: dict[str, Form] = {
    "plain": plain,
    "weights by score": weighted_by_score,
    "random weights": weighted_at_random,
    "groups": by_customer,
}


def _weights_by_score(source: RatedPopulation) -> Callable[[Floats], Floats]:
    """Weights by the rarest of a document's scores, whole numbers, falling evenly in logarithms."""
    generator = np.random.default_rng(0)
    caught = round(REFERENCE * source.share_positive)
    kinds = (source.positives, caught), (source.negatives, REFERENCE - caught)
    reference = np.sort(np.vstack([kind[generator.integers(0, len(kind), count)] for kind, count in kinds]), axis=0)

    def weigh(scores: Floats) -> Floats:
        below = [
            np.searchsorted(known, column, side="right") for known, column in zip(reference.T, scores.T, strict=True)
        ]
        beyond = (1 - np.max(below, axis=0) / REFERENCE).clip(1e-9)
        return np.asarray(np.round(LARGEST_WEIGHT ** (np.log(beyond / WHOLE) / np.log(HALF / WHOLE)).clip(0.0, 1.0)))

    return weigh


def _part(documents: RatedDocuments, rows: np.ndarray, weights: Floats) -> RatedDocuments:
    return RatedDocuments(
        documents.scores[rows], documents.labels[rows], weights[rows], documents.names, documents.floors.tolist()
    )
