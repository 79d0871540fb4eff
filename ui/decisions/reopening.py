"""Reopen a record: find its data, restore its settings, count it on other data."""

import hashlib
from dataclasses import replace

import numpy as np
import streamlit as st

from multiloss_core import CountSurfaces, DataError, DecisionRecord
from multiloss_core.datasets import RatedDataset, RatedSource
from multiloss_core.decisions import (
    FlaggedDocuments,
    Observed,
    RecordedFilter,
    columns_from_record,
    data_fingerprint,
    kept_rows,
    observe,
    recorded_columns,
)
from multiloss_core.generalisation import PointIntervals, bootstrap_thresholds
from multiloss_core.tables import ColumnMeanings, base_of, values_and_blanks
from multiloss_core.thresholds import RESOLUTIONS
from ui.data.rated import build_dataset, confirm, rated_uploads
from ui.operating_point.active_goal import goal_choices, is_restorable, set_manual_thresholds
from ui.operating_point.current_thresholds import keep_current
from ui.operating_point.decision import CONFIDENCE, GUARANTEED, STAYED, STAYED_BEFORE
from ui.operating_point.path_tasks import Settings
from ui.operating_point.sections.certificate import request_certificate
from ui.operating_point.sections.review_band import block_choices
from ui.operating_point.settings import STAY_KEY, recorded_unit, settings_choices
from ui.operating_point.state import IN_URL, set_target
from ui.rated_data.column_roles import forget
from ui.shared.choices import RECORDED, withdraw
from ui.shared.session import Reopened, SegmentChoice, session


def same_data(record: DecisionRecord) -> RatedSource | None:
    """Find the loaded data or sample of the record by its fingerprint."""
    for source in tables_at_hand(record):
        if data_fingerprint(source.fingerprint, record.columns) == record.data.fingerprint:
            return source
    return None


def other_data(record: DecisionRecord) -> dict[str, RatedSource]:
    """Find loaded data with the scores and rules of the record; the same name comes first."""
    fitting = [
        source
        for source in tables_at_hand(record)
        if all(base_of(source.frame, name) is not None for name in record.columns.read_columns)
    ]
    fitting.sort(key=lambda source: source.name != record.data.name)
    return {source.name: source for source in fitting}


def observed(record: DecisionRecord, source: RatedSource) -> Observed:
    """Count the alerts of a record's thresholds on other data, with the record's filters.

    Raises DataError for missing columns, and for a sample of rows in an engine.
    """
    if source.is_sample:
        raise DataError(
            f"'{source.name}' is counted in its engine and only a sample of its rows is loaded; choose fewer days on "
            "Rated data to load all rows, or use the command multiloss watch."
        )
    _, dataset = _as_recorded(record, _filtered(source, record.data.filters), one_class=True)
    key = f"{dataset.key}{record.record_id}"
    return observe(record, dataset, lambda at: _intervals(key, at))


def reopen(record: DecisionRecord, source: RatedSource, *, same: bool) -> dict[str, str]:
    """Restore the settings of a record with `source` as the data; return the URL parameters.

    Raises
    ------
    DataError : data that does not fit the record, or too many classifiers for the screen.
    """
    classifiers = len(record.columns.scores)
    if classifiers not in RESOLUTIONS:
        raise DataError(
            f"The decision has {classifiers} classifiers, and the screen shows at most {max(RESOLUTIONS)}; you can "
            "still download its files."
        )
    dataset = _use_columns(record, source)
    rated_uploads().choose(source.name)
    # The restored goals belong to this file.
    session().point.file = source.fingerprint
    confirm(source)
    withdraw(*RECORDED)
    choices = rated_uploads().in_address(source.name) | settings_choices(
        record.settings,
        classifiers,
        documents=record.columns.rating is not None,
        amounts=rated_uploads().choice_for(source).amount is not None,
    )
    names = [goal.name for goal in record.target.goal_values]
    if any(name.startswith((STAYED, STAYED_BEFORE)) for name in names):
        choices[STAY_KEY] = "true"
    _reopen_certificate(record, dataset)
    choices |= goal_choices(record.target, same_data=same) | block_choices(record.block)
    without_target = record.target.marginal_precision is None and not is_restorable(record.target, same_data=same)
    if record.target.by_hand or without_target:
        set_manual_thresholds(list(record.thresholds))
    if record.target.marginal_precision is not None:
        set_target(100 * record.target.marginal_precision)
    state = session().point
    state.reopened = Reopened(record, source.name, same)
    state.segment_choices.pop(dataset.fingerprint, None)
    if record.segments is not None:
        state.segment_choices[dataset.fingerprint] = SegmentChoice(record.segments.column, own=True)
    if record.current is not None:
        choices |= keep_current(dataset.key, record.settings.rule, record.current.thresholds, "the decision")
    return choices | {IN_URL.name: IN_URL.write(session().point.goals.percent)}


