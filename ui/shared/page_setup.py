"""What every page does first, whether app.py ran before it or the page was opened directly."""

from pathlib import Path
from typing import Literal

import streamlit as st

from ui.shared.plotly_asset import serve_library

ICON = Path(__file__).parent / "icon.svg"


def bootstrap() -> None:
    """Set the page up; safe to call any number of times in one run."""
    st.set_page_config(page_title="Multiloss", page_icon=str(ICON), layout="wide")
    serve_library()


def theme() -> Literal["light", "dark"]:
    """The reader's theme, for the figures."""
    return "dark" if st.context.theme.type == "dark" else "light"
