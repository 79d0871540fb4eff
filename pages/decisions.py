"""Decisions that were made: to open again, compare, mark as deployed, and hand on."""

import streamlit as st

from ui.decisions.log_history import show_audit_trail
from ui.decisions.log_page import ask_record, show_log
from ui.shared.page_setup import bootstrap

bootstrap(__file__)
st.title("Decisions")
st.markdown(
    "What was decided, by whom and why: to open again, to compare, to mark as deployed, and to hand on as files."
)
ask_record()
show_log()
show_audit_trail()
