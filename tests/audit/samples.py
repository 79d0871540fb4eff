"""A small population with floors, its rated documents, strata and a plan."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from multiloss_core import RatedDocuments, flagged
from multiloss_core.audit import AuditPlan, ExpectedShares, plan_audit, score_strata

NAMES = ("model A", "minus trust")


@dataclass(frozen=True, eq=False)
class Population:
    scores: np.ndarray
    labels: np.ndarray
    documents: RatedDocuments
    plan: AuditPlan

    @property
    def frame(self):
        """Columns on their own scale, a key and the rating."""
        return pd.DataFrame(
            {
                "id": np.arange(len(self.labels)) + 1_000,
                "model A": self.scores[:, 0],
                "trust": -self.scores[:, 1],
                "rating": np.where(self.labels, "fraud", "ok"),
            }
        )


def population(seed=0, count=4_000, *, blocks=None, budget=300):
    generator = np.random.default_rng(seed)
    labels = generator.random(count) < 0.03
    scores = np.round(generator.normal(size=(count, 2)) + 1.5 * labels[:, np.newaxis], 2)
    floors = np.array([1.6, 1.8])
    block_array = np.full(2, np.inf) if blocks is None else np.array(blocks)
    kept = flagged(scores, floors, "any") & ~flagged(scores, block_array, "any")
    documents = RatedDocuments(scores[kept], labels[kept], names=NAMES, floors=floors.tolist())
    strata = score_strata(scores, floors, blocks=blocks, names=NAMES, count=4)
    shares = np.array([0.08, 0.03, 0.01, 0.005, *([0.7] if blocks else [])])
    expected = ExpectedShares(shares, np.minimum(1.5 * shares, 0.9))
    plan = plan_audit(strata, strata.sizes(scores), expected, caught=documents.totals.tp, budget=budget)
    return Population(scores, labels, documents, plan)
