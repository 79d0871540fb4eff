"""Figures of the way from rated documents to an operating point."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import Unit
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces, node_index
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.methods import look_of
from multiloss_core.thresholds.paths.operating_point import Point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

HISTOGRAM_BINS = 40
SHADED_NODES = 64
PATH_LIFT = 0.01
MAX_DRAWN_VERTICES = 200


def score_histogram(documents: RatedDocuments, classifier: int, *, theme: Theme) -> go.Figure:
    """The scores of one classifier, positives and negatives apart, with its rating floor."""
    name, scores = documents.names[classifier], documents.scores[:, classifier]
    edges = np.histogram_bin_edges(scores, HISTOGRAM_BINS)
    centres = (edges[1:] + edges[:-1]) / 2
    figure = style.new_figure(f"Scores of {name}, by rating", theme, height=320)
    for title, mask, colour in (
        ("rated negative (false alert)", ~documents.labels, style.FALSE_POSITIVE),
        ("rated positive (fraud)", documents.labels, style.TRUE_POSITIVE),
    ):
        counts, _ = np.histogram(scores[mask], edges, weights=documents.weights[mask])
        figure.add_bar(
            x=centres,
            y=counts,
            name=title,
            marker={"color": colour, "line": {"width": 0}},
            customdata=np.column_stack([edges[:-1], edges[1:]]),
            hovertemplate="score %{customdata[0]:.4g} to %{customdata[1]:.4g}<br>%{y:,.6~f} documents<extra>%{fullData.name}</extra>",
        )
    floor = float(documents.floors[classifier])
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
    figure.update_xaxes(title=f"score of {name} (higher = more suspicious)")
    figure.update_yaxes(title="documents (log scale)", type="log", dtick=1)
    return figure


def threshold_space(
    surfaces: CountSurfaces,
    paths: Sequence[ThresholdPath],
    points: Sequence[Point],
    *,
    chosen: str,
    theme: Theme,
    pair: tuple[int, int] = (0, 1),
    legend: bool = True,
) -> go.Figure:
    """Two thresholds against each other: FP as shade, TP as contour lines, paths and points (figures 8 and 10).

    `surfaces` are two-dimensional, over the classifiers `pair` of the paths. The point of method `chosen` is a star.
    """
    figure = space_backdrop(surfaces, paths, theme=theme, pair=pair, legend=legend)
    figure.add_traces(space_marks(surfaces, points, chosen=chosen, theme=theme, pair=pair))
    return figure


def space_backdrop(
    surfaces: CountSurfaces,
    paths: Sequence[ThresholdPath],
    *,
    theme: Theme,
    pair: tuple[int, int] = (0, 1),
    legend: bool = True,
) -> go.Figure:
    """What `threshold_space` shows whatever the target."""
    figure = style.new_figure("Threshold space: FP as shade, TP as lines", theme, height=470)
    axes, tp, fp = _on_even_grid(surfaces)
    _add_false_positive_shade(figure, axes, tp, fp, theme)
    _add_true_positive_lines(figure, axes, tp, theme)
    for path in paths:
        kept = _drawn_vertices(path)
        first, second = inside(path.thresholds[kept][:, pair], axes).T
        figure.add_scatter(
            x=first,
            y=second,
            mode="lines" if path.monotone else "markers",
            hoverinfo="skip",
            **_path_marks(path.method),
        )
    figure.update_layout(showlegend=legend, margin={"b": 150} if legend else {})
    figure.update_xaxes(title=f"threshold of {surfaces.names[0]} (score)", range=_range(axes[0]), showgrid=False)
    figure.update_yaxes(title=f"threshold of {surfaces.names[1]} (score)", range=_range(axes[1]), showgrid=False)
    return figure


def space_marks(
    surfaces: CountSurfaces,
    points: Sequence[Point],
    *,
    chosen: str,
    theme: Theme,
    pair: tuple[int, int] = (0, 1),
) -> list[go.Scatter]:
    """The points of `threshold_space`."""
    points = _chosen_last(points, chosen)
    first, second = inside(np.array([point.thresholds for point in points])[:, pair], surfaces.axes).T
    names = [point.method for point in points]
    return [go.Scatter(x=first, y=second, **_point_marks(names, chosen, theme))]


def tp_fp_plane(
    paths: Sequence[ThresholdPath],
    points: Sequence[Point],
    *,
    chosen: str,
    theme: Theme,
    whole: bool = False,
    legend: bool = True,
    unit: Unit = Unit.DOCUMENTS,
) -> go.Figure:
    """Each method's partial ROC curve in counts, the tangent at the target and the points (figure 9).

    Unless `whole`, the view starts on the part of the curve that holds the points; the rest is one double click away. `unit` is
    what the paths count.
    """
    figure = plane_backdrop(paths, theme=theme, legend=legend, unit=unit)
    marks, view = plane_marks(points, chosen=chosen, theme=theme, whole=whole)
    figure.add_traces(marks)
    figure.update_layout(view)
    return figure


def plane_backdrop(
    paths: Sequence[ThresholdPath], *, theme: Theme, legend: bool = True, unit: Unit = Unit.DOCUMENTS
) -> go.Figure:
    """What `tp_fp_plane` shows whatever the target; `unit` is what the paths count."""
    figure = style.new_figure("True against false positives", theme, height=470)
    for path in paths:
        kept = _drawn_vertices(path)
        figure.add_scatter(
            x=path.fp[kept],
            y=path.tp[kept],
            customdata=np.where(np.isfinite(path.thresholds[kept]), path.thresholds[kept], np.nan),
            mode="lines" if path.monotone else "lines+markers",
            **_path_marks(path.method),
            hovertemplate="FP %{x:,.6~g}<br>TP %{y:,.6~g}<extra>%{fullData.name}</extra>",
        )
    figure.update_layout(showlegend=legend, margin={"b": 150} if legend else {})
    figure.update_xaxes(title=f"false positives, FP ({unit})", rangemode="nonnegative")
    figure.update_yaxes(title=f"true positives, TP ({unit})", rangemode="nonnegative")
    return figure


def plane_marks(
    points: Sequence[Point], *, chosen: str, theme: Theme, whole: bool = False
) -> tuple[list[go.Scatter], dict[str, dict[str, list[float]]]]:
    """The tangent and the points of `tp_fp_plane`, and the ranges of its axes as an update of the layout."""
    points = _chosen_last(points, chosen)
    right, view = plane_view(points, whole=whole)
    x, y = tangent_ends(points[-1], right)
    marks = go.Scatter(
        x=[point.fp for point in points],
        y=[point.tp for point in points],
        **_point_marks([point.method for point in points], chosen, theme),
    )
    return [go.Scatter(x=x, y=y, **_tangent_mark(theme)), marks], {
        "xaxis": {"range": view[0]},
        "yaxis": {"range": view[1]},
    }


def plane_view(points: Sequence[Point], *, whole: bool = False) -> tuple[float, tuple[list[float], list[float]]]:
    """The part of the TP-FP plane that holds the points, the chosen one last: its right end, and the ranges of FP and TP."""
    main = points[-1]
    right = main.rated.fp if whole else min(main.rated.fp, 1.6 * max(point.fp for point in points) + 20)
    lowest = min(point.tp for point in points)
    bottom = 0.0 if whole else max(0.0, lowest - 0.5 * (main.rated.tp - lowest))
    top = main.rated.tp + 0.05 * (main.rated.tp - bottom)
    return right, ([-0.01 * right, right], [bottom, top])


def tangent_ends(point: Point, right: float) -> tuple[list[float], list[float]]:
    """FP and TP of the ends of the line through a point whose slope is its target, from FP = 0 to `right`."""
    return [0.0, right], [point.tp - point.slope * point.fp, point.tp + point.slope * (right - point.fp)]


def count_surface(
    surfaces: CountSurfaces,
    paths: Sequence[ThresholdPath],
    *,
    count: str,
    theme: Theme,
    pair: tuple[int, int] = (0, 1),
    legend: bool = True,
    unit: Unit = Unit.DOCUMENTS,
) -> go.Figure:
    """TP or FP (`count` "tp" or "fp") as a surface over two thresholds, with the paths draped over it.

    The paths take the height of the surface below them, and 1 % of its range more to be seen; where more classifiers
    exist, the surface is a slice of theirs. `unit` is what TP and FP count.
    """
    (first, second), tp, fp = _on_even_grid(surfaces)
    words = {"tp": "true positives", "fp": "false positives"}[count]
    counts = surfaces.tp if count == "tp" else surfaces.fp
    # Lines that lie exactly on a surface are half hidden by it.
    lift = PATH_LIFT * float(np.ptp(counts))
    figure = style.new_figure(f"{words.capitalize()} over the two thresholds (scores)", theme, height=480)
    scale = style.TRUE_POSITIVE_SCALE if count == "tp" else style.FALSE_POSITIVE_SCALE
    figure.add_surface(
        x=first,
        y=second,
        z=(tp if count == "tp" else fp).T.astype(np.float32),
        colorscale=scale,
        showscale=False,
        opacity=0.9,
        contours={"z": {"show": False}},
        hovertemplate="%{x:.5g} · %{y:.5g}<br>%{z:,.6~g} " + words + "<extra></extra>",
    )
    for path in paths:
        if not path.monotone:
            continue
        kept = _drawn_vertices(path)
        x, y = inside(path.thresholds[kept][:, pair], surfaces.axes).T
        figure.add_scatter3d(
            x=x,
            y=y,
            z=counts[tuple(node_index(surfaces.axes, path.thresholds[kept][:, pair]).T)] + lift,
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
            "xaxis": {"title": {"text": surfaces.names[0]}, "range": _range(first)},
            "yaxis": {"title": {"text": surfaces.names[1]}, "range": _range(second)},
            "zaxis": {"title": {"text": f"{count.upper()} ({unit})"}},
            "camera": {"eye": {"x": 2.1, "y": 0.9, "z": 0.9}},
            "aspectmode": "cube",
        },
    )
    return figure


def threshold_curves(path: ThresholdPath, *, theme: Theme, unit: Unit = Unit.DOCUMENTS) -> go.Figure:
    """For a single classifier: TP and FP, counted in `unit`, against its threshold."""
    figure = style.new_figure(f"Counts against the threshold of {path.names[0]}", theme, height=470)
    kept = _drawn_vertices(path)
    kept = kept[np.isfinite(path.thresholds[kept, 0])]
    for name, counts, colour in (
        ("false positives, FP", path.fp, style.FALSE_POSITIVE),
        ("true positives, TP", path.tp, style.TRUE_POSITIVE),
    ):
        figure.add_scatter(
            x=path.thresholds[kept, 0],
            y=counts[kept],
            mode="lines",
            line={"color": colour, "width": 2, "shape": "vh"},
            name=name,
            hovertemplate=f"threshold %{{x:.6g}}<br>%{{y:,.6~g}} {unit}<extra>%{{fullData.name}}</extra>",
        )
    figure.update_layout(margin={"b": 84})
    figure.update_xaxes(title=f"threshold of {path.names[0]} (score)")
    figure.update_yaxes(title=f"{unit} at or above the threshold (log scale)", type="log")
    return figure


def threshold_mark(path: ThresholdPath, point: Point, *, theme: Theme) -> go.Scatter:
    """The chosen threshold as a line across `threshold_curves`; nothing where no threshold is reached."""
    threshold = float(point.thresholds[0])
    x = threshold if np.isfinite(threshold) and point.status != "unreachable" else None
    highest = float(max(path.tp[0], path.fp[0], 1.0))
    return go.Scatter(
        x=[x, x],
        y=[min(1.0, 0.5 * highest), highest],
        mode="lines",
        line={"color": style.ink(theme), "dash": "dash", "width": 1.5},
        name="chosen threshold",
        hoverinfo="skip",
        showlegend=False,
    )


def majorant_trace(path: ThresholdPath, theme: Theme) -> go.Scatter:
    """The concave majorant of a path in the TP-FP plane: where tangents can touch."""
    corners = path.majorant.vertices
    return go.Scatter(
        x=path.fp[corners],
        y=path.tp[corners],
        mode="lines+markers",
        line={"color": style.ink(theme), "width": 1},
        marker={"size": 4},
        name="concave majorant",
        hovertemplate="FP %{x:,.6~g}<br>TP %{y:,.6~g}<extra>corner of the majorant</extra>",
    )


def _add_false_positive_shade(
    figure: go.Figure,
    axes: tuple[Floats, Floats],
    tp: Floats,
    fp: Floats,
    theme: Theme,
) -> None:
    top = max(float(fp.max()), 1.0)
    ticks = np.unique(np.concatenate([[0], 10.0 ** np.arange(0, np.log10(top) + 1)]))
    figure.add_heatmap(
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


def _add_true_positive_lines(
    figure: go.Figure,
    axes: tuple[Floats, Floats],
    tp: Floats,
    theme: Theme,
) -> None:
    first, second = axes
    levels = _round_levels(float(tp.max()))
    figure.add_contour(
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
    figure.add_scatter(
        x=x_of_edge[crossings],
        y=y_of_edge[crossings],
        mode="text",
        text=[f"{level:,.0f}" for level in levels],
        textfont={"size": 11, "color": style.ink(theme)},
        hoverinfo="skip",
        showlegend=False,
        name="true positives, labels",
    )


def _on_even_grid(
    surfaces: CountSurfaces,
) -> tuple[tuple[Floats, Floats], Floats, Floats]:
    """Counts at evenly spaced thresholds (those of the next node), which browsers shade fastest.

    Plotly refines surfaces over uneven nodes to hundreds of nodes a side, a second for each frame without a graphics card.
    """
    axes = [np.linspace(axis[0], axis[-1], SHADED_NODES) for axis in surfaces.axes]
    nodes = [
        np.minimum(np.searchsorted(axis, even), len(axis) - 1) for axis, even in zip(surfaces.axes, axes, strict=True)
    ]
    return (axes[0], axes[1]), surfaces.tp[np.ix_(*nodes)], surfaces.fp[np.ix_(*nodes)]


def _round_levels(highest: float) -> Floats:
    """About seven round levels below the highest count."""
    rough = max(highest, 1.0) / 8
    magnitude = 10.0 ** np.floor(np.log10(rough))
    step = magnitude * next(factor for factor in (1, 2, 5, 10) if factor * magnitude >= rough)
    return np.arange(step, max(highest, 1.5 * step), step)


def _drawn_vertices(path: ThresholdPath) -> Indices:
    """At most 200 vertices of a path, spread evenly over its length in the TP-FP plane and in thresholds."""
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


def inside(thresholds: Floats, axes: Sequence[Floats]) -> Floats:
    """Thresholds (m, k), those above the last node of their axis, like infinity, moved to it."""
    return np.minimum(thresholds, [axis[-1] for axis in axes])


def _finite(thresholds: Floats) -> Floats:
    """Thresholds (m, k), those of infinity moved to the largest finite one of their column."""
    return np.minimum(thresholds, np.where(np.isfinite(thresholds), thresholds, -np.inf).max(axis=0))


def _range(axis: Floats) -> list[float]:
    margin = 0.02 * float(axis[-1] - axis[0])
    return [float(axis[0]) - margin, float(axis[-1]) + margin]


def _path_marks(method: str) -> dict[str, object]:
    colour = look_of(method).colour
    return {
        "name": method,
        "line": {"color": colour, "width": 2.5, "dash": look_of(method).dash},
        "marker": {"size": 5, "symbol": "x-thin-open", "color": colour},
    }


def _chosen_last(points: Sequence[Point], chosen: str) -> list[Point]:
    """The points with the chosen one on top of the others."""
    return sorted(points, key=lambda point: point.method == chosen)


def surface_marks(
    points: Sequence[Point],
    surfaces: CountSurfaces,
    *,
    count: str,
    chosen: str,
    theme: Theme,
    pair: tuple[int, int] = (0, 1),
) -> go.Scatter3d:
    """The points on a `count_surface`, at their exact counts."""
    points = _chosen_last(points, chosen)
    first, second = inside(np.array([point.thresholds for point in points])[:, pair], surfaces.axes).T
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


def _tangent_mark(theme: Theme) -> dict[str, object]:
    return {
        "mode": "lines",
        "line": {"color": style.ink(theme), "width": 1, "dash": "dot"},
        "name": "tangent at the target",
        "hoverinfo": "skip",
    }


def _point_marks(methods: Sequence[str], chosen: str, theme: Theme) -> dict[str, object]:
    """All points as one trace, which draws faster than one for each: a star for the chosen one, circles for the rest."""
    return {
        "mode": "markers",
        "marker": {
            "symbol": ["star" if method == chosen else "circle" for method in methods],
            "size": [18 if method == chosen else 10 for method in methods],
            "color": [look_of(method).colour for method in methods],
            "line": {"color": style.ink(theme), "width": 1.5},
            "opacity": 1.0,
        },
        "name": "points at the target (star: chosen)",
        "text": list(methods),
        "hovertemplate": "%{text}<br>%{xaxis.title.text} %{x:,.6~g}<br>%{yaxis.title.text} %{y:,.6~g}<extra></extra>",
    }
