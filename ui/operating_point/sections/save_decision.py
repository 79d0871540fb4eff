"""The part of the operating point where a decision is made: who and why, into the log, and away as files."""

from dataclasses import replace

import plotly.graph_objects as go
import streamlit as st

from multiloss_core import DataError, DecisionRecord
from multiloss_core.decisions import MAX_NAME, MAX_REASON, RecordedTarget, html_report, stem_of
from multiloss_core.figures import count_surface, surface_marks, threshold_curves, threshold_mark
from multiloss_core.figures import threshold_space as space_figure
from multiloss_core.figures import tp_fp_plane as plane_figure
from multiloss_core.thresholds import Point
from ui.data.rated_workspace import rated_uploads
from ui.operating_point.analysis import Analysis
from ui.operating_point.baseline import thresholds_in_use
from ui.operating_point.controls.target_drivers import recorded_target
from ui.operating_point.decision_record import record_of
from ui.operating_point.point_view import PointContext
from ui.operating_point.review_band.record import recorded_block
from ui.records.log_access import decision_log
from ui.records.record_files import HTML, offer_file, offer_files
from ui.shared.formatting import FRAUD, as_text
from ui.shared.lazy_section import shown_when_open
from ui.shared.session import MadeDecision, session

EXPANDER = "save_decision"


@shown_when_open("Save this decision", icon=":material/bookmark_add:", key=EXPANDER)
def show_decision(context: PointContext) -> None:
    """Make a decision of the point on the screen."""
    make_decision(context, recorded_target(context.analysis, context.point))


def make_decision(context: PointContext, target: RecordedTarget | None) -> None:
    """Make a decision of a point that a target led to: keep it in the log, take it away as files."""
    analysis, point, pair = context.analysis, context.point, context.view.pair
    try:
        source = rated_uploads().source(analysis.dataset.name)
        draft = record_of(
            analysis,
            point,
            source,
            rated_uploads().choice_for(source),
            target=target,
            evidence=context.view.resamples,
            current=thresholds_in_use(analysis),
            block=recorded_block(analysis),
        )
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    _ask_to_decide(draft)
    made = session().point.decision
    if made is not None and _same_decision(made.record, draft):
        _show_outcome(made)
        offer_files(made.record, "made", report=False)
        _offer_report(made.record, analysis, point, pair)


def _ask_to_decide(draft: DecisionRecord) -> None:
    """Who and why; a form, so that what is saved or taken away is what was typed."""
    with st.form("decision", border=False):
        author = st.text_input("Decided by", key="decision_author", persist_state="session", max_chars=MAX_NAME)
        reason = st.text_area("Why", key="decision_reason", persist_state="page", max_chars=MAX_REASON, height=100)
        with st.container(horizontal=True):
            keep = st.form_submit_button("Save to the log", type="primary", icon=":material/bookmark_add:")
            only = st.form_submit_button("Only make the files", icon=":material/description:")
    if keep or only:
        try:
            record = _the_same_again(replace(draft, author=author.strip(), reason=reason.strip()))
        except DataError as error:
            st.error(as_text(str(error)), icon=":material/error:")
            return
        session().point.decision = _save_to_log(record) if keep else MadeDecision(record)


def _save_to_log(record: DecisionRecord) -> MadeDecision:
    try:
        return MadeDecision(record, number=decision_log().add(record))
    except DataError as error:
        return MadeDecision(record, complaint=str(error))


def _the_same_again(record: DecisionRecord) -> DecisionRecord:
    """Return the decision that was made before, where nothing but the moment is new: it keeps its id."""
    made = session().point.decision
    if made is None:
        return record
    before = made.record
    return before if replace(record, record_id=before.record_id, created=before.created) == before else record


def _same_decision(made: DecisionRecord, draft: DecisionRecord) -> bool:
    """Whether the screen still shows what was decided; intervals may have come since."""
    return all(
        getattr(made, name) == getattr(draft, name)
        for name in ("data", "columns", "settings", "target", "thresholds", "block")
    )


def _show_outcome(made: MadeDecision) -> None:
    if made.number is not None:
        st.success(f"Saved in the decision log as number {made.number}.", icon=":material/check_circle:")
        st.page_link("pages/decisions.py", label="See all decisions", icon=":material/history:")
    elif made.complaint is not None:
        st.error(
            f"Not saved in the log. {as_text(made.complaint)} The files below are complete; the record can be added to "
            "the log later.",
            icon=":material/database_off:",
        )
    else:
        st.info("Not saved in the log. Here are the files of the decision.", icon=":material/description:")


def _offer_report(record: DecisionRecord, analysis: Analysis, point: Point, pair: tuple[int, int]) -> None:
    """Make the report with its figures, 5 MB, when it is asked for."""
    report = session().point.report
    if report is None or report[0] != record.record_id:
        if not st.button("Prepare the report with figures", icon=":material/lab_profile:"):
            return
        with st.spinner("Drawing the figures …"):
            report = record.record_id, html_report(record, _figures(analysis, point, pair), FRAUD)
        session().point.report = report
    offer_file("Report with figures (HTML)", report[1], f"{stem_of(record)}.html", HTML, "made")


def _figures(analysis: Analysis, point: Point, pair: tuple[int, int]) -> dict[str, go.Figure]:
    """Draw the figures of the point by their titles; a single classifier has no surfaces."""
    paths, chosen, unit = analysis.paths, point.method, analysis.settings.unit
    plane = plane_figure(paths, [point], chosen=chosen, theme="light", unit=unit)
    if len(analysis.surfaces.names) == 1:
        only = analysis.path(chosen)
        curves = threshold_curves(only, theme="light", unit=unit)
        curves.add_trace(threshold_mark(only, point, theme="light"))
        figures = [curves, plane]
    else:
        surfaces = analysis.sliced(point, pair)
        figures = [space_figure(surfaces, paths, [point], chosen=chosen, theme="light", pair=pair), plane]
        for count in ("tp", "fp"):
            figure = count_surface(surfaces, paths, count=count, theme="light", pair=pair, unit=unit)
            figure.add_trace(surface_marks([point], surfaces, count=count, chosen=chosen, theme="light", pair=pair))
            figures.append(figure)
    return {figure.layout.title.text: figure for figure in figures}
