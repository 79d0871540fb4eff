"""Draw TP or FP as a surface over two thresholds."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.method_styles import look_of
from multiloss_core.figures.theme import Theme
from multiloss_core.figures.threshold_space import (
    axis_range,
    chosen_last,
    drawn_vertices,
    inside,
    on_even_grid,
    on_scale,
)
from multiloss_core.formatting import NEUTRAL, Unit, Vocabulary, score_name
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces, node_index
from multiloss_core.thresholds.paths.operating_point import Point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

PATH_LIFT = 0.01
WORDS = {"tp": "true positives", "fp": "false positives"}


def surface_title(count: str) -> str:
    """Return the title of the `count_surface` of a count, "tp" or "fp"."""
    return f"{WORDS[count].capitalize()} over the two thresholds (scores)"


def count_surface(
    surfaces: CountSurfaces,
    paths: Sequence[ThresholdPath],
    *,
    count: str,
    theme: Theme,
    pair: tuple[int, int] = (0, 1),
    legend: bool = True,
    unit: Unit = Unit.DOCUMENTS,
    vocabulary: Vocabulary = NEUTRAL,
) -> go.Figure:
    """Draw TP or FP (`count` "tp" or "fp") as a surface over two thresholds, with the paths.

    The paths take the height of the surface below them, and 1 % of its range more to be seen; where more classifiers
    exist, the surface is a slice of theirs. `unit` is what TP and FP count.
    """
    (first, second), tp, fp = on_even_grid(surfaces)
    names, axes = surfaces.names, surfaces.axes
    counts, shown, scale = {
        "tp": (surfaces.tp, tp, style.TRUE_POSITIVE_SCALE),
        "fp": (surfaces.fp, fp, style.FALSE_POSITIVE_SCALE),
    }[count]
    # Lines that lie exactly on a surface are half hidden by it.
    lift = PATH_LIFT * float(np.ptp(counts))
    figure = style.new_figure(surface_title(count), theme, height=480)
    figure.add_surface(
        x=first,
        y=second,
        z=shown.T.astype(np.float32),
        colorscale=scale,
        showscale=False,
        opacity=0.9,
        contours={"z": {"show": False}},
        hovertemplate="%{x:.5g} · %{y:.5g}<br>%{z:,.6~g} " + WORDS[count] + "<extra></extra>",
    )
    for path in paths:
        if not path.monotone:
            continue
        thresholds = path.thresholds[drawn_vertices(path)][:, pair]
        x, y = on_scale(surfaces.names, inside(thresholds, surfaces.axes)).T
        figure.add_scatter3d(
            x=x,
            y=y,
            z=counts[tuple(node_index(surfaces.axes, thresholds).T)] + lift,
            mode="lines",
            line={"color": look_of(path.method).colour, "width": 6},
            name=path.method,
            hoverinfo="skip",
        )
    figure.update_layout(
        uirevision="keep",
        showlegend=legend,
        margin={"l": 0, "r": 0, "t": 48, "b": 36},
        scene={
            "xaxis": {
                "title": {"text": style.literal_in_space(score_name(names[0]))},
                "range": axis_range(names[0], axes[0]),
            },
            "yaxis": {
                "title": {"text": style.literal_in_space(score_name(names[1]))},
                "range": axis_range(names[1], axes[1]),
            },
            "zaxis": {"title": {"text": f"{count.upper()} ({vocabulary.counted(unit)})"}},
            "camera": {"eye": {"x": 2.1, "y": 0.9, "z": 0.9}},
            "aspectmode": "cube",
        },
    )
    return figure


def surface_marks(
    points: Sequence[Point],
    surfaces: CountSurfaces,
    *,
    count: str,
    chosen: str,
    theme: Theme,
    pair: tuple[int, int] = (0, 1),
) -> go.Scatter3d:
    """Draw the points on a `count_surface`, at their exact counts."""
    points = chosen_last(points, chosen)
    places = inside(np.array([point.thresholds for point in points])[:, pair], surfaces.axes)
    first, second = on_scale(surfaces.names, places).T
    return go.Scatter3d(
        x=first,
        y=second,
        z=[point.tp if count == "tp" else point.fp for point in points],
        mode="markers",
        marker={
            "symbol": ["diamond" if point.method == chosen else "circle" for point in points],
            "size": [9 if point.method == chosen else 4 for point in points],
            "color": [look_of(point.method).colour for point in points],
            "line": {"color": style.ink(theme), "width": 1},
            "opacity": 1.0,
        },
        name="points at the target",
        text=[point.method for point in points],
        hovertemplate="%{text}<br>%{x:.5g} · %{y:.5g}<br>%{z:,.6~g}<extra></extra>",
        showlegend=False,
    )
