"""What happens when the server starts, and while it runs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module

import streamlit as st

from ui.serving.asked_files import asked_files
from ui.serving.ended_visits import forget_again_and_again
from ui.serving.streamlit_limits import limit_streamlit
from ui.work import shared_queue
from ui.work.process_memory import give_back_early, settle

# What the first visitor would wait for.
LIBRARIES = ("pandas", "plotly.graph_objects", "multiloss_core.figures", "multiloss_core.generalisation", "duckdb")


@asynccontextmanager
async def lifespan(_: object) -> AsyncIterator[None]:
    """Load libraries and start workers before the first visitor comes; then let go of visits that have ended."""
    limit_streamlit()
    asked_files()
    give_back_early()
    await asyncio.to_thread(_load)
    forgetting = asyncio.create_task(forget_again_and_again())
    try:
        yield
    finally:
        forgetting.cancel()
        shared_queue().close()
        # The decision log among them, whose journal is then part of its file.
        st.cache_resource.clear()


def _load() -> None:
    queue = shared_queue()
    ready = [queue.add(len, (), seconds=0) for _ in queue.lanes]
    for name in LIBRARIES:
        import_module(name)
    for task in ready:
        task.wait()
    settle()
