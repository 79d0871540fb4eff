"""Chooses thresholds for a table and makes the record of the decision, as the screen does at its default settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from multiloss_core.command_line.columns import Columns, by_score
from multiloss_core.command_line.reading import CountedTable, LoadedTable, counted_table, days_of, documents_of
from multiloss_core.decisions import (
    RecordedSettings,
    data_fingerprint,
    funnel_of,
    record_of_point,
    recorded_columns,
)
from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.engines.counting import count_documents
from multiloss_core.errors import DataError
from multiloss_core.formatting import MINUS, score_name, shortened
from multiloss_core.generalisation import PointBootstrap, bootstrap_points
from multiloss_core.numerics import Floats
from multiloss_core.tables import find_falling
from multiloss_core.thresholds import RESOLUTIONS, SMOOTH, PathSearch, Rule, checked_thresholds
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.methods import PATH_METHODS
from multiloss_core.thresholds.paths.operating_point import operating_point

Report = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What is wanted of the thresholds. `current`: those in use by classifier, infinity for never; empty for none."""

    marginal_precision: float
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


def choose(loaded: LoadedTable, columns: Columns, wish: Wish, report: Report = lambda _: None) -> Choice:
    """Choose thresholds at a target and say what they are expected to do on new data; `report` is told what is done.

    Raises
    ------
    DataError : data or a wish that cannot be used.
    """
    methods = {method.name: method for method in PATH_METHODS}
    if wish.method not in methods:
        raise DataError(f"There is no method '{shortened(wish.method)}'; choose one of {', '.join(methods)}.")
    if not 0 < wish.marginal_precision < 1:
        raise DataError(f"The marginal precision must lie between 0 and 1, not at {wish.marginal_precision:g}.")
    current = _current(wish.current, columns.scores)
    data, days, table = _rated(loaded, columns, wish.rule, report)
    if not methods[wish.method].works_on(data):
        raise DataError(f"The method '{wish.method}' needs the documents themselves; choose {SMOOTH.name}.")
    resolution = RESOLUTIONS[len(columns.scores)][1]
    search = PathSearch(data, wish.rule, resolution, "positives")
    report("Finding the best thresholds")
    path = methods[wish.method].find(search)
    point = operating_point(path, wish.marginal_precision)
    evidence: PointBootstrap | None = None
    if wish.method == SMOOTH.name:
        report("Finding what new data will show")
        *_, evidence = bootstrap_points(
            data,
            search.fit,
            path,
            [wish.marginal_precision],
            generator=np.random.default_rng(0),
            parts=None if table is None else table.group_parts(path.thresholds, wish.rule),
        )
    known = recorded_columns(
        data,
        rating=columns.rating,
        meanings=columns.meanings,
        weight=columns.weight,
        group=columns.group,
        leave_out_unusable=columns.leave_out_unusable,
        frame=loaded.frame,
    )
    record = record_of_point(
        point,
        data,
        thresholds=data.round_thresholds(point.thresholds),
        data=loaded.recorded(data_fingerprint(loaded.fingerprint, known), funnel_of(data), data.totals.alerts, days),
        columns=known,
        settings=RecordedSettings(
            wish.rule,
            wish.method,
            "positives",
            # Those of counts lie where they were counted.
            max(map(len, data.axes)) if isinstance(data, RatedCounts) else resolution,
        ),
        evidence=evidence,
        current=current,
        author=wish.author,
        reason=wish.reason,
    )
    return Choice(record=record, notes=(*loaded.notes, *data.notes, *_noticed(loaded, columns)))


def _rated(
    loaded: LoadedTable, columns: Columns, rule: Rule, report: Report
) -> tuple[RatedDocuments | RatedCounts, float | None, CountedTable | None]:
    """Read the documents and the days that they span, or count both where they lie, in the table returned."""
    if loaded.is_complete:
        documents = documents_of(loaded, columns)
        return documents, days_of(loaded, columns, documents), None
    table = counted_table(loaded, columns)
    data = count_documents(table.engine, table.table, table.columns, rule=rule, report=report)
    days = None if columns.time is None else table.along(data.floors[np.newaxis], "any")[1]
    return data, days, replace(table, columns=replace(table.columns, floors=tuple(data.floors.tolist())))


def _current(given: Mapping[str, float], names: tuple[str, ...]) -> Floats | None:
    if not given:
        return None
    given = by_score(given, names)
    if set(given) != set(names):
        wrong = score_name(sorted(set(given) ^ set(names))[0])
        raise DataError(f"Give one --current for each score in use; '{shortened(wrong)}' does not fit these.")
    return checked_thresholds([given[name] for name in names], names)


def _noticed(loaded: LoadedTable, columns: Columns) -> list[str]:
    """Say which scores are inverted, and which may have to be."""
    plain = [name for name in columns.scores if name in loaded.frame.columns]
    return [
        *(
            f"Low values of '{shortened(score_name(name))}' are suspicious: alerts are at or below its threshold."
            for name in columns.scores
            if name.startswith(MINUS)
        ),
        *(
            f"'{shortened(name)}' may be lower the likelier a positive; to invert it, give --scores '{MINUS}{name}'."
            for name in find_falling(loaded.frame, plain, columns.rating, dict(columns.meanings))
        ),
    ]
