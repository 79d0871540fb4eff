"""Figures 8, 9 and 10 of Robles et al. 2020 on a public table of counts in place of the private ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from experiments.figures.panels import panels
from multiloss_core import (
    CountSurfaces,
    OperatingPoint,
    ThresholdPath,
    analytic_path,
    benchmark_path,
    graph_path,
    operating_point,
)
from multiloss_core.figures import surface_drawing
from multiloss_core.figures.static import canvas
from multiloss_core.figures.static.charts import plane_drawing, space_drawing
from multiloss_core.formatting import Unit
from multiloss_core.thresholds import look_of

MARGINAL_PRECISION = 0.5
STANDS_IN = "counts of two public matchers (NIST BSSR1) stand in for the private Google sets"
MARGIN = 0.15


@dataclass(frozen=True, eq=False)
class Chosen:
    """A path and its operating point."""

    path: ThresholdPath
    point: OperatingPoint


def chosen_by_method(surfaces: CountSurfaces) -> dict[str, Chosen]:
    """Find the paths of the three methods of the figures, and their points at a marginal precision of .5."""
    paths = {
        "analytic": analytic_path(surfaces, family="power"),
        "graph": graph_path(surfaces),
        "benchmark": benchmark_path(surfaces),
    }
    return {name: Chosen(path, operating_point(path, MARGINAL_PRECISION)) for name, path in paths.items()}


def figure_8(surfaces: CountSurfaces, chosen: Mapping[str, Chosen]) -> str:
    """Draw the operating point of each method in threshold space."""
    places = {name: one.point.thresholds for name, one in chosen.items()}
    drawing = _points_drawing(
        [f"threshold of {name} (score)" for name in surfaces.names], places, chosen, "thresholds against each other"
    )
    return panels(_title(8, "the operating point of each method in threshold space"), [("", drawing)], columns=1)


def figure_9(chosen: Mapping[str, Chosen]) -> str:
    """Draw the operating point of each method in the TP-FP plane."""
    places = {name: np.array([one.point.fp, one.point.tp]) for name, one in chosen.items()}
    titles = [f"false positives, FP ({Unit.DOCUMENTS})", f"true positives, TP ({Unit.DOCUMENTS})"]
    drawing = _points_drawing(titles, places, chosen, "TP against FP")
    return panels(_title(9, "the operating point of each method in the TP-FP plane"), [("", drawing)], columns=1)


def figure_10(surfaces: CountSurfaces, chosen: Mapping[str, Chosen]) -> dict[str, str]:
    """Draw the paths of the analytic and the graph method, a drawing for each view: surfaces, thresholds, plane."""
    return {
        title: panels(
            _title(10, f"the path of the analytic (left) and the graph method (right), {words}"),
            [(name, find(surfaces, chosen[name])) for name in ("analytic", "graph")],
        )
        for title, (words, find) in _VIEWS.items()
    }


def _title(number: int, words: str) -> str:
    return f"Robles et al. 2020, Figure {number}: {words}, marginal precision {MARGINAL_PRECISION:g}; {STANDS_IN}"


_VIEWS: dict[str, tuple[str, Callable[[CountSurfaces, Chosen], str]]] = {
    "tp": ("over TP", lambda surfaces, one: surface_drawing(surfaces, one.path, one.point, count="tp")),
    "fp": ("over FP", lambda surfaces, one: surface_drawing(surfaces, one.path, one.point, count="fp")),
    "thresholds": ("in threshold space", lambda surfaces, one: space_drawing(surfaces, one.path, one.point)),
    "plane": ("in the TP-FP plane", lambda surfaces, one: plane_drawing(one.path, one.point)),
}


def _points_drawing(titles: list[str], places: Mapping[str, np.ndarray], chosen: Mapping[str, Chosen], alt: str) -> str:
    table = np.array(list(places.values()), dtype=np.float64)
    room = np.maximum(MARGIN * np.ptp(table, axis=0), 1e-3 * np.abs(table).max(axis=0))
    low, high = table.min(axis=0) - room, table.max(axis=0) + room
    x, y = canvas.axes((titles[0], low[0], high[0]), (titles[1], low[1], high[1]))
    colours = {name: look_of(one.path.method).colour for name, one in chosen.items()}
    marks = [canvas.star(float(x.at(a)), float(y.at(b)), colours[name]) for name, (a, b) in places.items()]
    entries = [(canvas.star(0, 0, colour), name) for name, colour in colours.items()]
    return canvas.svg([*canvas.frame(x, y), *marks, *canvas.legend(entries)], alt)
