"""Prepare the server before the first session; free memory and remove old files."""

import asyncio
import contextlib
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module

import streamlit as st

from multiloss_core import DataError
from multiloss_core.workers import M_MMAP_THRESHOLD, MAPPED_BYTES, call_c_library, shared_pool
from ui.server import streamlit_runtime
from ui.server.file_store import file_store
from ui.server.limits import issued_files
from ui.server.queue import shared_queue

# Load these before the first session: libraries, and all public names of the core's packages.
LIBRARIES = ("pandas", "plotly.graph_objects", "duckdb")
PACKAGES = (
    "datasets",
    "decisions",
    "engines",
    "figures",
    "generalisation",
    "inspection",
    "losses",
    "tables",
    "thresholds",
    "thresholds.targets",
)
# Functions of these run in workers.
WORKER_MODULES = ("ui.operating_point.calculations",)
SECONDS_BETWEEN_POLLS, SECONDS_BETWEEN_SWEEPS = 10.0, 3600.0
# An option of mallopt(3) and its value: threads share arenas, so that memory does not grow.
M_ARENA_MAX, ARENAS = -8, 2


@asynccontextmanager
async def lifespan(_: object) -> AsyncIterator[None]:
    """Load libraries and start workers; then free memory and remove old files."""
    streamlit_runtime.limit_streamlit()
    issued_files()
    call_c_library("mallopt", M_MMAP_THRESHOLD, MAPPED_BYTES)
    call_c_library("mallopt", M_ARENA_MAX, ARENAS)
    await asyncio.to_thread(_load)
    cleaning = [asyncio.create_task(task) for task in (_free_memory(), _remove_old_files())]
    try:
        yield
    finally:
        for task in cleaning:
            task.cancel()
        shared_queue().close()
        # Also closes the decision log, which merges its journal into the file.
        st.cache_resource.clear()


def _load() -> None:
    shared_pool().preloaded.extend(WORKER_MODULES)
    shared_queue().start()
    for name in LIBRARIES:
        import_module(name)
    for name in PACKAGES:
        package = import_module(f"multiloss_core.{name}")
        for public in package.__all__:
            getattr(package, public)
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


async def _remove_old_files() -> None:
    """Remove stored files whose time is over until cancelled."""
    while True:
        # Without valid settings the pages are closed or name the fault.
        with contextlib.suppress(DataError):
            await asyncio.to_thread(file_store().tidy)
        await asyncio.sleep(SECONDS_BETWEEN_SWEEPS)


def _release_memory() -> None:
    """Return unused memory to the system."""
    gc.collect()
    call_c_library("malloc_trim", 0)
