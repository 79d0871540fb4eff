"""Simulate populations of rare positives with known truth, rated only above floors."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from multiloss_core.errors import DataError, require_type
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.thresholds.data.counts import Rule, flagged
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.data.undecided_documents import DataFunnel

MAX_CLASSIFIERS = 4


@dataclass(frozen=True, eq=False)
class Population:
    """Hold all documents with the truth: scores (n, k) in (0, 1), labels (n,)."""

    scores: Floats
    labels: Bools
    kinds: Indices
    names: tuple[str, ...]
    floors: Floats

    def rated(self) -> RatedDocuments:
        """Rate the documents that some classifier scored at or above its floor."""
        kept = flagged(self.scores, self.floors, "any")
        rated = int(kept.sum())
        funnel = DataFunnel(
            read=len(self.labels),
            rated=rated,
            complete=rated,
            at_or_above_floor=rated,
            positives=int(self.labels[kept].sum()),
        )
        return RatedDocuments(
            self.scores[kept], self.labels[kept], names=self.names, floors=self.floors.tolist(), funnel=funnel
        )

    def counts_at(self, thresholds: Floats, rule: Rule = "any") -> tuple[int, int, int, int]:
        """Count TP, FP, FN and TN of the whole population at thresholds (k,)."""
        caught = flagged(self.scores, thresholds, rule)
        tp, fp = int((caught & self.labels).sum()), int((caught & ~self.labels).sum())
        return tp, fp, int(self.labels.sum()) - tp, int((~self.labels).sum()) - fp


def simulate_population(
    generator: np.random.Generator,
    *,
    documents: int = 1_000_000,
    prevalence: float = 0.001,
    classifiers: int = 2,
    strength: float = 3.0,
    rated_share: float = 0.005,
    names: tuple[str, ...] | None = None,
) -> Population:
    """Simulate a population scored by classifiers that see different kinds of positives.

    Every positive has a kind, one for each classifier plus one that all of them see. In normal units a negative scores
    0 on average; a positive scores `strength` higher on the classifier of its kind (three quarters of that on all of
    them for the shared kind) and half a unit higher on the others. Scores are mapped to (0, 1) by a logistic curve.
    Each classifier's rating floor is its upper `rated_share` quantile.

    Raises
    ------
    DataError : fewer than 100 documents, 1-4 classifiers exceeded, shares outside (0, 1), or no positive drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import simulate_population
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> documents.totals
    Counts(tp=98.0, fp=98.0)
    """
    require_type(generator, np.random.Generator, "a generator of random numbers, such as np.random.default_rng(0)")
    if not (documents >= 100 and 1 <= classifiers <= MAX_CLASSIFIERS):
        raise DataError(f"Simulate at least 100 documents and 1 to {MAX_CLASSIFIERS} classifiers.")
    if not (0 < prevalence < 1 and 0 < rated_share < 1 and np.isfinite(strength)):
        raise DataError("Prevalence and rated share must lie between 0 and 1 and the strength be finite.")
    if names is not None and len(names) != classifiers:
        raise DataError(f"{len(names)} names were given for {classifiers} classifiers; give one each.")
    positives = max(1, int(generator.binomial(documents, prevalence)))
    labels = np.zeros(documents, dtype=bool)
    labels[generator.choice(documents, positives, replace=False)] = True
    kinds = np.full(documents, -1)
    kinds[labels] = generator.integers(0, classifiers + 1, positives)
    latent = generator.standard_normal((documents, classifiers))
    for j in range(classifiers):
        latent[labels, j] += np.select(
            [kinds[labels] == j, kinds[labels] == classifiers], [strength, 0.75 * strength], 0.5
        )
    scores = expit(1.2 * latent - 3.0).round(5)
    floors = np.quantile(scores, 1 - rated_share, axis=0, method="higher")
    return Population(scores, labels, kinds, names or tuple(f"model {chr(65 + j)}" for j in range(classifiers)), floors)
