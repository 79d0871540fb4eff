"""Theorem 1 put to the test, as far as the test has come."""

import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import CURVE, Theme
from multiloss_core.losses.theorem_1.verify import Verification


def verified_draws(state: Verification, *, theme: Theme, height: int = 320) -> go.Figure:
    """Draw for each loss on how many draws so far the best prediction was a top-k set, and on how many it was not."""
    names = list(state.top_k)
    kept = list(state.top_k.values())
    figure = style.new_figure(f"Draws on which the best of all was a top-k set: {state.done:,} done", theme)
    for name, counts, colour, pattern in (
        ("a top-k set was best", kept, CURVE[theme], ""),
        ("none was", [state.done - count for count in kept], style.GREY[theme], "/"),
    ):
        figure.add_bar(
            y=names,
            x=counts,
            orientation="h",
            name=name,
            marker={"color": colour, "line": {"width": 0}, "pattern": {"shape": pattern, "fgcolor": style.ink(theme)}},
            hovertemplate=f"%{{y}}, {name}: %{{x:,}} draws<extra></extra>",
        )
    figure.update_layout(barmode="stack", height=height, margin={"l": 84, "b": 92})
    figure.update_xaxes(title_text="draws", range=[0, state.draws])
    figure.update_yaxes(title_text="loss", autorange="reversed")
    return figure
