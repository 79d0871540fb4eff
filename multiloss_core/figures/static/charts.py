"""The charts of a decision's report: the TP-FP plane, threshold space, counts of one classifier, weeks."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from multiloss_core.figures import theme as style
from multiloss_core.figures.static import canvas
from multiloss_core.figures.threshold_space import drawn_vertices, on_even_grid, on_scale
from multiloss_core.figures.tp_fp_plane import plane_view, tangent_ends
from multiloss_core.formatting import NEUTRAL, Unit, Vocabulary, direction, score_name
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces
from multiloss_core.thresholds.paths.methods import look_of
from multiloss_core.thresholds.paths.operating_point import Point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

SHADES = 32
CONTOURS = 6
CHOSEN, PRESENT = "chosen point", "present thresholds"


class WeekOfAlerts(Protocol):
    """What is drawn of a week."""

    @property
    def monday(self) -> str:
        """Its first day."""

    @property
    def tp(self) -> float:
        """Its true positives."""

    @property
    def fp(self) -> float:
        """Its false positives."""

    @property
    def undecided(self) -> float:
        """Its alerts without a decision."""


def plane_drawing(
    path: ThresholdPath,
    point: Point,
    present: Point | None = None,
    *,
    unit: Unit = Unit.DOCUMENTS,
    vocabulary: Vocabulary = NEUTRAL,
) -> str:
    """Draw a path in the TP-FP plane with the tangent, the chosen point as a star and the present one as a diamond."""
    shown = [point] if present is None else [present, point]
    right, ((_, high), (low, top)) = plane_view(shown)
    counted = vocabulary.counted(unit)
    x, y = canvas.axes((f"false positives, FP ({counted})", 0.0, high), (f"true positives, TP ({counted})", low, top))
    kept = drawn_vertices(path)
    inside = kept[(path.fp[kept] <= high) & (path.tp[kept] >= low)]
    tangent = tangent_ends(point, right)
    ends = _clipped(tangent, low, top)
    look = look_of(path.method)
    parts = [
        *canvas.frame(x, y),
        canvas.line(x.at(path.fp[inside]), y.at(path.tp[inside]), look.colour, 2.5, look.dash),
        *([canvas.line(x.at(ends[0]), y.at(ends[1]), canvas.INK, 1, "dot")] if ends is not None else []),
        *_marks(x, y, (point.fp, point.tp), None if present is None else (present.fp, present.tp), look.colour),
        *_legend(path.method, present is not None),
    ]
    return canvas.svg(parts, f"TP {point.tp:,.6g} against FP {point.fp:,.6g} at the chosen point, on its path")


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
    x, y = canvas.axes((titles[0], first[0], first[-1]), (titles[1], second[0], second[-1]))
    kept = drawn_vertices(path)
    places = on_scale(surfaces.names, path.thresholds[kept][:, pair])
    look = look_of(path.method)
    parts = [
        *_shades(x, y, fp),
        *_contours(x, y, tp),
        *canvas.frame(x, y, lines=False),
        canvas.line(x.at(places[:, 0]), y.at(places[:, 1]), look.colour, 2.5, look.dash),
        *_marks(
            x,
            y,
            _over(point, pair, surfaces.names),
            None if present is None else _over(present, pair, surfaces.names),
            look.colour,
        ),
        *_legend(path.method, present is not None),
    ]
    return canvas.svg(parts, "Thresholds against each other: false positives as shade, true positives as lines")


def curves_drawing(path: ThresholdPath, point: Point, present: Point | None = None) -> str:
    """Draw the TP and FP of a single classifier against its threshold, with the chosen and the present one."""
    kept = drawn_vertices(path)
    kept = kept[np.isfinite(path.thresholds[kept, 0])]
    (name,) = path.names
    values = on_scale(path.names, path.thresholds[kept])[:, 0]
    loose, strict = (values.min(), values.max()) if direction(name) > 0 else (values.max(), values.min())
    top = float(max(path.tp[0], path.fp[0], 1.0))
    x, y = canvas.axes(
        (f"threshold of {score_name(name)} (score)", float(loose), float(strict)),
        (f"flagged at or {'above' if direction(name) > 0 else 'below'} it", 0.0, top),
    )
    parts = canvas.frame(x, y)
    for counts, colour in ((path.fp, style.FALSE_POSITIVE), (path.tp, style.TRUE_POSITIVE)):
        parts.append(canvas.line(x.at(values), y.at(counts[kept]), colour, 2.5))
    entries = [(_key(style.TRUE_POSITIVE), "TP"), (_key(style.FALSE_POSITIVE), "FP")]
    for found, dash, words in ((point, "dash", CHOSEN), (present, "dot", PRESENT)):
        if found is not None and np.isfinite(found.thresholds[0]):
            place = float(x.at(direction(name) * float(found.thresholds[0])))
            parts.append(canvas.line([place, place], [y.start, y.end], canvas.INK, 1.5, dash))
            entries.append((canvas.line([-8, 8], [0, 0], canvas.INK, 1.5, dash), words))
    return canvas.svg([*parts, *canvas.legend(entries)], "TP and FP against the threshold")


def weeks_drawing(weeks: Sequence[WeekOfAlerts], vocabulary: Vocabulary) -> str:
    """Draw the alerts of each week as stacked bars: caught, false, not yet decided."""
    counts = np.array([[week.tp, week.fp, week.undecided] for week in weeks])
    x, y = canvas.axes(
        ("week", 0.0, float(len(weeks))), (f"alerts ({vocabulary.documents})", 0.0, float(max(counts.sum(1).max(), 1)))
    )
    kinds = [
        (style.TRUE_POSITIVE, vocabulary.true_positives),
        (style.FALSE_POSITIVE, "false alerts (FP)"),
        (style.UNDECIDED, "not yet decided"),
    ]
    parts = canvas.upright(x, y)
    width = (x.end - x.start) / len(weeks)
    bottoms = np.hstack([np.zeros((len(weeks), 1)), counts.cumsum(axis=1)])
    for i in range(len(weeks)):
        for kind, (colour, _) in enumerate(kinds):
            low, high = y.at(bottoms[i, kind]), y.at(bottoms[i, kind + 1])
            if low > high:
                left = x.start + (i + 0.1) * width
                parts.append(canvas.box(left, float(high), 0.8 * width, float(low - high), colour))
    for i in np.unique(np.linspace(0, len(weeks) - 1, min(len(weeks), 3)).astype(int)):
        anchor = "start" if i == 0 else "end" if i == len(weeks) - 1 and len(weeks) > 1 else "middle"
        parts.append(canvas.text(x.start + (i + 0.5) * width, y.start + 14, weeks[i].monday, anchor=anchor))
    parts.append(canvas.text((x.start + x.end) / 2, y.start + 30, "week of", anchor="middle"))
    shown = kinds if counts[:, 2].any() else kinds[:2]
    return canvas.svg(
        [*parts, *canvas.legend([(_key(colour), words) for colour, words in shown])], "Alerts of each week"
    )


def _shades(x: canvas.Axis, y: canvas.Axis, fp: np.ndarray) -> Iterable[str]:
    step = max(fp.shape[0] // SHADES, 1)
    cells = np.log10(1 + fp[::step, ::step])
    top = float(cells.max()) or 1.0
    width, height = (x.end - x.start) / cells.shape[0], (y.start - y.end) / cells.shape[1]
    for i, column in enumerate(cells):
        for j, value in enumerate(column):
            colour = canvas.shade(style.FALSE_POSITIVE_SCALE, float(value) / top)
            # Half a pixel more, so that no gaps show between cells.
            yield canvas.box(x.start + i * width, y.start - (j + 1) * height, width + 0.5, height + 0.5, colour)


def _contours(x: canvas.Axis, y: canvas.Axis, tp: np.ndarray) -> Iterable[str]:
    """Draw where TP passes shares of its top: it falls along both thresholds, so each place has one height."""
    first, second = (np.linspace(axis.low, axis.high, size) for axis, size in zip((x, y), tp.shape, strict=True))
    for level in np.linspace(0, tp.max(), CONTOURS + 2)[1:-1]:
        reached = (tp >= level).sum(axis=1)
        columns = np.flatnonzero(reached > 0)
        if columns.size > 1:
            heights = second[reached[columns] - 1]
            named = int(np.flatnonzero(heights < second[-1])[:1].sum())
            yield canvas.line(x.at(first[columns]), y.at(heights), style.TRUE_POSITIVE, 1.2)
            yield canvas.text(
                float(x.at(first[columns[named]])) + 2, float(y.at(heights[named])) - 2, f"{level:,.0f}", size=9
            )


def _over(point: Point, pair: tuple[int, int], names: Sequence[str]) -> tuple[float, float]:
    across, up = on_scale(names, point.thresholds[list(pair)])
    return float(across), float(up)


def _marks(
    x: canvas.Axis,
    y: canvas.Axis,
    chosen: tuple[float, float],
    present: tuple[float, float] | None,
    colour: str,
) -> Iterable[str]:
    if present is not None:
        yield canvas.diamond(float(x.at(present[0])), float(y.at(present[1])))
    yield canvas.star(float(x.at(chosen[0])), float(y.at(chosen[1])), colour)


def _legend(method: str, has_present: bool) -> list[str]:
    look = look_of(method)
    entries = [
        (canvas.line([-8, 8], [0, 0], look.colour, 2.5, look.dash), method),
        (canvas.star(0, 0, look.colour), CHOSEN),
    ]
    if has_present:
        entries.append((canvas.diamond(0, 0), PRESENT))
    return canvas.legend(entries)


def _key(colour: str) -> str:
    return canvas.box(-6, -6, 12, 12, colour)


def _clipped(ends: tuple[list[float], list[float]], low: float, top: float) -> tuple[np.ndarray, np.ndarray] | None:
    """Cut a rising line off where it leaves the heights `low` to `top`; None where it never is between them."""
    (left, right), (first, last) = ends
    if last <= low or first >= top or last <= first:
        return None
    heights = np.clip([first, last], low, top)
    return np.interp(heights, [first, last], [left, right]), heights
