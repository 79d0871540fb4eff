"""Redraw the figures of both papers into docs/papers: `python -m experiments.figures`."""

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
    operating_point,
)
from multiloss_core.figures import plane_drawing, space_drawing, surface_drawing
from multiloss_core.figures import theme as style
from multiloss_core.figures.method_styles import look_of
from multiloss_core.figures.report_charts import HEIGHT, INK, PAPER, WIDTH, new_chart
from multiloss_core.formatting import Unit
from multiloss_core.losses import probability_order, sigmoid_items
from multiloss_core.numerics.arrays import Bools, Floats

GAP, LINE, HEADING = 16, 18, 22
LETTERS_A_LINE = 62


def panels(title: str, drawings: Sequence[tuple[str, str]], *, columns: int = 2) -> str:
    """Put drawings, each a heading and an SVG, side by side below a title that is wrapped."""
    lines = wrap(title, LETTERS_A_LINE * min(columns, len(drawings)))
    top = GAP + LINE * len(lines)
    parts = []
    for i, (heading, drawing) in enumerate(drawings):
        left, row = i % columns * (WIDTH + GAP), top + i // columns * (HEIGHT + HEADING + GAP)
        parts.append(_text(left, row + 14, heading, size=12))
        size = f'x="{left}" y="{row + HEADING}" width="{WIDTH}" height="{HEIGHT}"'
        parts.append(drawing.replace("<svg ", f"<svg {size} ", 1))
    width = min(columns, len(drawings)) * (WIDTH + GAP) + GAP
    height = top + -(-len(drawings) // columns) * (HEIGHT + HEADING + GAP)
    words = [_text(0, GAP + LINE * row, line, size=13) for row, line in enumerate(lines)]
    body = "\n".join([*words, *parts])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-GAP} 0 {width} {height}" role="img" '
        f'aria-label="{escape(title)}" font-family="system-ui, sans-serif" fill="{INK}">\n'
        f'<rect x="{-GAP}" width="{width}" height="{height}" fill="{PAPER}"/>\n{body}\n</svg>\n'
    )


def _text(x: float, y: float, words: str, size: int) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}">{escape(words)}</text>'


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
    """Draw probabilities of items (n,) in decreasing order, predicted positives (n,) coloured."""
    order = probability_order(probabilities)
    colours = {True: style.CURVE["light"], False: style.PALE["light"]}
    with new_chart("Probabilities in decreasing order with the best prediction") as chart:
        axes = chart.axes("item, most probable first (rank)", "probability P(Y = 1 | x)")
        axes.set(xlim=(0.5, order.size + 0.5), ylim=(0, 1))
        for chosen, words in ((True, "predicted positive"), (False, "not predicted positive")):
            ranks = np.flatnonzero(best[order] == chosen)
            axes.bar(ranks + 1, probabilities[order][ranks], 0.7, color=colours[chosen], label=words)
        chart.legend(axes)
    return chart.svg


MARGINAL_PRECISION = 0.5
STANDS_IN = "counts of two public matchers (NIST BSSR1) stand in for the private Google sets"
MARGIN = 0.15


@dataclass(frozen=True, eq=False)
class Chosen:
    """A path and its operating point."""

    path: ThresholdPath
    point: OperatingPoint


def chosen_by_method(surfaces: CountSurfaces) -> dict[str, Chosen]:
    """Find the paths of three methods and their points at a marginal precision of .5."""
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
    """Draw the paths of the analytic and the graph method, one drawing per view."""
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
    with new_chart(alt) as chart:
        axes = chart.axes(*titles)
        axes.margins(MARGIN)
        for name, (x, y) in places.items():
            colour = look_of(chosen[name].path.method).colour
            axes.plot(x, y, "*", markersize=15, color=colour, markeredgecolor=INK, markeredgewidth=0.5, label=name)
        chart.legend(axes)
    return chart.svg


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
