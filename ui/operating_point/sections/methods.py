"""Sections: margins of classifiers, the paper's graph, methods at the target, F-score."""

import math
from typing import Any

import numpy as np
import streamlit as st

from multiloss_core import (
    OperatingPoint,
    ThresholdPath,
    Unit,
    benchmark_path,
    f_beta_of_point,
    graph_path,
    mean_graph_path,
    operating_point,
)
from multiloss_core.formatting import direction, percent, plural, score_name, score_side, score_value
from multiloss_core.thresholds import GRAPH, SMOOTH, FlaggedCounts, Point, classifier_margins, to_graphml
from ui.operating_point.analysis import Analysis, of_sample
from ui.operating_point.point_text import PRECISION, UNDECIDED, WORDS
from ui.operating_point.state import PointContext
from ui.shared.caching import cached
from ui.shared.choices import choose, chosen
from ui.shared.formatting import (
    AREA,
    BOUND,
    COUNT,
    COUNTED,
    HIGH,
    LOW,
    MONEY,
    RATIO,
    SHARE,
    THRESHOLD,
    WHOLE,
    rounded_share,
    show_numbers,
    vocabulary,
)
from ui.shared.widgets import shown_when_open

AREA_UNDER_PATH, IN_MONEY = "Area (0 to 1)", WORDS[Unit.MONEY]
# Least and most on each axis of the graph.
NODES = (3, 10)
NOTES = {"inside": "", "at_floor": "at the floor", "unreachable": "not reached"}
KINDS = {
    **dict.fromkeys(("TP", "FP", "Alerts", UNDECIDED), COUNT),
    **dict.fromkeys((IN_MONEY.caught, IN_MONEY.false), MONEY),
    **dict.fromkeys(("Precision", "Rated positives kept", IN_MONEY.precision, IN_MONEY.kept), SHARE),
    **dict.fromkeys(("FP per TP", IN_MONEY.false_per_catch), RATIO),
    AREA_UNDER_PATH: AREA,
}


@shown_when_open("For methodologists", icon=":material/science:", key="methodologists")
def show_methods(context: PointContext) -> None:
    """Show all methods at the same target, and the F-score that the point maximises."""
    _show_table(context)
    _show_f_beta(context)
    _compare_variants(context)


def _show_table(context: PointContext) -> None:
    analysis, points = context.analysis, context.view.points
    st.markdown("**All methods at this target**")
    rows, shown = [], dict[str, Point](points)
    # A cap or thresholds by hand may lead to a point of no method.
    if context.view.point_off_path is not None:
        shown["chosen point"] = context.view.point_off_path
    others, undecided = analysis.in_other_unit(list(shown.values())), analysis.undecided(list(shown.values()))
    has_notes = any(point.status != "inside" for point in points.values())
    for (name, point), other, waiting in zip(shown.items(), others, undecided, strict=True):
        values = analysis.deployable(point)
        rows.append(
            {"Method": name}
            | {score_side(name): score_value(name, value) for name, value in zip(point.names, values, strict=True)}
            | _counts(analysis.settings.unit, point, other, waiting if analysis.has_undecided else None)
            | {AREA_UNDER_PATH: analysis.path(name).normalised_area if name in points else math.nan}
            | ({"Note": NOTES[points[name].status] if name in points else ""} if has_notes else {})
        )
    thresholds = dict.fromkeys(map(score_side, context.point.names), THRESHOLD)
    show_numbers(rows, KINDS | thresholds, alt="All methods at the same marginal precision.")
    _say_why_less_area(analysis)
    if context.point.reachable_share < 1:
        documents = others[0] if others[0] is not None and analysis.settings.unit is Unit.MONEY else points[SMOOTH.name]
        st.caption(
            f"Kept of all {plural(documents.rated.tp, 'rated positive')}; at most "
            f"{percent(context.point.reachable_share)} of them can be reached when every score must agree."
        )


