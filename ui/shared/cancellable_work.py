"""Long work that the user can watch and stop."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import plotly.graph_objects as go
import streamlit as st

SECONDS_BETWEEN_UPDATES = 0.1
SECONDS_BETWEEN_PICTURES = 0.5


class Show(Protocol):
    """Shows the share done, from 0 to 1, what that is in words, and, where there is one, a picture of it."""

    def __call__(self, share: float, words: str, picture: Callable[[], go.Figure] | None = None, /) -> None:
        """Show it, unless it was shown a moment ago."""


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
        picture_place = st.empty()
    shown_at = drawn_at = 0.0

    def show(share: float, words: str, picture: Callable[[], go.Figure] | None = None, /) -> None:
        nonlocal shown_at, drawn_at
        if time.monotonic() - shown_at > SECONDS_BETWEEN_UPDATES or share >= 1.0:
            shown_at = time.monotonic()
            bar.progress(min(share, 1.0), words)
        if picture is not None and time.monotonic() - drawn_at > SECONDS_BETWEEN_PICTURES:
            drawn_at = time.monotonic()
            picture_place.plotly_chart(picture(), theme=None, key=f"{key}_{drawn_at}", alt=words)

    yield show
    place.empty()
