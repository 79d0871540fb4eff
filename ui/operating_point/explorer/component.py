"""The component: Python sends charts and a table, the browser sends the target back once it comes to rest."""

import math
from typing import cast

import streamlit as st

from multiloss_core.figures import theme as style
from multiloss_core.thresholds.paths.methods import look_of
from multiloss_core.thresholds.paths.operating_point import Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.explorer.browser_files import browser_file, joined_modules
from ui.operating_point.explorer.figures import live_charts
from ui.operating_point.explorer.messages import Intervals, Key, Message, Row
from ui.operating_point.explorer.table import explorer_table, row_of
from ui.operating_point.point_help import explanations
from ui.operating_point.point_text import WORDS, point_words
from ui.operating_point.sections.new_data import interval_words
from ui.operating_point.target import current_target, settle
from ui.operating_point.target_drivers import current_driver, pick, take_over
from ui.operating_point.view_state import Scene
from ui.shared.page_setup import theme
from ui.shared.plotly_asset import library_address

KEY = "explorer"
CSS_DASHES = {"solid": "solid", "dash": "dashed", "dashdot": "dashed", "dot": "dotted"}


_mount = st.components.v2.component(
    "multiloss_explorer",
    html=browser_file("explorer.html"),
    css=browser_file("explorer.css"),
    js=joined_modules(),
    # Plotly's own styles are those of the page.
    isolate_styles=False,
)


def explorer(analysis: Analysis, scene: Scene) -> None:
    """Show slider, numbers and charts at the current target."""
    target, unit = current_target(), analysis.settings.unit
    message: Message = {
        "library": library_address(),
        "about": f"{analysis.dataset.key} {scene.pair} {unit}",
        "target": {"percent": target.percent, "heard": target.heard},
        "table": explorer_table(analysis, scene.method, scene.pair, target.percent),
        "charts": live_charts(analysis, scene, theme()),
        "key": _key(analysis, scene.method),
        "explanations": explanations(unit),
        "question": WORDS[unit].question,
        "note": WORDS[unit].note.replace("*", ""),
        "intervals": _intervals(analysis, scene),
        "hand": _row(analysis, scene, scene.by_hand),
        "present": _row(analysis, scene, scene.present),
        "driver": current_driver(),
        "space": {"pair": scene.pair, "thresholds": _finite(scene)},
    }
    _mount(
        key=KEY,
        data=message,
        on_moved_change=_moved,
        on_picked_change=lambda: pick(_heard("picked")),
        on_failed_change=lambda: st.session_state.update(plain=True),
    )


def _moved() -> None:
    if (percent := _heard("moved")) is not None:
        settle(percent)
        take_over()


def _heard(name: str) -> object:
    """Return what the user did, which has its number; anybody's browser may say anything."""
    match _state(name):
        # One run may bring two moves, in any order: the last one counts.
        case [said, int(number)] if number > current_target().heard:
            current_target().heard = number
            return said
    return None


def _row(analysis: Analysis, scene: Scene, point: Point | None) -> Row | None:
    """Return the row of a point off the chosen method's path, among the other methods' points at the target."""
    if point is None:
        return None
    others = [scene.points[name] for name in analysis.methods if name != scene.method]
    return row_of(analysis, [*others, point], scene.pair, point_words(analysis, point))


def _intervals(analysis: Analysis, scene: Scene) -> Intervals | None:
    if scene.told is not scene.chosen:
        return None
    return cast("Intervals | None", interval_words(analysis, scene.resamples, scene.chosen))


def _finite(scene: Scene) -> list[float | None]:
    return [float(value) if math.isfinite(value) else None for value in scene.chosen.thresholds]


def _state(name: str) -> object:
    return getattr(st.session_state[KEY], name, None)


def _key(analysis: Analysis, method: str) -> Key:
    return {
        "methods": [
            {"name": look.name, "colour": look.colour, "dash": CSS_DASHES[look.dash]}
            for look in map(look_of, analysis.methods)
        ],
        "chosen": look_of(method).colour,
        "ink": style.ink(theme()),
    }
