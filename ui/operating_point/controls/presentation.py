"""Presentation mode: nothing on the screen but the explorer, for a meeting room."""

import streamlit as st

PRESENT_KEY = "present"
# Hidden, not left out: what is not drawn forgets its choice.
HIDDEN = ("bar", "point_controls", "details")


def ask_presentation() -> None:
    """Draw the switch into presentation mode."""
    st.toggle("Presentation: only slider, numbers and charts", key=PRESENT_KEY, bind="query-params")


def apply_presentation() -> None:
    """Hide every control but the slider, if the user wants that, and offer the way back."""
    if not st.session_state.get(PRESENT_KEY):
        return
    selectors = ", ".join(f".st-key-{key}" for key in HIDDEN)
    st.html(
        f"<style>{selectors}, header[data-testid=stHeader] {{display: none}}"
        " .explorer .metric dd:first-of-type {font-size: 2.6rem} .stMainBlockContainer {padding-top: 1rem}</style>"
    )
    st.button("Leave the presentation", icon=":material/close_fullscreen:", type="tertiary", on_click=_leave)


def _leave() -> None:
    st.session_state[PRESENT_KEY] = False
