"""Plotly's browser library, offered by this server: nothing is loaded from elsewhere."""

import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path

import plotly
import streamlit as st

STATIC = Path(__file__).parents[2] / "static"
LIBRARY = f"plotly-{plotly.__version__}.min.js"


def serve_library() -> None:
    """Offer Plotly's browser library, which comes with the Python package, at this server; safe to call often.

    Where the folder `static` can neither be written nor holds the library (`python -m ui.shared.plotly_asset` puts it
    there at installation), browsers draw without it: plain charts.
    """
    served = STATIC / LIBRARY
    if served.exists():
        return
    # A copy, because Streamlit serves no links; whole at once, because two visitors, or two servers, may come together.
    copy = served.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    with suppress(OSError):
        STATIC.mkdir(exist_ok=True)
        shutil.copyfile(Path(plotly.__file__).parent / "package_data" / "plotly.min.js", copy)
        copy.replace(served)


def library_address() -> str:
    """Return where a browser finds Plotly's library on this server."""
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    return f"{'/' if base else ''}{base}/app/static/{LIBRARY}"


if __name__ == "__main__":
    serve_library()
