"""Work that goes on while the reader moves the slider: a thread for each job, looked at from time to time."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

T = TypeVar("T")

# So long a browser may be away, as on a train, before its work is given up.
PATIENCE = 20.0


def visit_is_open() -> Callable[[], bool]:
    """Make what tells, in any thread, whether the visit that this is called in still has its browser."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return lambda: True
    server, visit = runtime.get_instance(), context.session_id
    return lambda: server.is_active_session(visit)


class Job(Generic[T]):
    """Steps of one calculation, taken in a thread of its own; `latest` is the last one, None before the first.

    It begins after `rest` seconds in which it was not cancelled. `finished` once there is nothing more to come;
    `failure` holds what went wrong. The steps may not use Streamlit. Once `wanted` has said for `patience` seconds that
    nobody waits for it, the job is cancelled: by default, when its visit has ended.
    """

    def __init__(
        self,
        steps: Callable[[], Iterator[T]],
        *,
        rest: float = 0.0,
        wanted: Callable[[], bool] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self.latest: T | None = None
        self.finished = False
        self.failure: Exception | None = None
        self._stop = threading.Event()
        self._wanted = wanted or visit_is_open()
        self._patience = patience
        self._thread = threading.Thread(target=self._run, args=(steps, rest), daemon=True)
        self._thread.start()

    @property
    def cancelled(self) -> bool:
        """Tell whether it shall stop."""
        return self._stop.is_set()

    def cancel(self) -> None:
        """Stop after the step that is being taken; what is known by then stays."""
        self._stop.set()

    def wait(self, seconds: float) -> None:
        """Give the job a moment; returns at once when it is finished."""
        self._thread.join(seconds)

    def _run(self, steps: Callable[[], Iterator[T]], rest: float) -> None:
        try:
            # Without a rest the first step is taken in any case.
            if not (rest and self._stop.wait(rest)):
                last_wanted = time.monotonic()
                for step in steps():
                    self.latest = step
                    if self._wanted():
                        last_wanted = time.monotonic()
                    elif time.monotonic() - last_wanted > self._patience:
                        self.cancel()
                    if self.cancelled:
                        break
        except Exception as error:
            # Shown where the result would be.
            self.failure = error
        self.finished = True
