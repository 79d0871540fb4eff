"""How the page is laid out: one bar, one row of controls and the explorer, in one screen of a laptop."""

from pathlib import Path
from typing import NoReturn

import streamlit as st

from multiloss_core import DataError
from ui.shared.formatting import as_text

STYLE = Path(__file__).with_name("cockpit.css")


def lay_out() -> None:
    """Give the page its layout."""
    st.html(STYLE)


def say_unusable(error: DataError) -> NoReturn:
    """Say why the data cannot be used, with the way to correct them, and stop."""
    st.error(as_text(str(error)), icon=":material/error:")
    st.page_link("pages/rated_data.py", label="Correct the columns of this file", icon=":material/arrow_back:")
    st.stop()
