"""The explorer's charts as text: what stays while the target moves, and the marks that follow it."""

import json
from collections.abc import Sequence
from typing import Any

import plotly
import plotly.graph_objects as go
import streamlit as st
from plotly.basedatatypes import BaseTraceType

from multiloss_core import CountSurfaces
from multiloss_core.figures import (
    Theme,
    count_surface,
    curve_band,
    majorant_trace,
    plane_backdrop,
    plane_marks,
    space_backdrop,
    space_marks,
    surface_marks,
    threshold_cloud,
    threshold_curves,
    threshold_mark,
)
from ui.operating_point.analysis import Analysis
from ui.operating_point.explorer.messages import ChartMessage
from ui.operating_point.view_state import ViewState


def live_charts(analysis: Analysis, view: ViewState, theme: Theme) -> dict[str, ChartMessage]:
    """The explorer's charts by name; a single classifier has no surfaces."""
    points = [view.points[method] for method in analysis.methods]
    chosen, pair, surfaces, unit = view.method, view.pair, view.surfaces, analysis.settings.unit
    bands = [] if view.bands is None else curve_band(view.bands)
    tangent, stars = plane_marks(points, chosen=chosen, theme=theme)[0]
    plane_follows: list[tuple[BaseTraceType, str | list[str]]] = [(tangent, "tangent"), (stars, ["fp", "tp"])]
    plane = _plane(analysis.key, theme, analysis)
    if len(analysis.surfaces.names) == 1:
        only = analysis.path(chosen)
        curves = _still(
            threshold_curves(only, theme=theme, unit=unit), "True and false positives against the threshold."
        )
        line = threshold_mark(only, view.points[chosen], theme=theme)
        return {
            "space": _with(curves, (), [(line, "threshold")]),
            "plane": _with(plane, [majorant_trace(only, theme), *bands], plane_follows),
        }
    cloud = [] if view.cloud is None else [threshold_cloud(view.cloud, surfaces.axes)]
    marks = space_marks(surfaces, points, chosen=chosen, theme=theme, pair=pair)
    charts = {
        "space": _with(_space(analysis, view, theme), cloud, [(mark, ["x", "y"]) for mark in marks]),
        "plane": _with(plane, bands, plane_follows),
    }
    for count in ("tp", "fp"):
        mark = surface_marks(points, surfaces, count=count, chosen=chosen, theme=theme, pair=pair)
        charts[count] = _with(_surface(analysis, view, theme, count), (), [(mark, ["x", "y", count])])
    return charts


def _with(
    chart: ChartMessage, more: Sequence[BaseTraceType], marks: Sequence[tuple[BaseTraceType, str | list[str]]]
) -> ChartMessage:
    return {
        **chart,
        "traces": [*chart["traces"], *map(_as_text, more)],
        "marks": [_following(mark, columns) for mark, columns in marks],
    }


def _following(mark: BaseTraceType, columns: str | list[str]) -> str:
    spec = mark.to_plotly_json() | {"meta": {"follows": columns}}
    # The browser takes the coordinates from the table.
    for axis in ("x",) if columns == "threshold" else ("x", "y", "z"):
        spec.pop(axis, None)
    return _as_text(spec)


def _space(analysis: Analysis, view: ViewState, theme: Theme) -> ChartMessage:
    if view.surfaces is analysis.surfaces:
        return _whole_space(analysis.key, theme, analysis)
    # A slice at the chosen point: another one for each.
    return _space_of(view.surfaces, analysis, theme, view.pair)


def _surface(analysis: Analysis, view: ViewState, theme: Theme, count: str) -> ChartMessage:
    if view.surfaces is analysis.surfaces:
        return _whole_surface(analysis.key, theme, count, analysis)
    return _surface_of(view.surfaces, analysis, theme, count, view.pair)


@st.cache_data(scope="session", max_entries=8, show_spinner=False)
def _plane(key: tuple[object, ...], theme: Theme, _analysis: Analysis) -> ChartMessage:
    figure = plane_backdrop(_analysis.paths, theme=theme, legend=False, unit=_analysis.settings.unit)
    return _still(figure, "True against false positives along each path.")


@st.cache_data(scope="session", max_entries=8, show_spinner=False)
def _whole_space(key: tuple[object, ...], theme: Theme, _analysis: Analysis) -> ChartMessage:
    return _space_of(_analysis.surfaces, _analysis, theme, (0, 1))


@st.cache_data(scope="session", max_entries=8, show_spinner=False)
def _whole_surface(key: tuple[object, ...], theme: Theme, count: str, _analysis: Analysis) -> ChartMessage:
    return _surface_of(_analysis.surfaces, _analysis, theme, count, (0, 1))


def _space_of(surfaces: CountSurfaces, analysis: Analysis, theme: Theme, pair: tuple[int, int]) -> ChartMessage:
    figure = space_backdrop(surfaces, analysis.paths, theme=theme, pair=pair, legend=False)
    return _still(figure, "Thresholds with the paths of all methods.")


def _surface_of(
    surfaces: CountSurfaces, analysis: Analysis, theme: Theme, count: str, pair: tuple[int, int]
) -> ChartMessage:
    figure = count_surface(
        surfaces, analysis.paths, count=count, theme=theme, pair=pair, legend=False, unit=analysis.settings.unit
    )
    words, (first, second) = {"tp": "true", "fp": "false"}[count], surfaces.names
    alt = f"Surface of {words} positives over the thresholds of {first} and {second}, with paths."
    return _still(figure, alt, True)


def _still(figure: go.Figure, alt: str, surface: bool = False) -> ChartMessage:
    parts = figure.to_plotly_json()
    return {
        "title": figure.layout.title.text,
        "height": figure.layout.height,
        "traces": [_as_text(trace) for trace in parts["data"]],
        "layout": _as_text(parts["layout"]),
        "alt": alt,
        "surface": surface,
        "marks": [],
    }


def _as_text(part: Any) -> str:
    plain = part.to_plotly_json() if isinstance(part, BaseTraceType) else part
    return json.dumps(plain, cls=plotly.utils.PlotlyJSONEncoder)
