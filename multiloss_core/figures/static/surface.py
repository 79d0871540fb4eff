"""TP or FP over two thresholds as a surface, drawn from behind to front."""

import numpy as np

from multiloss_core.figures import theme as style
from multiloss_core.figures.static import canvas
from multiloss_core.figures.threshold_space import drawn_vertices, on_even_grid, on_scale
from multiloss_core.formatting import NEUTRAL, Unit, Vocabulary, score_name, shortened
from multiloss_core.numerics.arrays import Floats
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces
from multiloss_core.thresholds.paths.methods import look_of
from multiloss_core.thresholds.paths.operating_point import Point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

CELLS = 24
HEIGHT = 336
LONGEST = 16
# From above, a little turned: the corner of the floors, where counts are largest, lies behind.
ACROSS, DOWN, UP = 165.0, 72.0, 150.0
CENTRE, BASE = canvas.WIDTH / 2 + 8, 168.0
SCALES = {"tp": style.TRUE_POSITIVE_SCALE, "fp": style.FALSE_POSITIVE_SCALE}
WORDS = {"tp": "true positives, TP", "fp": "false positives, FP"}


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
    """Draw TP or FP (`count` "tp" or "fp") with the path, the chosen point as a star, the present one as a diamond.

    `surfaces` are over the classifiers `pair` of the path.
    """
    axes, tp, fp = on_even_grid(surfaces)
    values = {"tp": tp, "fp": fp}[count]
    top = float(values.max()) or 1.0
    kept = np.unique(np.linspace(0, len(axes[0]) - 1, CELLS + 1).astype(int))
    heights = values[np.ix_(kept, kept)] / top
    look = look_of(path.method)
    along = on_scale(surfaces.names, path.thresholds[drawn_vertices(path)][:, pair])
    marks = [
        (mark, _placed(axes, values / top, on_scale(surfaces.names, found.thresholds[list(pair)])[np.newaxis]))
        for found, mark in ((present, "diamond"), (point, "star"))
        if found is not None
    ]
    parts = [
        *_faces(heights, count),
        canvas.line(*_placed(axes, values / top, along), look.colour, 2.5),
        *(
            canvas.star(float(x[0]), float(y[0]), look.colour)
            if mark == "star"
            else canvas.diamond(float(x[0]), float(y[0]))
            for mark, (x, y) in marks
        ),
        *_names(surfaces, top, axes),
    ]
    return canvas.svg(parts, f"{WORDS[count]} ({vocabulary.counted(unit)}) over the two thresholds", HEIGHT)


def _project(first: Floats, second: Floats, height: Floats) -> tuple[Floats, Floats]:
    """Give pixels of places in the unit cube; both thresholds grow towards the reader."""
    return CENTRE + ACROSS * (first - second), BASE + DOWN * (first + second) - UP * height


def _placed(axes: tuple[Floats, Floats], heights: Floats, thresholds: Floats) -> tuple[Floats, Floats]:
    """Give pixels of thresholds (m, 2) on the surface; never lies at the end of its axis."""
    shares = [
        np.clip((thresholds[:, j] - axis[0]) / ((axis[-1] - axis[0]) or 1.0), 0, 1) for j, axis in enumerate(axes)
    ]
    # The counts of a threshold are those of the next node of the grid.
    nodes = [np.ceil(share * (len(axis) - 1) - 1e-9).astype(int) for share, axis in zip(shares, axes, strict=True)]
    return _project(shares[0], shares[1], heights[nodes[0], nodes[1]])


def _faces(heights: Floats, count: str) -> list[str]:
    """Draw each cell of heights (n, n) in [0, 1], those behind first."""
    size = len(heights) - 1
    share = np.arange(size + 1) / size
    order = sorted(((i, j) for i in range(size) for j in range(size)), key=sum)
    faces = []
    for i, j in order:
        rows, columns = np.array([i, i + 1, i + 1, i]), np.array([j, j, j + 1, j + 1])
        corners = heights[rows, columns]
        x, y = _project(share[rows], share[columns], corners)
        faces.append(canvas.area(x, y, canvas.shade(SCALES[count], float(corners.mean())), "#ffffff"))
    return faces


def _names(surfaces: CountSurfaces, top: float, axes: tuple[Floats, Floats]) -> list[str]:
    zero = np.zeros(1)
    (middle,), (peak,) = _project(zero, zero, zero + 1)
    first, second = (
        f"{shortened(score_name(name), LONGEST)}: {axis[0]:,.3g} to {axis[-1]:,.3g}"
        for name, axis in zip(surfaces.names, axes, strict=True)
    )
    return [
        canvas.text(middle, peak - 10, f"{top:,.6g} at the floors", anchor="middle"),
        canvas.text(canvas.WIDTH, HEIGHT - 8, f"{first} \u2198", anchor="end"),
        canvas.text(0, HEIGHT - 8, f"\u2199 {second}"),
    ]
