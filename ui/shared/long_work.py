"""Start, watch and cancel long calculations of this session."""

import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from typing import Any, Protocol, TypeVar

import plotly.graph_objects as go
import streamlit as st

from multiloss_core import DataError
from multiloss_core.formatting import plural
from multiloss_core.workers import WorkerLostError
from ui.server.queue import Task, shared_queue
from ui.server.script_limit import script_turns
from ui.server.streamlit_runtime import session_is_open
from ui.shared.session import session

T = TypeVar("T")

SECONDS_BETWEEN_POLLS = 0.1
SECONDS_BETWEEN_PICTURES = 0.5
# A short wait does not show the queue.
POLLS_WITHOUT_PLACE = 8


def begin(function: Callable[..., Iterator[T] | T], *arguments: Any, seconds: float, **options: Any) -> Task[T]:
    """Queue a calculation that ends with this session; see `WorkQueue.add`."""
    return shared_queue().add(function, *arguments, seconds=seconds, wanted=session_is_open(), **options)


def ask_task(
    kind: str,
    key: Hashable,
    function: Callable[..., Iterator[T] | T],
    *arguments: Any,
    retry: bool = False,
    **options: Any,
) -> Task[T]:
    """Return this session's task of a kind and key; see `SessionTasks.ask` and `begin`."""
    return session().tasks.ask(kind, key, lambda: begin(function, *arguments, **options), retry=retry)


def wait_for(tasks: Iterable[Task[Any]], words: str | None = None) -> None:
    """Wait until tasks have finished, with a spinner if there are `words`.

    Raises DataError where a worker died.
    """
    tasks = tuple(tasks)
    if not all(task.finished for task in tasks):
        place = st.empty()
        with place.container(), st.spinner(words) if words else nullcontext(), script_turns.paused():
            _watch(tasks)
        place.empty()
    for task in tasks:
        if isinstance(task.failure, WorkerLostError):
            raise DataError(str(task.failure)) from task.failure
        if task.failure is not None:
            raise task.failure


class Show(Protocol):
    """Show progress: a share from 0 to 1, its description and an optional figure."""

    def __call__(self, share: float, words: str, picture: Callable[[], go.Figure] | None = None, /) -> None:
        """Show it, unless it was shown a moment ago."""


@contextmanager
def stoppable(key: str) -> Iterator[Show]:
    """Show a progress bar with Cancel while the body runs; other inputs also stop it.

    The body calls the yielded function after each part and keeps results in the session state: Streamlit ends the run
    at such a call after any input.
    """
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, "Starting")
        st.button("Cancel", key=key)
        st.caption("Changing anything on the page also stops it. Finished parts are kept.")
        picture_place = st.empty()
    shown_at = drawn_at = 0.0

    def show(share: float, words: str, picture: Callable[[], go.Figure] | None = None, /) -> None:
        nonlocal shown_at, drawn_at
        if time.monotonic() - shown_at > SECONDS_BETWEEN_POLLS or share >= 1.0:
            shown_at = time.monotonic()
            bar.progress(min(share, 1.0), words)
        if picture is not None and time.monotonic() - drawn_at > SECONDS_BETWEEN_PICTURES:
            drawn_at = time.monotonic()
            picture_place.plotly_chart(picture(), theme=None, key=f"{key}_{drawn_at}", alt=words)

    yield show
    place.empty()


def _watch(tasks: tuple[Task[Any], ...]) -> None:
    queue_place, shown = st.empty(), 0
    for poll in count():
        waiting = [task for task in tasks if not task.wait(SECONDS_BETWEEN_POLLS)]
        if not waiting:
            return
        ahead = max(task.place for task in waiting) if poll >= POLLS_WITHOUT_PLACE else 0
        if ahead != shown:
            shown = ahead
            queue_place.caption(_place_words(ahead)) if ahead else queue_place.empty()
        # Streamlit ends an outdated run at such a call.
        session()


def _place_words(ahead: int) -> str:
    return f"All processors are busy: {plural(ahead, 'calculation', 'are')} ahead of yours."
