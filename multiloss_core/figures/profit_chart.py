"""Draw the value of a path against its number of alerts."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.method_styles import look_of
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import NEUTRAL, Vocabulary
from multiloss_core.thresholds.targets.profit_curve import ProfitCurve

CHOSEN, PRESENT, BEST = "chosen point", "current thresholds", "best on this data"
_SYMBOLS = {CHOSEN: ("star", 18), PRESENT: ("circle-open", 14), BEST: ("diamond-open", 12)}


def profit_chart(
    curve: ProfitCurve,
    method: str,
    marks: Mapping[str, tuple[float, float]],
    *,
    theme: Theme,
    currency: str = "",
    vocabulary: Vocabulary = NEUTRAL,
) -> go.Figure:
    """Draw the payoff of every vertex of a path against its alerts, with marked points.

    `marks`: alerts and payoff of the points `CHOSEN`, `PRESENT` and `BEST`, as far as there are any.
    """
    figure = style.new_figure("Payoff against alerts", theme, height=380)
    order = np.argsort(curve.alerts, kind="stable")
    look, currency = look_of(method), style.literal(currency)
    unit = f" {currency}".rstrip()
    hover = f"%{{x:,.6~f}} alerts<br>payoff %{{y:,.2f}}{unit}"
    figure.add_scatter(
        x=curve.alerts[order],
        y=curve.totals[order],
        mode="lines",
        name=f"{method} path",
        line={"color": look.colour, "width": 2.5, "dash": look.dash},
        hovertemplate=f"{hover}<extra></extra>",
    )
    figure.add_hline(y=0, line={"color": style.ink(theme), "dash": "dot", "width": 1})
    for name, (symbol, size) in _SYMBOLS.items():
        if name in marks:
            colour = look.colour if name == CHOSEN else style.ink(theme)
            marker = {
                "symbol": symbol,
                "size": size,
                "color": colour,
                "line": {"color": style.ink(theme), "width": 1.5},
            }
            x, y = marks[name]
            figure.add_scatter(
                x=[x], y=[y], mode="markers", name=name, marker=marker, hovertemplate=f"{hover}<extra>{name}</extra>"
            )
    figure.update_xaxes(title=f"alerts ({vocabulary.documents})", rangemode="tozero")
    figure.update_yaxes(title=f"payoff{f' ({currency})' if currency else ''}")
    figure.update_layout(margin={"b": 84})
    return figure
