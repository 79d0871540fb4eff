"""Populations of rated documents with known truth, shared by the benchmarks of quality.

A population is a large set of rated positives and one of rated negatives with the ratio between them, so that TP, FP
and precision of any thresholds are known to a few parts in a thousand. Populations are drawn once for each process
and kept in memory.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from zlib import crc32

import numpy as np
from scipy.special import expit

from benchmarks.stress import STRESS, Draw
from multiloss_core import RatedDocuments, flagged
from multiloss_core.numerics import Floats, Indices
from multiloss_core.thresholds import Rule

RATED_POSITIVES, RATED_NEGATIVES = 60_000, 400_000
CHUNK = 500_000
RANDOM_STARTS = 4
MAX_WEIGHT = 20.0
# Of all documents, the share that is rated whole, and the share above which all others lie at the largest weight.
WHOLE, HALF = 0.03, 0.5
ALERTS_OF_A_CUSTOMER = 5
REFERENCE = 200_000


@dataclass(frozen=True)
class Recipe:
    """Parameters of the simulated scores.

    Every positive has a kind, one for each of the `classifiers` and one shared by all; it scores `strength`
    higher on the classifier of its kind (three quarters of that on all for the shared kind) and half a unit higher on
    the others. The noise has `correlation` between classifiers, and heavy tails with 3 degrees of freedom if `heavy`.
    `shape` maps scores: as they are, `skewed` on [0, 1] or `discrete` in steps of a quarter. A classifier's floor is
    its upper `rated_share` quantile.
    """

    classifiers: int
    prevalence: float
    strength: float
    rated_share: float
    correlation: float = 0.0
    heavy: bool = False
    shape: str = "plain"


RECIPES = {
    "gauss2": Recipe(2, 0.001, 3.0, 0.005),
    "correlated2": Recipe(2, 0.01, 2.2, 0.02, correlation=0.4),
    "tails2": Recipe(2, 0.01, 4.0, 0.02, heavy=True),
    "far_tails2": Recipe(2, 0.02, 8.0, 0.02, heavy=True),
    "skewed2": Recipe(2, 0.003, 2.6, 0.01, shape="skewed"),
    "discrete2": Recipe(2, 0.005, 2.8, 0.02, correlation=0.2, shape="discrete"),
    "gauss3": Recipe(3, 0.002, 3.0, 0.006),
    "tails3": Recipe(3, 0.02, 4.0, 0.03, correlation=0.3, heavy=True),
    "discrete3": Recipe(3, 0.05, 2.0, 0.05, correlation=0.3, shape="discrete"),
    "skewed4": Recipe(4, 0.005, 2.8, 0.008, correlation=0.2, shape="skewed"),
}


@dataclass(frozen=True, eq=False)
class RatedPopulation:
    """Scores of positives (p, k) and negatives (q, k), negatives per positive, floors (k,)."""

    positives: Floats
    negatives: Floats
    ratio: float
    floors: Floats

    @property
    def share_positive(self) -> float:
        """The share of positives among rated documents."""
        return 1 / (1 + self.ratio)


@cache
def population(name: str) -> RatedPopulation:
    """Make the population of a recipe, always the same. The first call takes a few seconds."""
    generator = np.random.default_rng(crc32(name.encode()))
    if name in STRESS:
        return _stressed(generator, *STRESS[name])
    recipe = RECIPES[name]
    reference = np.vstack([_scores(recipe, generator, CHUNK, positive=False) for _ in range(4)])
    floors = np.quantile(reference, 1 - recipe.rated_share, axis=0, method="higher")
    draw = partial(_rated, recipe, generator, floors)
    positives, share_of_positives = draw(RATED_POSITIVES, positive=True)
    negatives, share_of_negatives = draw(RATED_NEGATIVES, positive=False)
    ratio = (1 - recipe.prevalence) * share_of_negatives / (recipe.prevalence * share_of_positives)
    return RatedPopulation(positives, negatives, ratio, floors)


def sample(source: RatedPopulation, positives: int, seed: int) -> RatedDocuments:
    """Draw documents with a fixed number of positives and a Poisson number of negatives."""
    generator = np.random.default_rng(seed)
    return _draw(source, positives, int(generator.poisson(positives * source.ratio)), generator)


def sample_of_size(source: RatedPopulation, documents: int, seed: int) -> RatedDocuments:
    """Draw a fixed number of documents with a binomial number of positives."""
    generator = np.random.default_rng(seed)
    positives = int(generator.binomial(documents, source.share_positive))
    return _draw(source, positives, documents - positives, generator)


def true_rates(source: RatedPopulation, thresholds: Floats, rule: Rule) -> tuple[float, float]:
    """Find the expected TP and FP of thresholds (k,) for each rated document."""
    share = source.share_positive
    caught, false = (float(flagged(x, thresholds, rule).mean()) for x in (source.positives, source.negatives))
    return share * caught, (1 - share) * false


def target_of_documents(marginal_precision: float, value: float) -> float:
    """Find the marginal precision of documents where a positive weighs `value`."""
    cost = marginal_precision / (1 - marginal_precision) / value
    return cost / (1 + cost)


def regret(
    source: RatedPopulation, thresholds: Floats, marginal_precision: float, rule: Rule, value: float = 1.0
) -> float:
    """Compute the loss of net benefit, TP - m / (1 - m) FP, per rated positive.

    A positive weighs `value`, a negative 1.
    """
    target = target_of_documents(marginal_precision, value)
    best = best_thresholds(source, target, rule)
    tp, fp = np.subtract(true_rates(source, best, rule), true_rates(source, thresholds, rule))
    return float(tp - target / (1 - target) * fp) / source.share_positive


@cache
def best_thresholds(source: RatedPopulation, marginal_precision: float, rule: Rule) -> Floats:
    """Find the thresholds (k,) of largest net benefit, infinity for never.

    By ascent along one classifier at a time, exact along each, from several starts.
    """
    scores = np.vstack([source.positives, source.negatives])
    sizes = len(source.positives), len(source.negatives)
    cost = marginal_precision / (1 - marginal_precision) * source.ratio * sizes[0] / sizes[1]
    gains = np.repeat([1.0, -cost], sizes)
    orders = [np.argsort(-column, kind="stable") for column in scores.T]
    generator = np.random.default_rng(1)
    levels = [[level] * scores.shape[1] for level in (0.02, 0.2, 0.5, 0.8, 0.95)]
    levels += generator.random((RANDOM_STARTS, scores.shape[1])).tolist()
    best, best_gain = np.full(scores.shape[1], np.inf), 0.0
    for start in levels:
        thresholds = np.array([np.quantile(x, level) for x, level in zip(source.positives.T, start, strict=True)])
        thresholds, gain = _ascend(scores, gains, orders, rule, np.maximum(thresholds, source.floors), source.floors)
        if gain > best_gain:
            best, best_gain = thresholds, gain
    return best


def _stressed(generator: np.random.Generator, share: float, rated: float, draw: Draw) -> RatedPopulation:
    """Keep documents above a floor, the upper `rated` quantile; `share` of them is positive."""
    sizes = round(share * CHUNK), CHUNK - round(share * CHUNK)
    reference = np.vstack(
        [draw(generator, size, positive) for size, positive in zip(sizes, (True, False), strict=True)]
    )
    floors = np.quantile(reference, 1 - rated, axis=0, method="higher")
    kinds = []
    for wanted, positive in ((RATED_POSITIVES, True), (RATED_NEGATIVES, False)):
        scores = draw(generator, 2 * wanted, positive)
        kinds.append(scores[flagged(scores, floors, "any")][:wanted])
    return RatedPopulation(kinds[0], kinds[1], (1 - share) / share, floors)


def _scores(recipe: Recipe, generator: np.random.Generator, count: int, *, positive: bool) -> Floats:
    k = recipe.classifiers
    scores = np.sqrt(1 - recipe.correlation) * generator.standard_normal((count, k))
    if recipe.correlation:
        scores += np.sqrt(recipe.correlation) * generator.standard_normal((count, 1))
    if recipe.heavy:
        scores /= np.sqrt(generator.chisquare(3, (count, 1)) / 3)
    if positive:
        kinds = generator.integers(0, k + 1, count)
        for j in range(k):
            scores[:, j] += np.select([kinds == j, kinds == k], [recipe.strength, 0.75 * recipe.strength], 0.5)
    if recipe.shape == "skewed":
        return expit(1.6 * scores - 4) ** 1.5
    return np.clip(np.round(scores * 4) / 4, -6, 8) if recipe.shape == "discrete" else scores


def _rated(
    recipe: Recipe, generator: np.random.Generator, floors: Floats, wanted: int, *, positive: bool
) -> tuple[Floats, float]:
    """Draw `wanted` documents at or above some floor; return them and their share of all drawn."""
    parts, found, drawn = [], 0, 0
    while found < wanted:
        scores = _scores(recipe, generator, CHUNK, positive=positive)
        parts.append(scores[flagged(scores, floors, "any")])
        found, drawn = found + len(parts[-1]), drawn + CHUNK
    return np.vstack(parts)[:wanted], found / drawn


def _draw(source: RatedPopulation, positives: int, negatives: int, generator: np.random.Generator) -> RatedDocuments:
    # With replacement, so that the population's shares are exactly the expectations of the sample's.
    kinds = (source.positives, positives), (source.negatives, negatives)
    scores = np.vstack([kind[generator.integers(0, len(kind), count)] for kind, count in kinds])
    labels = np.arange(positives + negatives) < positives
    order = generator.permutation(len(labels))
    return RatedDocuments(scores[order], labels[order], floors=source.floors.tolist())


def _ascend(
    scores: Floats, gains: Floats, orders: list[Indices], rule: Rule, start: Floats, floors: Floats
) -> tuple[Floats, float]:
    thresholds, gain = start.copy(), -np.inf
    while True:
        before = thresholds.copy()
        for j, order in enumerate(orders):
            others = np.delete(scores >= thresholds, j, axis=1)
            if rule == "any":
                alone, settled = ~others.any(axis=1), float(gains[others.any(axis=1)].sum())
            else:
                alone, settled = others.all(axis=1), 0.0
            column = scores[order, j]
            # Ties are never split, and nothing lies below the floor.
            allowed = np.append(column[1:] != column[:-1], True) & (column >= floors[j])
            added = np.where(allowed, np.cumsum((gains * alone)[order]), -np.inf)
            place = int(np.argmax(added))
            thresholds[j] = column[place] if added[place] > 0 else np.inf
            gain = settled + max(float(added[place]), 0.0)
        if (thresholds == before).all():
            return thresholds, gain


def plain(source: RatedPopulation, positives: int, seed: int) -> RatedDocuments:
    """Draw documents with about `positives` positives."""
    return sample_of_size(source, round(positives / source.share_positive), seed)


def weighted_by_score(source: RatedPopulation, positives: int, seed: int) -> RatedDocuments:
    """Rate documents at a rate that falls with their scores: weights 1 to 20."""
    weigh = _weights_by_score(source)
    kept = float((1 / weigh(source.positives)).mean())
    documents = sample_of_size(source, round(positives / kept / source.share_positive), seed)
    weights = weigh(documents.scores)
    rated = np.random.default_rng([seed, 2]).random(len(weights)) < 1 / weights
    return _part(documents, rated, weights)


def weighted_at_random(source: RatedPopulation, positives: int, seed: int) -> RatedDocuments:
    """Draw weights from 1 to 20 independent of the scores."""
    documents = plain(source, positives, seed)
    exponents = np.random.default_rng([seed, 3]).uniform(0.0, 1.0, len(documents.labels))
    return _part(documents, np.ones(len(exponents), dtype=bool), MAX_WEIGHT**exponents)


def worth(value: float, spread: float, source: RatedPopulation, positives: int, seed: int) -> RatedDocuments:
    """Weigh positives by lognormal amounts of a mean `value`, negatives by 1.

    `spread`: the standard deviation of the logarithm.
    """
    documents = plain(source, positives, seed)
    amounts = np.random.default_rng([seed, 5]).lognormal(np.log(value) - spread**2 / 2, spread, len(documents.labels))
    return _part(documents, np.ones(len(amounts), dtype=bool), np.where(documents.labels, amounts, 1.0))


def by_customer(source: RatedPopulation, positives: int, seed: int) -> RatedDocuments:
    """Draw customers of about five alerts each, all of one rating and of the same scores."""
    customers = round(positives / source.share_positive / ALERTS_OF_A_CUSTOMER)
    first = sample_of_size(source, customers, seed)
    sizes = 1 + np.random.default_rng([seed, 4]).poisson(ALERTS_OF_A_CUSTOMER - 1, customers)
    rows = np.repeat(np.arange(customers), sizes)
    return RatedDocuments(first.scores[rows], first.labels[rows], None, first.names, first.floors.tolist(), groups=rows)


FORMS: dict[str, Callable[[RatedPopulation, int, int], RatedDocuments]] = {
    "plain": plain,
    "weights by score": weighted_by_score,
    "random weights": weighted_at_random,
    "groups": by_customer,
    "frauds worth 2": partial(worth, 2.0, 0.0),
    "frauds worth 4": partial(worth, 4.0, 0.0),
    "amounts": partial(worth, 4.0, 1.3),
}
# Of a fraud, for each unit of another document.
VALUES = {"frauds worth 2": 2.0, "frauds worth 4": 4.0, "amounts": 4.0}


def _weights_by_score(source: RatedPopulation) -> Callable[[Floats], Floats]:
    """Return a function that weighs by the rarest score, in whole numbers linear in logarithms."""
    generator = np.random.default_rng(0)
    caught = round(REFERENCE * source.share_positive)
    kinds = (source.positives, caught), (source.negatives, REFERENCE - caught)
    reference = np.sort(np.vstack([kind[generator.integers(0, len(kind), count)] for kind, count in kinds]), axis=0)

    def weigh(scores: Floats) -> Floats:
        below = [
            np.searchsorted(known, column, side="right") for known, column in zip(reference.T, scores.T, strict=True)
        ]
        beyond = (1 - np.max(below, axis=0) / REFERENCE).clip(1e-9)
        return np.asarray(np.round(MAX_WEIGHT ** (np.log(beyond / WHOLE) / np.log(HALF / WHOLE)).clip(0.0, 1.0)))

    return weigh


def _part(documents: RatedDocuments, rows: np.ndarray, weights: Floats) -> RatedDocuments:
    return RatedDocuments(
        documents.scores[rows], documents.labels[rows], weights[rows], documents.names, documents.floors.tolist()
    )
