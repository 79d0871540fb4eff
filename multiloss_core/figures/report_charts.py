"""Draw the charts of a report as static, deterministic SVG text."""

import re
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from multiloss_core.figures import theme as style
from multiloss_core.figures.method_styles import look_of
from multiloss_core.figures.threshold_space import drawn_vertices, on_even_grid, on_scale
from multiloss_core.figures.tp_fp_plane import plane_view, tangent_ends
from multiloss_core.formatting import NEUTRAL, Unit, Vocabulary, direction, score_name, shortened
from multiloss_core.numerics.arrays import Floats
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces
from multiloss_core.thresholds.paths.operating_point import Point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 420, 320
SHADES, CONTOURS, CELLS = 12, 6, 20
MAX_NAME = 16
CHOSEN, PRESENT = "chosen point", "current thresholds"
INK, PAPER = style.ink("light"), style.paper("light")
DASHES = {"solid": "-", "dot": ":", "dash": "--", "dashdot": "-."}
SURFACES = {
    "tp": ("true positives, TP", style.TRUE_POSITIVE_SCALE),
    "fp": ("false positives, FP", style.FALSE_POSITIVE_SCALE),
}
_SETTINGS: Any = {
    "svg.hashsalt": "multiloss", "svg.fonttype": "none", "text.parse_math": False, "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10, "axes.titlesize": 10, "text.color": INK, "axes.labelcolor": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.edgecolor": style.grid("light"), "grid.color": style.grid("light"),
    "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "axes.formatter.useoffset": False,
    "xtick.major.size": 0, "ytick.major.size": 0, "figure.facecolor": PAPER, "figure.subplot.left": 0.14,
    "figure.subplot.right": 0.97, "figure.subplot.top": 0.97, "figure.subplot.bottom": 0.22, "legend.frameon": False,
    "legend.columnspacing": 1, "legend.handletextpad": 0.4, "legend.borderpad": 0,
}  # fmt: skip
# The settings of matplotlib are shared by all threads of a process.
_LOCK = threading.Lock()


class Chart:
    """Hold a figure while it is drawn, and its SVG text afterwards."""

    def __init__(self, figure: "Figure") -> None:
        self.figure = figure
        self.svg = ""

    def axes(self, x_title: str = "", y_title: str = "", *, grid: bool = True) -> "Axes":
        """Add axes with names and rounded ticks."""
        axes = self.figure.subplots()
        axes.set_xlabel(x_title)
        axes.set_ylabel(y_title)
        axes.grid(grid)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:,.6g}")
        axes.locator_params(nbins=5)
        return axes

    def legend(self, source: "Axes") -> None:
        """Name the labelled marks of some axes below them."""
        self.figure.legend(*source.get_legend_handles_labels(), loc="lower center", ncols=4)


@contextmanager
def new_chart(alt: str) -> Iterator[Chart]:
    """Start a chart; write SVG at the end of the block; `alt` describes it."""
    from matplotlib import rc_context  # noqa: PLC0415 - slow to import
    from matplotlib.figure import Figure  # noqa: PLC0415

    with _LOCK, rc_context(_SETTINGS), warnings.catch_warnings():
        # The reader's browser has the letters that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        chart = Chart(Figure(figsize=(WIDTH / 72, HEIGHT / 72)))
        yield chart
        text = StringIO()
        chart.figure.savefig(text, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    # Several charts share a page: names that nothing refers to would be there twice, and a style would hold for all.
    body = re.sub(r'(?<=<g) id="[^"]*"|<style.*?</style>|<!--.*?-->', "", text.getvalue(), flags=re.DOTALL)
    body = body.partition("<svg ")[2].partition(">")[2].replace("'DejaVu Sans', sans-serif", "system-ui, sans-serif")
    body = re.sub(r'<path[^>]*? d="[^"]*', lambda path: re.sub(r"(\.\d)\d+|\n", r"\1", path[0]), body)
    body = re.sub(r"\s*\n\s*", "\n", body).strip()
    chart.svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(alt)}" stroke-linejoin="round">{body}'
    )


