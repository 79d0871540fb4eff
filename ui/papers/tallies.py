"""The reasons for differences between printed and recomputed figures, and their numbers."""

from collections import Counter
from collections.abc import Mapping

import streamlit as st

from ui.papers.stored import results


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
