"""Work that goes on while the reader moves the slider: a thread for each job, looked at from time to time."""

import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Job(Generic[T]):
    """Steps of one calculation, taken in a thread of its own; `latest` is the last one, None before the first.

    `finished` once there is nothing more to come; `failure` holds what went wrong. The steps may not use Streamlit.
    """

    def __init__(self, steps: Callable[[], Iterator[T]]) -> None:
        self.latest: T | None = None
        self.finished = False
        self.failure: Exception | None = None
        self.cancelled = False
        self._thread = threading.Thread(target=self._run, args=(steps,), daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Stop after the step that is being taken; what is known by then stays."""
        self.cancelled = True

    def wait(self, seconds: float) -> None:
        """Give the job a moment; returns at once when it is finished."""
        self._thread.join(seconds)

    def _run(self, steps: Callable[[], Iterator[T]]) -> None:
        try:
            for step in steps():
                self.latest = step
                if self.cancelled:
                    break
        except Exception as error:
            # Shown where the result would be.
            self.failure = error
        self.finished = True
