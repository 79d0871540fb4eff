"""Draggable probability bars: a browser component and its messages."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

import streamlit as st

from multiloss_core.figures import theme as style
from multiloss_core.numerics import Bools, Floats
from ui.shared.browser_files import component_of
from ui.shared.page_setup import theme
from ui.shared.session import session

CONTRACT = 1


class BarsMessage(TypedDict):
    """Sent to the browser at each run: the bars and which of them are flagged.

    `about` changes with other items; `heard` is the number of the user's last move that these bars know of. `strong` is
    the colour of what is flagged, `pale` of the rest.
    """

    contract: int
    about: str
    heard: int
    title: str
    probabilities: list[float]
    flagged: list[bool]
    strong: str
    pale: str


class Events(TypedDict):
    """What the browser sets: the number of the move and every probability after it."""

    moved: tuple[int, list[float]]


KEY = "probability_bars"
BROWSER = Path(__file__).with_name("browser")
_mount = component_of("multiloss_probability_bars", BROWSER)


def probability_bars(
    probabilities: Floats, flagged: Bools, *, title: str, about: str, on_moved: Callable[[tuple[float, ...]], None]
) -> None:
    """Show a bar for each of `probabilities` (n,), those `flagged` (n,) strongly coloured.

    `about` names the items: others take the place of what is being dragged. `on_moved` hears of every bar, each in
    [0, 1], after a move.
    """
    message: BarsMessage = {
        "contract": CONTRACT,
        "about": about,
        "heard": session().top_k.last_move,
        "title": title,
        "probabilities": [float(value) for value in probabilities],
        "flagged": [bool(flag) for flag in flagged],
        "strong": style.CURVE[theme()],
        "pale": style.PALE[theme()],
    }
    _mount(key=KEY, data=message, on_moved_change=lambda: _take(probabilities.size, on_moved))


def _take(n: int, on_moved: Callable[[tuple[float, ...]], None]) -> None:
    moved = checked(getattr(st.session_state[KEY], "moved", None), n)
    if moved is not None and moved[0] > session().top_k.last_move:
        session().top_k.last_move = moved[0]
        on_moved(moved[1])


def checked(moved: object, n: int) -> tuple[int, tuple[float, ...]] | None:
    """Check what the browser said; anybody's browser may say anything. None for what is no move of n bars."""
    match moved:
        case [int(number), list(values)] if len(values) == n and not isinstance(number, bool):
            numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
            if len(numbers) == n and all(math.isfinite(value) and 0 <= value <= 1 for value in numbers):
                return number, tuple(map(float, numbers))
    return None
