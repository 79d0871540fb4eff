"""Draw the charts and the marks that follow the target, as text for the explorer."""

import json
from collections.abc import Sequence
from html import unescape
from typing import Any

import plotly
import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType

from multiloss_core import figures
from multiloss_core.figures import Theme
from multiloss_core.formatting import score_name
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis, of_sample
from ui.operating_point.explorer.messages import ChartMessage
from ui.operating_point.state import ViewState
from ui.shared.caching import cached
from ui.shared.formatting import vocabulary

SURFACES, HISTOGRAMS = ("tp", "fp"), ("first", "second", "third", "fourth")
# Of the table, for the threshold in each histogram: those of the axes come first.
COLUMNS = ("x", "y", "third", "fourth")
# Of letters, in pixels, where they are read from afar.
LARGE = 17
FEW_TICKS = {f"{axis}axis_{what}": value for axis in "xyz" for what, value in (("nticks", 5), ("tickfont_size", 12))}
ALTS = {
    "space": "Thresholds with the paths of all methods.",
    "plane": "True against false positives along each path.",
    "tp": "Surface of true positives over the thresholds of {} and {}, with paths.",
    "fp": "Surface of false positives over the thresholds of {} and {}, with paths.",
}
SCORES_ALT = "Scores of {}, rated positives and negatives, with the threshold."


def chart_names(analysis: Analysis) -> list[str]:
    """Return the names of the charts that the data allow."""
    scores = len(analysis.surfaces.names)
    histograms = HISTOGRAMS[:scores] if analysis.rated.supports("documents") else ()
    return ["space", "plane", *(() if scores == 1 else SURFACES), *histograms]


def alt_of(view: ViewState, name: str) -> str:
    """Describe a chart for screen readers."""
    if name in HISTOGRAMS:
        return SCORES_ALT.format(score_name(view.chosen_point.names[_classifier(view, name)]))
    if name == "space" and len(view.surfaces.names) == 1:
        return "True and false positives against the threshold."
    return ALTS[name].format(*(score_name(view.chosen_point.names[j]) for j in view.pair if name in SURFACES))


def live_charts(
    analysis: Analysis, view: ViewState, theme: Theme, *, large: bool, surfaces: bool
) -> dict[str, ChartMessage]:
    """Return the charts by name with their marks; `large` ones use large letters.

    Without `surfaces` these are named only.
    """
    points, only = [view.points[method] for method in analysis.methods], len(analysis.surfaces.names) == 1
    charts: dict[str, ChartMessage] = {}
    for name in chart_names(analysis):
        if name in SURFACES and not surfaces:
            charts[name] = _named(name)
            continue
        chart = _still(_depends_on(analysis, view, name), theme, name, large, view, _analysis=analysis)
        more = [figures.majorant_trace(analysis.path(view.method), theme)] if only and name == "plane" else []
        counts = (
            _space_counts((analysis.key, *_sliced_at(analysis, view)), theme, view, _analysis=analysis)
            if name == "space" and not only
            else []
        )
        charts[name] = {
            **chart,
            "traces": [*counts, *chart["traces"], *map(_as_text, [*more, *expected_traces(analysis, view, name)])],
            "marks": [_following(*mark) for mark in mark_traces(analysis, view, name, points, theme)],
        }
    return charts


def backdrop(
    analysis: Analysis, view: ViewState, name: str, theme: Theme, *, legend: bool, counts: bool = True
) -> go.Figure:
    """Draw the fixed part of a chart; without `counts`, threshold space shows paths only."""
    if name in HISTOGRAMS:
        return _histogram(analysis, view, name, theme)
    surfaces, paths, pair = view.surfaces, analysis.paths, view.pair
    unit, words = analysis.settings.unit, vocabulary()
    if name == "plane":
        return figures.plane_backdrop(paths, theme=theme, legend=legend, unit=unit, vocabulary=words)
    if len(surfaces.names) == 1:
        return figures.threshold_curves(analysis.path(view.method), theme=theme, unit=unit, vocabulary=words)
    if name == "space":
        return figures.space_backdrop(surfaces, paths, theme=theme, pair=pair, legend=legend, counts=counts)
    return figures.count_surface(
        surfaces, paths, count=name, theme=theme, pair=pair, legend=legend, unit=unit, vocabulary=words
    )


def expected_traces(analysis: Analysis, view: ViewState, name: str) -> Sequence[BaseTraceType]:
    """Draw what is expected on new data, where it is known."""
    if name == "plane" and view.bands is not None:
        return figures.curve_band(view.bands)
    if name == "space" and len(analysis.surfaces.names) > 1 and view.cloud is not None:
        return [figures.threshold_cloud(view.cloud, view.surfaces.axes, view.surfaces.names)]
    return []


