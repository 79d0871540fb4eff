"""Start Multiloss: choose thresholds for several classifiers from rated predicted positives."""

import streamlit as st

from ui.account import admitted, show_own_page, show_sign_in
from ui.landing import show_landing_page
from ui.server.lifespan import lifespan
from ui.server.middleware import MIDDLEWARE
from ui.shared.formatting import as_label
from ui.shared.page_setup import TO, asked_in_address, bootstrap_app, run_page


def show_application() -> None:
    """Run the page of the URL, or the sign-in page."""
    bootstrap_app()
    pages = [
        st.Page("pages/rated_data.py", title="Rated data", icon=":material/upload_file:", url_path="rated_data"),
        st.Page(
            "pages/decision_sheet.py", title="Decision sheet", icon=":material/checklist:", url_path="decision_sheet"
        ),
        st.Page(
            "pages/operating_point.py", title="Operating point", icon=":material/tune:", url_path="operating_point"
        ),
        st.Page("pages/audit.py", title="Audit", icon=":material/query_stats:", url_path="audit"),
        st.Page("pages/decisions.py", title="Decisions", icon=":material/history:", url_path="decisions"),
        st.Page("pages/optimal_cut.py", title="Optimal cut", icon=":material/content_cut:", url_path="optimal_cut"),
        st.Page("pages/top_k.py", title="Top-k", icon=":material/school:", url_path="top_k"),
        st.Page("pages/papers.py", title="Papers", icon=":material/fact_check:", url_path="papers"),
    ]

    def start() -> None:
        """Open the requested screen or the landing page; settings alone lead to Rated data."""
        asked = asked_in_address()
        names = asked.pop(TO, [])
        page = next((page for page in pages if page.url_path in names), pages[0] if asked or names else None)
        if page is not None:
            st.switch_page(page, query_params=asked)
        show_landing_page()

    person = admitted()
    opened = st.Page(start, title="Start", default=True, visibility="hidden")
    if person is None or person.identity:
        name = "Your account" if person is None else as_label(person.name)
        pages.append(st.Page(show_own_page, title=name, icon=":material/account_circle:", url_path="your_account"))
    page = st.navigation([opened, *pages], position="hidden" if person is None else "top")
    if person is None:
        # Keep the URL: signing in returns to it.
        show_sign_in()
    else:
        run_page(page.run)


if __name__ == "__main__":
    show_application()
else:
    # `streamlit run app.py` finds this call and imports it, so that app.py and server.py start the same server.
    app = st.App("app.py", lifespan=lifespan, middleware=MIDDLEWARE)
