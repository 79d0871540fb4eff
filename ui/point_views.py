"""The parts of the page on the operating point."""

import math
import time
from dataclasses import replace

import pandas as pd
import streamlit as st

from multiloss_core import (
    CountSurfaces,
    OperatingPoint,
    classifier_margins,
    f_beta_of_point,
    operating_point,
    point_as_csv,
    point_as_json,
)
from multiloss_core.figures import style
from multiloss_core.figures.evidence import curve_band, threshold_cloud
from multiloss_core.figures.style import Theme
from multiloss_core.figures.thresholds import (
    count_surface,
    majorant_trace,
    plane_backdrop,
    plane_marks,
    space_backdrop,
    space_marks,
    threshold_curves,
)
from multiloss_core.thresholds.bucket_counts import Spacing
from multiloss_core.thresholds.intervals import PointBootstrap
from multiloss_core.thresholds.surfaces import Rule
from ui.analysis import METHOD_HELP, METHODS, RESOLUTIONS, Analysis, Settings
from ui.bootstrap import theme
from ui.evidence import PathEvidence
from ui.live_chart import Backdrop, backdrop, live_chart
from ui.new_data_views import precision_interval
from ui.sources import Dataset
from ui.target import ask_box, ask_percent
from ui.words import NEVER, UNDEFINED, area, count, plural, price, rate, share, threshold

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
        words, floors = f"table of {count(source.tp.size)} nodes", [axis[0] for axis in source.axes]
    else:
        words = f"{plural(len(source.labels), 'rated document')} · {count(source.labels.sum())} positive"
        floors = list(source.floors)
    st.caption(f"{words} · floors {' / '.join(threshold(floor) for floor in floors)}")


def ask_settings(dataset: Dataset) -> Settings:
    """Rule, and what is changed once: spacing and resolution of the grid."""
    source = dataset.source
    label = "A document is flagged when its threshold is reached by"
    if isinstance(source, CountSurfaces):
        words = next(words for words, rule in RULE_WORDS.items() if rule == source.rule)
        st.text_input(label, words, disabled=True, help="Told by the table of counts.")
        return Settings(source.rule, "uniform", 0)
    classifiers = len(source.names)
    rule_box, grid_box = st.columns([2, 1], vertical_alignment="bottom")
    rule: Rule = "any"
    if classifiers > 1:
        picked = rule_box.segmented_control(
            label, list(RULE_WORDS), default="any score", required=True, key="rule", bind="query-params"
        )
        rule = RULE_WORDS.get(str(picked), "any")
    with grid_box, st.popover("Grid", icon=":material/grid_on:"):
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
    return Settings(rule, SPACING_WORDS.get(spacing, "positives"), resolution if resolution in choices else choices[1])


def ask_marginal_precision() -> float:
    """The slider and a number box for the same target, in words beside them; returns m in (0, 1)."""
    m = ask_percent("Marginal precision: of the last alerts added, how many must be fraud?") / 100
    box, words = st.columns([2, 3], vertical_alignment="bottom")
    with box:
        ask_box()
    words.container(key="price").markdown(f"**{price(m)}**  \nslope dTP/dFP = {m / (1 - m):.3g}")
    return m


def ask_method() -> str:
    """Which path the chosen point lies on."""
    picked = st.selectbox("Path", METHODS, key="method", bind="query-params", help=METHOD_HELP)
    return picked if picked in METHODS else METHODS[0]


def ask_pair(analysis: Analysis) -> tuple[int, int]:
    """For three classifiers and more, the two whose thresholds are drawn."""
    names = analysis.surfaces.names
    if len(names) <= 2:
        return (0, 1)
    left, right = st.columns(2)
    first = left.selectbox("Across", names, index=0, key="across", bind="query-params")
    rest = [name for name in names if name != first]
    second = right.selectbox("Up", rest, index=0, key="up", bind="query-params")
    st.caption("The other thresholds stay at the chosen point.")
    return (
        names.index(first) if first in names else 0,
        names.index(second if second in rest else rest[0]),
    )


def chosen_points(analysis: Analysis, target: float) -> dict[str, OperatingPoint]:
    """The operating point of every method at one target: a look-up each."""
    return {path.method: operating_point(path, target) for path in analysis.paths}


def show_status(point: OperatingPoint) -> None:
    """Say when there is no point inside the path."""
    target = f"{100 * point.marginal_precision:.3g} %"
    holds, hold = ("is estimated to hold", "are estimated to hold") if point.estimated else ("holds", "hold")
    if point.status == "unreachable":
        st.warning(
            f"**No part of this path reaches {target}.** The best step up from no alerts {holds} "
            f"{share(point.next_precision, point.next_alerts)} fraud ({plural(point.next_alerts, 'alert')}), so at this target "
            "nothing is flagged. Lower the target.",
            icon=":material/block:",
        )
    elif point.status == "at_floor":
        st.warning(
            f"**The point is at the floor.** Even the last {plural(point.step_alerts, 'alert')} rated there {hold} "
            f"{share(point.step_precision, point.step_alerts)} fraud, no less than {target}: the best point lies below what was "
            "rated. Rate documents below the floors to find it.",
            icon=":material/vertical_align_bottom:",
        )


