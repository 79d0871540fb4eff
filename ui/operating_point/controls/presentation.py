"""Presentation mode: nothing on the screen but the explorer, for a meeting room."""

import streamlit as st

from ui.shared.page_setup import write_style

PRESENT_KEY = "present"
# Hidden, not left out: what is not drawn forgets its choice. An open popover is drawn outside of its container.
HIDDEN = (
    ".st-key-bar",
    ".st-key-point_controls",
    ".st-key-details",
    "header[data-testid=stHeader]",
    "[data-testid=stPopoverBody]",
)


def ask_presentation() -> None:
    """Draw the switch into presentation mode."""
    st.toggle("Presentation: only slider, numbers and charts", key=PRESENT_KEY, bind="query-params")


def is_presenting() -> bool:
    """Whether the screen is for a meeting room."""
    return bool(st.session_state.get(PRESENT_KEY))


def apply_presentation() -> None:
    """Hide every control but the slider, if the user wants that, and offer the way back."""
    rules = f"{', '.join(HIDDEN)} {{display: none}} .stMainBlockContainer {{padding-top: 2.6rem}}"
    write_style(rules if is_presenting() else "")


def offer_leaving() -> None:
    """Draw the way out of the presentation, above everything else."""
    if is_presenting():
        with st.container(key="presentation_left"):
            st.button("Leave the presentation", icon=":material/close_fullscreen:", type="tertiary", on_click=_leave)


def _leave() -> None:
    st.session_state[PRESENT_KEY] = False
