"""Count the rated documents of a table into the cells of a grid: from an engine to what thresholds are chosen on."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from multiloss_core.engines.columns import RatedColumns
from multiloss_core.engines.engine import Engine
from multiloss_core.engines.questions import EngineFunnel, count_cells, count_funnel, positive_scores
from multiloss_core.formatting import plural
from multiloss_core.numerics.arrays import Floats
from multiloss_core.numerics.rounding import shortest_between
from multiloss_core.thresholds.data.counts import Rule
from multiloss_core.thresholds.data.rated_counts import CellCounts, RatedCounts, rated_counts

# Nodes of each axis, by the number of classifiers: all together are written into one statement.
RESOLUTIONS = {1: 900, 2: 300, 3: 100, 4: 40}
# How far below a score its node may lie, as a part of the way to the node below.
NEAR = 0.1

Report = Callable[[str], None]


def count_documents(
    engine: Engine,
    table: str,
    columns: RatedColumns,
    *,
    rule: Rule = "any",
    resolution: int | None = None,
    report: Report = lambda _: None,
) -> RatedCounts:
    """Count the rated documents of a table: one pass for what can be used, one for each axis and one for the cells.

    Nodes are scores of positives: half of them spread evenly over positives, the others ever closer towards the largest
    scores, where thresholds lie. Counts at every node are exact. `report` is told in words what is being done.

    Raises
    ------
    DataError : what cannot be used, see `count_funnel`; EngineError and Cancelled, see `Engine.query`.
    """
    report("Checking which rows can be used")
    checked = count_funnel(engine, table, columns)
    floors = columns.floors or tuple(score.low for score in checked.scores)
    columns = replace(columns, floors=floors)
    axes: list[Floats] = []
    for number, score in enumerate(checked.scores):
        report(f"Looking for the scores of positives in '{score.name}'")
        found, _ = positive_scores(engine, table, columns, number)
        axes.append(score_nodes(found, floors[number], score.high, resolution or RESOLUTIONS[len(floors)]))
    report(f"Counting {checked.funnel.at_or_above_floor:,} documents")
    counted = CellCounts(*count_cells(engine, table, columns, tuple(axes)))
    return rated_counts(
        tuple(axes), counted, rule=rule, names=columns.scores, funnel=checked.funnel, notes=_notes(checked, columns)
    )


def score_nodes(positives: Floats, floor: float, highest: float, resolution: int) -> Floats:
    """Place at most `resolution` nodes: the floor, scores of positives (p,), rising, and the next number above all."""
    inside = positives[positives > floor]
    chosen = np.empty(0, dtype=np.intp)
    if len(inside) <= resolution - 2:
        chosen = np.arange(len(inside))
    else:
        evenly = np.linspace(0, len(inside) - 1, (resolution - 2) // 2).round()
        from_top = np.exp(np.linspace(0.0, np.log(len(inside)), resolution - 2 - len(evenly))).round()
        chosen = np.unique(np.concatenate([evenly, len(inside) - from_top]).astype(np.intp))
    nodes = np.unique(np.concatenate([[floor], inside[chosen]]))
    # Counts are exact at any node, so one in few digits just below a score is as good.
    short = [
        shortest_between(float(node), float(node - NEAR * (node - below)), float(node))
        for below, node in pairwise(nodes)
    ]
    return np.unique(np.concatenate([[floor], short, [np.nextafter(highest, np.inf)]]))


def _notes(checked: EngineFunnel, columns: RatedColumns) -> list[str]:
    notes = []
    for score in checked.scores:
        if score.blank:
            notes.append(f"{plural(score.blank, 'row')} with a blank in '{score.name}' left out.")
    below = checked.funnel.complete - checked.funnel.at_or_above_floor
    if below:
        notes.append(f"{plural(below, 'rated document')} below all floors left out; lower a floor to keep them.")
    if checked.undecided:
        notes.append(
            f"{plural(checked.undecided, 'row')} without a decision in '{columns.rating}' left out: neither true nor "
            "false positives."
        )
    return notes
