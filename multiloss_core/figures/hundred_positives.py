"""Draw how many of a hundred positives are caught, missed or not known."""

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import NEUTRAL, Vocabulary, plural

SIDE, PIXELS = 10, 340


def hundred_positives(caught: int, most: int, *, theme: Theme, vocabulary: Vocabulary = NEUTRAL) -> go.Figure:
    """Draw a hundred squares, of which at least `caught` and at most `most` are caught.

    Those above `most` are missed; whether the squares between are caught is not known.
    """
    parts = (
        ("caught", caught, style.TRUE_POSITIVE, "square"),
        ("not known", most - caught, style.ink(theme), "square-open"),
        ("missed", 100 - most, style.UNDECIDED, "x"),
    )
    figure = style.new_figure(f"Of {plural(100, vocabulary.positive)}", theme, height=PIXELS + 90)
    places, start = np.arange(SIDE**2), 0
    for words, count, colour, symbol in parts:
        mine = places[start : start + count]
        start += count
        figure.add_scatter(
            x=mine % SIDE,
            y=SIDE - 1 - mine // SIDE,
            mode="markers",
            name=f"{words}: {count}",
            marker={"symbol": symbol, "color": colour, "size": 19, "opacity": 1},
            hovertemplate=f"{words}<extra></extra>",
        )
    figure.update_xaxes(visible=False, range=[-0.7, SIDE - 0.3], fixedrange=True)
    figure.update_yaxes(visible=False, range=[-0.7, SIDE - 0.3], fixedrange=True)
    figure.update_layout(margin={"l": 8, "r": 8, "t": 40, "b": 44}, width=PIXELS, showlegend=True)
    return figure
