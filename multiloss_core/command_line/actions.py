"""Choose thresholds, or watch those of a decision on newer data."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.command_line.by_segment import ChoiceBySegment
from multiloss_core.command_line.columns import by_score
from multiloss_core.command_line.goals import Goal
from multiloss_core.command_line.reading import CountedTable, LoadedTable
from multiloss_core.datasets import RatedDataset
from multiloss_core.decisions import (
    Change,
    Observed,
    RecordedSettings,
    Sizes,
    bounds_of,
    changes_of,
    compared_sizes,
    comparison_notes,
    is_as_expected,
    is_tested,
    observe,
    recall_note,
    recall_now,
    record_of,
    typical_scores,
    verdict,
)
from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.segments import Kind, RecordedSegments, segment_kind
from multiloss_core.engines.counting import CountedDataset, count_documents
from multiloss_core.engines.run_queries import PathCounts, count_along, count_funnel
from multiloss_core.errors import DataError
from multiloss_core.formatting import MINUS, score_name, shortened
from multiloss_core.generalisation import (
    Interval,
    PointBootstrap,
    bootstrap_flagged,
    bootstrap_points,
    bootstrap_thresholds,
)
from multiloss_core.numerics import Bools, Floats
from multiloss_core.tables import ColumnMeanings, find_falling
from multiloss_core.thresholds import RESOLUTIONS, SMOOTH, AgeWeights, PathSearch, Rule, checked_thresholds
from multiloss_core.thresholds.data.rated_counts import CellCounts, RatedCounts
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.methods import PATH_METHODS
from multiloss_core.thresholds.paths.operating_point import OperatingPoint, Point
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath
from multiloss_core.thresholds.targets import on_precision_of_scores, out_of_range

Report = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class ChoiceOptions:
    """Hold the options of a choice; `current` thresholds may be infinity, or empty for none."""

    goal: Goal
    rule: Rule = "any"
    method: str = SMOOTH.name
    current: Mapping[str, float]
    author: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """The record of the thresholds that were chosen, and what was noticed on the way."""

    record: DecisionRecord
    notes: tuple[str, ...]


def choose(
    loaded: LoadedTable,
    columns: ColumnMeanings,
    options: ChoiceOptions,
    report: Report = lambda _: None,
    earlier: Sequence[LoadedTable] = (),
) -> Choice:
    """Choose thresholds for a precision and predict their results; `report` gets each step.

    `earlier`: files of the same columns that the path rests on as well, the most recent one first.

    Raises
    ------
    DataError : data or options that cannot be used.
    """
    methods = {method.name: method for method in PATH_METHODS}
    if options.method not in methods:
        raise DataError(f"There is no method '{shortened(options.method)}'; choose one of {', '.join(methods)}.")
    target = options.goal.target
    if columns.segment is not None and target is None:
        raise DataError("Thresholds per value of a column need --marginal-precision or --costs as the goal.")
    if columns.segment is not None and options.method != SMOOTH.name:
        raise DataError(
            f"The method '{options.method}' finds no thresholds per value of '{shortened(columns.segment)}'; give "
            f"--method {SMOOTH.name}, or leave out --segment."
        )
    current = _current(options.current, columns)
    dataset, table = _rated(loaded, columns, options.rule, report)
    if earlier:
        dataset = _with_earlier(dataset, table, columns, options.method, earlier)
    data = dataset.source
    current = None if current is None else on_precision_of_scores(data, current)
    resolution = RESOLUTIONS[len(columns.document_scores)][1]
    search = PathSearch(data, options.rule, resolution, "positives")
    report("Finding the best thresholds")
    by_segment = None
    if columns.segment is None:
        path = methods[options.method].find(search)
    else:
        by_segment = ChoiceBySegment.find(dataset, table, options.rule, target or 0.0)
        path = by_segment.paths.common
    segments = None if by_segment is None else by_segment.recorded
    fit = None
    if options.method == SMOOTH.name:
        fit = search.fit if by_segment is None else by_segment.paths.common_fit
    point, recorded_target = options.goal.point(path, dataset, fit)
    evidence: PointBootstrap | None = None
    if by_segment is not None and segments is not None:
        report("Finding what new data will show")
        evidence = by_segment.bootstrap(point.thresholds, segments)
    elif fit is not None:
        report("Finding what new data will show")
        evidence = _evidence(point, path, data, fit, table)
    # The resolution of counts is that of the grid that they were counted in.
    nodes = max(map(len, data.axes)) if isinstance(data, RatedCounts) else resolution
    record = record_of(
        point,
        dataset,
        RecordedSettings(options.rule, options.method, "positives", nodes),
        evidence=evidence,
        target=recorded_target,
        current=current,
        segments=segments,
        segment_counts=None if by_segment is None else by_segment.points.own_total,
        fit=fit,
        author=options.author,
        reason=options.reason,
    )
    notes = [] if by_segment is None else [by_segment.note]
    notes += () if current is None else out_of_range(data, current)
    if (late := dataset.late_ratings) is not None:
        notes.insert(0, f"{late.words}. To leave these weeks out, give --until {late.monday}.")
    if record.data.half_life is not None:
        words = AgeWeights(half_life=record.data.half_life).words
        notes.insert(0, f"{words}. To count all alike, give --equal-ages.")
    if fit is not None and fit.earlier_weights is not None:
        notes.insert(0, f"{fit.earlier_weights.words}. Counts are those of '{dataset.name}' alone.")
    return Choice(record=record, notes=(*loaded.source.notes, *dataset.notes, *_noticed(loaded, columns), *notes))


def _evidence(
    point: Point, path: ThresholdPath, data: RatedData, fit: SmoothFit, table: CountedTable | None
) -> PointBootstrap:
    """Resample a point of the path with its choice, and other thresholds as they are."""
    generator = np.random.default_rng(0)
    if isinstance(data, RatedDocuments | RatedCounts) and not isinstance(point, OperatingPoint):
        parts = None if table is None else table.group_parts(point.thresholds[np.newaxis], path.rule)
        return bootstrap_thresholds(data, point.thresholds, path.rule, generator=generator, parts=parts)
    parts = None if table is None else table.group_parts(path.thresholds, path.rule)
    *_, found = bootstrap_points(data, fit, path, [point.marginal_precision], generator=generator, parts=parts)
    return found


def _with_earlier(
    dataset: RatedDataset,
    table: CountedTable | None,
    columns: ColumnMeanings,
    method: str,
    earlier: Sequence[LoadedTable],
) -> RatedDataset:
    """Join the documents of earlier files, read as the newest one. Raises DataError."""
    if method != SMOOTH.name or columns.segment is not None:
        raise DataError(f"Earlier files help --method {SMOOTH.name} without --segment; leave one of them out.")
    if table is not None or any(file.source.is_sample for file in earlier):
        raise DataError("A file of --earlier, or the newest one, is too large to be fetched; leave out --earlier.")
    return dataset.with_earlier([file.documents(dataset.earlier_columns, one_class=True) for file in earlier])


def rated_dataset(
    loaded: LoadedTable, columns: ColumnMeanings, rule: Rule, report: Report = lambda _: None
) -> RatedDataset:
    """Build the documents, or count them in their engine. Raises DataError."""
    return _rated(loaded, columns, rule, report)[0]


def _rated(
    loaded: LoadedTable, columns: ColumnMeanings, rule: Rule, report: Report
) -> tuple[RatedDataset, CountedTable | None]:
    """Build the documents, or count them in their engine, in the table returned."""
    if not loaded.source.is_sample:
        return loaded.documents(columns), None
    table = CountedTable.of(loaded, columns)
    data = count_documents(table.engine, table.table, table.columns, rule=rule, report=report)
    days = None if columns.time is None else table.along(data.floors[np.newaxis], "any")[1]
    table = replace(table, columns=replace(table.columns, floors=tuple(data.floors.tolist())))
    dataset = CountedDataset(
        name=loaded.source.name,
        fingerprint=loaded.source.fingerprint,
        source=data,
        frame=loaded.source.frame,
        columns=columns,
        origin=loaded.recorded,
        table=table.table,
        rows=table.columns,
        known_days=days,
    )
    return dataset, table


def _current(given: Mapping[str, float], columns: ColumnMeanings) -> Floats | None:
    if not given:
        return None
    names = (*columns.document_scores, *columns.alert_rules)
    # Rules are on unless one is given as never.
    given = dict.fromkeys(columns.alert_rules, 1.0) | by_score(given, columns.document_scores)
    if set(given) != set(names):
        wrong = score_name(sorted(set(given) ^ set(names))[0])
        raise DataError(f"Give one --current for each chosen score; '{shortened(wrong)}' does not fit these.")
    return checked_thresholds([given[name] for name in names], names)


def _noticed(loaded: LoadedTable, columns: ColumnMeanings) -> list[str]:
    """List the scores that are inverted, and those that may have to be."""
    plain = [name for name in columns.scores if name in loaded.source.frame.columns]
    return [
        *(
            f"Low values of '{shortened(score_name(name))}' are suspicious: alerts are at or below its threshold."
            for name in columns.scores
            if name.startswith(MINUS)
        ),
        *(
            f"'{shortened(name)}' may be lower the likelier a positive; to invert it, give --scores '{MINUS}{name}'."
            for name in find_falling(loaded.source.frame, plain, columns.rating or "", dict(columns.meanings))
        ),
    ]


_NO_NAMES: tuple[str, ...] = ()


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
        return is_as_expected(self.changes)

    @property
    def is_tested(self) -> bool:
        """Whether the record and the data show what chance explains, of one number at least."""
        return is_tested(self.changes)

    @property
    def verdict(self) -> str:
        """Describe the changes beyond chance."""
        return verdict(self.changes)

    @property
    def notes(self) -> tuple[str, ...]:
        """Describe what the decision does not cover."""
        recall = recall_note(self.record, self.now, self.sizes)
        return (*comparison_notes(self.record, self.now, self.changes), *filter(None, (recall,)))

    def as_dict(self) -> dict[str, Any]:
        """Give what JSON can hold; a number that is not known is None."""
        return {
            "record_id": self.record.record_id,
            "as_expected": self.is_as_expected if self.is_tested else None,
            "verdict": self.verdict,
            "notes": [*self.notes],
            "recall": _recall_as_dict(recall_now(self.record, self.now, self.sizes)),
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


def _recall_as_dict(found: Interval | None) -> dict[str, float] | None:
    return None if found is None else {"estimate": found.estimate, "low": found.low, "high": found.high}


def watch(record: DecisionRecord, loaded: LoadedTable, columns: ColumnMeanings) -> Watched:
    """Count the thresholds of a record on a table and compare with what was expected of them.

    Raises
    ------
    DataError : data that cannot be used.
    """
    if loaded.source.is_sample:
        now = _observed_in_place(record, loaded, columns)
    else:
        now = observe(record, loaded.documents(replace(columns, amount=record.settings.amount), one_class=True))
    sizes = compared_sizes(record, rows=now.rows, documents=now.documents, days=now.days, undecided=now.undecided)
    changes = changes_of(record, now, sizes)
    return Watched(record=record, now=now, sizes=sizes, changes=changes)


def _observed_in_place(record: DecisionRecord, loaded: LoadedTable, columns: ColumnMeanings) -> Observed:
    """Count what the very thresholds flag, in their engine."""
    if record.settings.amount is not None:
        raise DataError(
            "A decision by money is watched on rows that are fetched; choose a shorter range of dates with --since."
        )
    if record.segments is not None:
        # Names a missing column before the engine does in words of its own.
        kind = segment_kind(record.segments.cells(loaded.source.frame))
    table = CountedTable.of(loaded, columns, one_class=True)
    thresholds, rule = record.threshold_array, record.settings.rule
    funnel = count_funnel(table.engine, table.table, table.columns)
    along, days = table.along(thresholds[np.newaxis], rule)
    counted, unlisted = _by_flag(along), _NO_NAMES
    if record.segments is not None:
        counted, unlisted = _by_flag_and_segment(record, record.segments, kind, table)
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
        unlisted=unlisted,
        typical=typical_scores(record, loaded.source.frame),
    )


def _by_flag_and_segment(
    record: DecisionRecord, segments: RecordedSegments, kind: Kind, table: CountedTable
) -> tuple[CellCounts, tuple[str, ...]]:
    """Count at the thresholds of each segment in a pass, and find the segments without any."""
    if table.columns.group is not None:
        raise DataError(
            f"A decision with thresholds per value of '{shortened(segments.column)}' is watched on rows that are "
            "fetched where they come in groups; choose a shorter range of dates with --since."
        )
    columns, own = replace(table.columns, segment=segments.column), segments.thresholds_by_value
    unlisted, each = _NO_NAMES, []
    for keys in ((), *segments.keys):
        thresholds = own[keys[0]] if keys else record.threshold_array
        found = count_along(
            table.engine, table.table, columns, thresholds[np.newaxis], record.settings.rule, by="segment"
        )
        names = pd.Series(segments.names_of(pd.Series(found.by), kind))
        chosen = names.isin(keys) if keys else ~names.isin([*own])
        unlisted = unlisted if keys else segments.unlisted(names.to_numpy(), found.documents)
        each.append(_by_flag(found, chosen.to_numpy()))
    return reduce(add, each), unlisted


def _by_flag(along: PathCounts, chosen: Bools | None = None) -> CellCounts:
    """Add up what is not flagged and what is, by class; `chosen` (r,) picks some of the counts."""
    some = slice(None) if chosen is None else chosen
    documents, weights, squares = np.zeros((2, 2), dtype=np.intp), np.zeros((2, 2)), np.zeros((2, 2))
    for table, values in ((documents, along.documents), (weights, along.weights), (squares, along.squares)):
        np.add.at(table, (along.step[some], along.positive[some]), values[some])
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
