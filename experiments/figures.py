"""Redraw the figures of both papers into docs/papers: `python -m experiments.figures`."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import wrap

import numpy as np

from experiments.robles.running_times import count_grid
from multiloss_core import (
    AM,
    G_TP_PR,
    JACCARD,
    CountSurfaces,
    F,
    OperatingPoint,
    ThresholdPath,
    analytic_path,
    benchmark_path,
    exhaustive_search,
    graph_path,
)
from multiloss_core.figures import surface_drawing
from multiloss_core.figures import theme as style
from multiloss_core.figures.static import canvas
from multiloss_core.figures.static.charts import plane_drawing, space_drawing
from multiloss_core.formatting import Unit
from multiloss_core.losses import probability_order, sigmoid_items
from multiloss_core.numerics.arrays import Bools, Floats
from multiloss_core.thresholds import look_of

GAP, LINE, HEADING = 16, 18, 22
LETTERS_A_LINE = 62


def panels(title: str, drawings: Sequence[tuple[str, str]], *, columns: int = 2) -> str:
    """Put drawings, each a heading and an SVG, side by side below a title that is wrapped."""
    lines = wrap(title, LETTERS_A_LINE * min(columns, len(drawings)))
    top = GAP + LINE * len(lines)
    parts, bottoms = [], [top] * columns
    for i, (heading, drawing) in enumerate(drawings):
        column, height = i % columns, _height(drawing)
        left = column * (canvas.WIDTH + GAP)
        parts.append(canvas.text(left + canvas.LEFT, bottoms[column] + 14, heading, size=12))
        parts.append(_placed(drawing, left, bottoms[column] + HEADING, height))
        bottoms[column] += int(height) + HEADING + GAP
    width, bottom = min(columns, len(drawings)) * (canvas.WIDTH + GAP) - GAP, max(bottoms)
    words = [canvas.text(0, GAP + LINE * row, line, size=13) for row, line in enumerate(lines)]
    body = "\n".join([canvas.box(-GAP, 0, width + 2 * GAP, bottom, canvas.PAPER), *words, *parts])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-GAP} 0 {width + 2 * GAP} {bottom}" role="img" '
        f'aria-label="{escape(title)}" font-family="system-ui, sans-serif" fill="{canvas.INK}">\n{body}\n</svg>\n'
    )


def _height(drawing: str) -> float:
    found = re.search(r'viewBox="0 0 \d+ ([\d.]+)"', drawing)
    return float(found[1]) if found else float(canvas.HEIGHT)


def _placed(drawing: str, left: float, top: float, height: float) -> str:
    size = f'x="{left}" y="{top}" width="{canvas.WIDTH}" height="{height:g}"'
    # A shaded plane repeats this a thousand times; its boxes overlap anyway.
    return drawing.replace("<svg ", f"<svg {size} ", 1).replace(' shape-rendering="crispEdges"', "")


ITEMS = 10
# Any draw will do; in this one the four losses differ in k.
SEED = 4
# The order of the parts (a) to (d) of the figure.
LOSSES = (AM, F(), JACCARD, G_TP_PR)


def figure_1() -> str:
    """Draw the four parts; each best prediction is found among all 2^10."""
    items = sigmoid_items(np.random.default_rng(SEED), n=ITEMS)
    drawings = []
    for letter, loss in zip("abcd", LOSSES, strict=True):
        found = exhaustive_search(items.probabilities, loss)
        heading = f"({letter}) {loss.name}: {int(found.best.sum())} of {ITEMS} predicted positive"
        drawings.append((heading, probabilities_drawing(items.probabilities, found.best)))
    return panels(
        "Natarajan et al. 2016, Figure 1: optimal predictions on synthetic data, found among all 1,024 "
        f"(sigmoid of w.x, another draw: seed {SEED})",
        drawings,
    )


def probabilities_drawing(probabilities: Floats, best: Bools) -> str:
    """Draw the probabilities of items (n,) in decreasing order, those predicted positive (n,) strongly coloured."""
    order = probability_order(probabilities)
    x, y = canvas.axes(
        ("item, most probable first (rank)", 0.5, order.size + 0.5), ("probability P(Y = 1 | x)", 0.0, 1.0)
    )
    parts, width = canvas.frame(x, y), 0.7 * (x.end - x.start) / order.size
    colours = {True: style.CURVE["light"], False: style.PALE["light"]}
    for rank, item in enumerate(order, start=1):
        top = float(y.at(float(probabilities[item])))
        parts.append(canvas.box(float(x.at(rank)) - width / 2, top, width, y.start - top, colours[bool(best[item])]))
    entries = [
        (canvas.box(-6, -6, 12, 12, colours[chosen]), words)
        for chosen, words in ((True, "predicted positive"), (False, "not predicted positive"))
    ]
    return canvas.svg([*parts, *canvas.legend(entries)], "Probabilities in decreasing order with the best prediction")


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
    return {name: Chosen(path, path.at(MARGINAL_PRECISION)) for name, path in paths.items()}


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


FOLDER = Path(__file__).resolve().parents[1] / "docs/papers"


def main(folder: Path = FOLDER) -> None:
    """Write one SVG file for each figure."""
    surfaces = count_grid()
    chosen = chosen_by_method(surfaces)
    drawings = {
        "natarajan-figure-1": figure_1(),
        "robles-figure-8": figure_8(surfaces, chosen),
        "robles-figure-9": figure_9(chosen),
        **{f"robles-figure-10-{view}": drawing for view, drawing in figure_10(surfaces, chosen).items()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawing in drawings.items():
        path = folder / f"{name}.svg"
        path.write_text(drawing, encoding="utf-8")
        print(f"{path.name}: {len(drawing) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
