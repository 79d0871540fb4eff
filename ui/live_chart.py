"""A chart that is redrawn in place, where `st.plotly_chart` would mount a new one at every change."""

import json
import shutil
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go
import streamlit as st

STATIC = Path(__file__).parent.parent / "static"
LIBRARY = f"plotly-{plotly.__version__}.min.js"

_mount = st.components.v2.component(
    "multiloss_live_chart",
    html='<div class="live-chart" role="img"></div>',
    css=".live-chart {\n width: 100%;\n}",
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
    # Plotly's own styles are those of the page.
    isolate_styles=False,
)


@dataclass(frozen=True)
class Backdrop:
    """A figure as text, ready to be sent again and again: each trace, and the layout."""

    traces: tuple[str, ...]
    layout: str


def backdrop(figure: go.Figure) -> Backdrop:
    """What stays while the marks on it move."""
    parts = figure.to_plotly_json()
    return Backdrop(tuple(_as_text(trace) for trace in parts["data"]), _as_text(parts["layout"]))


def live_chart(
    still: Backdrop,
    marks: Sequence[go.Scatter] = (),
    view: Mapping[str, Any] | None = None,
    *,
    key: str,
    alt: str,
    about: str,
) -> None:
    """Draw a figure with marks on it; later runs with the same `key` change only the traces that differ.

    `view` updates the axes of the layout. The reader's zoom survives as long as the chart is `about` the same thing.
    """
    _mount(
        key=key,
        data={
            "library": _library_address(),
            "about": about,
            "alt": alt,
            # As texts: the browser compares each trace with the one it has drawn.
            "traces": [*still.traces, *(_as_text(trace.to_plotly_json()) for trace in marks)],
            "layout": still.layout,
            "view": view or {},
        },
    )


def serve_library() -> None:
    """Offer Plotly's browser library, which comes with the Python package, at this server; safe to call often."""
    served = STATIC / LIBRARY
    if served.exists():
        return
    # A copy, because Streamlit serves no links; whole at once, because two visitors may come at the same time.
    copy = served.with_suffix(f".{threading.get_ident()}")
    shutil.copyfile(Path(plotly.__file__).parent / "package_data" / "plotly.min.js", copy)
    copy.replace(served)


def _library_address() -> str:
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    return f"{'/' if base else ''}{base}/app/static/{LIBRARY}"


def _as_text(part: object) -> str:
    return json.dumps(part, cls=plotly.utils.PlotlyJSONEncoder)
