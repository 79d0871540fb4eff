"""The parts of the page on the operating point."""

import math
from dataclasses import replace

import pandas as pd
import streamlit as st

from multiloss_core import (
    CountSurfaces,
    FlaggedCounts,
    OperatingPoint,
    classifier_margins,
    f_beta_of_point,
    point_as_csv,
    point_as_json,
)
from multiloss_core.formatting import UNDEFINED, Unit, area, between, count, money, plural, rate, share, threshold
from multiloss_core.thresholds.data.flagging import Rule
from multiloss_core.thresholds.data.grid_counts import Spacing
from multiloss_core.thresholds.paths.methods import CERTIFIED, PATH_METHODS
from multiloss_core.thresholds.paths.operating_point import ManualPoint, Point
from ui.data.rated_datasets import Dataset
from ui.operating_point.analysis import RESOLUTIONS, Analysis, Settings
from ui.operating_point.point_text import WORDS
from ui.operating_point.presentation import ask_presentation
from ui.shared.formatting import as_text

UNIT = "count"
RULE_WORDS: dict[str, Rule] = {"any score": "any", "every score": "all"}
SPACING_WORDS: dict[str, Spacing] = {
    "at rated positives": "positives",
    "at equal shares of documents": "quantile",
    "at equal steps": "uniform",
}


def show_origin(dataset: Dataset) -> None:
    """One line on what the numbers come from."""
    source = dataset.source
    if isinstance(source, CountSurfaces):
        words = f"table of {count(source.tp.size)} nodes"
    else:
        words = f"{plural(len(source.labels), 'rated document')} · {count(source.labels.sum())} positive"
    st.caption(f"{words} · floors {' / '.join(map(threshold, source.floors))}")


def ask_settings(dataset: Dataset) -> Settings:
    """Rule and unit, and what is changed once: spacing and resolution of the grid, plain widgets."""
    source = dataset.source
    label = "A document is flagged when its threshold is reached by"
    # Side by side while there is room, never cut off.
    row = st.container(horizontal=True, vertical_alignment="bottom")
    rule: Rule = "any"
    unit = Unit.DOCUMENTS
    with row:
        if isinstance(source, CountSurfaces):
            rule = source.rule
            words = next(words for words, known in RULE_WORDS.items() if known == rule)
            st.text_input(label, words, disabled=True, help="Told by the table of counts.")
        elif len(source.names) > 1:
            picked = st.segmented_control(
                label, list(RULE_WORDS), default="any score", required=True, key="rule", bind="query-params"
            )
            rule = RULE_WORDS.get(str(picked), "any")
        if dataset.amounts is not None:
            unit = _ask_unit()
        with st.popover("Settings", icon=":material/tune:"):
            settings = (
                Settings(rule, "uniform", 0)
                if isinstance(source, CountSurfaces)
                else _ask_grid(rule, unit, len(source.names))
            )
            ask_plain()
            ask_presentation()
    return settings


def _ask_unit() -> Unit:
    picked = st.segmented_control(
        "Count",
        list(Unit),
        default=Unit.DOCUMENTS,
        required=True,
        key=UNIT,
        bind="query-params",
        help="Money: a document counts as much as its amount, so that the slider asks how much of the last money flagged must "
        "be fraud.",
    )
    return Unit(str(picked))


def show_unit(analysis: Analysis) -> None:
    """Where money is counted, what that means for the numbers on the page."""
    counted, rated = analysis.dataset.source, analysis.rated.source
    if counted is rated or isinstance(counted, CountSurfaces) or isinstance(rated, CountSurfaces):
        return
    column, weight = analysis.dataset.choice.amount, analysis.dataset.choice.weight
    summed = f"'{column}' times '{weight}'" if weight else f"'{column}'"
    noticed = [note for note in counted.notes if note not in rated.notes]
    st.caption(
        f"TP and FP are money: sums of {as_text(summed)}. The "
        f"comparison, *Who flags what*, lists, days and segments count documents. {as_text(' '.join(noticed))}"
    )


