"""Send charts and a table to the browser, and receive the target when the slider rests."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import cast

import numpy as np

from multiloss_core import operating_points
from multiloss_core.figures import inside, look_of, plane_view, tangent_ends
from multiloss_core.figures import theme as style
from multiloss_core.formatting import direction
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import MAIN_METHODS, Point
from ui.operating_point.active_goal import active_goal, move_slider, set_manual_thresholds
from ui.operating_point.analysis import Analysis, of_sample
from ui.operating_point.explanations import explanations
from ui.operating_point.explorer.figures import COLUMNS, live_charts, shown_order
from ui.operating_point.explorer.messages import CONTRACT, ChartMessage, Intervals, Message, Row, Table
from ui.operating_point.point_text import (
    WORDS,
    PointWords,
    interval_words,
    place_words,
    point_words,
    price_words,
    words_of_points,
)
from ui.operating_point.settings import PLAIN_KEY, PRESENT_KEY
from ui.operating_point.state import ViewState
from ui.shared.browser_files import component_of, library_address
from ui.shared.caching import cached
from ui.shared.choices import HIGHEST, LOWEST, PERCENTS, STEP, choose, chosen
from ui.shared.formatting import vocabulary
from ui.shared.page_setup import theme
from ui.shared.session import session

# Of a browser's own; it holds fewer.
MAX_NAMES = 1000


def without_held(message: Message, held: frozenset[str]) -> Message:
    """Replace the table, traces and layouts by names; add missing ones to `texts`."""
    names = _Names()
    charts = {
        name: ChartMessage({**chart, "traces": [*map(names.of, chart["traces"])], "layout": names.of(chart["layout"])})
        for name, chart in message["charts"].items()
    }
    table = names.of(message["table"])
    texts = {name: text for name, text in names.texts.items() if name not in held}
    return {**message, "table": table, "charts": charts, "texts": texts}


def held_texts(received: Iterable[object]) -> frozenset[str]:
    """Parse the untrusted names of the texts held by the browser."""
    names = [name for name in received if isinstance(name, str)]
    return frozenset(names[:MAX_NAMES])


@dataclass
class _Names:
    texts: dict[str, str] = field(default_factory=dict)

    def of(self, text: str) -> str:
        """Name a text after what stands in it; an empty one needs no name."""
        if not text:
            return ""
        name = blake2b(text.encode(), digest_size=8).hexdigest()
        self.texts[name] = text
        return name


KEY = "explorer"
BROWSER = Path(__file__).with_name("browser")
CSS_DASHES = {"solid": "solid", "dash": "dashed", "dashdot": "dashed", "dot": "dotted"}
_mount = component_of("multiloss_explorer", BROWSER)


def explorer(analysis: Analysis, view: ViewState) -> None:
    """Show slider, numbers and charts at the current target."""
    unit, large = analysis.settings.unit, bool(chosen(PRESENT_KEY))
    counted = vocabulary().counted(unit)
    resamples, names = (view.resamples if view.assessed_point is view.chosen_point else None), analysis.names
    message: Message = {
        "contract": CONTRACT,
        "library": library_address(),
        "about": f"{analysis.dataset.key} {view.pair} {counted}",
        "percent": view.percent,
        "home": session().point.goals.percent,
        "acknowledged": session().point.last_event,
        "texts": {},
        "table": _explorer_table(analysis, view.method, view.pair, view.percent),
        "charts": live_charts(analysis, view, theme(), large=large, surfaces=_are_surfaces_in_sight()),
        "key": [
            {"name": look.name, "colour": look.colour, "dash": CSS_DASHES[look.dash]}
            for look in map(look_of, analysis.methods)
        ],
        "beside": [method.name for method in MAIN_METHODS],
        "colour": look_of(view.method).colour,
        "ink": style.ink(theme()),
        "explanations": explanations(unit, undecided=analysis.has_undecided),
        "question": WORDS[unit].question,
        "note": WORDS[unit].note.replace("*", ""),
        "headline": WORDS[unit].precision,
        "large": large,
        "subject": f"{analysis.dataset.name}, path {view.method}, counting {counted}",
        "intervals": cast("Intervals | None", interval_words(analysis, resamples, view.chosen_point, view.percent)),
        "hand": _row(analysis, view, view.point_off_path),
        "present": _row(analysis, view, view.compared_point),
        "goal": active_goal(),
        "goal_note": session().point.goal_note,
        "place": place_words(view.chosen_point),
        "pair": view.pair,
        "thresholds": [
            float(direction(name) * value) if math.isfinite(value) else None
            for name, value in zip(names, view.chosen_point.thresholds, strict=True)
        ],
    }
    _mount(
        key=KEY,
        data=without_held(message, session().point.held_texts),
        on_moved_change=_moved,
        on_picked_change=lambda: _picked(names),
        on_failed_change=lambda: choose(PLAIN_KEY, True),
        on_surfaces_change=_surfaces_seen,
        on_lost_change=_lost,
    )


def _moved() -> None:
    if (percent := _event("moved")) is not None:
        move_slider(percent)


def _picked(names: Sequence[str]) -> None:
    """Take thresholds on the scale of the scores' columns, None for never."""
    picked = _event("picked")
    if isinstance(picked, list) and len(picked) == len(names):
        set_manual_thresholds(
            [
                direction(name) * value if isinstance(value, int | float) else value
                for name, value in zip(names, picked, strict=True)
            ]
        )


