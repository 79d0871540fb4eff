"""The parts of the page on both papers; only the open one is computed."""

from collections import Counter
from collections.abc import Callable, Mapping

import streamlit as st

from ui.papers.figures import show_ensembles, show_graph, show_points, show_search
from ui.papers.natarajan import show_cells, show_small_sets, show_strength, show_summary
from ui.papers.robles import show_audit, show_robles
from ui.papers.stored import results
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


def show_causes() -> None:
    """Explain why reruns differ from the papers."""
    st.markdown(
        "The printed figures of both papers stand beside recomputed ones. **Reruns differ for three reasons:**\n"
        "1. **Settings are not printed**: strength of L2, scaling, positive classes, draws and the target slope are "
        "chosen here.\n"
        "2. **Data are not the same**: the words of REUTERS are others, and the rated sets of Google are private.\n"
        "3. **Some printed figures cannot be right**: they contradict each other, or lie below the best possible cut."
    )


def show_tallies() -> None:
    """Show how many printed figures of each paper agree."""
    first, second = st.columns(2)
    natarajan, robles = results("natarajan"), results("robles")
    if natarajan is not None:
        with first:
            _show_tally("Natarajan et al. 2016", natarajan["summary"]["marks"])
    if robles is not None:
        with second:
            # Thresholds chosen on rows that trained no classifier.
            marks = Counter(cell["mark"] for cell in robles["compared"] if cell["mode"] == "apart")
            _show_tally("Robles et al. 2020", marks)


def _show_tally(label: str, marks: Mapping[str, int]) -> None:
    """Show how many printed figures agree, of those that have a counterpart here."""
    agrees, differs, cannot = (marks.get(mark, 0) for mark in ("agrees", "differs", "cannot be"))
    st.metric(label, f"{agrees} of {agrees + differs + cannot}")
    st.caption(f"printed figures agree; {differs} differ" + (f", {cannot} cannot be right" if cannot else "") + ".")
