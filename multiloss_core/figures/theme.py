"""Define the look of figures: Okabe-Ito palette, fixed colours, light and dark template.

Importing Streamlit replaces Plotly's default template, so every figure takes its template from here.
"""

import math
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures.method_styles import METHOD_LOOKS, look_of
from multiloss_core.formatting import Vocabulary, short_percent
from multiloss_core.numerics.arrays import Bools, Floats

Theme = Literal["light", "dark"]

TRUE_POSITIVE = "#009E73"
FALSE_POSITIVE = "#E69F00"
UNDECIDED = "#999999"
# Single-hue scales, light to strong, for surfaces and contours of the two counts.
TRUE_POSITIVE_SCALE: list[list[Any]] = [[0.0, "#E3F4EE"], [0.5, "#66C5AB"], [1.0, "#00664A"]]
FALSE_POSITIVE_SCALE: list[list[Any]] = [[0.0, "#FDF3DC"], [0.5, "#F0C25C"], [1.0, "#A86F00"]]

# Of expected losses, of what is predicted positive and of "the k most probable items".
CURVE = {"light": "#0072B2", "dark": "#56B4E9"}
# For secondary marks: pale areas, and dots that must still be seen.
PALE = {"light": "#c3ced6", "dark": "#44525d"}
GREY = {"light": "#7d8b96", "dark": "#8795a0"}
# The page's own; a report or notebook that lacks it uses its sans-serif font.
FONT = '"Source Sans", "Source Sans 3", sans-serif'
# Pixels for tick labels, axis title and a legend of three lines.
LEGEND_BELOW = 122
# Takes no room and is not seen.
_WORD_JOINER = "\u2060"
_INK = {"light": "#1b2a33", "dark": "#e6edf2"}
_PAPER = {"light": "#ffffff", "dark": "#12181d"}
_GRID = {"light": "#d9e0e5", "dark": "#34414b"}


def ink(theme: Theme) -> str:
    """Return the colour of text and neutral marks (target, floor, outline) in a theme."""
    return _INK[theme]


def paper(theme: Theme) -> str:
    """Return the colour of the background in a theme."""
    return _PAPER[theme]


def grid(theme: Theme) -> str:
    """Return the colour of grid lines in a theme."""
    return _GRID[theme]


def on_dark(scale: list[list[Any]]) -> list[list[Any]]:
    """Turn a single-hue scale into one for the dark theme: nothing is dark, much is bright."""
    colours = [colour for _, colour in scale]
    return [[0.0, _PAPER["dark"]], [0.5, colours[2]], [1.0, colours[1]]]


def percent_axis(least: float = 0.0, most: float = 1.0) -> dict[str, Any]:
    """Make ticks of an axis of shares, within [least, most], which are written as percentages."""
    step = next((step for step in (0.01, 0.02, 0.05, 0.1) if most - least <= 6 * step), 0.2)
    ticks = np.arange(math.ceil(least / step - 1e-9), math.floor(most / step + 1e-9) + 1) * step
    return {"tickvals": ticks.tolist(), "ticktext": [short_percent(tick) for tick in ticks.tolist()]}


def new_figure(title: str, theme: Theme, *, height: int = 420) -> go.Figure:
    """Make an empty figure with this template: `title`, `height` in pixels, legend below."""
    return go.Figure(layout={"template": _template(theme), "title": {"text": title}, "height": height})


@cache
def _template(theme: Theme) -> go.layout.Template:
    """Make the template once per theme, because Plotly checks every entry slowly."""
    axis = {
        "gridcolor": grid(theme),
        "linecolor": grid(theme),
        "zerolinecolor": grid(theme),
        # Fixed margins: measuring them anew doubles the time a chart takes to draw.
        "automargin": False,
        "separatethousands": True,
        "title": {"standoff": 8},
    }
    scene_axis = {
        "gridcolor": grid(theme),
        "zerolinecolor": grid(theme),
        "backgroundcolor": paper(theme),
        "showbackground": True,
        "separatethousands": True,
    }
    return go.layout.Template(
        layout={
            "font": {"color": ink(theme), "size": 13, "family": FONT},
            "paper_bgcolor": paper(theme),
            "plot_bgcolor": paper(theme),
            "colorway": [look.colour for look in METHOD_LOOKS],
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


def literal(words: str) -> str:
    """Escape user text, such as column names, so that Plotly shows it unchanged.

    Plotly takes `<b>`, `&lt;`, `$x$` and `%{x}` for markup wherever it writes in two dimensions.
    """
    return escape(words, quote=False).replace("$", "&#36;").replace("%", "&#37;")


def literal_in_space(words: str) -> str:
    """Escape user text as `literal` does, for a scene: there Plotly reads tags and no entities."""
    return words.replace("<", f"<{_WORD_JOINER}")


def add_stacked_counts(
    figure: go.Figure,
    tp: Floats,
    fp: Floats,
    *,
    words: Sequence[str],
    solid: Sequence[bool] | Bools,
    vocabulary: Vocabulary,
    undecided: Floats | None = None,
    **bars: Any,
) -> None:
    """Add TP and FP (m,) as stacked bars, hatched where not `solid`.

    Those that are `undecided` (m,), where there are any, come last and are always hatched.
    """
    count = "x" if bars.get("orientation") == "h" else "y"
    hatched = np.where(solid, "", "/")
    kinds = [
        (vocabulary.true_positives, TRUE_POSITIVE, tp, hatched),
        ("false alerts (FP)", FALSE_POSITIVE, fp, hatched),
    ]
    if undecided is not None and undecided.any():
        kinds.append(("undecided", UNDECIDED, undecided, np.full(len(undecided), "x")))
    for label, colour, counts, shape in kinds:
        figure.add_bar(
            name=label,
            marker={"color": colour, "pattern": {"shape": shape}, "line": {"width": 0}},
            customdata=words,
            hovertemplate=f"%{{customdata}}<br>%{{{count}:,.6~f}} {vocabulary.documents}"
            "<extra>%{fullData.name}</extra>",
            **{count: counts},
            **bars,
        )
    figure.update_layout(barmode="stack", legend={"traceorder": "normal"})


def outlined(theme: Theme, *, symbol: str, size: int, width: float = 1.5) -> dict[str, object]:
    """Make the marker of a single point: ink with an outline in the background colour."""
    return {"symbol": symbol, "color": ink(theme), "size": size, "line": {"color": paper(theme), "width": width}}


def translucent(colour: str, opacity: float) -> str:
    """Add an opacity in [0, 1] to a colour "#rrggbb", for areas."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def path_marks(method: str) -> dict[str, object]:
    """Return the trace arguments of a method's path."""
    colour = look_of(method).colour
    return {
        "name": method,
        "line": {"color": colour, "width": 2.5, "dash": look_of(method).dash},
        "marker": {"size": 5, "symbol": "x-thin-open", "color": colour},
    }


def point_marks(methods: Sequence[str], chosen: str, theme: Theme) -> dict[str, object]:
    """Draw all points as one trace, which is faster: the chosen one a star, others circles."""
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
