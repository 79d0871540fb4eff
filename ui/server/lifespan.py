"""Prepare the server before the first session; free the memory of ended sessions."""

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
from ui.server.limits import issued_files
from ui.server.queue import shared_queue

# Load these before the first session.
LIBRARIES = ("pandas", "plotly.graph_objects", "multiloss_core.figures", "multiloss_core.generalisation", "duckdb")
SECONDS_BETWEEN_POLLS = 10.0
# Options of mallopt(3), and values that stop memory from growing: arrays get their own mappings, threads share arenas.
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
MMAP_THRESHOLD_BYTES, ARENAS = 2**17, 2
SMALLEST_OF_ITS_OWN, ARENAS = 2**17, 2


@asynccontextmanager
async def lifespan(_: object) -> AsyncIterator[None]:
    """Load libraries and start workers; then free the memory of ended sessions."""
    streamlit_runtime.limit_streamlit()
    issued_files()
    _call_c_library("mallopt", _MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES)
    _call_c_library("mallopt", _ARENA_MAX, ARENAS)
    await asyncio.to_thread(_load)
    freeing = asyncio.create_task(_free_memory())
    try:
        yield
    finally:
        freeing.cancel()
        shared_queue().close()
        # Also closes the decision log, which merges its journal into the file.
        st.cache_resource.clear()


def _load() -> None:
    shared_queue().start()
    for name in LIBRARIES:
        import_module(name)
    # Exclude loaded modules from garbage collection, which stops every thread.
    gc.collect()
    gc.freeze()


async def _free_memory() -> None:
    """Free unclaimed files and ended sessions until cancelled."""
    while True:
        await asyncio.sleep(SECONDS_BETWEEN_POLLS)
        try:
            ended = streamlit_runtime.take_ended_sessions()
            with contextlib.suppress(RuntimeError, KeyError):
                # The next poll sees a widget drawn at this moment.
                issued_files().drop_unclaimed(streamlit_runtime.claimed_files())
        except AttributeError:
            logging.getLogger(__name__).warning("This release of Streamlit does not expose the sessions' data.")
            return
        for session in ended:
            session.shutdown()
            # Remaining references to the session hold no data.
            session.session_state.clear()
        if ended:
            del ended, session
            await asyncio.to_thread(_release_memory)


def _release_memory() -> None:
    """Return unused memory to the system."""
    gc.collect()
    _call_c_library("malloc_trim", 0)


def _call_c_library(function: str, *numbers: int) -> None:
    """Call a function of Linux's C library; do nothing on other systems."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            getattr(ctypes.CDLL(None), function)(*numbers)
