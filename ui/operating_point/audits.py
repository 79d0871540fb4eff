"""The audit of a file: its plan, its ratings, and recall at the point on the screen."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from multiloss_core import Counts, DataError, Unit
from multiloss_core.audit import Audit, AuditEstimates, AuditReading, read_audit
from multiloss_core.decisions import RecordedAudit, recorded_audit
from multiloss_core.formatting import percent, plural
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.segment_jobs import chosen_segments
from ui.operating_point.settings import asked_method
from ui.operating_point.state import PointContext, present_point
from ui.shared.formatting import unrated
from ui.shared.session import KeptAudit, session


def kept_audit(analysis: Analysis) -> KeptAudit:
    """Return the plan and the audit of rated data under their columns, as far as there are any."""
    return session().audits.get(analysis.rated.key, KeptAudit())


def keep_audit(analysis: Analysis, **parts: Any) -> None:
    """Keep parts of `KeptAudit` for rated data, beside those kept before."""
    session().audits[analysis.rated.key] = replace(kept_audit(analysis), **parts)


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
    asked = asked_method()
    return present_point(analysis, asked if asked in analysis.methods else analysis.methods[0])


def block_thresholds(analysis: Analysis) -> Floats | None:
    """Return the thresholds (k,) of the upper cut of the last run, where there is one."""
    chosen = session().point.band
    if chosen is None or chosen.band.block.names != analysis.names or analysis.settings.rule != "any":
        return None
    thresholds = analysis.rounded(chosen.band.block.thresholds)
    return thresholds if np.isfinite(thresholds).any() and (thresholds > analysis.rated.source.floors).all() else None
