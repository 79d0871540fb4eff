"""What the printed figures say of themselves, computed while the page is open: that takes no data."""

import streamlit as st

from experiments.printed.report import audit, audit_markdown
from ui.shared.lazy_section import shown_when_open


@shown_when_open("What the printed figures say of themselves", key="paper_audit", icon=":material/fact_check:")
def show_audit() -> None:
    """Show recovered counts, figures that contradict one another, and statements that do not follow."""
    with st.spinner("Computing from the printed figures …"):
        words = _words()
    st.markdown(words)


@st.cache_data(show_spinner=False)
def _words() -> str:
    _, _, text = audit_markdown(audit()).partition("\n")
    return text.replace("\n## ", "\n#### ")
