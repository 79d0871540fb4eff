"""Plan a random audit for a decision, and read its ratings back into the record."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from multiloss_core.audit import (
    Audit,
    AuditEstimates,
    AuditPlan,
    AuditReading,
    AuditStrata,
    audit_scores,
    draw_sql,
    drawn_frame,
    expected_shares,
    halved_strata,
    plan_audit,
    plan_from_json,
    plan_json,
    read_audit,
    score_strata,
    unblocked_counts,
)
from multiloss_core.audit.draw import DRAW, MAX_PLAN_BYTES
from multiloss_core.audit.strata import checked_sizes
from multiloss_core.command_line.actions import rated_dataset
from multiloss_core.command_line.columns import by_score
from multiloss_core.command_line.reading import LoadedTable, file_to_read, opened_engine
from multiloss_core.datasets import RatedDataset
from multiloss_core.decisions import recorded_audit
from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.segments import flagged_documents
from multiloss_core.engines import count_strata, draw_in, strata_in
from multiloss_core.errors import DataError
from multiloss_core.formatting import percent, plural, score_name, short_percent
from multiloss_core.numerics import Floats, Indices
from multiloss_core.sql_dialects import SqlDialect
from multiloss_core.tables import ColumnMeanings, frame_as_csv, read_file
from multiloss_core.thresholds import RESOLUTIONS, SMOOTH, PathSearch
from multiloss_core.thresholds.data.counts import Counts
from multiloss_core.thresholds.data.rated_counts import RatedCounts

Report = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """Choices for the plan of an audit: all documents in a source, or sizes of strata.

    `documents` with its `table`: a file, or what an engine reads; `sizes`: documents of halved strata from the floors
    down, a blocked one last. `blocks`: block thresholds by column. Either a `budget` of ratings or a `width`.
    """

    documents: str | None = None
    table: str | None = None
    sizes: Sequence[int] = ()
    blocks: Mapping[str, float]
    budget: int | None = None
    width: float | None = None
    key: str | None = None
    seed: int = 0
    dialect: SqlDialect = "postgresql"


def plan(
    record: DecisionRecord,
    loaded: LoadedTable,
    columns: ColumnMeanings,
    options: AuditOptions,
    report: Report = lambda _: None,
) -> tuple[dict[str, str], list[str]]:
    """Plan the audit of a decision; draw it where all documents can be read.

    Returns the texts of the files by name, and lines that describe the plan.

    Raises
    ------
    DataError : data or options that cannot be used.
    """
    dataset = rated_dataset(loaded, columns, record.settings.rule, report)
    data, blocks = dataset.source, _blocks(record, options.blocks)
    report("Counting the strata")
    strata, sizes, drawn = _population(record, data.alert_rules, blocks, options)
    # As the application does without other settings.
    path = SMOOTH.find(PathSearch(data, record.settings.rule, RESOLUTIONS[data.score_count][1], "positives"))
    caught = _caught(record, dataset, strata)
    found = plan_audit(
        strata,
        sizes,
        expected_shares(strata, sizes, path),
        caught=caught.tp,
        known_missed=max(unblocked_counts(data, strata, data.floors).tp - caught.tp, 0.0),
        budget=options.budget,
        width=options.width,
    )
    files, lines = {}, _plan_lines(found)
    if options.key is not None:
        try:
            files["audit-draw.sql"] = draw_sql(
                found, options.table or "documents", options.key, seed=options.seed, dialect=options.dialect
            )
        except DataError as error:
            lines.append(f"No SQL: {error}")
        if drawn is not None:
            report("Drawing")
            rows = drawn(found, options.key)
            files["audit.csv"] = frame_as_csv(rows)
            found = replace(found, draw=rows[DRAW].iloc[0])
    return {"audit-plan.json": plan_json(found), **files}, lines


def read(
    record: DecisionRecord,
    loaded: LoadedTable,
    columns: ColumnMeanings,
    plan_file: Path,
    rated_file: Path,
    *,
    rating: str | None = None,
    positive: str | None = None,
    key: str | None = None,
    allow_missing: bool = False,
    refuted: Sequence[str] = (),
) -> tuple[DecisionRecord, list[str]]:
    """Read the ratings of an audit; return the record with it, and lines that describe it.

    `rating` and `positive` are those of the record where left out. `refuted`: keys of positives that a second rating
    found negative.

    Raises
    ------
    DataError : data, a plan or ratings that cannot be used.
    """
    if plan_file.stat().st_size > MAX_PLAN_BYTES:
        raise DataError(f"'{plan_file.name}' is too large for the plan of an audit; give the file of audit plan.")
    planned = plan_from_json(plan_file.read_bytes())
    frame = read_file(rated_file.read_bytes(), rated_file.name).frame_with(map(score_name, planned.strata.names))
    label = rating or record.columns.rating or ""
    same = label == record.columns.rating and positive is None
    audit = Audit.from_frame(
        frame,
        planned,
        label,
        key=key,
        positive=positive or record.columns.positive,
        meanings=record.columns.meanings if same else None,
        allow_missing=allow_missing,
    ).refuted(refuted)
    dataset = rated_dataset(loaded, columns, record.settings.rule, lambda _: None)
    reading = read_audit(dataset.source, audit)
    estimates = reading.of(_caught(record, dataset, audit.strata))
    lines = _read_lines(reading, estimates)
    if dataset.undecided_weight:
        lines.append(f"  {plural(dataset.undecided_weight, 'undecided alert')}: in none of these figures")
    return replace(record, audit=recorded_audit(reading, estimates)), lines


def _caught(record: DecisionRecord, dataset: RatedDataset, strata: AuditStrata) -> Counts[float]:
    """Count what a decision flags and does not block, with thresholds per segment."""
    thresholds, rule = record.threshold_array, record.settings.rule
    if record.segments is None:
        return unblocked_counts(dataset.source, strata, thresholds, rule)
    if isinstance(dataset.source, RatedCounts):
        raise DataError("An audit of thresholds per segment needs rows that are fetched; give a range of dates.")
    if strata.has_blocked:
        raise DataError("An audit of thresholds per segment has no block thresholds; decide without them.")
    at = flagged_documents(dataset.documents, dataset.frame, thresholds, rule, record.segments)
    return at.documents.counts_at(at.thresholds, at.rule)


def _blocks(record: DecisionRecord, given: Mapping[str, float]) -> Floats | None:
    """Return the block thresholds (k,) that were given, else those of the record."""
    names = record.columns.scores
    if not given:
        return None if record.block is None else record.block_array
    known = by_score(given, names)
    if not set(known) <= set(names):
        raise DataError("A --block is of no score of the decision; give --block NAME=VALUE with a score's column.")
    return np.array([known.get(name, math.inf) for name in names])


def _population(
    record: DecisionRecord, alert_rules: int, blocks: Floats | None, options: AuditOptions
) -> tuple[AuditStrata, Indices, Callable[[AuditPlan, str], pd.DataFrame] | None]:
    """Return strata, their sizes (h,), and how to draw from them."""
    names, floors = record.columns.scores, np.array(record.columns.floors)
    if options.documents is None:
        below = len(options.sizes) - (blocks is not None)
        strata = halved_strata(
            floors, blocks=blocks, names=names, count=below if below > 0 else 4, alert_rules=alert_rules
        )
        if below <= 0:
            sql = strata.count_sql(options.table or "documents", options.dialect)
            raise DataError(
                f"Give --documents with all documents, or --size for each of these {strata.count} strata: {sql}"
            )
        return strata, checked_sizes(strata, options.sizes), None
    file = file_to_read(options.documents)
    if file is not None:
        frame = read_file(file.read_bytes(), file.name).frame_with(map(score_name, names))
        scores = audit_scores(frame, names, alert_rules)
        strata = score_strata(scores, floors, blocks=blocks, names=names, alert_rules=alert_rules)
        return strata, strata.sizes(scores), lambda found, key: drawn_frame(found, frame, key, seed=options.seed)
    with opened_engine(options.documents, options.table) as (engine, table):
        strata = strata_in(engine, table, names, floors, blocks=blocks, alert_rules=alert_rules)
        sizes = count_strata(engine, table, strata)

    def draw(found: AuditPlan, key: str) -> pd.DataFrame:
        with opened_engine(options.documents or "", options.table) as (engine, table):
            return draw_in(engine, table, found, key, seed=options.seed)

    return strata, sizes, draw


def _plan_lines(found: AuditPlan) -> list[str]:
    rows = [
        f"  {place}  {plural(size, 'document')}, {plural(rated, 'rating')}, {short_percent(share)} drawn: {label}"
        for place, (label, size, rated, share) in enumerate(
            zip(found.strata.labels, found.sizes, found.allocation, found.probabilities, strict=True)
        )
    ]
    width = " to ".join(dict.fromkeys(f"{100 * width:.0f}" for width in found.width_range))
    words = f"in eight of ten simulated audits recall's 95 % interval is {width} points wide"
    return [f"{plural(found.budget, 'rating')}: {words}", *rows]


def _read_lines(reading: AuditReading, estimates: AuditEstimates) -> list[str]:
    audit = reading.audit
    named = {"Recall": (estimates.recall, percent), "F1": (estimates.f1, percent)}
    counts = {"Missed positives": estimates.missed, "False blocks": estimates.false_blocks}
    named |= {name: (one, lambda value: f"{value:,.0f}") for name, one in counts.items()}
    named["Prevalence"] = (estimates.prevalence, short_percent)
    left_out = f", {plural(audit.unrated, 'row')} without a rating" if audit.unrated else ""
    left_out += f", {plural(audit.missing, 'row')} missing" if audit.missing else ""
    return [
        f"{plural(int(audit.rated.sum()), 'rating')} at random, {plural(int(audit.positives.sum()), 'positive')} among "
        f"them{left_out}",
        *(
            f"  {name}: {words(one.estimate)} (95 %: {words(one.low)} to {words(one.high)})"
            for name, (one, words) in named.items()
            if not math.isnan(one.estimate)
        ),
        *(f"  {note}" for note in audit.notes),
        *filter(None, [reading.weight_of_positives()]),
        *(
            f"  rate {one.key} again: stratum {one.stratum}, stands for {audit.weights[one.stratum]:,.0f}"
            for one in audit.positives_below()
        ),
    ]
