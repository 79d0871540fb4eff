"""Save a decision with its author and reason, to the log and as files."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import streamlit as st

from multiloss_core import Counts, DataError, DecisionRecord
from multiloss_core.decisions import MAX_REASON, RecordedBlock, RecordedEvidence, RecordedSegments, RecordedTarget
from multiloss_core.generalisation import PointBootstrap
from multiloss_core.thresholds import Point
from ui.data.rated import rated_uploads
from ui.operating_point.active_goal import recorded_target
from ui.operating_point.analysis import Analysis
from ui.operating_point.audits import audit_to_record
from ui.operating_point.current_thresholds import current_thresholds_of
from ui.operating_point.decision import drawings_of, evidence_for, record_of
from ui.operating_point.sections.review_band import recorded_block
from ui.operating_point.segment_tasks import chosen_segments, is_unfinished
from ui.operating_point.state import PointContext
from ui.records import ask_name, decision_log, offer_files
from ui.shared.formatting import as_text
from ui.shared.session import MadeDecision, session
from ui.sign_in.person import Role
from ui.sign_in.user import current_user

POPOVER = "save_decision"


def show_decision(context: PointContext) -> None:
    """Make a decision of the point on the screen, in a popover."""
    # Without a message when it closes, which may arrive after a click on a link and leave the next page empty.
    with st.popover("Save this decision", icon=":material/bookmark_add:", key=POPOVER):
        analysis, view = context.analysis, context.view
        if is_unfinished(analysis, context.point):
            st.info("Thresholds for each segment are being found: the decision would hold common ones.")
            return
        try:
            segments = chosen_segments(analysis, context.point)
        except DataError as error:
            st.error(as_text(str(error)), icon=":material/error:")
            return
        make_decision(
            analysis,
            context.point,
            recorded_target(analysis, context.point),
            pair=view.pair,
            resamples=view.resamples,
            block=recorded_block(analysis),
            segments=segments,
        )


def make_decision(
    analysis: Analysis,
    point: Point,
    target: RecordedTarget | None,
    *,
    pair: tuple[int, int] = (0, 1),
    resamples: PointBootstrap | None = None,
    block: RecordedBlock | None = None,
    segments: tuple[RecordedSegments, Counts[float]] | None = None,
) -> None:
    """Save the decision for a point in the log, and offer it as files.

    `pair`: the classifiers of the charts. `resamples`, `block`: the estimates for new data, and the upper
    cut, where there is one. `segments`: thresholds of their own, with their counts.
    """
    current = current_thresholds_of(analysis)

    @cache
    def draft() -> DecisionRecord:
        return record_of(
            analysis,
            point,
            target=target,
            evidence=resamples,
            current=current,
            block=block,
            segments=None if segments is None else segments[0],
            segment_counts=None if segments is None else segments[1],
            audit=audit_to_record(analysis, point),
        )

    try:
        _ask_to_decide(draft, lambda: evidence_for(analysis, point, draft(), current))
        made = session().point.decision
        if made is not None and _same_decision(made.record, draft()):
            _show_outcome(made)
            offer_files(made.record, "made", drawings_of(made.record, analysis, point, pair))
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")


def _ask_to_decide(draft: Callable[[], DecisionRecord], find_evidence: Callable[[], RecordedEvidence]) -> None:
    """Ask for author and reason in a form, which saves texts as typed. Raises DataError."""
    may_decide = current_user().may(Role.DECIDE)
    with st.form("decision", border=False):
        author = ask_name("Decided by", key="decision_author")
        below_author = st.empty()
        reason = st.text_area("Why", key="decision_reason", persist_state="page", max_chars=MAX_REASON, height=100)
        below_reason = st.empty()
        with st.container(horizontal=True):
            keep = may_decide and st.form_submit_button(
                "Save to the log", type="primary", icon=":material/bookmark_add:"
            )
            only = st.form_submit_button("Files only", icon=":material/description:")
    if not (keep or only):
        return
    if not author:
        below_author.error("Say who decides: the decision is kept under this name.", icon=":material/error:")
    if not reason.strip():
        below_reason.error("Say why, in a sentence: it is what others will look for.", icon=":material/error:")
    if not (author and reason.strip()):
        return
    with st.spinner("Counting what the decision takes along …"):
        evidence = find_evidence()
    record = _the_same_again(replace(draft(), author=author, reason=reason.strip(), evidence=evidence))
    rated_uploads().tie(record.data.name, record.data.fingerprint)
    session().point.decision = _save_to_log(record) if keep else MadeDecision(record)


def _save_to_log(record: DecisionRecord) -> MadeDecision:
    try:
        return MadeDecision(record, number=decision_log().add(record))
    except DataError as error:
        return MadeDecision(record, complaint=str(error))


def _the_same_again(record: DecisionRecord) -> DecisionRecord:
    """Return the previous decision with its id if only the time has changed."""
    made = session().point.decision
    if made is None:
        return record
    before = made.record
    return before if replace(record, record_id=before.record_id, created=before.created) == before else record


def _same_decision(made: DecisionRecord, draft: DecisionRecord) -> bool:
    """Return whether the screen still shows what was decided; intervals may have come since."""
    return all(
        getattr(made, name) == getattr(draft, name)
        for name in ("data", "columns", "settings", "target", "thresholds", "block", "segments", "audit")
    )


def _show_outcome(made: MadeDecision) -> None:
    if made.number is not None:
        st.success(f"Saved as number {made.number}.", icon=":material/check_circle:")
        st.page_link("pages/decisions.py", label="Decisions", icon=":material/history:")
    elif made.complaint is not None:
        st.error(
            f"Not saved in the log. {as_text(made.complaint)} The files below are complete; the record can be added to "
            "the log later.",
            icon=":material/database_off:",
        )
    else:
        st.info("Not saved in the log. Here are the files of the decision.", icon=":material/description:")