def show_thresholds(analysis: Analysis, point: OperatingPoint) -> None:
    """The thresholds, large, in the fewest digits that flag the same documents."""
    for name, value in zip(point.names, analysis.deployable(point), strict=True):
        st.metric(f"Threshold of {name}", f"≥ {threshold(value)}" if math.isfinite(value) else NEVER)


def show_counts(analysis: Analysis, point: OperatingPoint) -> None:
    """What the point catches and what it costs, counts first."""
    caught, false = st.columns(2)
    caught.metric("Caught (TP)", count(point.tp), border=True)
    false.metric("False alerts (FP)", count(point.fp), border=True)
    fraud = "Estimated fraud" if point.estimated else "Fraud"
    rows = {
        "Alerts": count(point.alerts),
        "Precision": share(point.precision, point.alerts),
        "False alerts per catch": rate(point.fp_per_tp),
        "Rated positives kept": share(point.share_of_rated_positives, point.rated_tp),
        f"{fraud} in the last {plural(point.step_alerts, 'alert')} added": share(
            point.step_precision, point.step_alerts
        ),
        f"{fraud} in the next {plural(point.next_alerts, 'alert')}": share(point.next_precision, point.next_alerts),
    }
    st.markdown(
        "\n".join(["| At this point | |", "|:--|--:|", *(f"| {words} | {value} |" for words, value in rows.items())])
    )
    st.caption(
        "Counted on the data that chose the point. The share kept is of *rated* positives, not recall: fraud below the floors is unknown."
    )


def show_f_beta(point: OperatingPoint) -> None:
    """The F_beta that the point would maximise, with the condition."""
    beta = f_beta_of_point(point)
    if math.isnan(beta):
        return
    has = "is estimated to have" if point.estimated else "has"
    st.caption(
        f"In terms of F-scores: of all points of this path, this one {has} the largest F_β of the rated documents for "
        f"**β = {beta:.2g}**, where a missed fraud weighs {beta**2:.2g} times a false alert. It stays so on new data if the "
        "marginal precision along the path does (calibration). Fraud below the floors would make β smaller. "
        "Scores that are probabilities can be cut for a chosen loss directly:",
    )
    st.page_link("pages/optimal_cut.py", label="Optimal cut", icon=":material/content_cut:")


def offer_downloads(analysis: Analysis, point: OperatingPoint) -> None:
    """The thresholds as files; applying them gives exactly the counts on the screen."""
    deployed = replace(point, thresholds=analysis.deployable(point))
    origin = {"data": analysis.dataset.name, "data_and_columns_sha256": analysis.dataset.key}
    st.caption("Take the thresholds away:")
    left, right = st.columns(2)
    for place, words, text, name, mime in (
        (left, "JSON", point_as_json(deployed, origin), "thresholds.json", "application/json"),
        (right, "CSV", point_as_csv(deployed), "thresholds.csv", "text/csv"),
    ):
        place.download_button(words, text, name, mime, icon=":material/download:", on_click="ignore", width="stretch")


def let_it_appear() -> None:
    """Give the browser a moment to draw what was sent so far.

    It draws in one go whatever arrives within a few milliseconds, so charts sent at once would hold the numbers
    back, and tables the charts.
    """
    time.sleep(0.02)


def show_planes(
    analysis: Analysis,
    surfaces: CountSurfaces,
    points: dict[str, OperatingPoint],
    method: str,
    pair: tuple[int, int],
    evidence: tuple[PointBootstrap | None, PathEvidence | None] = (None, None),
) -> None:
    """Threshold space over the classifiers `pair` of the surfaces, beside the TP-FP plane."""
    point = points[method]
    drawn = [found for found in points.values() if found.status != "unreachable" or found.method == method]
    left, right = st.columns(2)
    about = f"{analysis.dataset.key} {analysis.settings} {pair}"
    # The plane goes out first: it is on the screen while the space is still being made.
    with right:
        marks, view = plane_marks(drawn, chosen=method, theme=theme())
        if len(point.names) == 1:
            marks.append(majorant_trace(analysis.path(method), theme()))
        if evidence[1] is not None and evidence[1].bands is not None:
            marks = [*curve_band(evidence[1].bands), *marks]
        live_chart(
            _plane(analysis.dataset.key, analysis.settings, theme(), analysis),
            marks,
            view,
            key="plane",
            about=about,
            alt=f"True against false positives along each path; chosen point at TP {count(point.tp)}, FP {count(point.fp)}.",
        )
    right.caption("Double-click the chart for the whole curve.")
    values = ", ".join(f"{name} {threshold(value)}" for name, value in zip(point.names, point.thresholds, strict=True))
    with left:
        if len(point.names) == 1:
            space, stars = backdrop(threshold_curves(analysis.path(method), point, theme=theme())), []
        else:
            space = _space(surfaces, analysis, pair)
            stars = space_marks(surfaces, drawn, chosen=method, theme=theme(), pair=pair)
            if evidence[0] is not None:
                stars = [threshold_cloud(evidence[0].cloud[:, 0][:, pair], surfaces.axes), *stars]
        live_chart(
            space,
            stars,
            key="space",
            about=about,
            alt=f"Thresholds with the paths of all methods; chosen point at {values}.",
        )