def _surfaces_seen() -> None:
    session().point.surfaces_in_sight = True


def _lost() -> None:
    session().point.held_texts = frozenset()


def _are_surfaces_in_sight() -> bool:
    """Return whether to send surfaces, which take longest and are rarely viewed."""
    return session().point.surfaces_in_sight or bool(chosen(PRESENT_KEY))


def _event(name: str) -> object:
    """Return the numbered event of the untrusted browser."""
    match getattr(chosen(KEY), name, None):
        # One run may receive two moves in any order; the last one counts.
        case [value, int(number), list(held)] if number > session().point.last_event:
            session().point.last_event = number
            session().point.held_texts = held_texts(held)
            return value
    return None


def _row(analysis: Analysis, view: ViewState, point: Point | None) -> Row | None:
    """Return a row for a point off the path, with the other methods' points at the target."""
    if point is None:
        return None
    others = [view.points[name] for name in analysis.methods if name != view.method]
    return _row_of(analysis, [*others, point], view.pair, point_words(analysis, point))


def _explorer_table(analysis: Analysis, method: str, pair: tuple[int, int], percent: float) -> str:
    """Return JSON with the words and all methods' points by target, the chosen method last.

    `percent` gets a row as well where it lies between the steps of the slider.
    """
    between = None if percent in PERCENTS else percent
    return _table((analysis.key, analysis.methods), method, pair, between, _analysis=analysis)


@cached(of_sample, max_entries=16)
def _table(
    key: tuple[object, ...], method: str, pair: tuple[int, int], between: float | None, _analysis: Analysis
) -> str:
    percents = PERCENTS if between is None else np.sort(np.append(PERCENTS, between))
    order = [name for name in _analysis.methods if name != method] + [method]
    paths = [operating_points(_analysis.path(name), percents / 100) for name in order]
    words = words_of_points(_analysis, paths[-1])
    by_target = zip(zip(*paths, strict=True), words, strict=True)
    rows = [_row_of(_analysis, points, pair, of_chosen) for points, of_chosen in by_target]
    table: Table = {
        "percents": percents.tolist(),
        "lowest": LOWEST,
        "highest": HIGHEST,
        "step": STEP,
        "methods": order,
        "rows": rows,
        "certified": _certified_range(_analysis, percents, paths[-1]),
    }
    return json.dumps(table, allow_nan=False)


def _certified_range(analysis: Analysis, percents: Floats, points: Sequence[Point]) -> tuple[float, float] | None:
    """Find the lowest and the highest target whose point is certified."""
    certificate = analysis.certificate
    if certificate is None or certificate.path is None or points[0].method != certificate.path.method:
        return None
    held = [
        percent
        for percent, point in zip(percents, points, strict=True)
        if point.status != "unreachable" and certificate.covers(point.thresholds)
    ]
    return (float(held[0]), float(held[-1])) if held else None


def _row_of(analysis: Analysis, points: Sequence[Point], pair: tuple[int, int], words: PointWords) -> Row:
    """Make a row of the points of all methods, the chosen one last, which the words are about."""
    chosen = points[-1]
    # Do not draw a point without alerts unless it is the chosen method's.
    drawn = [point for point in points if point.status != "unreachable" or point is chosen]
    right, view = plane_view(drawn)
    m = chosen.marginal_precision
    axes = analysis.surfaces.axes
    order = shown_order(analysis.surfaces.names, pair)
    across = [axes[j] for j in order]
    signs = np.array([direction(analysis.surfaces.names[j]) for j in order])
    places = [
        signs * inside(point.thresholds[np.newaxis, order], across)[0] if point in drawn else None for point in points
    ]
    x, y, third, fourth = (
        [None if place is None or len(place) <= i else float(place[i]) for place in places] for i in range(len(COLUMNS))
    )
    return {
        "price": price_words(m, analysis.settings.unit),
        "slope": f"slope dTP/dFP = {m / (1 - m):.3g}",
        "words": vars(words).copy(),
        "x": x,
        "y": y,
        "third": third,
        "fourth": fourth,
        "fp": [point.fp if point in drawn else None for point in points],
        "tp": [point.tp if point in drawn else None for point in points],
        "tangent": tangent_ends(chosen, right),
        "view": view,
    }
