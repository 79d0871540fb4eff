"""The scores of one classifier, by rating."""

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import NEUTRAL, Vocabulary, direction, score_name
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

HISTOGRAM_BINS = 40


def score_histogram(
    documents: RatedDocuments, classifier: int, *, theme: Theme, vocabulary: Vocabulary = NEUTRAL
) -> go.Figure:
    """Draw the scores of one classifier, positives and negatives apart, with its rating floor."""
    own, sign = documents.names[classifier], direction(documents.names[classifier])
    name, scores = style.literal(score_name(own)), sign * documents.scores[:, classifier]
    present = np.isfinite(scores)
    edges = np.histogram_bin_edges(scores[present], HISTOGRAM_BINS)
    centres = (edges[1:] + edges[:-1]) / 2
    figure = style.new_figure(f"Scores of {name}, by rating", theme, height=320)
    for title, mask, colour in (
        ("rated negative (false alert)", ~documents.labels, style.FALSE_POSITIVE),
        (vocabulary.rated_positive, documents.labels, style.TRUE_POSITIVE),
    ):
        shown = mask & present
        counts, _ = np.histogram(scores[shown], edges, weights=documents.weights[shown])
        figure.add_bar(
            x=centres,
            y=counts,
            name=title,
            marker={"color": colour, "line": {"width": 0}},
            customdata=np.column_stack([edges[:-1], edges[1:]]),
            hovertemplate="score %{customdata[0]:.4g} to %{customdata[1]:.4g}<br>%{y:,.6~f} "
            f"{vocabulary.documents}<extra>%{{fullData.name}}</extra>",
        )
    floor = float(sign * documents.floors[classifier])
    figure.add_vline(x=floor, line={"color": style.ink(theme), "dash": "dash", "width": 1.5})
    figure.add_annotation(
        x=floor,
        y=1,
        yref="paper",
        text=f"rating floor {floor:.6g}",
        showarrow=False,
        yanchor="bottom",
        font={"size": 12},
    )
    figure.update_layout(barmode="overlay", bargap=0.05, margin={"b": 84})
    figure.update_traces(opacity=0.85)
    figure.update_xaxes(title=f"score ({'higher' if sign > 0 else 'lower'} = more suspicious)")
    figure.update_yaxes(title=f"{vocabulary.documents} (log scale)", type="log", dtick=1)
    return figure
