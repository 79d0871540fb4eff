"""Long work that the user can watch and stop."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

SECONDS_BETWEEN_UPDATES = 0.1

# The share done, from 0 to 1, and what that is in words
Show = Callable[[float, str], None]


@contextmanager
def stoppable(key: str) -> Iterator[Show]:
    """Show a progress bar with Cancel while the body runs; any other input on the page stops it, too.

    The body calls what it is given after each piece of work, and keeps what is done in the session state: Streamlit
    ends the run at such a call when the user has done anything.
    """
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, "Starting")
        st.button("Cancel", key=key)
        st.caption("Changing anything on the page also stops it. What is done by then is kept.")
    shown_at = 0.0

    def show(share: float, words: str) -> None:
        nonlocal shown_at
        if time.monotonic() - shown_at > SECONDS_BETWEEN_UPDATES or share >= 1.0:
            shown_at = time.monotonic()
            bar.progress(min(share, 1.0), words)

    yield show
    place.empty()
