"""Figures 2 to 10 of Robles et al. 2020, and the search through its graph."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from experiments.files import read_results
from experiments.printed.robles import gain_of, printed_pairs
from experiments.robles.stored import measured_pairs, searched
from multiloss_core import CountSurfaces, ThresholdPath, count_surfaces, operating_point, simulate_population
from multiloss_core.figures import (
    count_surface,
    path_trapezoids,
    printed_beside_found,
    surface_marks,
    threshold_graph,
    threshold_space,
    tp_fp_plane,
)
from multiloss_core.formatting import count, points, signed
from multiloss_core.inspection import graph_walk
from multiloss_core.thresholds import to_networkx
from ui.papers.stored import RATED
from ui.shared.choices import ask_choice, ask_number
from ui.shared.formatting import COUNT, SHARE, NumberKind, rounded_share, show_numbers
from ui.shared.page_setup import theme
from ui.shared.widgets import show_chart

NODES, FEW_NODES, CHOSEN = 100, 6, "graph"
# Of the simulated documents of the search.
DOCUMENTS, SEED = 200_000, 4
MEASURES = {"F1": "F1 (figures 4, 7)", "Precision": "Precision (figure 5)", "Recall": "Recall (figure 6)"}
POSITIONS = {"Precision": 0, "Recall": 1, "F1": 2}
SOURCES = {"printed": "printed", "apart": "recomputed"}
VIEWS = {"flat": "8 and 9: points", "tp": "10: over TP", "fp": "10: over FP"}


def show_graph() -> None:
    """Show a small graph with its shortest path, and the trapezoid of one edge."""
    surfaces, paths = _searched(FEW_NODES)
    nodes, path = graph_walk(surfaces).path, paths[CHOSEN]
    edge = ask_number(st.slider, "Edge of the shortest path", (1, len(nodes) - 1), 3, key="paper_edge") - 1
    left, right = st.columns(2)
    figure = threshold_graph(to_networkx(surfaces), nodes, theme=theme(), edge=edge)
    _draw(left, figure, f"A graph of thresholds with its shortest path, of which edge {edge + 1} is marked.")
    figure = path_trapezoids(path, edge, theme=theme())
    _draw(right, figure, f"TP against FP along the path; the trapezoid of edge {edge + 1} is filled.")
    fp, tp = (list(map(count, counts[edge : edge + 2])) for counts in (path.fp, path.tp))
    weight = 0 - (path.fp[edge] - path.fp[edge + 1]) * (path.tp[edge] + path.tp[edge + 1]) / 2
    st.markdown(
        f"Weight of edge {edge + 1}: \N{MINUS SIGN}½ |{fp[0]} \N{MINUS SIGN} {fp[1]}| ({tp[0]} + {tp[1]}) = "
        f"**{signed(weight, count(weight))}**. All {len(nodes) - 1} weights add up to "
        f"**{signed(-path.area, count(-path.area))}**, minus the area under the curve of the path."
    )


def show_ensembles() -> None:
    """Show a measure of the better method beside the mean of its two classifiers."""
    left, right = st.columns(2)
    with left:
        measure = ask_choice(st.segmented_control, "Measure", MEASURES, key="paper_measure", required=True)
    with right:
        source = ask_choice(st.segmented_control, "Figures", SOURCES, key="paper_source", required=True)
    pairs = printed_pairs() if source == "printed" else measured_pairs(read_results(RATED), source)
    figure = printed_beside_found(
        [f"{pair.data_set}, {pair.kind}" for pair in pairs],
        [pair.classifiers[POSITIONS[measure]] for pair in pairs],
        [pair.ensemble[POSITIONS[measure]] for pair in pairs],
        title=f"{measure} of the ensemble and of its classifiers, {SOURCES[source]}",
        measure=f"{measure} (0 to 1)",
        names=("mean of the two classifiers", "ensemble, better method"),
        theme=theme(),
    )
    _draw(st.container(), figure, f"{measure} of the ensemble and the mean of its classifiers, for each set and kind.")
    gain = gain_of(pairs)
    st.caption(
        f"Mean gain over {gain.pairs} pairs with defined figures: precision {points(gain.precision)}, recall "
        f"{points(gain.recall)}, F1 {points(gain.f1)}; F1 is better in {gain.f1_better}. The paper states +5.1, "
        "\N{MINUS SIGN}1.6 and +1.5 %. *Better method*: the larger F1 of the analytic and the graph method."
    )


def show_points() -> None:
    """Show the paths of three methods and their points in every space of the paper."""
    left, right = st.columns(2)
    with left:
        view = ask_choice(st.segmented_control, "Figure", VIEWS, key="paper_view", required=True)
    with right:
        percent = ask_number(st.slider, "Target marginal precision (%)", (5, 80), 50, key="paper_target")
    surfaces, named = _searched(NODES)
    paths = list(named.values())
    found = [operating_point(path, percent / 100) for path in paths]
    if view == "flat":
        left, right = st.columns(2)
        figure = threshold_space(surfaces, paths, found, chosen=CHOSEN, theme=theme())
        _draw(left, figure, "Paths and operating points of three methods over the two thresholds.")
        figure = tp_fp_plane(paths, found, chosen=CHOSEN, theme=theme(), whole=True)
        _draw(right, figure, "TP against FP along the paths of three methods, with their operating points.")
    else:
        figure = count_surface(surfaces, paths, count=view, theme=theme())
        figure.add_trace(surface_marks(found, surfaces, count=view, chosen=CHOSEN, theme=theme()))
        _draw(st.container(), figure, f"{view.upper()} over the two thresholds, with the analytic and the graph path.")
    columns = [f"Threshold of {name}" for name in surfaces.names]
    show_numbers(
        [
            {"Method": one.method, **dict(zip(columns, map(float, one.thresholds), strict=True))}
            | {"TP": one.tp, "FP": one.fp, "Precision": rounded_share(one.precision, one.alerts), "Status": one.status}
            for one in found
        ],
        {"TP": COUNT, "FP": COUNT, "Precision": SHARE} | dict.fromkeys(columns, NumberKind("%.4f")),
        alt="The operating point of each method.",
    )
    st.caption(
        f"Rated rows of bank marketing stand in for the private Google sets, on {NODES} uniform nodes for each score. "
        "The benchmark is not adjusted manually, as the paper's was."
    )


def show_search() -> None:
    """Show the search for the shortest path through the graph of two classifiers, step by step."""
    # Imported here because networkx loads slowly.
    from ui.shared.graph_search import explore_graph  # noqa: PLC0415

    explore_graph(_surfaces, (3, 12), nodes_key="topk_graph_steps", step_key="topk_step")


@st.cache_resource(max_entries=10, show_spinner=False)
def _surfaces(nodes: int) -> CountSurfaces:
    population = simulate_population(np.random.default_rng(SEED), documents=DOCUMENTS)
    return count_surfaces(population.rated(), resolution=nodes)


def _draw(place: DeltaGenerator, figure: go.Figure, alt: str) -> None:
    show_chart(figure, key=f"paper_figure: {figure.layout.title.text}", alt=alt, place=place)


@st.cache_resource(max_entries=2, show_spinner="Finding three paths …")
def _searched(nodes: int) -> tuple[CountSurfaces, dict[str, ThresholdPath]]:
    return searched(read_results(RATED), nodes)