def plane_drawing(
    path: ThresholdPath,
    point: Point,
    present: Point | None = None,
    *,
    unit: Unit = Unit.DOCUMENTS,
    vocabulary: Vocabulary = NEUTRAL,
) -> str:
    """Draw a path in the TP-FP plane: tangent, chosen point (star), current point (diamond)."""
    right, ((_, high), (low, top)) = plane_view([point] if present is None else [present, point])
    counted, kept = vocabulary.counted(unit), drawn_vertices(path)
    with new_chart(f"TP {point.tp:,.6g} against FP {point.fp:,.6g} at the chosen point, on its path") as chart:
        axes = chart.axes(f"false positives, FP ({counted})", f"true positives, TP ({counted})")
        axes.set(xlim=(0, max(high, 1e-9)), ylim=(low, max(top, low + 1e-9)))
        axes.plot(*tangent_ends(point, right), color=INK, linewidth=1, linestyle=":")
        _draw_path(axes, path, (path.fp[kept], path.tp[kept]))
        _draw_points(axes, path, (point.fp, point.tp), None if present is None else (present.fp, present.tp))
        chart.legend(axes)
    return chart.svg


def space_drawing(
    surfaces: CountSurfaces,
    path: ThresholdPath,
    point: Point,
    present: Point | None = None,
    *,
    pair: tuple[int, int] = (0, 1),
) -> str:
    """Draw two thresholds against each other: FP as shade, TP as lines, the path and the points.

    `surfaces` are over the classifiers `pair` of the path.
    """
    (first, second), tp, fp = on_even_grid(surfaces)
    titles = [f"threshold of {score_name(name)} (score)" for name in surfaces.names]
    with new_chart("Thresholds against each other: false positives as shade, true positives as lines") as chart:
        axes = chart.axes(*titles, grid=False)
        shade = np.log10(1 + fp.T)
        axes.contourf(first, second, shade, SHADES, cmap=_colours(style.FALSE_POSITIVE_SCALE))
        levels = np.linspace(0, tp.max(), CONTOURS + 2)[1:-1]
        if np.ptp(tp) > 0:
            lines = axes.contour(first, second, tp.T, levels, colors=style.TRUE_POSITIVE, linewidths=1)
            axes.clabel(lines, fmt="{:,.0f}".format, fontsize=8, colors=INK)
        axes.set(xlim=(first[0], first[-1]), ylim=(second[0], second[-1]))
        kept = path.thresholds[drawn_vertices(path)][:, pair]
        _draw_path(axes, path, _inside((first, second), on_scale(surfaces.names, kept)))
        places = (
            None if one is None else on_scale(surfaces.names, one.thresholds[list(pair)]) for one in (point, present)
        )
        _draw_points(axes, path, *(None if one is None else _inside((first, second), one) for one in places))
        chart.legend(axes)
    return chart.svg


def curves_drawing(path: ThresholdPath, point: Point, present: Point | None = None) -> str:
    """Draw TP and FP of a single classifier against its threshold, with both points."""
    kept = drawn_vertices(path)
    kept = kept[np.isfinite(path.thresholds[kept, 0])]
    (name,) = path.names
    values, sign = on_scale(path.names, path.thresholds[kept])[:, 0], direction(name)
    with new_chart("TP and FP against the threshold") as chart:
        side = "above" if sign > 0 else "below"
        axes = chart.axes(f"threshold of {score_name(name)} (score)", f"flagged at or {side} it")
        for label, counts, colour in (("FP", path.fp, style.FALSE_POSITIVE), ("TP", path.tp, style.TRUE_POSITIVE)):
            axes.plot(values, counts[kept], color=colour, linewidth=2.5, label=label)
        for found, dash, words in ((point, "--", CHOSEN), (present, ":", PRESENT)):
            if found is not None and np.isfinite(found.thresholds[0]):
                axes.axvline(sign * float(found.thresholds[0]), color=INK, linewidth=1.5, linestyle=dash, label=words)
        # Loose thresholds come first, which are the high ones of an inverted score.
        axes.set_xlim(*sorted(axes.get_xlim(), reverse=sign < 0))
        chart.legend(axes)
    return chart.svg


def weeks_drawing(weeks: Sequence[Any], vocabulary: Vocabulary) -> str:
    """Draw recorded weeks (`monday`, `tp`, `fp`, `undecided`) as stacked bars."""
    kinds = [
        (style.TRUE_POSITIVE, vocabulary.true_positives, [week.tp for week in weeks]),
        (style.FALSE_POSITIVE, "false alerts (FP)", [week.fp for week in weeks]),
        (style.UNDECIDED, "undecided", [week.undecided for week in weeks]),
    ]
    with new_chart("Alerts of each week") as chart:
        axes = chart.axes("week of", f"alerts ({vocabulary.documents})")
        bottom = np.zeros(len(weeks))
        for colour, words, counts in kinds if any(kinds[2][2]) else kinds[:2]:
            axes.bar(range(len(weeks)), counts, 0.8, bottom, color=colour, label=words)
            bottom = bottom + counts
        named = np.unique(np.linspace(0, len(weeks) - 1, min(len(weeks), 3)).astype(int))
        axes.set_xticks(named, [weeks[i].monday for i in named])
        chart.legend(axes)
    return chart.svg


