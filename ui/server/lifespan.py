"""Prepare the server before the first visitor comes; then free what ended sessions held."""

import asyncio
import contextlib
import ctypes
import gc
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module

import streamlit as st

from ui.server import streamlit_runtime
from ui.server.limits import asked_files
from ui.server.work import shared_queue

# What the first visitor would wait for.
LIBRARIES = ("pandas", "plotly.graph_objects", "multiloss_core.figures", "multiloss_core.generalisation", "duckdb")
SECONDS_BETWEEN_LOOKS = 10.0
# Of mallopt(3).
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
# As the system begins with; it would raise the first as arrays are freed, and have eight of the second a processor.
SMALLEST_OF_ITS_OWN, ARENAS = 2**17, 2


@asynccontextmanager
async def lifespan(_: object) -> AsyncIterator[None]:
    """Load libraries and start workers before the first visitor comes; then free what ended sessions held."""
    streamlit_runtime.limit_streamlit()
    asked_files()
    # Arrays lie apart, so that each leaves when it is freed, and threads share what they take for the rest: memory
    # grew by some 100 MB an hour of 20 visitors, though they left nothing behind.
    _call_c_library("mallopt", _MMAP_THRESHOLD, SMALLEST_OF_ITS_OWN)
    _call_c_library("mallopt", _ARENA_MAX, ARENAS)
    await asyncio.to_thread(_load)
    freeing = asyncio.create_task(_free_again_and_again())
    try:
        yield
    finally:
        freeing.cancel()
        shared_queue().close()
        # The decision log among them, whose journal is then part of its file.
        st.cache_resource.clear()


def _load() -> None:
    shared_queue().start()
    for name in LIBRARIES:
        import_module(name)
    # Later searches for unused memory pass over the modules that were loaded: they held every thread up for .05 s.
    gc.collect()
    gc.freeze()


async def _free_again_and_again() -> None:
    """Until cancelled, free files that no widget holds, and sessions without a browser.

    These have been away for `server.disconnectedSessionTTL`. A file leaves with the page that asked for it, as far as
    the page has not taken it over.
    """
    while True:
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        try:
            ended = streamlit_runtime.take_ended_sessions()
            with contextlib.suppress(RuntimeError, KeyError):
                # A widget drawn at this moment is seen the next time.
                asked_files().drop_unclaimed(streamlit_runtime.claimed_files())
        except AttributeError:
            logging.getLogger(__name__).warning("This release of Streamlit does not tell what sessions hold.")
            return
        for session in ended:
            session.shutdown()
            # What still refers to the session holds nothing of its data.
            session.session_state.clear()
        if ended:
            del ended, session
            await asyncio.to_thread(_give_back)


def _give_back() -> None:
    """Have Python, then the C library, give memory back to the system."""
    gc.collect()
    _call_c_library("malloc_trim", 0)


def _call_c_library(function: str, *numbers: int) -> None:
    """Call a function of Linux's C library; elsewhere nothing happens."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            getattr(ctypes.CDLL(None), function)(*numbers)
