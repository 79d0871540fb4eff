"""Draw forms of rule by their borders over two scores."""

import numpy as np
import plotly.graph_objects as go

from multiloss_core.combined.forms import Corner
from multiloss_core.figures import theme as style
from multiloss_core.figures.method_styles import look_of
from multiloss_core.figures.theme import Theme
from multiloss_core.figures.threshold_space import on_scale
from multiloss_core.formatting import score_name
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.tables.score_formula import ScoreFormula
from multiloss_core.thresholds.data.counts import Rule
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

FORM_NAMES: dict[str, str] = {
    "single": "the best single score",
    "any": "any score (union)",
    "all": "every score (intersection)",
    "combined": "the combined score",
}
# Of the best border, the colour of the default path.
BORDER = look_of("smooth").colour
MAX_DRAWN, NODES = 1_000, 120
# Of the scores at the ends of the axes.
SHARES = (0.002, 0.998)


def forms_in_space(
    documents: RatedDocuments, thresholds: Floats, rule: Rule, formula: ScoreFormula, level: float, *, theme: Theme
) -> go.Figure:
    """Draw rated documents of two scores with two borders of as many alerts.

    One is the corner of the thresholds (2,), the other the curve where the combined score is `level`. At most 1,000
    documents of each class are drawn, evenly spread over the rows.
    """
    figure = style.new_figure("Two forms of rule at the same number of alerts", theme, height=420)
    names, scores = documents.names[:2], documents.scores[:, :2]
    known = np.isfinite(scores).all(axis=1)
    low, high = np.quantile(scores[known], SHARES, axis=0)
    for kind, name, colour in (
        (~documents.labels, "false positives", style.FALSE_POSITIVE),
        (documents.labels, "true positives", style.TRUE_POSITIVE),
    ):
        rows = np.flatnonzero(kind & known)
        drawn = on_scale(names, scores[rows[:: max(1, -(-rows.size // MAX_DRAWN))]])
        marker = {"color": colour, "size": 4, "opacity": 0.5, "symbol": "x" if name.startswith("false") else "circle"}
        figure.add_scatter(x=drawn[:, 0], y=drawn[:, 1], mode="markers", name=name, marker=marker, hoverinfo="skip")
    low, high = np.minimum(low, thresholds), np.where(np.isfinite(thresholds), np.maximum(high, thresholds), high)
    corner = _corner(np.minimum(thresholds, high), low, high, rule)
    line = {"color": style.ink(theme), "width": 3, "dash": "dash"}
    across, up = on_scale(names, corner).T
    figure.add_scatter(x=across, y=up, mode="lines", name="thresholds", line=line, hoverinfo="skip")
    axes = np.linspace(low, high, NODES).T
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    border = on_scale(names, _curve(formula.apply(grid).reshape(NODES, NODES), level, axes))
    line = {"color": BORDER, "width": 3}
    figure.add_scatter(x=border[:, 0], y=border[:, 1], mode="lines", name="combined score", line=line, hoverinfo="skip")
    figure.update_xaxes(title=f"score of {style.literal(score_name(names[0]))}")
    figure.update_yaxes(title=f"score of {style.literal(score_name(names[1]))}")
    figure.update_layout(margin={"b": 100})
    return figure


def _corner(thresholds: Floats, low: Floats, high: Floats, rule: Rule) -> Floats:
    """Return the points (3, 2) of the border of what two thresholds flag."""
    (x, y), ends = thresholds, low if rule == "any" else high
    return np.array([[x, ends[1]], [x, y], [ends[0], y]])


def _curve(combined: Floats, level: float, axes: Floats) -> Floats:
    """Find the border (m, 2): the second score that reaches the level at each first one."""
    reached = combined >= level
    places = reached.argmax(axis=1)
    # From where the first score is enough alone, the border runs straight down.
    inside = reached.any(axis=1) & (np.cumsum(places == 0) <= (places == 0))
    return np.column_stack([axes[0][inside], axes[1][places[inside]]])


def corner_and_best_set(
    scores: Floats, probabilities: Floats, corner: Corner, best: Indices, *, theme: Theme
) -> go.Figure:
    """Draw items by two scores (n, 2) with the corner and the best set.

    The larger a circle, the larger its probability, which rises with the sum of both scores.
    """
    figure = style.new_figure("The best corner and the best set of as many items", theme, height=520)
    inside = np.isin(np.arange(len(scores)), best)
    for chosen, name, symbol in ((~inside, "not in the best set", "circle-open"), (inside, "best set", "circle")):
        figure.add_scatter(
            x=scores[chosen, 0],
            y=scores[chosen, 1],
            mode="markers",
            name=name,
            marker={
                "symbol": symbol,
                "color": BORDER if name == "best set" else style.GREY[theme],
                "size": 8 + 12 * probabilities[chosen],
                "opacity": 0.8,
            },
            customdata=probabilities[chosen],
            hovertemplate="P(fraud) %{customdata:.3f}<extra></extra>",
        )
    low, high = scores.min(axis=0) - 0.3, scores.max(axis=0) + 0.3
    border = _corner(np.minimum(corner.thresholds, high), low, high, "any")
    line = {"color": style.ink(theme), "width": 3, "dash": "dash"}
    figure.add_scatter(x=border[:, 0], y=border[:, 1], mode="lines", name="two thresholds", line=line, hoverinfo="skip")
    if 0 < len(best) < len(scores):
        # Between the last item inside and the first outside; probabilities rise with the sum of the scores.
        sums = scores.sum(axis=1)
        middle = (sums[inside].min() + sums[~inside].max()) / 2
        line = {"color": BORDER, "width": 3}
        figure.add_scatter(
            x=[low[0], high[0]],
            y=[middle - low[0], middle - high[0]],
            mode="lines",
            name="equal probability",
            line=line,
            hoverinfo="skip",
        )
    figure.update_xaxes(title="first score", range=[low[0], high[0]])
    figure.update_yaxes(title="second score", range=[low[1], high[1]])
    figure.update_layout(margin={"b": 100})
    return figure
