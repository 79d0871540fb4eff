"""The audit of a file: its plan, its ratings, and recall at the point on the screen."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from pydantic import TypeAdapter, ValidationError

from multiloss_core import Counts, DataError, Unit
from multiloss_core.audit import Audit, AuditEstimates, AuditPlan, AuditReading, plan_from_json, plan_json, read_audit
from multiloss_core.decisions import RecordedAudit, recorded_audit
from multiloss_core.formatting import percent, plural, score_name
from multiloss_core.numerics import Floats
from multiloss_core.tables import read_in_process
from multiloss_core.thresholds import Point
from ui.data.rated import rated_uploads
from ui.operating_point.analysis import Analysis
from ui.operating_point.segment_tasks import chosen_segments
from ui.operating_point.settings import METHOD_KEY
from ui.operating_point.state import PointContext, present_point
from ui.server.file_store import file_store
from ui.shared.choices import chosen_or_linked
from ui.shared.formatting import unrated
from ui.shared.session import KeptAudit, StoredRatings, session


@dataclass(frozen=True, kw_only=True)
class _StoredAudit:
    """An audit as it is stored: its plan as JSON, its ratings and the refuted keys."""

    plan: str
    ratings: StoredRatings | None = None
    refuted: tuple[str, ...] = ()


_STORED = TypeAdapter(_StoredAudit)


def kept_audit(analysis: Analysis) -> KeptAudit:
    """Return the plan and the audit of rated data under their columns, as far as there are any."""
    audits, key = session().audits, analysis.rated.key
    if key not in audits:
        audits[key] = _brought_back(analysis)
    return audits[key]


def keep_audit(analysis: Analysis, **parts: Any) -> None:
    """Keep parts of `KeptAudit` beside those kept before, also with the stored file."""
    kept = replace(kept_audit(analysis), **parts)
    session().audits[analysis.rated.key] = kept
    file = rated_uploads().state.files.get(analysis.dataset.name)
    if kept.plan is None or file is None:
        return
    ratings = None if kept.audit is None else kept.stored
    written = _STORED.dump_json(_StoredAudit(plan=plan_json(kept.plan), ratings=ratings, refuted=kept.refuted))
    file_store().change(file.key, {_subject(analysis): written.decode()}, () if ratings is None else (ratings.file,))


def _subject(analysis: Analysis) -> str:
    return f"audit {analysis.rated.key}"


def _brought_back(analysis: Analysis) -> KeptAudit:
    """Read the audit that is stored with a file; what is not kept any more is left out."""
    file = rated_uploads().state.files.get(analysis.dataset.name)
    about = None if file is None else file_store().about(file.key)
    text = None if about is None else about.settings.get(_subject(analysis))
    if text is None:
        return KeptAudit()
    try:
        stored = _STORED.validate_json(text)
        kept = KeptAudit(plan=plan_from_json(stored.plan), refuted=stored.refuted)
    except (ValidationError, DataError):
        return KeptAudit()
    data = None if stored.ratings is None else file_store().read(stored.ratings.file)
    if stored.ratings is None or data is None or kept.plan is None:
        return kept
    try:
        with st.spinner("Reading the audit …"):
            frame = read_in_process(data, stored.ratings.name)[0].frame_with(map(score_name, analysis.names))
            audit = audit_of(analysis, frame, kept.plan, stored.ratings)
    except DataError:
        return kept
    return replace(kept, audit=audit, name=stored.ratings.name, stored=stored.ratings)


def audit_of(analysis: Analysis, frame: pd.DataFrame, plan: AuditPlan, ratings: StoredRatings) -> Audit:
    """Read rated rows by what their columns mean. Raises DataError."""
    meanings = analysis.rated.columns.known_meanings if ratings.positive is None else None
    return Audit.from_frame(
        frame,
        plan,
        ratings.label,
        key=ratings.identifier,
        positive=ratings.positive,
        meanings=meanings,
        allow_missing=True,
    )


def audit_reading(analysis: Analysis) -> AuditReading | None:
    """Return the audit beside the rated documents, if any. Raises DataError: it no longer fits."""
    kept = kept_audit(analysis)
    return None if kept.audit is None else _reading(analysis.rated.key, kept.audit, kept.refuted, analysis)


@st.cache_resource(scope="session", max_entries=4, show_spinner=False, hash_funcs={Audit: id})
def _reading(key: str, audit: Audit, refuted: tuple[str, ...], _analysis: Analysis) -> AuditReading:
    return read_audit(_analysis.rated.source, audit.refuted(refuted))


def caught_at(analysis: Analysis, reading: AuditReading, point: Point) -> Counts[float]:
    """Count what a point, or own thresholds of segments, flag and no threshold blocks.

    Raises DataError where the audit has no answer for it.
    """
    own = chosen_segments(analysis, point)
    if own is not None:
        return reading.caught_by_segment(Counts(own[1].tp, own[1].fp))
    return reading.caught_at(analysis.deployable(point), analysis.settings.rule)


def estimates_at(analysis: Analysis, reading: AuditReading, point: Point) -> AuditEstimates:
    """Estimate recall at a point. Raises DataError as `caught_at`."""
    return reading.of(caught_at(analysis, reading, point))


def audit_to_record(analysis: Analysis, point: Point) -> RecordedAudit | None:
    """Record the audit of a file at a point; None without one that fits, and for money."""
    if analysis.settings.unit is Unit.MONEY:
        return None
    try:
        reading = audit_reading(analysis)
        return None if reading is None else recorded_audit(reading, estimates_at(analysis, reading, point))
    except DataError:
        return None


def show_recall(context: PointContext) -> None:
    """State recall and F1 of the point, where an audit allows it."""
    analysis = context.analysis
    if kept_audit(analysis).audit is None or analysis.settings.unit is Unit.MONEY:
        return
    try:
        reading = audit_reading(analysis)
        if reading is None:
            return
        found = estimates_at(analysis, reading, context.point)
    except DataError as error:
        st.caption(f"Recall is not stated: {error}")
        return
    recall = found.recall
    st.info(
        f"**Recall {percent(recall.estimate)}** ({percent(recall.low)} to {percent(recall.high)}) and F1 "
        f"{percent(found.f1.estimate)} ({percent(found.f1.low)} to {percent(found.f1.high)}), from a random audit of "
        f"{int(reading.audit.rated.sum()):,} {unrated()}. "
        f"About {plural(round(found.missed.estimate), 'positive', 'are')} missed.",
        icon=":material/fact_check:",
    )


def audited_point(analysis: Analysis) -> Point:
    """Return the point on the screen Operating point, or the one at the slider's target."""
    asked = chosen_or_linked(METHOD_KEY)
    return present_point(analysis, asked if asked in analysis.methods else analysis.methods[0])


def block_thresholds(analysis: Analysis) -> Floats | None:
    """Return the thresholds (k,) of the upper cut of the last run, where there is one."""
    chosen = session().point.band
    if chosen is None or chosen.band.block.names != analysis.names or analysis.settings.rule != "any":
        return None
    thresholds = analysis.rounded(chosen.band.block.thresholds)
    return thresholds if np.isfinite(thresholds).any() and (thresholds > analysis.rated.source.floors).all() else None