@st.cache_data(scope="session", max_entries=8, show_spinner=False)
def _plane(key: str, settings: Settings, theme: Theme, _analysis: Analysis) -> Backdrop:
    return backdrop(plane_backdrop(_analysis.paths, theme=theme, legend=False))


def _space(surfaces: CountSurfaces, analysis: Analysis, pair: tuple[int, int]) -> Backdrop:
    if surfaces is not analysis.surfaces:
        # A slice at the chosen point: another one at every step.
        return backdrop(space_backdrop(surfaces, analysis.paths, theme=theme(), pair=pair, legend=False))
    return _whole_space(analysis.dataset.key, analysis.settings, theme(), analysis)


@st.cache_data(scope="session", max_entries=8, show_spinner=False)
def _whole_space(key: str, settings: Settings, theme: Theme, _analysis: Analysis) -> Backdrop:
    return backdrop(space_backdrop(_analysis.surfaces, _analysis.paths, theme=theme, legend=False))


def show_key(method: str) -> None:
    """One key for all charts: the colour and the dash of each method, the star and the tangent."""
    ink = style.ink(theme())
    star = f'<span style="color:{style.METHOD_COLOURS[method]};font-size:1.2rem;line-height:1">★</span>'
    marks = [
        *((_line_mark(style.METHOD_COLOURS[name], style.METHOD_DASHES[name]), name) for name in METHODS),
        (star, "chosen point"),
        (_line_mark(ink, "dot"), "tangent at the target"),
    ]
    cells = "".join(
        f'<span style="white-space:nowrap;display:flex;align-items:center;gap:0.4rem">{mark} {words}</span>'
        for mark, words in marks
    )
    st.html(f'<div style="display:flex;flex-wrap:wrap;gap:0.2rem 1.1rem;font-size:0.85rem">{cells}</div>')


def _line_mark(colour: str, dash: str) -> str:
    border = {"solid": "solid", "dash": "dashed", "dashdot": "dashed", "dot": "dotted"}[dash]
    return f'<span style="display:inline-block;width:24px;border-top:3px {border} {colour}"></span>'


def show_margins(analysis: Analysis, point: OperatingPoint) -> None:
    """Per classifier: what moving its threshold alone would add or lose."""
    if point.status == "unreachable":
        return
    rows = []
    for margin in classifier_margins(analysis.dataset.source, point):
        rows.append(
            {
                "Classifier": margin.name,
                "Fraud in the next alerts it alone would add": _of(margin.precision_added, margin.added),
                "95 %": precision_interval(margin.precision_added * margin.added, margin.added),
                "Fraud in the last alerts it alone added": _of(margin.precision_lost, margin.lost),
                "95 % ": precision_interval(margin.precision_lost * margin.lost, margin.lost),
            }
        )
    st.markdown("**Marginal precision of each classifier at the point**")
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Marginal precision of each classifier at the chosen point.")
    st.caption(
        f"At the best point each is near the target of {100 * point.marginal_precision:.3g} %. Where they differ, lowering the "
        "threshold of the higher one and raising that of the lower one gains for nothing. Undefined: nothing rated there."
    )


def show_methods(analysis: Analysis, points: dict[str, OperatingPoint]) -> None:
    """All methods at the same target."""
    st.markdown("**All methods at this target**")
    rows = []
    for point in points.values():
        inside = {"inside": "", "at_floor": "at the floor", "unreachable": "not reached"}[point.status]
        values = analysis.deployable(point)
        rows.append(
            {"Method": point.method}
            | {f"{name} ≥": threshold(value) for name, value in zip(point.names, values, strict=True)}
            | {
                "TP": count(point.tp),
                "FP": count(point.fp),
                "Alerts": count(point.alerts),
                "Precision": share(point.precision, point.alerts),
                "FP per TP": rate(point.fp_per_tp),
                "Rated positives kept": share(point.share_of_rated_positives, point.rated_tp),
                "Area (0 to 1)": area(analysis.path(point.method).normalised_area),
            }
            | ({"Note": inside} if any(other.status != "inside" for other in points.values()) else {})
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="All methods at the same marginal precision.")


def show_surfaces(analysis: Analysis, surfaces: CountSurfaces, pair: tuple[int, int]) -> None:
    """TP and FP in 3D with the paths draped over them."""
    for place, counted, words in zip(st.columns(2), ("tp", "fp"), ("true", "false"), strict=True):
        place.plotly_chart(
            count_surface(surfaces, analysis.paths, count=counted, theme=theme(), pair=pair),
            theme=None,
            key=f"surface_{counted}",
            alt=f"Surface of {words} positives over the thresholds of {surfaces.names[0]} and {surfaces.names[1]}, with paths.",
        )


def _of(precision: float, documents: float) -> str:
    if not documents:
        return UNDEFINED
    return f"{count(precision * documents)} of {count(documents)} ({share(precision, documents)})"
