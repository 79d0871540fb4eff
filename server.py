"""The application as a server: `streamlit run server.py`; what Streamlit offers beside the pages stays closed."""

import streamlit as st

from ui.serving import MIDDLEWARE, lifespan

app = st.App("app.py", lifespan=lifespan, middleware=MIDDLEWARE)
