"""A paper's printed figures beside the same experiment run again."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from multiloss_core.figures.theme import CURVE, GREY, PALE, Theme, ink, new_figure
from multiloss_core.numerics.arrays import Floats

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
    low: ArrayLike,
    high: ArrayLike,
    floors: ArrayLike,
    *,
    title: str,
    measure: str,
    theme: Theme = "light",
) -> go.Figure:
    """Draw a line per row: printed figure hollow, our figure with interval, floor as a tick.

    All (m,), NaN where there is none. `measure` names the axis with its range.
    """
    figure = new_figure(title, theme, height=110 + 34 * len(rows))
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
        name="found here, 95 %",
        marker={"size": 10, "color": CURVE[theme]},
        error_x=_bars(found, low, high, CURVE[theme]),
    )
    figure.add_scatter(
        x=np.asarray(printed, dtype=float),
        y=rows,
        mode="markers",
        name="printed",
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
