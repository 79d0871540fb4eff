"""One look for every figure: the Okabe-Ito palette, one meaning per colour, a light and a dark template.

Importing Streamlit replaces Plotly's default template, so every figure takes its template from here.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import plotly.graph_objects as go

from multiloss_core.thresholds.paths.methods import PATH_METHODS, look_of

Theme = Literal["light", "dark"]

TRUE_POSITIVE = "#009E73"
FALSE_POSITIVE = "#E69F00"
# Single-hue scales, light to strong, for surfaces and contours of the two counts.
TRUE_POSITIVE_SCALE: list[list[Any]] = [[0.0, "#E3F4EE"], [0.5, "#66C5AB"], [1.0, "#00664A"]]
FALSE_POSITIVE_SCALE: list[list[Any]] = [[0.0, "#FDF3DC"], [0.5, "#F0C25C"], [1.0, "#A86F00"]]

_INK = {"light": "#1b2a33", "dark": "#e6edf2"}
_PAPER = {"light": "#ffffff", "dark": "#12181d"}
_GRID = {"light": "#d9e0e5", "dark": "#34414b"}


def ink(theme: Theme) -> str:
    """The colour of text and neutral marks (target, floor, chosen point's outline) in a theme."""
    return _INK[theme]


def paper(theme: Theme) -> str:
    """The colour of the background in a theme."""
    return _PAPER[theme]


def grid(theme: Theme) -> str:
    """The colour of grid lines in a theme."""
    return _GRID[theme]


def on_dark(scale: list[list[Any]]) -> list[list[Any]]:
    """A single-hue scale for the dark theme: nothing is dark, much is bright."""
    colours = [colour for _, colour in scale]
    return [[0.0, _PAPER["dark"]], [0.5, colours[2]], [1.0, colours[1]]]


def new_figure(title: str, theme: Theme, *, height: int = 420) -> go.Figure:
    """An empty figure with this project's template: `title`, `height` in pixels, legend below the plot."""
    return go.Figure(layout={"template": _template(theme), "title": {"text": title}, "height": height})


@cache
def _template(theme: Theme) -> go.layout.Template:
    """Made once for each theme: Plotly checks every entry, which takes longer than drawing a chart."""
    axis = {
        "gridcolor": grid(theme),
        "linecolor": grid(theme),
        "zerolinecolor": grid(theme),
        # Fixed margins: measuring them anew doubles the time a chart takes to draw.
        "automargin": False,
        "title": {"standoff": 8},
    }
    scene_axis = {
        "gridcolor": grid(theme),
        "zerolinecolor": grid(theme),
        "backgroundcolor": paper(theme),
        "showbackground": True,
    }
    return go.layout.Template(
        layout={
            "font": {"color": ink(theme), "size": 13},
            "paper_bgcolor": paper(theme),
            "plot_bgcolor": paper(theme),
            "colorway": [method.colour for method in PATH_METHODS],
            "xaxis": axis,
            "yaxis": axis,
            "scene": {"xaxis": scene_axis, "yaxis": scene_axis, "zaxis": scene_axis},
            "hoverlabel": {"font": {"color": ink(theme)}, "bgcolor": paper(theme)},
            "title": {"font": {"size": 15}, "x": 0.0, "xref": "container", "pad": {"l": 8, "t": 4}},
            "margin": {"l": 72, "r": 16, "t": 48, "b": 56},
            "legend": {
                "orientation": "h",
                "yref": "container",
                "y": 0.0,
                "yanchor": "bottom",
                "x": 0.0,
                "itemsizing": "constant",
                "font": {"size": 12},
            },
        }
    )


def translucent(colour: str, opacity: float) -> str:
    """A colour "#rrggbb" with an opacity in [0, 1], for areas."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def path_marks(method: str) -> dict[str, object]:
    """How a path of a method is drawn, as arguments of a scatter trace."""
    colour = look_of(method).colour
    return {
        "name": method,
        "line": {"color": colour, "width": 2.5, "dash": look_of(method).dash},
        "marker": {"size": 5, "symbol": "x-thin-open", "color": colour},
    }


def point_marks(methods: Sequence[str], chosen: str, theme: Theme) -> dict[str, object]:
    """All points as one trace, which draws faster than one for each: a star for the chosen one, circles for the rest."""
    return {
        "mode": "markers",
        "marker": {
            "symbol": ["star" if method == chosen else "circle" for method in methods],
            "size": [18 if method == chosen else 10 for method in methods],
            "color": [look_of(method).colour for method in methods],
            "line": {"color": ink(theme), "width": 1.5},
            "opacity": 1.0,
        },
        "name": "points at the target (star: chosen)",
        "text": list(methods),
        "hovertemplate": "%{text}<br>%{xaxis.title.text} %{x:,.6~g}<br>%{yaxis.title.text} %{y:,.6~g}<extra></extra>",
    }
