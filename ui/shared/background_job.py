"""Work that goes on while the reader moves the slider: a thread for each job, looked at from time to time."""

import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Job(Generic[T]):
    """Steps of one calculation, taken in a thread of its own; `latest` is the last one, None before the first.

    It begins after `rest` seconds in which it was not cancelled. `finished` once there is nothing more to come;
    `failure` holds what went wrong. The steps may not use Streamlit.
    """

    def __init__(self, steps: Callable[[], Iterator[T]], *, rest: float = 0.0) -> None:
        self.latest: T | None = None
        self.finished = False
        self.failure: Exception | None = None
        self._stop = threading.Event()
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
                for step in steps():
                    self.latest = step
                    if self.cancelled:
                        break
        except Exception as error:
            # Shown where the result would be.
            self.failure = error
        self.finished = True