def mark_traces(
    analysis: Analysis, view: ViewState, name: str, points: Sequence[Point], theme: Theme
) -> list[tuple[BaseTraceType, str | list[str]]]:
    """Draw one point of each method, with the table columns of its coordinates."""
    surfaces, chosen, pair = view.surfaces, view.method, view.pair
    if name in HISTOGRAMS:
        mark = figures.threshold_mark(view.chosen_point, analysis.rated.positives, _classifier(view, name), theme=theme)
        return [(mark, COLUMNS[HISTOGRAMS.index(name)])]
    if name == "plane":
        tangent, stars = figures.plane_marks(points, chosen=chosen, theme=theme)[0]
        return [(tangent, "tangent"), (stars, ["fp", "tp"])]
    if len(surfaces.names) == 1:
        return [(figures.threshold_mark(view.chosen_point, float(analysis.path(chosen).tp[0]), theme=theme), "x")]
    if name == "space":
        return [(figures.space_marks(surfaces, points, chosen=chosen, theme=theme, pair=pair)[0], ["x", "y"])]
    mark = figures.surface_marks(points, surfaces, count=name, chosen=chosen, theme=theme, pair=pair)
    return [(mark, ["x", "y", name])]


def _depends_on(analysis: Analysis, view: ViewState, name: str) -> tuple[object, ...]:
    """Return what a backdrop is drawn from, for the cache."""
    key = (analysis.key, analysis.methods, vocabulary())
    if name == "plane":
        return key
    if name in HISTOGRAMS:
        return analysis.rated.key, _classifier(view, name), vocabulary()
    if len(analysis.surfaces.names) == 1:
        return (*key, view.method)
    return (*key, view.pair) if name == "space" else (*key, *_sliced_at(analysis, view))


def _sliced_at(analysis: Analysis, view: ViewState) -> tuple[object, ...]:
    """Return the point that slices surfaces of more than two classifiers, else None."""
    many = len(analysis.surfaces.names) > 2
    return (view.pair, tuple(view.chosen_point.thresholds) if many else ())


def _classifier(view: ViewState, name: str) -> int:
    """Return which classifier a histogram shows."""
    return shown_order(view.chosen_point.names, view.pair)[HISTOGRAMS.index(name)]


def shown_order(names: Sequence[str], pair: tuple[int, int]) -> list[int]:
    """Return the positions of the k scores, those on the axes first."""
    return list(dict.fromkeys([*pair[: len(names)], *range(len(names))]))


def _histogram(analysis: Analysis, view: ViewState, name: str, theme: Theme) -> go.Figure:
    classifier = _classifier(view, name)
    figure = figures.score_histogram(analysis.rated.documents, classifier, theme=theme, vocabulary=vocabulary())
    legend = {"orientation": "h", "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom"}
    figure.update_layout(margin={"b": 50}, legend=legend, yaxis_title=f"{vocabulary().documents} (log scale)")
    for bars, short in zip(
        figure.select_traces({"type": "bar"}), ("false alerts", vocabulary().positives), strict=True
    ):
        bars.name = short
    # Charts are narrow on phones.
    figure.update_xaxes(title=figure.layout.xaxis.title.text.rpartition(" (")[0])
    return figure


def _named(name: str) -> ChartMessage:
    return {"title": figures.surface_title(name), "traces": [], "layout": "", "alt": "", "surface": True, "marks": []}


@cached(of_sample, max_entries=64)
def _still(key: object, theme: Theme, name: str, large: bool, _view: ViewState, _analysis: Analysis) -> ChartMessage:
    figure = backdrop(_analysis, _view, name, theme, legend=False, counts=False)
    if large:
        margin = figure.layout.template.layout.margin
        figure.update_layout(font={"size": LARGE}, margin={"l": 1.4 * margin.l, "b": 1.4 * margin.b})
    if name in SURFACES:
        # Room for the names of the axes, and few figures, in charts that are wider than high.
        figure.update_scenes(camera_center_z=-0.2, camera_eye={"x": 2.55, "y": 1.1, "z": 1.04}, **FEW_TICKS)
        figure.update_layout(margin={"b": 0})
    parts = figure.to_plotly_json()
    return {
        "title": unescape(figure.layout.title.text),
        "traces": [_as_text(trace) for trace in parts["data"]],
        "layout": _as_text(parts["layout"]),
        "alt": alt_of(_view, name),
        "surface": name in SURFACES,
        "marks": [],
    }


@cached(of_sample, max_entries=64)
def _space_counts(key: object, theme: Theme, _view: ViewState, _analysis: Analysis) -> list[str]:
    return [_as_text(trace) for trace in figures.space_counts(_view.surfaces, theme=theme)]


def _following(mark: BaseTraceType, columns: str | list[str]) -> str:
    """Leave the coordinates out: the browser takes them from the table."""
    coordinates = ("x",) if columns in ("x", "y") else ("x", "y", "z")
    spec = {name: value for name, value in mark.to_plotly_json().items() if name not in coordinates}
    return _as_text(spec | {"meta": {"follows": columns}})


def _as_text(part: Any) -> str:
    plain = part.to_plotly_json() if isinstance(part, BaseTraceType) else part
    return json.dumps(plain, cls=plotly.utils.PlotlyJSONEncoder)
