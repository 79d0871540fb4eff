"""Run the application as a server: `streamlit run server.py`."""

import streamlit as st

from ui.server.lifespan import lifespan
from ui.server.middleware import MIDDLEWARE

app = st.App("app.py", lifespan=lifespan, middleware=MIDDLEWARE)
