"""Counts the thresholds of a decision on newer data and compares then and now, as the screen Decisions does."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from multiloss_core.command_line.columns import Columns
from multiloss_core.command_line.reading import LoadedTable, counted_table, days_of, documents_of
from multiloss_core.decisions import (
    Change,
    Observed,
    Sizes,
    bounds_of,
    changes_of,
    compared_sizes,
    undecided_alerts,
    verdict,
)
from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.engines.questions import PathCounts, count_funnel
from multiloss_core.errors import DataError
from multiloss_core.generalisation import bootstrap_flagged, bootstrap_thresholds
from multiloss_core.tables import document_amounts
from multiloss_core.thresholds import money_weighted
from multiloss_core.thresholds.data.rated_counts import CellCounts

# The numbers that decide: what is caught and missed besides follows from these.
TESTED = ("precision", "alerts")


@dataclass(frozen=True, kw_only=True, eq=False)
class Watched:
    """A decision on newer data: what was observed, each number then and now, and on which scale."""

    record: DecisionRecord
    now: Observed
    sizes: Sizes | None
    changes: Mapping[str, Change]

    @property
    def is_as_expected(self) -> bool:
        """Whether chance explains the differences in precision and in alerts."""
        return not any(change.is_beyond_chance for name, change in self.changes.items() if name in TESTED)

    @property
    def verdict(self) -> str:
        """Say in words what has changed by more than chance explains."""
        return verdict(self.changes)

    def as_dict(self) -> dict[str, Any]:
        """Give what JSON can hold; a number that is not known is None."""
        return {
            "record_id": self.record.record_id,
            "as_expected": self.is_as_expected,
            "verdict": self.verdict,
            "scale": None if self.sizes is None else self.sizes.unit,
            "observed": {
                "tp": self.now.tp,
                "fp": self.now.fp,
                "alerts": self.now.all_alerts,
                "undecided": self.now.undecided,
                "precision": _known(self.now.precision),
                "rows": self.now.rows,
                "documents": self.now.documents,
                "days": self.now.days,
            },
            "changes": {name: _change_as_dict(change) for name, change in self.changes.items()},
        }


def watch(record: DecisionRecord, loaded: LoadedTable, columns: Columns) -> Watched:
    """Count the thresholds of a record on a table and compare with what was expected of them.

    Raises
    ------
    DataError : data that cannot be used, or nothing that could be told from chance.
    """
    now = _observed(record, loaded, columns) if loaded.is_complete else _observed_in_place(record, loaded, columns)
    sizes = compared_sizes(record, rows=now.rows, documents=now.documents, days=now.days, undecided=now.undecided)
    changes = changes_of(record, now, sizes)
    watched = Watched(record=record, now=now, sizes=sizes, changes=changes)
    if all(math.isnan(changes[name].bounds[0]) for name in TESTED if name in changes):
        raise DataError(
            "Whether the numbers differ by chance cannot be told, because the record has no 95 % intervals or nothing "
            "is flagged; make the decision again with what new data will show."
        )
    return watched


def _observed(record: DecisionRecord, loaded: LoadedTable, columns: Columns) -> Observed:
    documents = rated = documents_of(loaded, columns, one_class=True)
    amount = record.settings.amount
    if amount is not None:
        documents = money_weighted(rated, document_amounts(loaded.frame, amount, rated.rows))
    thresholds, rule = record.threshold_array, record.settings.rule
    counts = documents.counts_at(thresholds, rule)
    found = bootstrap_thresholds(documents, thresholds, rule, generator=np.random.default_rng(0))
    return Observed(
        tp=counts.tp,
        fp=counts.fp,
        bounds=bounds_of(found.intervals()),
        rows=float(len(documents.labels)),
        documents=rated.totals.alerts,
        days=days_of(loaded, columns, rated),
        undecided=undecided_alerts(record, rated),
    )


def _observed_in_place(record: DecisionRecord, loaded: LoadedTable, columns: Columns) -> Observed:
    """Count what the very thresholds flag, in their engine."""
    if record.settings.amount is not None:
        raise DataError(
            "A decision by money is watched on rows that are fetched; choose a shorter range of dates with --since."
        )
    table, thresholds, rule = (
        counted_table(loaded, columns, one_class=True),
        record.threshold_array,
        record.settings.rule,
    )
    funnel = count_funnel(table.engine, table.table, table.columns)
    along, days = table.along(thresholds[np.newaxis], rule)
    counted = _by_flag(along)
    parts = table.group_parts(thresholds[np.newaxis], rule)
    found = bootstrap_flagged(counted, thresholds, rule, generator=np.random.default_rng(0), parts=parts)
    fp, tp = (float(weight) for weight in counted.weights[1])
    return Observed(
        tp=tp,
        fp=fp,
        bounds=bounds_of(found.intervals()),
        rows=float(counted.documents.sum()),
        documents=float(counted.weights.sum()),
        days=days,
        # Which of them the thresholds flag is not counted there.
        undecided=None if funnel.undecided else 0.0,
    )


def _by_flag(along: PathCounts) -> CellCounts:
    """Add up what is not flagged and what is, by class."""
    documents, weights, squares = np.zeros((2, 2), dtype=np.intp), np.zeros((2, 2)), np.zeros((2, 2))
    for table, values in ((documents, along.documents), (weights, along.weights), (squares, along.squares)):
        np.add.at(table, (along.step, along.positive), values)
    return CellCounts(np.array([[0], [1]]), documents, weights, squares)


def _change_as_dict(change: Change) -> dict[str, Any]:
    numbers = {"then": change.then, "now": change.now, "difference": change.difference}
    bounds = {"then": change.then_bounds, "now": change.now_bounds, "difference": change.bounds}
    return {
        **{
            name: {"value": _known(value), "low": _known(bounds[name][0]), "high": _known(bounds[name][1])}
            for name, value in numbers.items()
        },
        "beyond_chance": change.is_beyond_chance,
    }


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
