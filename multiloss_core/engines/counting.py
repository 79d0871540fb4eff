"""Count documents in their engine: in cells to find thresholds, and along a path."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from multiloss_core.datasets.rated import OverTime, RatedDataset
from multiloss_core.engines.columns import RatedColumns
from multiloss_core.engines.engine import Engine
from multiloss_core.engines.run_queries import (
    EngineFunnel,
    PathCounts,
    count_along,
    count_cells,
    count_cells_by_segment,
    count_funnel,
    positive_scores,
)
from multiloss_core.engines.write_queries import By
from multiloss_core.errors import DataError
from multiloss_core.formatting import plural
from multiloss_core.inspection import Calendar, DailyAlerts, Segment, WeeklyCounts, calendar
from multiloss_core.inspection.periods import weekly_counts_of_days
from multiloss_core.inspection.segments import segments_of_sums
from multiloss_core.numerics.arrays import Floats, Indices, sums
from multiloss_core.numerics.rounding import shortest_between
from multiloss_core.tables.column_values import BLANK, MAX_SEGMENTS, trimmed
from multiloss_core.thresholds import GroupParts
from multiloss_core.thresholds.data.counts import Rule
from multiloss_core.thresholds.data.grid_counts import MAX_NODES
from multiloss_core.thresholds.data.rated_counts import CellCounts, RatedCounts, rated_counts

# Nodes of each axis, by the number of classifiers: all together are written into one statement.
RESOLUTIONS = {1: 900, 2: 300, 3: 100, 4: 40}
# How far below a score its node may lie, as a part of the way to the node below.
NEAR = 0.1
# All segments together have at most this many nodes, whose counts take 640 MB.
MAX_NODES_OF_SEGMENTS = 10 * MAX_NODES

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
    """Count the rated documents of a table in one pass, one per axis and one for the cells.

    Nodes are scores of positives: half of them spread evenly over positives, the others ever closer towards the largest
    scores, where thresholds lie. Counts at every node are exact. `report` gets each step in words.

    Raises DataError: what cannot be used, see `count_funnel`; EngineError and Cancelled, see `Engine.query`.
    """
    report("Checking which rows can be used")
    checked = count_funnel(engine, table, columns)
    floors = columns.floors or tuple(score.low for score in checked.scores)
    columns = replace(columns, floors=floors)
    axes: list[Floats] = []
    for number, score in enumerate(checked.scores[: len(columns.scores)]):
        report(f"Reading the scores of positives in '{score.name}'")
        found = positive_scores(engine, table, columns, number)
        axes.append(score_nodes(found, floors[number], score.high, resolution or RESOLUTIONS[len(columns.scores)]))
    axes += [np.ones(1)] * len(columns.alert_rules)
    report(f"Counting {plural(checked.funnel.at_or_above_floor, 'document')}")
    counted = CellCounts(*count_cells(engine, table, columns, tuple(axes)))
    return rated_counts(
        tuple(axes),
        counted,
        rule=rule,
        names=columns.classifiers,
        funnel=checked.funnel,
        notes=_notes(checked, columns),
        alert_rules=len(columns.alert_rules),
    )


def count_segments(
    engine: Engine,
    table: str,
    columns: RatedColumns,
    counts: RatedCounts,
    *,
    name_of: Callable[[str], str] = lambda text: trimmed(text) or BLANK,
) -> dict[str, RatedCounts]:
    """Count the documents of `counts` by `columns.segment` in the same cells, in one pass.

    `columns` are those of `count_documents` with the floors of `counts`. `name_of` turns the text of a cell of the
    table, "" for none, into the name of its segment. The counts of all segments add up to `counts`; those of a segment
    may be of one class.

    Raises DataError: too many segments; EngineError and Cancelled, see `Engine.query`.
    """
    columns = replace(columns, floors=tuple(counts.floors.tolist()))
    found: dict[str, CellCounts] = {}
    most = min(MAX_SEGMENTS, MAX_NODES_OF_SEGMENTS // counts.tp.size)
    for text, cells in count_cells_by_segment(engine, table, columns, counts.axes, most=most).items():
        name, counted = name_of(text), CellCounts(*cells)
        found[name] = found[name] + counted if name in found else counted
    return {name: counts.of(counted) for name, counted in found.items()}


def score_nodes(positives: Floats, floor: float, highest: float, resolution: int) -> Floats:
    """Place at most `resolution` nodes: floor, rising positive scores (p,), and one above all."""
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
            notes.append(f"{plural(score.blank, 'row')} with a blank in '{score.name}', which reaches no threshold.")
    empty = checked.funnel.rated - checked.funnel.complete
    if empty:
        notes.append(f"{plural(empty, 'row')} with no score left out.")
    below = checked.funnel.complete - checked.funnel.at_or_above_floor
    if below:
        notes.append(f"{plural(below, 'rated document')} below all floors left out; lower a floor to keep them.")
    if checked.undecided:
        notes.append(
            f"{plural(checked.undecided, 'row')} without a decision in '{columns.rating}' left out: neither true nor "
            "false positives."
        )
    return notes


def daily_alerts_along(counts: PathCounts, vertex: int) -> DailyAlerts:
    """Count alerts per day at a vertex of the path, from counts by day."""
    dated, days = _dated(counts)
    return DailyAlerts(days.dates, sums(days.day, counts.weights[dated] * (counts.step[dated] > vertex), days.days))


def weekly_counts_along(counts: PathCounts, vertex: int) -> WeeklyCounts:
    """TP and FP per week at a vertex of the path, from counts by day."""
    dated, days = _dated(counts)
    flagged, positive = counts.step[dated] > vertex, counts.positive[dated] == 1
    tp, fp, *squares = (
        sums(days.day, values[dated] * (flagged & kind), days.days)
        for values in (counts.weights, counts.squares)
        for kind in (positive, ~positive)
    )
    return weekly_counts_of_days(days, tp, fp, np.array(squares))


def segment_counts_along(counts: PathCounts, vertex: int) -> tuple[Segment, ...]:
    """Count what a vertex of the path flags in each segment, from counts by segment."""
    names, code = np.unique(_by(counts).astype(str), return_inverse=True)
    flagged = counts.step > vertex
    kind = 4 * code + 2 * flagged + counts.positive
    table: Floats = sums(kind, counts.weights, 4 * len(names)).reshape(len(names), 2, 2)
    shown = [str(name) or BLANK for name in names]
    return segments_of_sums(shown, table, sums(code, counts.squares * flagged, len(names)))


def group_parts_along(counts: PathCounts, thresholds: Floats, rule: Rule) -> GroupParts:
    """Turn counts along a path (m, k) by part of the groups into data for intervals.

    Raises DataError: one group only.
    """
    names, part = np.unique(_by(counts).astype(str), return_inverse=True)
    shape = (len(names), len(thresholds) + 1, 2)
    keys = np.ravel_multi_index((part, counts.step, counts.positive), shape)
    weights, squares = (
        sums(keys, values, int(np.prod(shape))).reshape(shape) for values in (counts.weights, counts.squares)
    )
    return GroupParts(thresholds=thresholds, rule=rule, weights=weights, squares=squares)


def _dated(counts: PathCounts) -> tuple[Indices, Calendar]:
    """Find the counts that have a day, and their calendar. Raises DataError where none has."""
    by = _by(counts)
    dated = np.flatnonzero(~np.isnat(by))
    if not dated.size:
        raise DataError("No document has a time; choose another column of times or none.")
    return dated, calendar(np.asarray(by[dated], dtype="datetime64[D]"))


def _by(counts: PathCounts) -> "np.ndarray[tuple[int], np.dtype[np.generic]]":
    if counts.by is None:
        raise DataError("The documents were counted along the path only, not by day or segment.")
    return counts.by


def over_time_along(counts: PathCounts, vertex: int) -> OverTime:
    """Count a vertex of the path by week and day, from counts by day."""
    return OverTime(weekly_counts_along(counts, vertex), daily_alerts_along(counts, vertex))


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedDataset(RatedDataset):
    """Hold counts of documents in the engine's `table`; `rows` define its columns.

    `known_days`: the number of days that rows came on, where they were counted by day.
    """

    source: RatedCounts
    table: str
    rows: RatedColumns
    known_days: float | None = None

    @property
    def days(self) -> float | None:
        """Number of calendar days from the first to the last document; None if not counted."""
        return self.known_days

    def count_along(self, engine: Engine, thresholds: Floats, rule: Rule, by: By | None = None) -> PathCounts:
        """Count documents along a path (m, k), by day, segment or part of groups, in one pass."""
        return count_along(engine, self.table, self.rows, thresholds, rule, by)