def _say_why_less_area(analysis: Analysis) -> None:
    if SMOOTH.name not in analysis.methods:
        return
    areas = {method: analysis.path(method).normalised_area for method in analysis.methods}
    if max(areas.values()) > areas[SMOOTH.name]:
        st.caption(
            f"The area is counted on these very rows. *{SMOOTH.name}* does not follow their chance, so another path "
            "may have more of it here; which one keeps its area on new rows is under *What new data will show*."
        )


def _compare_variants(context: PointContext) -> None:
    """Compare options of the paper's methods at the target, on request."""
    analysis = context.analysis
    with st.form("variants", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        buckets = st.number_input("Buckets of the benchmark", 1, 1_000, 100, key="variant_buckets")
        draws = st.number_input("Draws of the mean graph", 1, 100, 30, key="variant_draws")
        most_fp = st.number_input("Area up to FP", 1.0, 1e12, max(context.point.fp, 1.0), key="variant_fp")
        st.form_submit_button("Compare", on_click=choose, args=("variants_asked", True))
    if not chosen("variants_asked"):
        return
    with st.spinner("Finding three paths …"):
        paths = _variants(analysis.key, int(buckets), int(draws), float(most_fp), _analysis=analysis)
    rows = []
    for name, path in {**paths, f"{GRAPH.name}, whole area": analysis.path(GRAPH.name)}.items():
        point = operating_point(path, context.point.marginal_precision)
        row: dict[str, Any] = {"Variant": name}
        rounded = analysis.deployable(point)
        row |= {score_side(score): score_value(score, value) for score, value in zip(point.names, rounded, strict=True)}
        row |= {"TP": point.tp, "FP": point.fp, "Precision": rounded_share(point.precision, point.alerts)}
        rows.append(row | {AREA_UNDER_PATH: path.normalised_area, "Area up to FP": path.area_up_to(float(most_fp))})
    thresholds = dict.fromkeys(map(score_side, context.point.names), THRESHOLD)
    show_numbers(rows, KINDS | thresholds | {"Area up to FP": WHOLE}, alt="Variants of the paper's methods.")
    st.caption(
        "The paper's root of dTP/dFP (Ridders' method) lies between two vertices of a path. Here the point is the "
        "vertex that the tangent touches: between vertices no other rows are flagged, and a vertex has exact counts."
    )


@cached(of_sample, max_entries=8)
def _variants(
    key: tuple[object, ...], buckets: int, draws: int, most_fp: float, _analysis: Analysis
) -> dict[str, ThresholdPath]:
    surfaces, documents = _analysis.surfaces, _analysis.dataset.source.documents
    return {
        f"benchmark, {plural(buckets, 'bucket')}": benchmark_path(surfaces, buckets=buckets),
        f"mean graph, {plural(draws, 'draw')}": mean_graph_path(
            surfaces, np.random.default_rng(0), draws=draws, documents=documents
        ),
        f"{GRAPH.name}, area up to {most_fp:,.6g} FP": graph_path(surfaces, most_fp=most_fp),
    }


def _counts(unit: Unit, point: Point, other: FlaggedCounts | None, undecided: float | None) -> dict[str, float]:
    waiting = {} if undecided is None else {UNDECIDED: undecided}
    if unit is Unit.DOCUMENTS or other is None:
        return {
            "TP": point.tp,
            "FP": point.fp,
            "Alerts": point.alerts + (undecided or 0.0),
            **waiting,
            "Precision": rounded_share(point.precision, point.alerts),
            "FP per TP": point.fp_per_tp,
            "Rated positives kept": rounded_share(point.share_of_rated_positives, point.rated.tp),
        }
    return {
        IN_MONEY.caught: point.tp,
        IN_MONEY.false: point.fp,
        IN_MONEY.precision: rounded_share(point.precision, other.alerts),
        IN_MONEY.false_per_catch: point.fp_per_tp,
        IN_MONEY.kept: rounded_share(point.share_of_rated_positives, other.rated.tp),
        "Alerts": other.alerts + (undecided or 0.0),
        **waiting,
    }


def show_margins(context: PointContext) -> None:
    """Show what moving the threshold of one classifier alone would add or lose."""
    if context.point.status != "unreachable":
        _show_margins(context)


@shown_when_open("Moving one threshold", icon=":material/swap_vert:", key="margins")
def _show_margins(context: PointContext) -> None:
    analysis, point = context.analysis, context.point
    unit = analysis.settings.unit
    flagged = unit.flagged.capitalize()
    rows = [
        {
            "Classifier": score_name(margin.name),
            "Threshold moved": moved,
            flagged: alerts,
            "Fraud": precision * alerts,
            # Of how many documents so little money is, is unknown: whole percents are safe.
            PRECISION: rounded_share(precision, alerts if unit is Unit.DOCUMENTS else 0),
            LOW: low,
            HIGH: high,
        }
        for margin in classifier_margins(analysis.dataset.source, point, band=_band(analysis, point))
        for looser, stricter in [("down", "up") if direction(margin.name) > 0 else ("up", "down")]
        for moved, alerts, precision, (low, high) in (
            (
                f"{looser}: the next {unit.flagged} it alone would add",
                margin.added,
                margin.precision_added,
                margin.added_interval,
            ),
            (
                f"{stricter}: the last {unit.flagged} it alone added",
                margin.lost,
                margin.precision_lost,
                margin.lost_interval,
            ),
        )
    ]
    st.markdown("Marginal precision of each classifier at the point:")
    show_numbers(
        rows,
        {flagged: COUNTED[unit], "Fraud": COUNTED[unit], PRECISION: SHARE, LOW: BOUND, HIGH: BOUND},
        alt="Marginal precision of each classifier at the chosen point.",
    )
    st.caption(
        f"At the best point the target of {100 * point.marginal_precision:.3g} % lies between the two rows of each: "
        "the alerts added last hold more, the next hold less. Where it does not, moving that threshold pays. "
        "Undefined: nothing rated there."
    )


def _band(analysis: Analysis, point: Point) -> float | None:
    """Return the money next to a threshold that matches the usual number of documents."""
    if analysis.settings.unit is Unit.DOCUMENTS:
        return None
    documents = analysis.in_other_unit([point])[0]
    return max(20 / documents.alerts, 0.05) * point.alerts if documents is not None and documents.alerts else None


def _show_f_beta(context: PointContext) -> None:
    """Show the F_beta that the point would maximise, with the condition."""
    analysis, point = context.analysis, context.point
    beta = f_beta_of_point(point)
    if not isinstance(point, OperatingPoint) or math.isnan(beta):
        return
    has = "is estimated to have" if point.estimated else "has"
    of, missed = (
        (f"the rated {vocabulary().documents}", "a missed fraud weighs {} times a false alert")
        if analysis.settings.unit is Unit.DOCUMENTS
        else ("the rated money", "money missed in fraud weighs {} times money in false alerts")
    )
    st.caption(
        f"In terms of F-scores: of all points of this path, this one {has} the largest Fβ of {of} for "
        f"**β = {beta:.2g}**, where {missed.format(f'{beta**2:.2g}')}. It stays so on new data if the "
        "marginal precision along the path does (calibration). Fraud below the floors would make β smaller. "
        "Scores that are probabilities can be cut for a chosen loss directly:"
    )
    st.page_link("pages/optimal_cut.py", label="Optimal cut", icon=":material/content_cut:")


@shown_when_open("View as graph", icon=":material/hub:", key="as_graph")
def show_as_graph(context: PointContext) -> None:
    """Show the data as the paper's graph on a coarse grid, with the search by step."""
    # Imported here because networkx loads slowly.
    from ui.shared.graph_search import explore_graph  # noqa: PLC0415

    if len(context.analysis.surfaces.names) == 1:
        st.info("A single score has one path only: its thresholds in order.")
        return
    thinned, bounds = context.view.surfaces.thinned, NODES
    graph = explore_graph(thinned, bounds, nodes_key="graph_nodes", step_key="graph_step_")
    st.caption("The charts above use a finer grid.")
    file, mime = "threshold_graph.graphml", "application/xml"
    st.download_button("GraphML", to_graphml(graph), file, mime, icon=":material/download:", on_click="ignore")
