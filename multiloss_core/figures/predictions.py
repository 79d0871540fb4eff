"""Draw predictions under a multivariate loss: items flagged and their costs."""

from collections.abc import Mapping
from math import ceil

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from multiloss_core.figures.theme import CURVE, GREY, LEGEND_BELOW, PALE, Theme, ink, new_figure, outlined, paper
from multiloss_core.losses.theorem_1.all_predictions import ExhaustiveSearch
from multiloss_core.losses.top_k import best_k, probability_order
from multiloss_core.numerics.arrays import Bools, Floats, Indices

_SIDES = {1: ("/", "in the ring"), -1: ("\\", "in the rival ring"), 0: ("", "on its own")}


# For tick labels, the axis title and a legend that wraps on a narrow screen.
_MARGIN_BELOW = 100

_MAX_DOTS = 2**12
_DOT_GRID = (200, 100)
# Of small charts beside each other: how many in a row, and the pixels of one.
COLUMNS, ROW_HEIGHT = 4, 250


def sorted_probabilities(
    probabilities: Floats,
    best: Bools,
    *,
    title: str,
    theme: Theme,
    height: int = 420,
    small: bool = False,
    sides: Indices | None = None,
) -> go.Figure:
    """Draw items from the most to the least probable, predicted positives strongly coloured.

    `probabilities` (n,) and `best` (n,) bool belong together, in any order. `small` leaves out the legend and
    the axis titles, for several such figures side by side. `sides` (n,) hatches the items that share a common cause:
    1 for one side, -1 for its rival, 0 for items on their own. Source: Natarajan et al. 2016, figure 1.
    """
    order = probability_order(probabilities)
    ranks = np.arange(1, order.size + 1)
    figure = new_figure(title, theme, height=height)
    for chosen, name, colour in ((True, "predicted positive", CURVE), (False, "not predicted positive", PALE)):
        shown = best[order] == chosen
        looks = [_SIDES[int(side)] for side in sides[order][shown]] if sides is not None else []
        figure.add_bar(
            x=ranks[shown],
            y=probabilities[order][shown],
            name=name,
            marker={"color": colour[theme], "line": {"width": 0}},
            customdata=order[shown] + 1,
            hovertext=[f"<br>{words}" for _, words in looks] or None,
            hovertemplate=f"item %{{customdata}}: probability %{{y:.4f}}<br>{name}"
            f"{'%{hovertext}' if looks else ''}<extra></extra>",
        )
        if looks:
            pattern = {"shape": [shape for shape, _ in looks], "fgcolor": paper(theme), "size": 9, "solidity": 0.3}
            figure.data[-1].marker.pattern = {**pattern, "fillmode": "overlay"}
    figure.update_layout(bargap=0.25, showlegend=not small, margin={"b": _MARGIN_BELOW})
    figure.update_xaxes(range=[0.4, order.size + 0.6], dtick=1, showgrid=False)
    figure.update_yaxes(range=[0, 1.02], dtick=0.5 if small else 0.2)
    if small:
        figure.update_layout(margin={"l": 32, "r": 8, "t": 36, "b": 24})
        figure.update_xaxes(showticklabels=False)
    else:
        figure.update_xaxes(title_text="item, most probable first (rank)")
        figure.update_yaxes(title_text="P(Y = 1 | x), from 0 to 1")
    return figure


def all_predictions(
    search: ExhaustiveSearch, probabilities: Floats, *, loss_name: str, theme: Theme, height: int = 420
) -> go.Figure:
    """Draw every prediction as a dot: how many items it flags, and its expected loss.

    The top-k predictions are joined by a line, the optimum is a star; dots spread sideways to be seen. Up to
    4,096 predictions are all drawn; of more, one for each place of a 200 x 100 grid, as the others lie hidden
    behind them (`layout.meta` holds the number "drawn"). `search` is that of
    `probabilities` (n,).
    """
    n = probabilities.size
    x = search.sizes + _sideways(search.sizes)
    drawn = _visible(x, search.values)
    optimum_size = int(np.sum(search.best))
    figure = new_figure(f"All {search.values.size:,} predictions under {loss_name}", theme, height=height)
    figure.add_scatter(
        x=x[drawn].astype(np.float32),
        y=search.values[drawn].astype(np.float32),
        mode="markers",
        name="a prediction",
        marker={"color": GREY[theme], "size": 4, "opacity": 0.55},
        customdata=_sets(drawn, probabilities),
        hovertemplate="flags %{customdata}<br>expected loss %{y:.4f}<extra></extra>",
    )
    figure.add_scatter(
        x=np.arange(n + 1),
        y=search.top_k_values,
        mode="lines+markers",
        name="the k most probable items",
        line={"color": CURVE[theme], "width": 2},
        marker={"color": CURVE[theme], "size": 7},
        hovertemplate="the %{x} most probable items<br>expected loss %{y:.4f}<extra></extra>",
    )
    figure.add_scatter(
        x=[optimum_size],
        y=[search.expected_loss],
        mode="markers",
        name="optimum",
        marker=outlined(theme, symbol="star", size=17),
        hovertemplate="optimum: %{x} items<br>expected loss %{y:.4f}<extra></extra>",
    )
    figure.update_layout(
        meta={"drawn": int(drawn.size), "predictions": int(search.values.size)}, margin={"b": LEGEND_BELOW}
    )
    figure.update_xaxes(
        title_text="items flagged (k)", range=[-0.6, n + 0.6], dtick=1 if n <= 10 else 2, showgrid=False
    )
    figure.update_yaxes(title_text="expected loss (lower is better)")
    return figure


