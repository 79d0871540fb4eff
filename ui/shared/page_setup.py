"""What every page does first, whether app.py ran before it or the page was opened directly."""

from pathlib import Path
from typing import Literal

import streamlit as st

from ui.shared.plotly_asset import serve_library
from ui.shared.url_params import open_page

ICON = Path(__file__).parent / "icon.svg"


def bootstrap(page: str | None = None) -> None:
    """Set a page up, the one of this file where there is one; safe to call any number of times in one run."""
    st.set_page_config(page_title="Multiloss", page_icon=str(ICON), layout="wide")
    serve_library()
    if page is not None:
        open_page(page)


def theme() -> Literal["light", "dark"]:
    """Return the user's theme, for the figures."""
    return "dark" if st.context.theme.type == "dark" else "light"