def _filtered(source: RatedSource, filters: tuple[RecordedFilter, ...] | None) -> RatedSource:
    """Keep the rows that match the filters of a record."""
    if filters is None:
        return source
    return replace(
        source,
        frame=source.frame[kept_rows(source.frame, filters)].reset_index(drop=True),
        fingerprint=hashlib.sha256(f"{source.fingerprint}{''.join(map(repr, filters))}".encode()).hexdigest(),
    )


def tables_at_hand(record: DecisionRecord) -> list[RatedSource]:
    """List the loaded data, newest first, and the sample of the record's name."""
    store = rated_uploads()
    named = record.data.name
    samples = [store.samples[named](named)] if named in store.samples and named not in store.state.sources else []
    return [*reversed(store.state.sources.values()), *samples]


def _choice(record: DecisionRecord, source: RatedSource) -> ColumnMeanings:
    """Return the columns and floors of a record, and other choices as for the data."""
    columns, known = record.columns, rated_uploads().choice_for(source)
    if columns.rating is None:
        return ColumnMeanings(is_counts=True, scores=(), rule=record.settings.rule)
    words = () if columns.rating not in source.frame else values_and_blanks(source.frame[columns.rating])[1]
    return replace(
        columns_from_record(columns, source.frame, words),
        amount=record.settings.amount or known.amount,
        time=known.time,
        segment=known.segment,
        complete_until=known.complete_until,
        decimal_signs=known.decimal_signs,
        age_weights=record.data.half_life is not None,
        earlier=tuple(name for name in record.data.earlier or () if name in rated_uploads().state.sources),
    )


def _as_recorded(
    record: DecisionRecord, source: RatedSource, *, one_class: bool = False
) -> tuple[ColumnMeanings, RatedDataset]:
    """Read data with the columns of a record, or with those chosen for the data."""
    choice = _choice(record, source)
    try:
        dataset = build_dataset(source, choice, one_class=one_class)
    except DataError as error:
        choice = rated_uploads().choice_for(source)
        try:
            dataset = build_dataset(source, choice)
        except DataError:
            raise error from None
        if dataset.source.names != record.columns.scores:
            raise error from None
    if dataset.source.names != record.columns.scores:
        raise DataError(
            f"'{source.name}' has the classifiers {_listed(dataset.source.names)}, and the decision "
            f"{_listed(record.columns.scores)}; choose other data."
        )
    return choice, dataset


def _use_columns(record: DecisionRecord, source: RatedSource) -> RatedDataset:
    """Choose the columns of a record for its data, unless the current ones are equivalent."""
    choice = rated_uploads().choice_for(source)
    try:
        dataset = build_dataset(source, choice)
        same_amount = record.settings.amount in (None, choice.amount)
        if recorded_columns(dataset) == record.columns and same_amount and _rule_fits(record, dataset):
            return dataset
    except DataError:
        pass
    choice, dataset = _as_recorded(record, source)
    rated_uploads().remember(source, choice)
    forget(source)
    return dataset


def _rule_fits(record: DecisionRecord, dataset: RatedDataset) -> bool:
    return not isinstance(dataset.source, CountSurfaces) or dataset.source.rule == record.settings.rule


def _reopen_certificate(record: DecisionRecord, dataset: RatedDataset) -> None:
    """Request the certified path again for a record with a guarantee."""
    goals = {goal.name: goal.value for goal in record.target.goal_values}
    if GUARANTEED in goals and CONFIDENCE in goals:
        settings = record.settings
        found_with = Settings(settings.rule, settings.spacing, settings.resolution, recorded_unit(settings))
        request_certificate((dataset.key, found_with), goals[GUARANTEED], goals[CONFIDENCE])


@st.cache_resource(scope="session", max_entries=8, show_spinner="Counting on the data that is loaded …")
def _intervals(key: str, _at: FlaggedDocuments) -> PointIntervals:
    generator = np.random.default_rng(0)
    return bootstrap_thresholds(_at.documents, _at.thresholds, _at.rule, generator=generator).intervals()


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)