def surface_drawing(
    surfaces: CountSurfaces,
    path: ThresholdPath,
    point: Point,
    present: Point | None = None,
    *,
    count: str,
    pair: tuple[int, int] = (0, 1),
    unit: Unit = Unit.DOCUMENTS,
    vocabulary: Vocabulary = NEUTRAL,
) -> str:
    """Draw TP or FP (`count` "tp" or "fp") over two thresholds, with the path and the points.

    `surfaces` are over the classifiers `pair` of the path.
    """
    grid, tp, fp = on_even_grid(surfaces)
    values, (words, scale) = {"tp": tp, "fp": fp}[count], SURFACES[count]

    def placed(thresholds: Floats) -> tuple[Floats, ...]:
        # The counts of a threshold are those of the next node of the grid.
        first, second = _inside(grid, on_scale(surfaces.names, thresholds[..., list(pair)]))
        shares = [
            (found - axis[0]) / ((axis[-1] - axis[0]) or 1) for found, axis in zip((first, second), grid, strict=True)
        ]
        nodes = [np.ceil(share * (len(axis) - 1) - 1e-9).astype(int) for share, axis in zip(shares, grid, strict=True)]
        return first, second, values[nodes[0], nodes[1]]

    with new_chart(f"{words} ({vocabulary.counted(unit)}) over the two thresholds") as chart:
        axes: Any = chart.figure.add_subplot(projection="3d", computed_zorder=False)
        first, second = np.meshgrid(*grid, indexing="ij")
        axes.plot_surface(
            first,
            second,
            values,
            cmap=_colours(scale),
            rcount=CELLS,
            ccount=CELLS,
            edgecolor=PAPER,
            linewidth=0.3,
            clip_on=False,
        )
        names = [shortened(score_name(name), MAX_NAME) for name in surfaces.names]
        axes.set(
            xlabel=names[0], ylabel=names[1], xlim=grid[0][[0, -1]], ylim=grid[1][[0, -1]], zlim=(0, values.max() or 1)
        )
        axes.set_title(f"{float(values.max()):,.6g} at the floors")
        axes.locator_params(nbins=4)
        axes.zaxis.set_major_formatter("{x:,.6g}")
        # Both thresholds grow towards the reader: the floors, where counts are largest, lie behind.
        axes.view_init(elev=28, azim=45)
        axes.set_position((0.05, 0.12, 0.9, 0.8))
        axes.set_box_aspect(None, zoom=1.1)
        _draw_path(axes, path, placed(path.thresholds[drawn_vertices(path)]), zorder=3)
        _draw_points(axes, path, placed(point.thresholds), None if present is None else placed(present.thresholds))
        chart.legend(axes)
    return chart.svg


def _draw_path(axes: Any, path: ThresholdPath, places: Sequence[Floats], **style_: Any) -> None:
    look = look_of(path.method)
    axes.plot(*places, color=look.colour, linewidth=2.5, linestyle=DASHES[look.dash], label=path.method, **style_)


def _draw_points(axes: Any, path: ThresholdPath, chosen: Any, present: Any) -> None:
    """Draw the current point as a hollow diamond and the chosen one as a star."""
    marks = {"linestyle": "", "markeredgecolor": INK, "clip_on": False}
    if present is not None:
        axes.plot(*np.reshape(present, (-1, 1)), "D", ms=8, mfc=PAPER, mew=2, label=PRESENT, zorder=4, **marks)
    colour = look_of(path.method).colour
    axes.plot(*np.reshape(chosen, (-1, 1)), "*", ms=15, mfc=colour, mew=0.5, label=CHOSEN, zorder=5, **marks)


def _inside(grid: Sequence[Floats], thresholds: Floats) -> tuple[Floats, ...]:
    """Put thresholds (..., 2) beyond a grid, such as never, at its end."""
    return tuple(np.clip(thresholds[..., j], *sorted((axis[0], axis[-1]))) for j, axis in enumerate(grid))


def _colours(scale: list[list[Any]]) -> Any:
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415

    return LinearSegmentedColormap.from_list("counts", [(place, colour) for place, colour in scale])
