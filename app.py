"""Multiloss: choose thresholds for several classifiers from rated predicted positives."""

import streamlit as st

from ui.bootstrap import bootstrap

bootstrap()
st.navigation(
    [
        st.Page("pages/rated_data.py", title="Rated data", icon=":material/upload_file:", url_path="rated_data"),
        st.Page(
            "pages/operating_point.py",
            title="Operating point",
            icon=":material/tune:",
            url_path="operating_point",
        ),
        st.Page("pages/top_k.py", title="Top-k", icon=":material/school:", url_path="top_k"),
    ],
    position="top",
).run()