def _ask_grid(rule: Rule, unit: Unit, classifiers: int) -> Settings:
    spacing = st.selectbox(
        "Where the nodes of each axis lie",
        list(SPACING_WORDS),
        key="nodes",
        bind="query-params",
        help="TP changes only at the scores of rated positives, so nodes there lose nothing. Equal steps are the "
        "paper's choice.",
    )
    choices = RESOLUTIONS[classifiers]
    resolution = st.selectbox(
        "Nodes for each classifier, at most",
        choices,
        index=1,
        key=f"resolution_{classifiers}",
        bind="query-params",
    )
    nodes = resolution if resolution in choices else choices[1]
    return Settings(rule, SPACING_WORDS.get(spacing, "positives"), nodes, unit)


def ask_plain() -> None:
    """Whether to use plain widgets; the explorer turns it on itself where it cannot draw."""
    st.toggle(
        "Plain controls and charts",
        key="plain",
        bind="query-params",
        help="The same numbers without the live explorer: for browsers and screen readers that it does not suit.",
    )


def ask_method(analysis: Analysis) -> str:
    """Which path the chosen point lies on."""
    names = analysis.methods
    picked = st.selectbox("Path", names, key="method", bind="query-params", help=_method_help())
    return picked if picked in names else names[0]


def _method_help() -> str:
    looks = (*PATH_METHODS, CERTIFIED)
    return "\n".join(
        ["How the way through threshold space was found.", "", *(f"- **{look.name}**: {look.help}" for look in looks)]
    )


def ask_pair(analysis: Analysis) -> tuple[int, int]:
    """For three classifiers and more, the two whose thresholds are drawn."""
    names = analysis.surfaces.names
    if len(names) <= 2:
        return (0, 1)
    left, right, _ = st.columns([1, 1, 2])
    others = "Charts show the thresholds of two classifiers; the others stay at the chosen point."
    first = left.selectbox("Across", names, index=0, key="across", bind="query-params", help=others)
    rest = [name for name in names if name != first]
    second = right.selectbox("Up", rest, index=0, key="up", bind="query-params")
    return (
        names.index(first) if first in names else 0,
        names.index(second if second in rest else rest[0]),
    )


def show_f_beta(analysis: Analysis, point: Point) -> None:
    """The F_beta that the point would maximise, with the condition."""
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


def offer_downloads(analysis: Analysis, point: Point) -> None:
    """The thresholds as files; applying them gives exactly the counts on the screen."""
    deployed = replace(point, thresholds=analysis.deployable(point))
    origin = {"data": analysis.dataset.name, "data_and_columns_sha256": analysis.dataset.key}
    if analysis.settings.unit is Unit.MONEY:
        origin["counted"] = f"money: sums of '{analysis.dataset.choice.amount}'"
    st.caption("Take the thresholds away:")
    with st.container(horizontal=True):
        for words, text, name, mime in (
            ("JSON", point_as_json(deployed, origin), "thresholds.json", "application/json"),
            ("CSV", point_as_csv(deployed), "thresholds.csv", "text/csv"),
        ):
            st.download_button(words, text, name, mime, icon=":material/download:", on_click="ignore")


def show_margins(analysis: Analysis, point: Point) -> None:
    """Per classifier: what moving its threshold alone would add or lose."""
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
        f"At the best point each is near the target of {100 * point.marginal_precision:.3g} %. Where they differ, lowering the "
        "threshold of the higher one and raising that of the lower one gains for nothing. Undefined: nothing rated there."
    )


def _band(analysis: Analysis, point: Point) -> float | None:
    """How much money next to a threshold is looked at: as much as goes with as many documents as else would be."""
    if analysis.settings.unit is Unit.DOCUMENTS:
        return None
    documents = analysis.in_other_unit([point])[0]
    return max(20 / documents.alerts, 0.05) * point.alerts if documents is not None and documents.alerts else None


def show_methods(analysis: Analysis, points: dict[str, OperatingPoint]) -> None:
    """All methods at the same target."""
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


def _of(unit: Unit, precision: float, alerts: float) -> str:
    if not alerts:
        return UNDEFINED
    # Of how many documents so little money is, is not told: whole percents are safe.
    return f"{unit.number(precision * alerts)} of {unit.number(alerts)} ({share(precision, alerts if unit == 'documents' else 0)})"
