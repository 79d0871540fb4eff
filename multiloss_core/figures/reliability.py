"""Draw expected and observed shares of positives, to show calibration."""

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures.theme import TRUE_POSITIVE, Theme, ink, new_figure, percent_axis
from multiloss_core.formatting import short_percent
from multiloss_core.losses.reliability import Reliability


def reliability_chart(
    found: Reliability,
    *,
    theme: Theme,
    logarithmic: bool = False,
    title: str = "Expected and observed share of positives",
) -> go.Figure:
    """Draw observed against expected shares of positives by group, with 95 % intervals.

    On the diagonal the two are equal. `logarithmic` axes are for rare events: a share of 0 then lies
    on the lower edge, and `layout.meta` holds its place. Groups whose interval misses the diagonal are crosses.
    """
    edge = _lower_edge(found) if logarithmic else 0.0
    figure = new_figure(title, theme)
    figure.add_scatter(
        x=[max(edge, 0.0), 1.0],
        y=[max(edge, 0.0), 1.0],
        mode="lines",
        name="expected = observed",
        line={"color": ink(theme), "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )
    for misses, name, symbol in (
        (False, "a group of items", "circle"),
        (True, "a group whose interval misses the line", "x"),
    ):
        chosen = found.outside == misses
        shown = np.maximum(found.observed[chosen], edge)
        shares = zip(*(part[chosen] for part in (found.promised, found.observed, found.low, found.high)), strict=True)
        counts = np.column_stack([found.positives, found.items])[chosen].tolist()
        details = [(*map(short_percent, four), *two) for four, two in zip(shares, counts, strict=True)]
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
            customdata=details,
            hovertemplate="expected %{customdata[0]}<br>observed %{customdata[1]} "
            "(%{customdata[2]} to %{customdata[3]})<br>%{customdata[4]:,} of %{customdata[5]:,} items"
            "<extra></extra>",
        )
    figure.update_layout(margin={"b": 120}, meta={"edge": edge})
    kind = {"range": [0, _top(found)], **percent_axis(most=_top(found))}
    if logarithmic:
        powers = 10.0 ** np.arange(round(np.log10(edge)), 1)
        kind = {"type": "log", "range": [np.log10(edge), 0.05], "tickvals": powers}
        kind["ticktext"] = [*map(short_percent, powers)]
    figure.update_xaxes(title_text="mean probability of the group (expected)", **kind)
    figure.update_yaxes(title_text="share of positives (observed)", **kind)
    return figure


def _lower_edge(found: Reliability) -> float:
    """Find a power of ten below every share that can be drawn on a logarithmic axis."""
    shares = np.concatenate([found.promised, found.observed, found.high])
    smallest = max(float(shares[shares > 0].min(initial=1.0)), 1e-6)
    return float(10.0 ** (np.ceil(np.log10(smallest)) - 1))


def _top(found: Reliability) -> float:
    return min(1.02, 1.05 * float(max(found.high.max(), found.promised.max())))
