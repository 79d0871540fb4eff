"""The parts of the page on both papers; only the open one is computed."""

from collections.abc import Callable

import streamlit as st

from ui.papers.figures import show_ensembles, show_graph, show_points, show_search
from ui.papers.natarajan import show_cells, show_small_sets, show_strength, show_summary
from ui.papers.robles import show_audit, show_robles
from ui.papers.theorems import estimated_probabilities, one_label_among_classes
from ui.shared.choices import ask_choice

PAPERS = {
    "natarajan": "Natarajan et al. 2016: optimal cuts",
    "robles": "Robles et al. 2020: thresholds",
    "audit": "Consistency of the printed figures",
}
# By the paper, and by the name in the URL.
PARTS: dict[str, dict[str, tuple[str, Callable[[], None]]]] = {
    "natarajan": {
        "tables": ("Tables 2 and 3", show_cells),
        "summary": ("Summary", show_summary),
        "strength": ("Strength of L2", show_strength),
        "small": ("Small sets", show_small_sets),
        "classes": ("Theorem 2", one_label_among_classes),
        "training": ("Theorem 3", estimated_probabilities),
    },
    "robles": {
        "tables": ("Tables 1 and 2", show_robles),
        "graph": ("Figures 2 and 3", show_graph),
        "ensembles": ("Figures 4 to 7", show_ensembles),
        "points": ("Figures 8 to 10", show_points),
        "search": ("Threshold graph", show_search),
    },
}


def show_parts() -> None:
    """Ask for a paper and one of its parts, and show that part."""
    with st.container(horizontal=True):
        paper = ask_choice(st.segmented_control, "Paper", PAPERS, key="paper", required=True)
        if paper == "audit":
            show = show_audit
        else:
            labels = {name: label for name, (label, _) in PARTS[paper].items()}
            part = ask_choice(st.segmented_control, "Part", labels, key=f"{paper}_part", required=True)
            show = PARTS[paper][part][1]
    show()
