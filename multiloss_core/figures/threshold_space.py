"""Draw counts, paths and points over two thresholds, or over one of a single classifier."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import NEUTRAL, Unit, Vocabulary, direction, score_name
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces
from multiloss_core.thresholds.paths.operating_point import Point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

SHADED_NODES = 64
MAX_DRAWN_VERTICES = 200


def threshold_space(
    surfaces: CountSurfaces, paths: Sequence[ThresholdPath], points: Sequence[Point], *, chosen: str, theme: Theme
) -> go.Figure:
    """Draw two thresholds against each other: FP shaded, TP as contours, paths and points.

    `surfaces` are two-dimensional, over the first two classifiers of the paths. The point of method `chosen` is a star.
    """
    figure = space_backdrop(surfaces, paths, theme=theme)
    figure.add_traces(space_marks(surfaces, points, chosen=chosen, theme=theme))
    return figure


def space_backdrop(
    surfaces: CountSurfaces,
    paths: Sequence[ThresholdPath],
    *,
    theme: Theme,
    pair: tuple[int, int] = (0, 1),
    legend: bool = True,
    counts: bool = True,
) -> go.Figure:
    """Draw the parts of `threshold_space` independent of the target; counts are optional."""
    figure = style.new_figure("Threshold space: FP as shade, TP as lines", theme, height=470)
    axes = surfaces.axes
    if counts:
        figure.add_traces(space_counts(surfaces, theme=theme))
    for path in paths:
        kept = drawn_vertices(path)
        first, second = on_scale(surfaces.names, inside(path.thresholds[kept][:, pair], axes)).T
        figure.add_scatter(
            x=first,
            y=second,
            mode="lines" if path.monotone else "markers",
            hoverinfo="skip",
            **style.path_marks(path.method),
        )
    figure.update_layout(showlegend=legend, margin={"b": 150} if legend else {})
    figure.update_xaxes(
        title=axis_title(surfaces.names[0]), range=axis_range(surfaces.names[0], axes[0]), showgrid=False
    )
    figure.update_yaxes(
        title=axis_title(surfaces.names[1]), range=axis_range(surfaces.names[1], axes[1]), showgrid=False
    )
    return figure


def space_counts(surfaces: CountSurfaces, *, theme: Theme) -> list[BaseTraceType]:
    """Draw the counts of `threshold_space`: FP as shade, TP as contour lines with their labels."""
    axes, tp, fp = on_even_grid(surfaces)
    return [_false_positive_shade(axes, tp, fp, theme), *_true_positive_lines(axes, tp, theme)]


def space_marks(
    surfaces: CountSurfaces, points: Sequence[Point], *, chosen: str, theme: Theme, pair: tuple[int, int] = (0, 1)
) -> list[go.Scatter]:
    """Draw the points of `threshold_space`."""
    points = chosen_last(points, chosen)
    places = inside(np.array([point.thresholds for point in points])[:, pair], surfaces.axes)
    first, second = on_scale(surfaces.names, places).T
    names = [point.method for point in points]
    return [go.Scatter(x=first, y=second, **style.point_marks(names, chosen, theme))]


def threshold_curves(
    path: ThresholdPath, *, theme: Theme, unit: Unit = Unit.DOCUMENTS, vocabulary: Vocabulary = NEUTRAL
) -> go.Figure:
    """Draw for a single classifier TP and FP, counted in `unit`, against its threshold."""
    name = style.literal(score_name(path.names[0]))
    figure = style.new_figure(f"Counts against the threshold of {name}", theme, height=470)
    kept, counted = drawn_vertices(path), vocabulary.counted(unit)
    kept = kept[np.isfinite(path.thresholds[kept, 0])]
    for label, counts, colour in (
        ("false positives, FP", path.fp, style.FALSE_POSITIVE),
        ("true positives, TP", path.tp, style.TRUE_POSITIVE),
    ):
        figure.add_scatter(
            x=on_scale(path.names, path.thresholds[kept])[:, 0],
            y=counts[kept],
            mode="lines",
            line={"color": colour, "width": 2, "shape": "vh"},
            name=label,
            hovertemplate=f"threshold %{{x:.6g}}<br>%{{y:,.6~g}} {counted}<extra>%{{fullData.name}}</extra>",
        )
    figure.update_layout(margin={"b": 84})
    figure.update_xaxes(title=axis_title(path.names[0]), autorange=True if direction(path.names[0]) > 0 else "reversed")
    figure.update_yaxes(title=f"{counted} flagged (log scale)", type="log")
    return figure


def threshold_mark(point: Point, highest: float, classifier: int = 0, *, theme: Theme) -> go.Scatter:
    """Draw a chosen threshold as a vertical line up to `highest`; nothing if it is infinite."""
    threshold = float(direction(point.names[classifier]) * point.thresholds[classifier])
    x = threshold if np.isfinite(threshold) and point.status != "unreachable" else None
    return go.Scatter(
        x=[x, x],
        y=[min(1.0, 0.5 * highest), highest],
        mode="lines",
        line={"color": style.ink(theme), "dash": "dash", "width": 1.5},
        name="chosen threshold",
        hoverinfo="skip",
        showlegend=False,
    )


def inside(thresholds: Floats, axes: Sequence[Floats]) -> Floats:
    """Move thresholds (m, k) above the last node of their axis to that node."""
    return np.minimum(thresholds, [axis[-1] for axis in axes])


def on_scale(names: Sequence[str], thresholds: Floats) -> Floats:
    """Convert thresholds (m, k) to the scale of the columns: inverted scores change sign."""
    return thresholds * [direction(name) for name in names]


def axis_title(name: str) -> str:
    """Write the title of the axis of a score's threshold."""
    return f"threshold of {style.literal(score_name(name))} ({'score' if direction(name) > 0 else 'low is suspicious'})"


