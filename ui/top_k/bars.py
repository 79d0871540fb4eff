"""Draggable probability bars: a browser component and its messages."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

from multiloss_core.figures import theme as style
from multiloss_core.numerics import Bools, Floats
from ui.shared.browser_files import component_of
from ui.shared.choices import chosen
from ui.shared.page_setup import theme
from ui.shared.session import session

CONTRACT = 1
KEY = "probability_bars"
BROWSER = Path(__file__).with_name("browser")


class BarsMessage(TypedDict):
    """The bars sent to the browser at each run, and which of them are flagged.

    `about` identifies the items; `acknowledged` is the number of the last move received. `strong` is the colour of
    flagged bars, `pale` of the others.
    """

    contract: int
    about: str
    acknowledged: int
    title: str
    probabilities: list[float]
    flagged: list[bool]
    strong: str
    pale: str


class Events(TypedDict):
    """The event of the browser: the number of the move and all probabilities after it."""

    moved: tuple[int, list[float]]


_mount = component_of("multiloss_probability_bars", BROWSER)


def probability_bars(
    probabilities: Floats, flagged: Bools, *, title: str, about: str, on_moved: Callable[[tuple[float, ...]], None]
) -> None:
    """Show a bar for each of `probabilities` (n,), those `flagged` (n,) in a strong colour.

    `about` identifies the items: new items replace a drag in progress. `on_moved` receives all probabilities, each in
    [0, 1], after a move.
    """
    message: BarsMessage = {
        "contract": CONTRACT,
        "about": about,
        "acknowledged": session().top_k.last_move,
        "title": title,
        "probabilities": [float(value) for value in probabilities],
        "flagged": [bool(flag) for flag in flagged],
        "strong": style.CURVE[theme()],
        "pale": style.PALE[theme()],
    }
    _mount(key=KEY, data=message, on_moved_change=lambda: _handle_move(probabilities.size, on_moved))


def _handle_move(n: int, on_moved: Callable[[tuple[float, ...]], None]) -> None:
    moved = checked(getattr(chosen(KEY), "moved", None), n)
    if moved is not None and moved[0] > session().top_k.last_move:
        session().top_k.last_move = moved[0]
        on_moved(moved[1])


def checked(moved: object, n: int) -> tuple[int, tuple[float, ...]] | None:
    """Validate a move of n bars from the untrusted browser; return None if invalid."""
    match moved:
        case [int(number), list(values)] if len(values) == n and not isinstance(number, bool):
            numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
            if len(numbers) == n and all(math.isfinite(value) and 0 <= value <= 1 for value in numbers):
                return number, tuple(map(float, numbers))
    return None
