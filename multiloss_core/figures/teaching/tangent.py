"""The tangent that slides along a TP-FP curve: its slope is the marginal precision as odds."""

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import CURVE, Theme
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath


def sliding_tangent(path: ThresholdPath, step: int, *, theme: Theme, height: int = 460) -> go.Figure:
    """Draw the TP-FP curve of a path, its concave majorant, and the line through one step of that.

    `step` counts the steps of the majorant from the strictest thresholds, from 0. The line's slope is TP gained for
    each FP; where nothing but TP is gained it is upright.
    """
    corners = path.majorant.vertices
    start, end = corners[step : step + 2]
    fp, tp = path.fp[[start, end]], path.tp[[start, end]]
    figure = style.new_figure("True against false positives, with the tangent", theme, height=height)
    figure.add_scatter(
        x=path.fp,
        y=path.tp,
        mode="lines",
        name="along the path",
        line={"color": style.GREY[theme], "width": 2},
        hovertemplate="FP %{x:,}<br>TP %{y:,}<extra></extra>",
    )
    figure.add_scatter(
        x=path.fp[corners],
        y=path.tp[corners],
        mode="lines+markers",
        name="concave majorant: where tangents touch",
        line={"color": CURVE[theme], "width": 1},
        marker={"color": CURVE[theme], "size": 5},
        hovertemplate="FP %{x:,}<br>TP %{y:,}<extra>corner</extra>",
    )
    x, y = _through(fp, tp, right=float(path.fp.max()), top=1.05 * float(path.tp.max()))
    line = {"color": style.ink(theme), "width": 2, "dash": "dot"}
    figure.add_scatter(x=x, y=y, mode="lines", name="tangent", line=line, hoverinfo="skip")
    figure.add_scatter(
        x=fp,
        y=tp,
        mode="lines+markers",
        name="the documents it adds",
        line={"color": CURVE[theme], "width": 6},
        marker={"color": CURVE[theme], "size": 11, "line": {"color": style.ink(theme), "width": 1}},
        hovertemplate="FP %{x:,}<br>TP %{y:,}<extra></extra>",
    )
    figure.update_layout(margin={"b": 110})
    right = float(path.fp.max())
    figure.update_xaxes(title_text="false positives, FP", title_standoff=20, range=[-0.02 * right, 1.02 * right])
    figure.update_yaxes(title_text="true positives, TP", range=[0.0, 1.08 * path.tp.max()])
    return figure


def _through(fp: np.ndarray, tp: np.ndarray, *, right: float, top: float) -> tuple[list[float], list[float]]:
    """Find the ends of the line through two points, cut off at the top and at the right."""
    across, up = float(fp[1] - fp[0]), float(tp[1] - tp[0])
    if across <= 0.0:
        return [float(fp[0])] * 2, [0.0, top]
    slope, at_zero = up / across, float(tp[0]) - up / across * float(fp[0])
    end = right if slope <= 0.0 else min(right, (top - at_zero) / slope)
    start = 0.0 if at_zero >= 0.0 else -at_zero / slope
    return [start, end], [at_zero + slope * start, at_zero + slope * end]
