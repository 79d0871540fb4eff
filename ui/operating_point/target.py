"""The marginal precision that the reader asks for: one target, in the session and in the URL."""

import math
from dataclasses import dataclass

import streamlit as st

from ui.shared.slider_scale import FIRST, HIGHEST, LOWEST
from ui.shared.url_params import from_address, into_address

DIGITS = 6
IN_URL = "m"


@dataclass
class Target:
    """The marginal precision in percent; `heard` is the number of the reader's last move in the explorer."""

    percent: float = FIRST
    heard: int = 0

    @property
    def marginal_precision(self) -> float:
        """The target in (0, 1)."""
        return self.percent / 100


def current_target() -> Target:
    """This session's target."""
    found: Target = st.session_state.setdefault("target", Target())
    return found


def restore_target() -> None:
    """Take the target of the address, or put it there: at each run of a whole page."""
    settle(from_address(IN_URL))
    if _percent(st.query_params.get(IN_URL)) is None:
        into_address(IN_URL, None)
    settle(current_target().percent)


def settle(percent: object) -> None:
    """Make a wish of the reader the target; what is no percentage changes nothing."""
    wanted = _percent(percent)
    if wanted is not None:
        current_target().percent = wanted
        if wanted != FIRST or IN_URL in st.query_params:
            into_address(IN_URL, f"{wanted:.10g}")


def _percent(wish: object) -> float | None:
    """A wish within the bounds of the slider. It may come from anybody's browser."""
    try:
        percent = float(str(wish))
    except ValueError:
        return None
    return round(min(max(percent, LOWEST), HIGHEST), DIGITS) if math.isfinite(percent) else None
