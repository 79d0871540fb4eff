"""Show logged decisions: reopen, compare, mark as deployed, download."""

import streamlit as st

from ui.decisions.log_history import show_audit_trail
from ui.decisions.log_page import ask_record, show_log
from ui.shared.page_setup import bootstrap

bootstrap(__file__)
st.title("Decisions")
show_log()
ask_record()
show_audit_trail()