def small_loss_curves(curves: Mapping[str, Floats], *, theme: Theme) -> go.Figure:
    """Draw the expected loss L_k against k under each loss, side by side, the optimum a star.

    `curves`: for each loss's name its L_k for k = 0..n (n + 1,). Each has a scale of its own, as different losses
    cannot be compared.
    """
    rows = ceil(len(curves) / COLUMNS)
    optima = {name: best_k(values) for name, values in curves.items()}
    titles = [f"{name}: k* = {k}" for name, k in optima.items()]
    figure = new_figure("Expected loss of flagging the k most probable items", theme, height=ROW_HEIGHT * rows + 90)
    made = make_subplots(
        rows, COLUMNS, figure=figure, subplot_titles=titles, vertical_spacing=0.2, horizontal_spacing=0.05
    )
    for i, (name, values) in enumerate(curves.items()):
        place = {"row": i // COLUMNS + 1, "col": i % COLUMNS + 1}
        made.add_scatter(
            x=np.arange(values.size),
            y=values,
            mode="lines+markers",
            line={"color": CURVE[theme], "width": 2},
            marker={"color": CURVE[theme], "size": 5},
            hovertemplate=f"{name}: the %{{x}} most probable items<br>expected loss %{{y:.4f}}<extra></extra>",
            **place,
        )
        made.add_scatter(
            x=[optima[name]],
            y=[values[optima[name]]],
            mode="markers",
            marker=outlined(theme, symbol="star", size=13, width=1),
            hovertemplate=f"{name}: optimum k* = %{{x}}<br>expected loss %{{y:.4f}}<extra></extra>",
            **place,
        )
        made.update_xaxes(title_text="k" if i + COLUMNS >= len(curves) else None, **place)
        made.update_yaxes(title_text="expected loss" if i % COLUMNS == 0 else None, **place)
    made.update_xaxes(range=[-0.5, max(values.size for values in curves.values()) - 0.5], dtick=2, showgrid=False)
    made.update_yaxes(nticks=5, tickformat=".2~f")
    made.update_annotations(font_size=13)
    made.update_layout(showlegend=False, margin={"l": 64, "r": 8, "t": 72, "b": 48})
    return made


def losses_by_strength(
    strengths: Floats, best: Floats, top_k: Floats, *, chosen: float, loss_name: str, theme: Theme, height: int = 420
) -> go.Figure:
    """Draw the least expected loss of all and of top-k predictions by label correlation.

    `strengths` (m,) from 0 to 1, `best` and `top_k` (m,). `chosen` is marked by a line.
    """
    figure = new_figure(f"Expected {loss_name} loss from independent to identical", theme, height=height)
    for values, name, colour, dash in (
        (top_k, "best top-k prediction", GREY[theme], "dash"),
        (best, "best of all predictions", CURVE[theme], "solid"),
    ):
        figure.add_scatter(
            x=strengths,
            y=values,
            mode="lines",
            name=name,
            line={"color": colour, "width": 2.5, "dash": dash},
            hovertemplate=f"{name}: expected loss %{{y:.4f}}<extra></extra>",
        )
    figure.add_vline(x=chosen, line={"color": ink(theme), "width": 1, "dash": "dot"})
    # Keep two nearly equal lines apart.
    low, high = float(best.min()), float(top_k.max())
    margin = max(0.15 * (high - low), 0.005)
    figure.update_layout(hovermode="x unified", margin={"b": _MARGIN_BELOW})
    figure.update_xaxes(title_text="from 0, independent, to 1, identical", range=[-0.02, 1.02], dtick=0.2)
    figure.update_yaxes(title_text="expected loss", range=[low - margin, high + margin])
    return figure


def _sideways(sizes: Indices) -> Floats:
    """Shift predictions sideways in [-0.35, 0.35], wider where more flag equally many items."""
    counts = np.bincount(sizes)
    order = np.argsort(sizes, kind="stable")
    position = np.empty(sizes.size, dtype=np.int64)
    position[order] = np.arange(sizes.size) - np.repeat(np.cumsum(counts) - counts, counts)
    # Multiples of the golden ratio fill the width evenly and without a visible pattern.
    evenly = (0.5 + position * 0.6180339887498949) % 1.0 - 0.5
    return np.asarray(0.7 * evenly * np.sqrt(counts / counts.max())[sizes], dtype=np.float64)


def _sets(predictions: Indices, probabilities: Floats) -> list[str]:
    """List the ranks of the items flagged by each prediction."""
    flags = (predictions[:, np.newaxis] >> probability_order(probabilities)) & 1 == 1
    ranks = np.arange(1, probabilities.size + 1)
    named = (", ".join(map(str, ranks[row])) for row in flags)
    return [f"the items of rank {names}" if names else "nothing" for names in named]


def _visible(x: Floats, y: Floats) -> Indices:
    if y.size <= _MAX_DOTS:
        return np.arange(y.size)
    columns, rows = (
        np.rint((values - values.min()) / max(float(np.ptp(values)), 1e-300) * (cells - 1)).astype(np.intp)
        for values, cells in zip((x, y), _DOT_GRID, strict=True)
    )
    _, first = np.unique(columns * _DOT_GRID[1] + rows, return_index=True)
    return np.sort(first)
