"""Draw the alerts that old and new scores flag."""

import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import NEUTRAL, Vocabulary, several
from multiloss_core.model_change import ModelChange


def swapped_alerts(change: ModelChange, *, theme: Theme, vocabulary: Vocabulary = NEUTRAL) -> go.Figure:
    """Draw three sets of alerts as bars: of both scores, of the old and of the new ones alone."""
    figure = style.new_figure("Alerts of the old and the new scores", theme, height=280)
    sets = {"only now": change.only_new, "only before": change.only_old, "both": change.both}
    for words, colour, pattern, counted in (
        (several(vocabulary.positive), style.TRUE_POSITIVE, "", [one.positives for one in sets.values()]),
        ("false alerts", style.FALSE_POSITIVE, "/", [one.negatives for one in sets.values()]),
        ("not rated", style.UNDECIDED, "x", [one.unrated for one in sets.values()]),
    ):
        figure.add_bar(
            y=list(sets),
            x=counted,
            name=words,
            orientation="h",
            marker={"color": colour, "pattern": {"shape": pattern, "fillmode": "overlay", "size": 6, "solidity": 0.3}},
            hovertemplate=f"%{{y}}: %{{x:,}} {words}<extra></extra>",
        )
    figure.update_layout(barmode="stack", bargap=0.35, margin={"l": 90, "b": 90})
    figure.update_xaxes(title="alerts")
    figure.update_yaxes(showgrid=False)
    return figure
