"""Compare the tables of both papers with recomputed results."""

import streamlit as st

from ui.papers.parts import show_causes, show_parts, show_tallies
from ui.shared.page_setup import bootstrap

bootstrap(__file__)
st.title("Papers")
causes, tallies = st.columns([3, 2], gap="large")
with causes:
    show_causes()
with tallies:
    show_tallies()
show_parts()
