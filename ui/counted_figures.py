"""Figures of counts in the words of what is counted."""

import plotly.graph_objects as go

from ui.analysis import Unit

_IN_MONEY = {
    "alerts expected on": "flagged, expected on",
    "among the next alerts": "in the next money flagged",
    " alerts<br>": " of money flagged<br>",
    "documents": "money",
}


def counted_in(unit: Unit, figure: go.Figure) -> go.Figure:
    """A figure of counts whose axes and hover texts name what is counted."""
    if unit == "documents":
        return figure
    for axis in (*figure.select_xaxes(), *figure.select_yaxes(), *(scene.zaxis for scene in figure.select_scenes())):
        # The other titles hold names of the reader's scores.
        if axis.title.text and not axis.title.text.startswith("threshold of "):
            axis.title.text = _in_money(axis.title.text)
    for trace in figure.data:
        if trace.hovertemplate:
            trace.hovertemplate = _in_money(trace.hovertemplate)
    return figure


def _in_money(words: str) -> str:
    for counted, money in _IN_MONEY.items():
        words = words.replace(counted, money)
    return words
