"""Start Multiloss: choose thresholds for several classifiers from rated predicted positives."""

import streamlit as st

from ui.server.lifespan import lifespan
from ui.server.middleware import MIDDLEWARE

if __name__ == "__main__":
    # Not before the server runs, to which the caches of pages belong.
    from ui.navigation import show_application

    show_application()
else:
    # `streamlit run app.py` finds this call and imports it, so that app.py and server.py start the same server.
    app = st.App("app.py", lifespan=lifespan, middleware=MIDDLEWARE)
