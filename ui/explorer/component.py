"""The component: Python sends charts and a table, the browser sends the target back once it comes to rest."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import streamlit as st

from multiloss_core.figures import style
from ui.analysis import Analysis
from ui.bootstrap import theme
from ui.chart_library import library_address
from ui.explorer.figures import Scene, live_charts
from ui.explorer.table import explorer_table
from ui.point_words import COUNTED
from ui.target import current_target, settle

KEY = "explorer"
CSS_DASHES = {"solid": "solid", "dash": "dashed", "dashdot": "dashed", "dot": "dotted"}


def _part(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "multiloss_explorer",
    html=_part("explorer.html"),
    css=_part("explorer.css"),
    js=_part("explorer.js"),
    # Plotly's own styles are those of the page.
    isolate_styles=False,
)


def explorer(analysis: Analysis, scene: Scene, intervals: Mapping[str, Any] | None = None) -> None:
    """Slider, numbers and charts at the current target.

    `intervals` are shown beside the numbers of one target: {"percent": …, "words": {label: interval}}.
    """
    target = current_target()
    _mount(
        key=KEY,
        data={
            "library": library_address(),
            # The reader's zoom lasts as long as the axes mean the same.
            "about": f"{analysis.dataset.key} {scene.pair}",
            "target": {"percent": target.sent, "turn": target.turn},
            "table": explorer_table(analysis, scene.method, scene.pair, target.percent),
            "charts": {name: asdict(chart) for name, chart in live_charts(analysis, scene, theme()).items()},
            "key": _key(analysis, scene.method),
            "note": COUNTED.replace("*", ""),
            "intervals": intervals,
        },
        on_percent_change=lambda: settle(_state("percent")),
        on_failed_change=lambda: st.session_state.update(plain=True),
    )


def _state(name: str) -> object:
    return getattr(st.session_state[KEY], name, None)


def _key(analysis: Analysis, method: str) -> dict[str, Any]:
    return {
        "methods": [
            {"name": name, "colour": style.METHOD_COLOURS[name], "dash": CSS_DASHES[style.METHOD_DASHES[name]]}
            for name in analysis.methods
        ],
        "chosen": style.METHOD_COLOURS[method],
        "ink": style.ink(theme()),
    }
