"""One target behind a slider and a number box."""

import time
from dataclasses import dataclass, field

import streamlit as st

LOWEST, HIGHEST, FIRST, STEP = 0.5, 99.5, 20.0, 0.5
SLIDER, BOX = "m", "m_box"
SECONDS_UNTIL_SHOWN = 1.0


@dataclass
class Target:
    """The marginal precision in percent, which widget set it last, and what was sent to the widgets when."""

    percent: float = FIRST
    driver: str = SLIDER
    sent: list[tuple[float, float]] = field(default_factory=list)

    def settle(self, slider: float, box: float, now: float) -> None:
        """Take the value of the widget that the reader moved.

        When keys are pressed quickly, the browser sends one widget's new value beside the other one's old value, which
        is on its way to be replaced: that one must not be taken for a wish.
        """
        on_the_way = {percent for moment, percent in self.sent if now - moment < SECONDS_UNTIL_SHOWN}
        moved = {
            widget: percent
            for widget, percent in ((SLIDER, slider), (BOX, box))
            if percent != self.percent and (widget == self.driver or percent not in on_the_way)
        }
        if moved:
            self.driver = self.driver if self.driver in moved else next(iter(moved))
            self.send(moved[self.driver], now)

    def send(self, percent: float, now: float) -> None:
        """Remember what both widgets will show; the value before it may still come back from the browser."""
        self.sent = [*((moment, old) for moment, old in self.sent if now - moment < SECONDS_UNTIL_SHOWN)]
        self.sent += [(now, self.percent), (now, percent)]
        self.percent = percent


def ask_percent(label: str) -> float:
    """A slider and a number box for the same percentage; returns it, within its bounds.

    The slider's value is in the URL as `m`. The words beside the box are the caller's: see `ask_box`.
    """
    target = _target()
    percent = st.slider(
        label,
        LOWEST,
        HIGHEST,
        FIRST,
        step=STEP,
        format="%g %%",
        key=SLIDER,
        bind="query-params",
        on_change=_settle,
    )
    # The bounds of widgets hold in the browser only.
    percent = min(max(float(percent), LOWEST), HIGHEST)
    if percent != target.percent:
        target.driver = SLIDER
        target.send(percent, time.monotonic())
    return percent


def ask_box() -> None:
    """The number box of `ask_percent`, to be drawn after it."""
    st.session_state[BOX] = _target().percent
    st.number_input("in percent", LOWEST, HIGHEST, step=STEP, format="%.1f", key=BOX, on_change=_settle)


def _target() -> Target:
    found: Target = st.session_state.setdefault("target", Target())
    return found


def _settle() -> None:
    target = _target()
    target.settle(st.session_state[SLIDER], st.session_state.get(BOX, target.percent), time.monotonic())
    if st.session_state[SLIDER] != target.percent:
        st.session_state[SLIDER] = target.percent
