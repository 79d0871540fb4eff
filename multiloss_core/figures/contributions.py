"""Draw combinations of classifiers as dots with bars (UpSet, Lex et al. 2014)."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import NEUTRAL, Vocabulary, score_name, shortened
from multiloss_core.inspection.contributions import Contribution, contribution_words

# Pixels: a row of dots, the least height of all rows, the title, a letter of a slanted name.
ROW_HEIGHT, SMALLEST_PLOT, TOP, LETTER = 26, 96, 48, 5
MAX_NAME = 21
# How much of the width the matrix takes: at least, and for each classifier.
MATRIX_SHARE = (0.08, 0.06)
DOT = 13


def contributions_chart(
    contributions: Sequence[Contribution], names: Sequence[str], *, theme: Theme, vocabulary: Vocabulary = NEUTRAL
) -> go.Figure:
    """Draw a row per combination of the k classifiers `names`: dots, and bars of TP and FP.

    Bars of what is not flagged (held back by the classifier without a dot) are hatched.
    """
    held_back = any(not contribution.flagged for contribution in contributions)
    title = "What is flagged, and what each classifier alone holds back" if held_back else "Which classifiers flag what"
    labels = [shortened(score_name(name), MAX_NAME) for name in names]
    bottom = 84 + LETTER * max(map(len, labels))
    rows = max(ROW_HEIGHT * len(contributions), SMALLEST_PLOT)
    figure = style.new_figure(title, theme, height=TOP + rows + bottom)
    split = MATRIX_SHARE[0] + MATRIX_SHARE[1] * len(names)
    _add_dots(figure, contributions, len(names), theme)
    words = [style.literal(contribution_words(contribution, names)) for contribution in contributions]
    style.add_stacked_counts(
        figure,
        *np.array([[*contribution.documents] for contribution in contributions]).T,
        words=words,
        solid=[contribution.flagged for contribution in contributions],
        vocabulary=vocabulary,
        y=list(range(len(contributions))),
        xaxis="x2",
        orientation="h",
    )
    bare = {"showgrid": False, "zeroline": False, "fixedrange": True}
    flagged = f"{vocabulary.documents} flagged{', or held back (hatched)' if held_back else ''}"
    figure.update_layout(
        bargap=0.3,
        margin={"l": 40, "t": TOP, "b": bottom},
        xaxis={
            "domain": [0, split - 0.02],
            "title": "reached by",
            "tickvals": list(range(len(names))),
            "ticktext": [*map(style.literal, labels)],
            "tickangle": -45,
            "range": [-0.6, len(names) - 0.4],
            **bare,
        },
        xaxis2={"domain": [split, 1], "anchor": "y", "title": {"text": flagged}, "rangemode": "tozero"},
        yaxis={
            "title": "combination",
            "showticklabels": False,
            "range": [len(contributions) - 0.4, -0.6],
            **bare,
        },
    )
    return figure


def _add_dots(figure: go.Figure, contributions: Sequence[Contribution], count: int, theme: Theme) -> None:
    cells = [(row, j) for row in range(len(contributions)) for j in range(count)]
    reached = [j in contributions[row].classifiers for row, j in cells]
    for row, contribution in enumerate(contributions):
        ends = [min(contribution.classifiers), max(contribution.classifiers)]
        figure.add_scatter(
            x=ends,
            y=[row, row],
            mode="lines",
            line={"color": style.ink(theme), "width": 2},
            hoverinfo="skip",
            showlegend=False,
        )
    figure.add_scatter(
        x=[j for _, j in cells],
        y=[row for row, _ in cells],
        mode="markers",
        marker={
            "color": [style.ink(theme) if dot else style.grid(theme) for dot in reached],
            "size": DOT,
            "line": {"width": 0},
        },
        hoverinfo="skip",
        showlegend=False,
        name="reached",
    )
