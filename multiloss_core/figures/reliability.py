"""Figures of where a ranking is cut: the expected loss of every cut, and whether the probabilities can be believed."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures.theme import TRUE_POSITIVE, Theme, ink, new_figure, paper
from multiloss_core.losses.reliability import Reliability
from multiloss_core.numerics.arrays import Floats, Indices

MAX_VERTICES = 2000
# Those of "the k most probable items" in the figures of all predictions: the same curve.
_CURVE = {"light": "#0072B2", "dark": "#56B4E9"}


@dataclass(frozen=True)
class CurveMark:
    """A cut to point out on a loss curve: `label` says what it is, `k` how many items it flags.

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
) -> go.Figure:
    """The expected loss L_k of flagging the k most probable items, against k, with some cuts pointed out.

    `values` (n + 1,): L_k for k = 0..n. Of a long curve at most 2,000 vertices are drawn (`layout.meta` says how
    many), among them the lowest and the highest of each stretch, every mark, and the minimum, so that no dip is
    lost. Marks at the same k share a place, the
    first on top, and all stay in the legend. `most`: draw only k up to it, in full detail,
    unless a mark lies further on. O(n).
    """
    n = values.size - 1 if most is None else min(values.size - 1, max([most, *(mark.k for mark in marks)]))
    values = values[: n + 1]
    kept = drawn_vertices(values, [mark.k for mark in marks])
    figure = new_figure(f"Expected {loss_name} loss of every cut", theme, height=height)
    figure.add_scatter(
        x=kept,
        y=values[kept],
        mode="lines+markers" if n <= 40 else "lines",
        name="flag the k most probable items",
        line={"color": _CURVE[theme], "width": 2},
        marker={"color": _CURVE[theme], "size": 5},
        hovertemplate="the %{x:,} most probable items<br>expected loss %{y:.6g}<extra></extra>",
    )
    for place, mark in reversed(list(enumerate(marks))):
        star = mark.symbol.startswith("star")
        figure.add_scatter(
            x=[mark.k],
            y=[values[mark.k]],
            mode="markers",
            name=f"{mark.label} (k = {mark.k:,})",
            legendrank=1001 + place,
            marker={
                "symbol": mark.symbol,
                "color": ink(theme),
                "size": 17 if star else 11,
                "line": {"color": paper(theme), "width": 1.5},
            },
            hovertemplate=f"{mark.label}: %{{x:,}} items<br>expected loss %{{y:.6g}}<extra></extra>",
        )
    # Room for a legend with one entry on each line, as on a phone.
    figure.update_layout(meta={"drawn": int(kept.size), "cuts": n + 1}, margin={"b": 84 + 19 * len(marks)})
    figure.update_xaxes(
        title_text="number of items predicted positive (k)", range=[-0.02 * n - 0.3, 1.02 * n + 0.3], tickformat=",~r"
    )
    figure.update_yaxes(title_text="expected loss (lower is better)")
    return figure


def drawn_vertices(values: Floats, always: Sequence[int] = ()) -> Indices:
    """Which points of a curve to draw, in order: at most 2,000, among them the extremes of each stretch.

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


def reliability_chart(found: Reliability, *, theme: Theme, logarithmic: bool = False, height: int = 420) -> go.Figure:
    """The observed share of positives in each group against what was promised, with 95 % intervals.

    On the diagonal the probabilities keep their promise. `logarithmic` axes are for rare events: a share of 0 then lies
    on the lower edge, and `layout.meta` says where that is. Groups whose interval misses the diagonal are crosses.
    """
    edge = _lower_edge(found) if logarithmic else 0.0
    figure = new_figure("Promised and observed share of positives", theme, height=height)
    figure.add_scatter(
        x=[max(edge, 0.0), 1.0],
        y=[max(edge, 0.0), 1.0],
        mode="lines",
        name="promise kept",
        line={"color": ink(theme), "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )
    for misses, name, symbol in (
        (False, "a group of items", "circle"),
        (True, "a group whose interval misses the line", "x"),
    ):
        chosen = found.outside == misses
        shown = np.maximum(found.observed[chosen], edge)
        figure.add_scatter(
            x=np.maximum(found.promised[chosen], edge),
            y=shown,
            error_y={
                "type": "data",
                "symmetric": False,
                "array": found.high[chosen] - shown,
                "arrayminus": np.maximum(shown - np.maximum(found.low[chosen], edge), 0.0),
                "color": TRUE_POSITIVE,
                "thickness": 1.5,
            },
            mode="markers",
            name=name,
            cliponaxis=False,
            showlegend=bool(chosen.any()),
            marker={"color": TRUE_POSITIVE, "symbol": symbol, "size": 9},
            customdata=np.column_stack(
                [
                    found.promised[chosen],
                    found.observed[chosen],
                    found.low[chosen],
                    found.high[chosen],
                    found.positives[chosen],
                    found.items[chosen],
                ]
            ),
            hovertemplate="promised %{customdata[0]:.4~p}<br>observed %{customdata[1]:.4~p} "
            "(%{customdata[2]:.3~p} to %{customdata[3]:.3~p})<br>%{customdata[4]:,} of %{customdata[5]:,} items"
            "<extra></extra>",
        )
    figure.update_layout(margin={"b": 120}, meta={"edge": edge})
    kind = {"type": "log", "dtick": 1, "range": [np.log10(edge), 0.05]} if logarithmic else {"range": [0, _top(found)]}
    figure.update_xaxes(title_text="mean probability of the group (promised)", tickformat=".4~p", **kind)
    figure.update_yaxes(title_text="share of positives (observed)", tickformat=".4~p", **kind)
    return figure


def _lower_edge(found: Reliability) -> float:
    """A power of ten below every share that can be drawn on a logarithmic axis."""
    shares = np.concatenate([found.promised, found.observed, found.high])
    smallest = max(float(shares[shares > 0].min(initial=1.0)), 1e-6)
    return float(10.0 ** (np.ceil(np.log10(smallest)) - 1))


def _top(found: Reliability) -> float:
    return min(1.02, 1.05 * float(max(found.high.max(), found.promised.max())))
