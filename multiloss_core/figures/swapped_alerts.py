"""Draw the alerts that old and new scores flag."""

from collections.abc import Mapping

import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import NEUTRAL, Vocabulary, several


def swapped_alerts(
    sets: Mapping[str, tuple[float, float, float]], *, theme: Theme, vocabulary: Vocabulary = NEUTRAL
) -> go.Figure:
    """Draw sets of alerts as bars, the first one on top.

    `sets`: the positives, the negatives and the alerts without a rating of each.
    """
    figure = style.new_figure("Alerts of the old and the new scores", theme, height=320)
    names = [*sets][::-1]
    for place, (words, colour, pattern) in enumerate(
        (
            (several(vocabulary.positive), style.TRUE_POSITIVE, ""),
            ("false alerts", style.FALSE_POSITIVE, "/"),
            ("not rated", style.UNDECIDED, "x"),
        )
    ):
        figure.add_bar(
            y=names,
            x=[sets[name][place] for name in names],
            name=words,
            orientation="h",
            marker={"color": colour, "pattern": {"shape": pattern, "fillmode": "overlay", "size": 6, "solidity": 0.3}},
            hovertemplate=f"%{{y}}: %{{x:,}} {words}<extra></extra>",
        )
    figure.update_layout(
        barmode="stack", bargap=0.35, margin={"l": 90, "b": style.LEGEND_BELOW}, legend={"traceorder": "normal"}
    )
    figure.update_xaxes(title="alerts")
    figure.update_yaxes(showgrid=False)
    return figure
