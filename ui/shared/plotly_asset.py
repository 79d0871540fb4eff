"""Plotly's browser library, offered by this server: nothing is loaded from elsewhere."""

import os
import shutil
import threading
from pathlib import Path

import plotly
import streamlit as st

STATIC = Path(__file__).parents[2] / "static"
LIBRARY = f"plotly-{plotly.__version__}.min.js"


def serve_library() -> None:
    """Offer Plotly's browser library, which comes with the Python package, at this server; safe to call often.

    The folder `static` must be writable at the first start, or hold the library already.
    """
    served = STATIC / LIBRARY
    if served.exists():
        return
    # A copy, because Streamlit serves no links; whole at once, because two visitors, or two servers, may come together.
    copy = served.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    shutil.copyfile(Path(plotly.__file__).parent / "package_data" / "plotly.min.js", copy)
    copy.replace(served)


def library_address() -> str:
    """Return where a browser finds Plotly's library on this server."""
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    return f"{'/' if base else ''}{base}/app/static/{LIBRARY}"
