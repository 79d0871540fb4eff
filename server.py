"""The application as a server: `streamlit run server.py`; what Streamlit offers beside the pages stays closed."""

import streamlit as st

from ui.serving import MIDDLEWARE

app = st.App("app.py", middleware=MIDDLEWARE)