def chosen_last(points: Sequence[Point], chosen: str) -> list[Point]:
    """Order the points with the chosen one on top of the others."""
    return sorted(points, key=lambda point: point.method == chosen)


def drawn_vertices(path: ThresholdPath) -> Indices:
    """Choose at most 200 vertices of a path, evenly spread in the plane and in thresholds."""
    count = len(path.tp)
    if count <= MAX_DRAWN_VERTICES:
        return np.arange(count)
    moves = [
        np.abs(np.diff(column)) / max(float(np.ptp(column)), 1e-300)
        for column in (path.tp, path.fp, *_finite(path.thresholds).T)
    ]
    length = np.concatenate([[0.0], np.cumsum(np.sum(moves, axis=0))])
    kept = np.searchsorted(length, np.linspace(0, length[-1], MAX_DRAWN_VERTICES))
    return np.unique(np.concatenate([kept, path.majorant.vertices, [0, count - 1]]).clip(0, count - 1))


def _finite(thresholds: Floats) -> Floats:
    """Move infinite thresholds (m, k) to the largest finite one of their column."""
    return np.minimum(thresholds, np.where(np.isfinite(thresholds), thresholds, -np.inf).max(axis=0))


def on_even_grid(surfaces: CountSurfaces) -> tuple[tuple[Floats, Floats], Floats, Floats]:
    """Count at evenly spaced thresholds (those of the next node), which browsers shade fastest.

    Thresholds are on the scale of the scores' columns: those of inverted scores fall.
    Plotly refines surfaces over uneven nodes to hundreds of nodes a side, a second for each frame without a graphics
    card.
    """
    axes = [np.linspace(axis[0], axis[-1], SHADED_NODES) for axis in surfaces.axes]
    nodes = [
        np.minimum(np.searchsorted(axis, even), len(axis) - 1) for axis, even in zip(surfaces.axes, axes, strict=True)
    ]
    first, second = (direction(name) * axis for name, axis in zip(surfaces.names, axes, strict=True))
    return (first, second), surfaces.tp[np.ix_(*nodes)], surfaces.fp[np.ix_(*nodes)]


def axis_range(name: str, axis: Floats) -> list[float]:
    """Find the axis range that shows the nodes of one classifier, with a margin of 2 %.

    Loose thresholds are at the left: the scale of an inverted score falls.
    """
    margin = 0.02 * float(axis[-1] - axis[0])
    return [direction(name) * (float(axis[0]) - margin), direction(name) * (float(axis[-1]) + margin)]


def _false_positive_shade(axes: tuple[Floats, Floats], tp: Floats, fp: Floats, theme: Theme) -> go.Heatmap:
    top = max(float(fp.max()), 1.0)
    ticks = np.unique(np.concatenate([[0], 10.0 ** np.arange(0, np.log10(top) + 1)]))
    return go.Heatmap(
        x=axes[0],
        y=axes[1],
        z=np.log10(1 + fp).T.astype(np.float32),
        zsmooth="fast",
        customdata=np.dstack([tp.T, fp.T]).astype(np.float32),
        colorscale=style.FALSE_POSITIVE_SCALE if theme == "light" else style.on_dark(style.FALSE_POSITIVE_SCALE),
        colorbar={
            "title": {"text": "false positives", "side": "right"},
            "tickvals": np.log10(1 + ticks),
            "ticktext": [f"{tick:,.0f}" for tick in ticks],
            "thickness": 12,
            "outlinewidth": 0,
        },
        hovertemplate="%{xaxis.title.text} %{x:.5g}<br>%{yaxis.title.text} %{y:.5g}<br>"
        "TP %{customdata[0]:,.6~g} · FP %{customdata[1]:,.6~g}<extra></extra>",
        name="false positives",
        opacity=0.85,
    )


def _true_positive_lines(axes: tuple[Floats, Floats], tp: Floats, theme: Theme) -> list[BaseTraceType]:
    first, second = axes
    levels = _round_levels(float(tp.max()))
    lines = go.Contour(
        x=first,
        y=second,
        z=tp.T.astype(np.float32),
        contours={"coloring": "none", "start": levels[0], "end": levels[-1], "size": levels[0]},
        line={"color": style.TRUE_POSITIVE, "width": 1.2},
        hoverinfo="skip",
        showlegend=False,
        name="true positives",
    )
    # Labels of our own along the lower and the right edge: Plotly looks for the best place of each, which takes longer
    # than the rest of the chart, and the paths run between these edges and the others.
    low, right = len(second) // 20, len(first) - 1 - len(first) // 20
    edge = np.concatenate([tp[:right, low], tp[right, low:]])
    x_of_edge = np.concatenate([first[:right], np.full(len(second) - low, first[right])])
    y_of_edge = np.concatenate([np.full(right, second[low]), second[low:]])
    crossings = np.searchsorted(-edge, -levels)
    crossings, levels = crossings[crossings < len(edge)], levels[crossings < len(edge)]
    labels = go.Scatter(
        x=x_of_edge[crossings],
        y=y_of_edge[crossings],
        mode="text",
        text=[f"{level:,.0f}" for level in levels],
        textfont={"size": 11, "color": style.ink(theme)},
        hoverinfo="skip",
        showlegend=False,
        name="true positives, labels",
    )
    return [lines, labels]


def _round_levels(highest: float) -> Floats:
    """Find about seven round levels below the highest count."""
    rough = max(highest, 1.0) / 8
    magnitude = 10.0 ** np.floor(np.log10(rough))
    step = magnitude * next(factor for factor in (1, 2, 5, 10) if factor * magnitude >= rough)
    return np.arange(step, max(highest, 1.5 * step), step)
