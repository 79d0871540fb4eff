"""The part of the operating point where a decision is made: who and why, into the log, and away as files."""

from dataclasses import dataclass, replace

import plotly.graph_objects as go
import streamlit as st

from multiloss_core import DataError, DecisionRecord, RecordedTarget, html_report
from multiloss_core.decisions.validation import MAX_NAME, MAX_REASON
from multiloss_core.figures.count_surface import count_surface, surface_marks
from multiloss_core.figures.threshold_space import threshold_curves, threshold_mark
from multiloss_core.figures.threshold_space import threshold_space as space_figure
from multiloss_core.figures.tp_fp_plane import tp_fp_plane as plane_figure
from multiloss_core.numerics.arrays import Floats
from multiloss_core.thresholds.generalisation.bootstrap import PointBootstrap
from multiloss_core.thresholds.paths.operating_point import Point
from ui.data.rated_datasets import SAMPLES, RatedSource, sample
from ui.data.rated_workspace import workspace
from ui.operating_point.analysis import Analysis
from ui.operating_point.decision_record import record_of
from ui.records.log_access import decision_log
from ui.records.record_files import HTML, offer_file, offer_files, stem_of
from ui.shared.formatting import as_text
from ui.shared.lazy_section import shown_when_open

EXPANDER, MADE, REPORT = "save_decision", "decision_made", "decision_report"


@dataclass(frozen=True)
class Made:
    """A decision that was made, its number in the log, or why it is not there; neither where the log was not wanted."""

    record: DecisionRecord
    number: int | None = None
    complaint: str | None = None


@shown_when_open("Save this decision", icon=":material/bookmark_add:", key=EXPANDER)
def show_decision(
    analysis: Analysis,
    point: Point,
    *,
    target: RecordedTarget | None = None,
    evidence: PointBootstrap | None = None,
    current: Floats | None = None,
    pair: tuple[int, int] = (0, 1),
) -> None:
    """Make a decision of the point: keep it in the log, take it away as files.

    `target`: what drove the point (else the slider, or the hand). `evidence`: resamples, used where they are of this
    point. `current`: the thresholds (k,) in use. `pair`: the classifiers on the axes of the report's figures.
    """
    try:
        source = _source_of(analysis)
        choice = workspace().choice_for(source)
        draft = record_of(analysis, point, source, choice, target=target, evidence=evidence, current=current)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    _ask_to_decide(draft)
    made: Made | None = st.session_state.get(MADE)
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
        st.session_state[MADE] = _kept(record) if keep else Made(record)


def _kept(record: DecisionRecord) -> Made:
    try:
        return Made(record, number=decision_log().add(record))
    except DataError as error:
        return Made(record, complaint=str(error))


def _the_same_again(record: DecisionRecord) -> DecisionRecord:
    """The decision that was made before, where nothing but the moment is new: it keeps its id."""
    made: Made | None = st.session_state.get(MADE)
    if made is None:
        return record
    before = made.record
    return before if replace(record, record_id=before.record_id, created=before.created) == before else record


def _same_decision(made: DecisionRecord, draft: DecisionRecord) -> bool:
    """Whether the screen still shows what was decided; intervals may have come since."""
    return all(
        getattr(made, name) == getattr(draft, name) for name in ("data", "columns", "settings", "target", "thresholds")
    )


def _show_outcome(made: Made) -> None:
    if made.number is not None:
        st.success(f"Saved in the decision log as number {made.number}.", icon=":material/check_circle:")
        st.page_link("pages/decisions.py", label="See all decisions", icon=":material/history:")
    elif made.complaint is not None:
        st.error(
            f"Not saved in the log. {as_text(made.complaint)} The files below are complete; the record can be added to the "
            "log later.",
            icon=":material/database_off:",
        )
    else:
        st.info("Not saved in the log. Here are the files of the decision.", icon=":material/description:")


def _offer_report(record: DecisionRecord, analysis: Analysis, point: Point, pair: tuple[int, int]) -> None:
    """The report with its figures, 5 MB, made when it is asked for."""
    report = st.session_state.get(REPORT)
    if report is None or report[0] != record.record_id:
        if not st.button("Prepare the report with figures", icon=":material/lab_profile:"):
            return
        with st.spinner("Drawing the figures …"):
            report = record.record_id, html_report(record, _figures(analysis, point, pair))
        st.session_state[REPORT] = report
    offer_file("Report with figures (HTML)", report[1], f"{stem_of(record)}.html", HTML, "made")


def _figures(analysis: Analysis, point: Point, pair: tuple[int, int]) -> dict[str, go.Figure]:
    """The figures of the point by their titles; a single classifier has no surfaces."""
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


def _source_of(analysis: Analysis) -> RatedSource:
    name = analysis.dataset.name
    uploads = workspace().uploads
    if name not in uploads and name not in SAMPLES:
        raise DataError(f"'{name}' is no longer loaded in this session; upload it again to save a decision.")
    return uploads[name] if name in uploads else sample(name)
