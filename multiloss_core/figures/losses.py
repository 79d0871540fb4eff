"""Figures of predictions under a multivariate loss: the items flagged, and what every prediction costs."""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from multiloss_core.figures.style import Theme, ink, new_figure, paper
from multiloss_core.losses.exhaustive import ExhaustiveSearch
from multiloss_core.losses.top_k import probability_order

# Dark and light enough to tell apart without colour, in either theme.
_STRONG = {"light": "#0072B2", "dark": "#56B4E9"}
_PALE = {"light": "#c3ced6", "dark": "#44525d"}
_DOT = {"light": "#7d8b96", "dark": "#8795a0"}

_MOST_DOTS = 2**12
_DOT_GRID = (200, 100)


def sorted_probabilities(
    probabilities: NDArray[np.float64],
    best: NDArray[np.bool_],
    *,
    title: str,
    theme: Theme,
    height: int = 420,
    small: bool = False,
) -> go.Figure:
    """The items from the most to the least probable, those predicted positive strongly coloured.

    `probabilities` (n,) and `best` (n,) bool belong together, in any order. `small` leaves out the legend and
    the axis titles, for several such figures side by side. Source: Natarajan et al. 2016, figure 1.
    """
    order = probability_order(probabilities)
    ranks = np.arange(1, order.size + 1)
    figure = new_figure(title, theme, height=height)
    for chosen, name, colour in (
        (True, "predicted positive", _STRONG),
        (False, "not predicted positive", _PALE),
    ):
        shown = best[order] == chosen
        figure.add_bar(
            x=ranks[shown],
            y=probabilities[order][shown],
            name=name,
            marker={"color": colour[theme], "line": {"width": 0}},
            customdata=order[shown] + 1,
            hovertemplate=f"item %{{customdata}}: probability %{{y:.4f}}<br>{name}<extra></extra>",
        )
    figure.update_layout(bargap=0.25, showlegend=not small)
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
    search: ExhaustiveSearch,
    probabilities: NDArray[np.float64],
    *,
    loss_name: str,
    theme: Theme,
    height: int = 420,
) -> go.Figure:
    """Every prediction as a dot: how many items it flags, and its expected loss.

    The top-k predictions are joined by a line, the optimum is a star; dots spread sideways to be seen. Up to
    4,096 predictions are all drawn; of more, one for each place of a 200 x 100 grid, as the others lie hidden
    behind them (`layout.meta` says how many of them are "drawn"). `search` is that of
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
        marker={"color": _DOT[theme], "size": 4, "opacity": 0.55},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=np.arange(n + 1),
        y=search.values[search.top_k_indices],
        mode="lines+markers",
        name="the k most probable items",
        line={"color": _STRONG[theme], "width": 2},
        marker={"color": _STRONG[theme], "size": 7},
        hovertemplate="the %{x} most probable items<br>expected loss %{y:.4f}<extra></extra>",
    )
    figure.add_scatter(
        x=[optimum_size],
        y=[search.expected_loss],
        mode="markers",
        name="optimum",
        marker={
            "symbol": "star",
            "color": ink(theme),
            "size": 17,
            "line": {"color": paper(theme), "width": 1.5},
        },
        hovertemplate="optimum: %{x} items<br>expected loss %{y:.4f}<extra></extra>",
    )
    figure.update_layout(meta={"drawn": int(drawn.size), "predictions": int(search.values.size)})
    figure.update_xaxes(
        title_text="number of items predicted positive (k)", range=[-0.6, n + 0.6], dtick=1, showgrid=False
    )
    figure.update_yaxes(title_text="expected loss (0 to 1, lower is better)")
    return figure


def _sideways(sizes: NDArray[np.intp]) -> NDArray[np.float64]:
    """A shift in [-0.35, 0.35] for each prediction: wider where more of them flag equally many items."""
    counts = np.bincount(sizes)
    order = np.argsort(sizes, kind="stable")
    position = np.empty(sizes.size, dtype=np.int64)
    position[order] = np.arange(sizes.size) - np.repeat(np.cumsum(counts) - counts, counts)
    # Multiples of the golden ratio fill the width evenly and without a visible pattern.
    evenly = (0.5 + position * 0.6180339887498949) % 1.0 - 0.5
    return np.asarray(0.7 * evenly * np.sqrt(counts / counts.max())[sizes], dtype=np.float64)


def _visible(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.intp]:
    if y.size <= _MOST_DOTS:
        return np.arange(y.size)
    columns, rows = (
        np.rint((values - values.min()) / max(float(np.ptp(values)), 1e-300) * (cells - 1)).astype(np.intp)
        for values, cells in zip((x, y), _DOT_GRID, strict=True)
    )
    _, first = np.unique(columns * _DOT_GRID[1] + rows, return_index=True)
    return np.sort(first)
