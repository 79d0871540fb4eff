"""The TP-FP plane: partial ROC curves in counts, with the tangent at the target."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import Theme
from multiloss_core.figures.threshold_space import chosen_last, drawn_vertices
from multiloss_core.formatting import NEUTRAL, Unit, Vocabulary
from multiloss_core.thresholds.paths.operating_point import Point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

# Of all that can be caught, as much is shown below the lowest point at least.
LEAST_SHARE_SHOWN = 0.2


def tp_fp_plane(
    paths: Sequence[ThresholdPath],
    points: Sequence[Point],
    *,
    chosen: str,
    theme: Theme,
    whole: bool = False,
    unit: Unit = Unit.DOCUMENTS,
    vocabulary: Vocabulary = NEUTRAL,
) -> go.Figure:
    """Draw each method's partial ROC curve in counts, the tangent and the points (figure 9).

    Unless `whole`, the view starts on the part of the curve that holds the points; the rest is one double click away.
    `unit` is what the paths count.
    """
    figure = plane_backdrop(paths, theme=theme, unit=unit, vocabulary=vocabulary)
    marks, view = plane_marks(points, chosen=chosen, theme=theme, whole=whole)
    figure.add_traces(marks)
    figure.update_layout(view)
    return figure


def plane_backdrop(
    paths: Sequence[ThresholdPath],
    *,
    theme: Theme,
    legend: bool = True,
    unit: Unit = Unit.DOCUMENTS,
    vocabulary: Vocabulary = NEUTRAL,
) -> go.Figure:
    """Draw what `tp_fp_plane` shows whatever the target; `unit` is what the paths count."""
    figure = style.new_figure("True against false positives", theme, height=470)
    for path in paths:
        kept = drawn_vertices(path)
        figure.add_scatter(
            x=path.fp[kept],
            y=path.tp[kept],
            customdata=np.where(np.isfinite(path.thresholds[kept]), path.thresholds[kept], np.nan),
            mode="lines" if path.monotone else "lines+markers",
            **style.path_marks(path.method),
            hovertemplate="FP %{x:,.6~g}<br>TP %{y:,.6~g}<extra>%{fullData.name}</extra>",
        )
    figure.update_layout(showlegend=legend, margin={"b": 150} if legend else {})
    figure.update_xaxes(title=f"false positives, FP ({vocabulary.counted(unit)})", rangemode="nonnegative")
    figure.update_yaxes(title=f"true positives, TP ({vocabulary.counted(unit)})", rangemode="nonnegative")
    return figure


def plane_marks(
    points: Sequence[Point], *, chosen: str, theme: Theme, whole: bool = False
) -> tuple[list[go.Scatter], dict[str, dict[str, list[float]]]]:
    """Draw tangent and points of `tp_fp_plane`; return the axis ranges as a layout update."""
    points = chosen_last(points, chosen)
    right, view = plane_view(points, whole=whole)
    x, y = tangent_ends(points[-1], right)
    line = {"color": style.ink(theme), "width": 1, "dash": "dot"}
    tangent = go.Scatter(x=x, y=y, mode="lines", line=line, name="tangent at the target", hoverinfo="skip")
    marks = go.Scatter(
        x=[point.fp for point in points],
        y=[point.tp for point in points],
        **style.point_marks([point.method for point in points], chosen, theme),
    )
    return [tangent, marks], {"xaxis": {"range": view[0]}, "yaxis": {"range": view[1]}}


def plane_view(points: Sequence[Point], *, whole: bool = False) -> tuple[float, tuple[list[float], list[float]]]:
    """Find the part of the TP-FP plane with all points: right end, ranges of FP and TP."""
    main = points[-1]
    most = main.reachable
    right = most.fp if whole else min(most.fp, 1.6 * max(point.fp for point in points) + 20)
    lowest = min(point.tp for point in points)
    # Near the floor too, enough of the curve to see where the point lies on it.
    bottom = 0.0 if whole else max(0.0, lowest - max(0.5 * (most.tp - lowest), LEAST_SHARE_SHOWN * most.tp))
    top = most.tp + 0.05 * (most.tp - bottom)
    return right, ([-0.01 * right, right], [bottom, top])


def tangent_ends(point: Point, right: float) -> tuple[list[float], list[float]]:
    """Find the ends (FP, TP) of the tangent through a point, from FP = 0 to `right`."""
    return [0.0, right], [point.tp - point.slope * point.fp, point.tp + point.slope * (right - point.fp)]


def majorant_trace(path: ThresholdPath, theme: Theme) -> go.Scatter:
    """Draw the concave majorant of a path in the TP-FP plane: where tangents can touch."""
    corners = path.majorant.vertices
    return go.Scatter(
        x=path.fp[corners],
        y=path.tp[corners],
        mode="lines+markers",
        line={"color": style.ink(theme), "width": 1},
        marker={"size": 4},
        name="concave majorant",
        hovertemplate="FP %{x:,.6~g}<br>TP %{y:,.6~g}<extra>corner of the majorant</extra>",
    )
