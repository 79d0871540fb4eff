"""Build the table in which the explorer finds everything that moves, by target."""

import json
from collections.abc import Sequence

import numpy as np
import streamlit as st

from multiloss_core import operating_points
from multiloss_core.figures import inside, plane_view, tangent_ends
from multiloss_core.formatting import direction
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.explorer.messages import Row, Table
from ui.operating_point.point_text import PointWords, price_words, words_of_points
from ui.shared.formatting import noun
from ui.shared.url_params import HIGHEST, LOWEST, PERCENTS, STEP


def explorer_table(analysis: Analysis, method: str, pair: tuple[int, int], percent: float) -> str:
    """JSON: for each target its words, and the points of all methods with the chosen one last.

    `percent` gets a row as well where it lies between the steps of the slider.
    """
    between = None if percent in PERCENTS else percent
    return _table((analysis.key, analysis.methods, noun()), method, pair, between, analysis)


@st.cache_data(scope="session", max_entries=16, show_spinner=False)
def _table(
    key: tuple[object, ...], method: str, pair: tuple[int, int], between: float | None, _analysis: Analysis
) -> str:
    percents = PERCENTS if between is None else np.sort(np.append(PERCENTS, between))
    order = [name for name in _analysis.methods if name != method] + [method]
    paths = [operating_points(_analysis.path(name), percents / 100) for name in order]
    words = words_of_points(_analysis, paths[-1])
    rows = [row_of(_analysis, points, pair, said) for points, said in zip(zip(*paths, strict=True), words, strict=True)]
    table: Table = {
        "percents": percents.tolist(),
        "lowest": LOWEST,
        "highest": HIGHEST,
        "step": STEP,
        "methods": order,
        "rows": rows,
        "certified": _certified_range(_analysis, percents, paths[-1]),
    }
    return json.dumps(table, allow_nan=False)


def _certified_range(analysis: Analysis, percents: Floats, points: Sequence[Point]) -> tuple[float, float] | None:
    """Find the lowest and the highest target whose point is certified."""
    certificate = analysis.certificate
    if certificate is None or certificate.path is None or points[0].method != certificate.path.method:
        return None
    held = [
        percent
        for percent, point in zip(percents, points, strict=True)
        if point.status != "unreachable" and certificate.covers(point.thresholds)
    ]
    return (float(held[0]), float(held[-1])) if held else None


def row_of(analysis: Analysis, points: Sequence[Point], pair: tuple[int, int], words: PointWords) -> Row:
    """Make a row of the points of all methods, the chosen one last, which the words are about."""
    chosen = points[-1]
    # Do not draw a point without alerts unless it is the chosen method's.
    drawn = [point for point in points if point.status != "unreachable" or point is chosen]
    right, view = plane_view(drawn)
    m = chosen.marginal_precision
    axes = analysis.surfaces.axes
    across = [axes[j] for j in pair[: len(axes)]]
    signs = np.array([direction(analysis.surfaces.names[j]) for j in pair[: len(axes)]])
    places = [
        signs * inside(point.thresholds[np.newaxis, list(pair[: len(axes)])], across)[0] if point in drawn else None
        for point in points
    ]
    return {
        "price": price_words(m, analysis.settings.unit),
        "slope": f"slope dTP/dFP = {m / (1 - m):.3g}",
        "words": vars(words).copy(),
        "x": [None if place is None else float(place[0]) for place in places],
        "y": [None if place is None or len(place) == 1 else float(place[1]) for place in places],
        "fp": [point.fp if point in drawn else None for point in points],
        "tp": [point.tp if point in drawn else None for point in points],
        "tangent": tangent_ends(chosen, right),
        "view": view,
    }
