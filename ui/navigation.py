"""List the pages of the application, and run the one of the URL."""

from pathlib import Path

import streamlit as st

from ui.account import admitted, show_own_page, show_sign_in
from ui.landing import show_landing_page
from ui.shared.formatting import as_label
from ui.shared.page_setup import TO, asked_in_address, bootstrap_app, run_page

PAGES = (
    ("pages/rated_data.py", "Rated data", "upload_file"),
    ("pages/decision_sheet.py", "Decision sheet", "checklist"),
    ("pages/operating_point.py", "Operating point", "tune"),
    ("pages/audit.py", "Audit", "query_stats"),
    ("pages/decisions.py", "Decisions", "history"),
    ("pages/optimal_cut.py", "Optimal cut", "content_cut"),
    ("pages/top_k.py", "Top-k", "school"),
    ("pages/papers.py", "Papers", "fact_check"),
)


def show_application() -> None:
    """Run the page of the URL, or the sign-in page."""
    bootstrap_app()
    pages = [
        st.Page(file, title=title, icon=f":material/{icon}:", url_path=Path(file).stem) for file, title, icon in PAGES
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
