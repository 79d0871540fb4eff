"""Multiloss: choose thresholds for several classifiers from rated predicted positives."""

import streamlit as st

from ui.shared.page_setup import bootstrap

bootstrap()
rated_data = st.Page("pages/rated_data.py", title="Rated data", icon=":material/upload_file:", url_path="rated_data")


def start() -> None:
    """Lead on to the first screen: a default page has no address but "/", and links need one."""
    st.switch_page(rated_data, query_params=st.query_params.to_dict())


st.navigation(
    [
        st.Page(start, title="Start", default=True, visibility="hidden"),
        rated_data,
        st.Page(
            "pages/decision_sheet.py", title="Decision sheet", icon=":material/checklist:", url_path="decision_sheet"
        ),
        st.Page(
            "pages/operating_point.py", title="Operating point", icon=":material/tune:", url_path="operating_point"
        ),
        st.Page("pages/decisions.py", title="Decisions", icon=":material/history:", url_path="decisions"),
        st.Page("pages/optimal_cut.py", title="Optimal cut", icon=":material/content_cut:", url_path="optimal_cut"),
        st.Page("pages/top_k.py", title="Top-k", icon=":material/school:", url_path="top_k"),
    ],
    position="top",
).run()
