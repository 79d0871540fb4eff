"""Find the best alert rules and thresholds on the counts of rated documents themselves."""

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats, sums
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.node_tables import (
    CellsOfScores,
    beside_rules,
    best_in_table,
    table_of_nodes,
    thresholds_at,
)
from multiloss_core.thresholds.paths.rule_choices import MAX_TABLE_NODES, rule_choices
from multiloss_core.thresholds.paths.score_cells import every_score


def best_sources(documents: RatedDocuments, target: float) -> Floats:
    """Find the thresholds (k,) with the largest (1 - m) TP - m FP on rated documents.

    Infinity is off. An in-sample optimum, to compare with: `smooth_path` does the same with expected counts, which hold
    on new data. Exact for at most 12 rules, while the numbers of different scores multiply to at most 20,000; for more
    of either the thresholds are taken from a part of the scores, and rules one apart from the best are compared.

    Raises DataError: a target outside (0, 1).

    Examples
    --------
    >>> from multiloss_core import RatedDocuments
    >>> from multiloss_core.sources import best_sources
    >>> scores = [[0.9, 0], [0.8, 1], [0.2, 1], [0.6, 0]]
    >>> documents = RatedDocuments(scores, [1, 1, 1, 0], names=["model", "velocity"], floors=[0.5], alert_rules=1)
    >>> best_sources(documents, 0.5)
    array([0.9, 1. ])
    """
    if not 0 < target < 1:
        raise DataError(f"A marginal precision must lie between 0 and 1, not at {target}.")
    cells = every_score(documents.scores, documents.floors, documents.alert_rules)
    positives, totals = (
        sums(cells.slots, part, len(cells.cells)) for part in (documents.weights * documents.labels, documents.weights)
    )
    fit, targets = CellsOfScores(cells, positives, totals), np.array([target])
    active = rule_choices(fit, targets).active[0]
    alone = beside_rules(fit, active)
    nodes = best_in_table(table_of_nodes(alone, "any", MAX_TABLE_NODES), targets)
    # The last node lies above every score.
    never = nodes[0] >= [len(axis) - 1 for axis in alone.cells.axes]
    scores = np.where(never, np.inf, thresholds_at(alone.cells, nodes)[0])
    return np.concatenate([scores, np.where(active, 1.0, np.inf)])
