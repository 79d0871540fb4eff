"""What `python -m experiments…` left in the tree, read once for everybody."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from experiments.files import read_results
from multiloss_core import DataError
from ui.shared.formatting import as_text


def results(name: str) -> dict[str, Any] | None:
    """Return stored results by name; None, and a sentence on the page, where they are not in the tree."""
    try:
        return _read(name)
    except DataError as error:
        st.info(as_text(str(error)), icon=":material/science:")
        return None


@st.cache_data(show_spinner=False)
def _read(name: str) -> dict[str, Any]:
    return read_results(name)


def show_origin(held: Mapping[str, Any]) -> None:
    """Say when, with what and how results were made."""
    versions = ", ".join(f"{package} {number}" for package, number in held["versions"].items())
    settings = ", ".join(f"{key} {value}" for key, value in held["settings"].items())
    st.caption(as_text(f"Run on {held['date']} with {versions}; {settings}."))
