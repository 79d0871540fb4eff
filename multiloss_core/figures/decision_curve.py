"""Draw the decision curve: what thresholds are worth."""

from collections.abc import Mapping

import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import NEUTRAL, Unit, Vocabulary
from multiloss_core.numerics.arrays import Floats

_DASHES = ("solid", "dash", "dashdot", "dot")


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
