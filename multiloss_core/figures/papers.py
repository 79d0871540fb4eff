"""A paper's printed figures beside the same experiment run again."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from multiloss_core.figures.theme import CURVE, GREY, PALE, Theme, ink, new_figure, translucent
from multiloss_core.formatting import Unit
from multiloss_core.numerics.arrays import Floats
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

# The optimal k in the colour of "the k most probable items", thresholds in grey: colour, dash, symbol.
_WAYS = {
    "Proposed": (CURVE, "solid", "star"),
    "optimal k": (CURVE, "solid", "star"),
    "Proposed, isotonic": (CURVE, "dash", "star-triangle-up"),
    "Proposed, Platt": (CURVE, "dot", "star-square"),
    "Baseline": (GREY, "solid", "circle"),
    "threshold 0.5": (GREY, "solid", "circle"),
    "Tuning": (GREY, "dash", "diamond"),
    "threshold tuned on everything": (GREY, "dash", "diamond"),
    "threshold tuned for this size": (GREY, "dot", "square"),
    "floor": (PALE, "solid", "line-ew"),
}
_OTHER = (GREY, "longdash", "x")


def printed_beside_found(
    rows: Sequence[str],
    printed: ArrayLike,
    found: ArrayLike,
    low: ArrayLike | None = None,
    high: ArrayLike | None = None,
    floors: ArrayLike | None = None,
    *,
    title: str,
    measure: str,
    names: tuple[str, str] = ("printed", "found here, 95 %"),
    theme: Theme = "light",
) -> go.Figure:
    """Draw a line per row: printed figure hollow, our figure with interval, floor as a tick.

    All (m,), NaN where there is none; intervals and floors are optional. `measure` names the axis with its range,
    `names` the printed and the found figures.
    """
    figure = new_figure(title, theme, height=150 + 30 * len(rows))
    if floors is not None:
        figure.add_scatter(
            x=np.asarray(floors, dtype=float),
            y=rows,
            mode="markers",
            name="floor of the ranking",
            marker={"symbol": "line-ns-open", "size": 14, "color": GREY[theme], "line": {"width": 2}},
        )
    figure.add_scatter(
        x=np.asarray(found, dtype=float),
        y=rows,
        mode="markers",
        name=names[1],
        marker={"size": 10, "color": CURVE[theme]},
        error_x=None if low is None or high is None else _bars(found, low, high, CURVE[theme]),
    )
    figure.add_scatter(
        x=np.asarray(printed, dtype=float),
        y=rows,
        mode="markers",
        name=names[0],
        marker={"symbol": "diamond-open", "size": 12, "color": ink(theme), "line": {"width": 2}},
    )
    figure.update_layout(
        xaxis={"title": {"text": measure, "standoff": 12}, "rangemode": "tozero", "automargin": True},
        yaxis={"autorange": "reversed", "automargin": True, "title": ""},
        margin={"b": 90},
    )
    return figure


def loss_by_regularisation(
    strengths: Sequence[float],
    losses: Mapping[str, ArrayLike],
    printed: Mapping[str, float],
    *,
    title: str,
    measure: str,
    chosen: float | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """Draw the loss of each way to cut (m,) against C = 1 / L2 strength, printed figures level.

    `chosen`: a C that is looked at, marked by an upright line.
    """
    figure = new_figure(title, theme, height=470)
    for name, values in losses.items():
        colour, dash, symbol = _WAYS.get(name, _OTHER)
        figure.add_scatter(
            x=list(strengths),
            y=np.asarray(values, dtype=float),
            mode="lines+markers",
            name=name,
            line={"color": colour[theme], "dash": dash, "width": 2},
            marker={"size": 6, "symbol": symbol},
        )
    for name, value in printed.items():
        figure.add_hline(
            value,
            line={"color": ink(theme), "width": 1, "dash": _WAYS.get(name, _OTHER)[1]},
            annotation={"text": f"{name}, printed", "font": {"size": 11}},
        )
    if chosen is not None:
        figure.add_vline(chosen, line={"color": ink(theme), "width": 1, "dash": "dot"})
    figure.update_layout(
        xaxis={"type": "log", "title": "C = 1 / strength of L2 (weaker to the right)", "exponentformat": "power"},
        yaxis={"title": measure, "rangemode": "tozero"},
        margin={"b": 110},
    )
    return figure


def loss_by_size(
    sizes: Sequence[int],
    losses: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]],
    *,
    title: str,
    measure: str,
    theme: Theme = "light",
) -> go.Figure:
    """Draw mean losses of each way to cut by batch size: (mean, low, high), each (m,)."""
    figure = new_figure(title, theme, height=450)
    for name, (mean, low, high) in losses.items():
        colour, dash, symbol = _WAYS.get(name, _OTHER)
        figure.add_scatter(
            x=list(sizes),
            y=np.asarray(mean, dtype=float),
            mode="lines+markers",
            name=name,
            line={"color": colour[theme], "dash": dash},
            marker={"symbol": symbol, "size": 9},
            error_y=_bars(mean, low, high, colour[theme]),
        )
    figure.update_layout(
        xaxis={"type": "log", "title": "items in a batch", "tickvals": list(sizes), "ticktext": list(map(str, sizes))},
        yaxis={"title": measure, "rangemode": "tozero"},
        margin={"b": 100},
    )
    return figure


def path_trapezoids(path: ThresholdPath, edge: int, *, theme: Theme) -> go.Figure:
    """Draw the trapezoid below each edge of a path in the TP-FP plane, and mark one of them.

    `edge` counts from the loosest thresholds, from 0. The area of a trapezoid is minus the weight of its edge. Source:
    Robles et al. 2020, figure 3.
    """
    x = [place for start, end in pairwise(path.fp) for place in (start, start, end, end, start, None)]
    y = [place for start, end in pairwise(path.tp) for place in (0.0, start, end, 0.0, 0.0, None)]
    figure = new_figure("The area below each edge of the path", theme, height=520)
    one = slice(6 * edge, 6 * edge + 5)
    for name, part, colour, opacity, width in (
        ("other edges", slice(None), GREY[theme], 0.15, 1),
        (f"edge {edge + 1}: area = minus its weight", one, CURVE[theme], 0.6, 3),
    ):
        figure.add_scatter(
            x=x[part],
            y=y[part],
            mode="lines",
            fill="toself",
            fillcolor=translucent(colour, opacity),
            line={"color": colour, "width": width},
            name=name,
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=path.fp,
        y=path.tp,
        mode="markers",
        name="nodes of the path",
        marker={"color": ink(theme), "size": 7},
        hovertemplate="FP %{x:,}<br>TP %{y:,}<extra></extra>",
    )
    figure.update_layout(margin={"b": 120})
    figure.update_xaxes(title=f"false positives, FP ({Unit.DOCUMENTS})", rangemode="tozero")
    figure.update_yaxes(title=f"true positives, TP ({Unit.DOCUMENTS})", rangemode="tozero")
    return figure


def _bars(mean: ArrayLike, low: ArrayLike, high: ArrayLike, colour: str) -> dict[str, object]:
    middle: Floats = np.asarray(mean, dtype=float)
    return {
        "type": "data",
        "symmetric": False,
        "array": np.asarray(high, dtype=float) - middle,
        "arrayminus": middle - np.asarray(low, dtype=float),
        "color": colour,
        "thickness": 1.5,
    }
