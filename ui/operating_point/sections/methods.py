"""The methods beside each other at the target, each classifier's margin at the point, and the point as an F-score."""

import math

import pandas as pd
import streamlit as st

from multiloss_core import Unit, f_beta_of_point
from multiloss_core.formatting import UNDEFINED, area, between, count, money, rate, share, threshold
from multiloss_core.thresholds import FlaggedCounts, ManualPoint, Point, classifier_margins
from ui.operating_point.analysis import Analysis
from ui.operating_point.point_text import WORDS
from ui.operating_point.view_state import PointContext


def show_methods(context: PointContext) -> None:
    """All methods at the same target."""
    analysis, points = context.analysis, context.view.points
    st.markdown("**All methods at this target**")
    rows = []
    others = analysis.in_other_unit(list(points.values()))
    for point, other in zip(points.values(), others, strict=True):
        inside = {"inside": "", "at_floor": "at the floor", "unreachable": "not reached"}[point.status]
        values = analysis.deployable(point)
        rows.append(
            {"Method": point.method}
            | {f"{name} ≥": threshold(value) for name, value in zip(point.names, values, strict=True)}
            | _counts(analysis.settings.unit, point, other)
            | {
                "Area (0 to 1)": area(analysis.path(point.method).normalised_area),
            }
            | ({"Note": inside} if any(other.status != "inside" for other in points.values()) else {})
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="All methods at the same marginal precision.")


def _counts(unit: Unit, point: Point, other: FlaggedCounts | None) -> dict[str, str]:
    if unit is Unit.DOCUMENTS or other is None:
        return {
            "TP": count(point.tp),
            "FP": count(point.fp),
            "Alerts": count(point.alerts),
            "Precision": share(point.precision, point.alerts),
            "FP per TP": rate(point.fp_per_tp),
            "Rated positives kept": share(point.share_of_rated_positives, point.rated.tp),
        }
    words = WORDS[Unit.MONEY]
    return {
        words.caught: money(point.tp),
        words.false: money(point.fp),
        words.precision: share(point.precision, other.alerts),
        words.false_per_catch: rate(point.fp_per_tp),
        words.kept: share(point.share_of_rated_positives, other.rated.tp),
        "Alerts": count(other.alerts),
    }


def show_margins(context: PointContext) -> None:
    """Per classifier: what moving its threshold alone would add or lose."""
    analysis, point = context.analysis, context.point
    if point.status == "unreachable":
        return
    unit = analysis.settings.unit
    rows = []
    for margin in classifier_margins(analysis.dataset.source, point, band=_band(analysis, point)):
        rows.append(
            {
                "Classifier": margin.name,
                f"Fraud in the next {unit.flagged} it alone would add": _of(unit, margin.precision_added, margin.added),
                "95 %": between(margin.added_interval),
                f"Fraud in the last {unit.flagged} it alone added": _of(unit, margin.precision_lost, margin.lost),
                "95 % ": between(margin.lost_interval),
            }
        )
    st.markdown("**Marginal precision of each classifier at the point**")
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Marginal precision of each classifier at the chosen point.")
    st.caption(
        f"At the best point each is near the target of {100 * point.marginal_precision:.3g} %. Where they differ, "
        "lowering the "
        "threshold of the higher one and raising that of the lower one gains for nothing. Undefined: nothing rated "
        "there."
    )


def _band(analysis: Analysis, point: Point) -> float | None:
    """How much money next to a threshold is looked at: as much as goes with as many documents as else would be."""
    if analysis.settings.unit is Unit.DOCUMENTS:
        return None
    documents = analysis.in_other_unit([point])[0]
    return max(20 / documents.alerts, 0.05) * point.alerts if documents is not None and documents.alerts else None


def _of(unit: Unit, precision: float, alerts: float) -> str:
    if not alerts:
        return UNDEFINED
    # Of how many documents so little money is, is not told: whole percents are safe.
    precision_words = share(precision, alerts if unit is Unit.DOCUMENTS else 0)
    return f"{unit.number(precision * alerts)} of {unit.number(alerts)} ({precision_words})"


def show_f_beta(context: PointContext) -> None:
    """The F_beta that the point would maximise, with the condition."""
    analysis, point = context.analysis, context.point
    beta = f_beta_of_point(point)
    if isinstance(point, ManualPoint) or math.isnan(beta):
        return
    has = "is estimated to have" if point.estimated else "has"
    of, missed = (
        ("the rated documents", "a missed fraud weighs {} times a false alert")
        if analysis.settings.unit is Unit.DOCUMENTS
        else ("the rated money", "money missed in fraud weighs {} times money in false alerts")
    )
    st.caption(
        f"In terms of F-scores: of all points of this path, this one {has} the largest F_β of {of} for "
        f"**β = {beta:.2g}**, where {missed.format(f'{beta**2:.2g}')}. It stays so on new data if the "
        "marginal precision along the path does (calibration). Fraud below the floors would make β smaller. "
        "Scores that are probabilities can be cut for a chosen loss directly:",
    )
    st.page_link("pages/optimal_cut.py", label="Optimal cut", icon=":material/content_cut:")
