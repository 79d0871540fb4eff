"""Compare the tables of both papers with recomputed results."""

import streamlit as st

from ui.papers.figures import show_figures
from ui.papers.natarajan import show_cells, show_small_sets, show_strength, show_summary
from ui.papers.robles import show_audit, show_robles
from ui.papers.stored import offer_rated, offer_scores
from ui.shared.page_setup import bootstrap

bootstrap(__file__)
st.title("Papers")
st.markdown("The printed figures of both papers beside recomputed ones, each with its 95 % interval and a mark.")
optimal, thresholds = st.tabs(["Natarajan et al. 2016: optimal cuts", "Robles et al. 2020: thresholds"])
with optimal:
    show_cells()
    show_summary()
    show_strength()
    show_small_sets()
    offer_scores()
with thresholds:
    show_robles()
    show_figures()
    offer_rated()
show_audit()
