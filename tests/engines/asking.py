"""Query an engine in a thread, as the application does, and wait for events."""

import threading
import time

SECONDS = 120


class Asking:
    """A call in another thread: its result or what it raised."""

    def __init__(self, call, *arguments):
        self._result = self._error = None
        self._thread = threading.Thread(target=self._run, args=(call, arguments), daemon=True)
        self._thread.start()

    @property
    def is_over(self):
        return not self._thread.is_alive()

    def result(self, seconds=SECONDS):
        self._thread.join(seconds)
        assert self.is_over, "The question was not answered in time."
        if self._error is not None:
            raise self._error
        return self._result

    def _run(self, call, arguments):
        try:
            self._result = call(*arguments)
        except Exception as error:
            self._error = error


def wait_until(condition, asking, seconds=SECONDS):
    """Wait for something that happens while a question is answered."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert not asking.is_over, "The question was answered before what the test waits for."
        assert time.monotonic() < deadline, "What the test waits for did not happen."
        time.sleep(0.01)
