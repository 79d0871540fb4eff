"""Draw the expected loss of every cut."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures.theme import CURVE, LEGEND_BELOW, Theme, literal, new_figure, outlined, translucent
from multiloss_core.figures.uncertainty import BAND_OPACITY
from multiloss_core.numerics.arrays import Floats, Indices

MAX_VERTICES = 2000


@dataclass(frozen=True)
class CurveMark:
    """A marked cut of a loss curve: `label` and number `k` of items flagged.

    `symbol` is Plotly's: "star" for the optimum, as in every figure of this project, "circle", "x", ….
    """

    label: str
    k: int
    symbol: str = "circle"


def loss_curve(
    values: Floats,
    marks: Sequence[CurveMark],
    *,
    loss_name: str,
    theme: Theme,
    height: int = 420,
    most: int | None = None,
    interval: tuple[int, int] | None = None,
) -> go.Figure:
    """Draw the expected loss L_k of flagging the k most probable items, with marked cuts.

    `values` (n + 1,): L_k for k = 0..n. Of a long curve at most 2,000 vertices are drawn (`layout.meta` holds their
    number), among them the lowest and the highest of each stretch, every mark, and the minimum, so that no dip is
    lost. Marks at the same k share a place, the first on top, and all stay in the legend. `most`: draw only k up to it,
    in full detail, unless a mark lies further on. `interval`: the lowest and highest k of a shaded 95 % interval. O(n).
    """
    n = values.size - 1 if most is None else min(values.size - 1, max([most, *(mark.k for mark in marks)]))
    values = values[: n + 1]
    kept = drawn_vertices(values, [mark.k for mark in marks])
    figure = new_figure(f"Expected {literal(loss_name)} loss of every cut", theme, height=height)
    figure.add_scatter(
        x=kept,
        y=values[kept],
        mode="lines+markers" if n <= 40 else "lines",
        name="flag the k most probable items",
        line={"color": CURVE[theme], "width": 2},
        marker={"color": CURVE[theme], "size": 5},
        hovertemplate="the %{x:,} most probable items<br>expected loss %{y:.6g}<extra></extra>",
    )
    for place, mark in reversed(list(enumerate(marks))):
        figure.add_scatter(
            x=[mark.k],
            y=[values[mark.k]],
            mode="markers",
            name=f"{literal(mark.label)} (k = {mark.k:,})",
            legendrank=1001 + place,
            marker=outlined(theme, symbol=mark.symbol, size=17 if mark.symbol.startswith("star") else 11),
            hovertemplate=f"{literal(mark.label)}: %{{x:,}} items<br>expected loss %{{y:.6g}}<extra></extra>",
        )
    if interval is not None:
        figure.add_vrect(
            *(interval[0] - 0.5, interval[1] + 0.5),
            fillcolor=translucent(CURVE[theme], BAND_OPACITY),
            line_width=0,
            layer="below",
            name=f"95 % interval of k* ({interval[0]:,} to {interval[1]:,})",
            showlegend=True,
        )
    # On a phone the legend has one entry per line.
    below = max(LEGEND_BELOW, 84 + 19 * (len(marks) + (interval is not None)))
    figure.update_layout(meta={"drawn": int(kept.size), "cuts": n + 1}, margin={"b": below})
    figure.update_xaxes(title_text="items flagged (k)", range=[-0.02 * n - 0.3, 1.02 * n + 0.3], tickformat=",~r")
    figure.update_yaxes(title_text="expected loss (lower is better)")
    return figure


def drawn_vertices(values: Floats, always: Sequence[int] = ()) -> Indices:
    """Choose at most 2,000 points of a curve to draw, with the extremes of each stretch.

    `values` (n,); `always`: positions kept in any case, as are both ends and the minimum.
    """
    if values.size <= MAX_VERTICES:
        return np.arange(values.size)
    wanted = np.unique([0, values.size - 1, int(np.argmin(values)), *always])
    stretches = (MAX_VERTICES - wanted.size) // 2
    starts = np.linspace(0, values.size, stretches + 1).astype(np.intp)
    extremes = [
        start + position
        for start, end in pairwise(starts)
        for position in (np.argmin(values[start:end]), np.argmax(values[start:end]))
    ]
    return np.asarray(np.union1d(wanted, extremes), dtype=np.intp)
