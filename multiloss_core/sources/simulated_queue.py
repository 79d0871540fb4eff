"""Simulate an alert queue that scores and rules fill together."""

from dataclasses import dataclass

import numpy as np

from multiloss_core.numerics.arrays import Bools, Floats
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.data.simulated_population import simulate_population

# Share of negatives that a rule raises, and by how much more often it raises positives.
FEW, MANY, WEAKEST, STRONGEST = 0.0001, 0.001, 5.0, 2000.0
# The share of documents that the first score puts highest and the last rule raises.
HIGHEST = 0.0005
TOP_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class AlertQueue:
    """All documents with the truth.

    `scores` (n, k), `rules` (n, r) of 0 and 1, `labels` (n,), `floors` (k,). `names` (k + r,).
    """

    scores: Floats
    rules: Floats
    labels: Bools
    names: tuple[str, ...]
    floors: Floats

    @property
    def is_rated(self) -> Bools:
        """Whether a score or a rule raised each document (n,)."""
        return np.asarray((self.scores >= self.floors).any(axis=1) | (self.rules > 0).any(axis=1))

    def rated(self) -> RatedDocuments:
        """Rate the documents that a score or a rule raised."""
        kept = self.is_rated
        return RatedDocuments(
            np.hstack([self.scores, self.rules])[kept],
            self.labels[kept],
            names=self.names,
            floors=self.floors.tolist(),
            alert_rules=self.rules.shape[1],
        )


def simulate_alert_queue(
    generator: np.random.Generator, *, documents: int = 300_000, prevalence: float = 0.001, rules: int = 5
) -> AlertQueue:
    """Simulate the population of `simulate_population` with alert rules beside its two scores.

    Each rule raises a share of negatives between .01 and .1 %, and positives 5 to 2000 times as often. The last of
    several raises what the first score puts highest, so that this score shadows it.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core.sources import simulate_alert_queue
    >>> simulate_alert_queue(np.random.default_rng(0), documents=50_000, rules=1).rated()
    RatedDocuments(502 documents, 42 positive; rated where model A >= 0.53873, model B >= 0.53023, rule 1 >= 1)
    """
    population = simulate_population(generator, documents=documents, prevalence=prevalence, strength=3.5)
    usual = np.exp(generator.uniform(np.log(FEW), np.log(MANY), rules))
    lifts = np.exp(generator.uniform(np.log(WEAKEST), np.log(STRONGEST), rules))
    shares = np.where(population.labels[:, np.newaxis], np.minimum(usual * lifts, TOP_SHARE), usual)
    raised = generator.random(shares.shape) < shares
    if rules > 1:
        raised[:, -1] = population.scores[:, 0] > np.quantile(population.scores[:, 0], 1 - HIGHEST)
    names = (*population.names, *(f"rule {number}" for number in range(1, rules + 1)))
    return AlertQueue(population.scores, raised.astype(np.float64), population.labels, names, population.floors)
