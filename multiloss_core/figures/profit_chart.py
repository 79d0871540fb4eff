"""Draw what thresholds are worth: payoff against alerts, net benefit against the target."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.method_styles import look_of
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import NEUTRAL, Unit, Vocabulary
from multiloss_core.numerics.arrays import Floats
from multiloss_core.thresholds.targets.profit_curve import ProfitCurve

_DASHES = ("solid", "dash", "dashdot", "dot")


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


def decision_curve(
    targets: Floats,
    benefits: Mapping[str, Floats],
    target: float,
    *,
    colour: str,
    theme: Theme,
    unit: Unit = Unit.DOCUMENTS,
    vocabulary: Vocabulary = NEUTRAL,
) -> go.Figure:
    """Draw lines of net benefit (m,) against targets (m,).

    The first line is in `colour`, others are grey with their own dash. The axis starts slightly below 0, the net
    benefit of flagging nothing; `target` is marked.
    """
    figure = style.new_figure("Decision curve: net benefit against the target", theme, height=380)
    for i, (name, values) in enumerate(benefits.items()):
        line = {"color": style.GREY[theme] if i else colour, "width": 2 if i else 3, "dash": _DASHES[i % len(_DASHES)]}
        hover = f"target %{{x:.3g}} %<br>net benefit %{{y:,.1f}}<extra>{style.literal(name)}</extra>"
        figure.add_scatter(x=100 * targets, y=values, mode="lines", name=name, line=line, hovertemplate=hover)
    figure.add_hline(y=0, line={"color": style.ink(theme), "width": 1}, annotation_text="flag nothing")
    figure.add_vline(x=100 * target, line={"color": style.ink(theme), "width": 1, "dash": "dot"})
    highest = max(float(values.max()) for values in benefits.values())
    figure.update_xaxes(title="target: marginal precision (%)", range=[0, 100])
    figure.update_yaxes(title=f"net benefit ({vocabulary.counted(unit)})", range=[-0.15 * highest, 1.05 * highest])
    figure.update_layout(margin={"b": 84})
    return figure
