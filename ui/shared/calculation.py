"""Calculations of this visit in the queue of all visitors: begun, waited for with the place in the queue in sight."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import lru_cache
from itertools import count
from typing import Any, TypeVar

import streamlit as st
from streamlit import runtime

from multiloss_core import DataError
from ui.shared.session import session
from ui.work import Here, Task, WorkerLostError, WorkQueue, shared_queue
from ui.work.background_job import visit_is_open
from ui.work.turns import script_turns

T = TypeVar("T")

SECONDS_BETWEEN_LOOKS = 0.2
# A wait as short as this is not worth words about others.
LOOKS_WITHOUT_PLACE = 4


def begin(
    function: Callable[..., Iterator[T] | T],
    *arguments: Any,
    seconds: float,
    rest: float = 0.0,
    behind: float = 0.0,
    here: bool = False,
) -> Task[T]:
    """Put a calculation of this visit into the queue; it ends with the visit. See `WorkQueue.add`."""
    wanted = visit_is_open()
    return _queue().add(function, *arguments, seconds=seconds, rest=rest, behind=behind, here=here, wanted=wanted)


def wait_for(tasks: Iterable[Task[Any]], words: str | None = None) -> None:
    """Wait until tasks have finished, under some words unless the caller shows its own.

    Raises DataError where a worker was ended.
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


def has_workers() -> bool:
    """Whether calculations go on beside the script: not where pages run without a server."""
    # Streamlit's AppTest puts a stand-in there.
    return runtime.exists() and type(runtime.get_instance()) is runtime.Runtime


def _watch(tasks: tuple[Task[Any], ...]) -> None:
    queue_place, said = st.empty(), 0
    for look in count():
        waiting = [task for task in tasks if not task.wait(SECONDS_BETWEEN_LOOKS)]
        if not waiting:
            return
        ahead = max(task.place for task in waiting) if look >= LOOKS_WITHOUT_PLACE else 0
        if ahead != said:
            said = ahead
            queue_place.caption(_place_words(ahead)) if ahead else queue_place.empty()
        # Streamlit ends a run that nobody waits for any more at such a call.
        session()


def _place_words(ahead: int) -> str:
    return f"All processors are in use: {ahead} calculation{'' if ahead == 1 else 's'} of this server's visitors first."


def _queue() -> WorkQueue:
    return shared_queue() if has_workers() else _queue_in_this_process()


@lru_cache(maxsize=1)
def _queue_in_this_process() -> WorkQueue:
    return WorkQueue(1, Here)
