"""Queue the calculations of all sessions: what takes least comes first, and waiting makes it more urgent."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from functools import lru_cache, partial
from threading import Condition, Event, Thread
from typing import Any, Generic, TypeVar

from multiloss_core.workers import Call, WorkerPool, calls_of_this_thread, shared_pool

T = TypeVar("T")

# A calculation of so many seconds more is overtaken by those that come up to this many times later.
WEIGHT = 4.0
# In seconds: calculations as long leave one place to short ones.
LONG = 2.0
# So long a browser may be away, as on a train, before its work is given up.
PATIENCE = 20.0
SECONDS_BETWEEN_LOOKS = 0.5


class Task(Generic[T]):
    """A calculation in the queue; `latest` is its last value, None before the first.

    `finished` once there is nothing more to come; `failure` holds what went wrong. `seconds` are what it may take, and
    it waits `rest` seconds in which it may be cancelled for nothing; those as long that come up to `behind` seconds
    later pass it. `here`: a thread of this process runs it, and hands what takes long to a worker itself. Once `wanted`
    has returned False for `patience` seconds, it is cancelled.
    """

    def __init__(
        self,
        queue: "WorkQueue",
        work: tuple[Callable[..., Iterator[T] | T], tuple[Any, ...]],
        *,
        seconds: float,
        rest: float = 0.0,
        behind: float = 0.0,
        here: bool = False,
        wanted: Callable[[], bool] = lambda: True,
        patience: float = PATIENCE,
    ) -> None:
        now = time.monotonic()
        self.finished = False
        self.cancelled = False
        self.failure: Exception | None = None
        self.is_running = False
        self.work: tuple[Callable[..., Iterator[T] | T], tuple[Any, ...]] | None = work
        self.here = here
        self.is_long = seconds > LONG
        self.begins = now + rest
        self.due = self.begins + WEIGHT * seconds + behind
        self.calls: list[Call[Any]] = []
        self._queue = queue
        self._value: T | None = None
        self._wanted, self._patience, self._last_wanted = wanted, patience, now
        self._end = Event()

    @property
    def latest(self) -> T | None:
        """Return the last value known by now; of what was cancelled, the last one before."""
        if not self.finished and not self.here and self.calls:
            found: T | None = self.calls[0].latest
            self._value = self._value if found is None else found
        return self._value

    @property
    def place(self) -> int:
        """Count the calculations that come first; 0 for one that runs."""
        return self._queue.place(self)

    def cancel(self) -> None:
        """Stop at once; what is known by then stays."""
        self._queue.cancel(self)

    def wait(self, seconds: float | None = None) -> bool:
        """Give it so many seconds, or as many as it takes; return whether it has finished."""
        return self._end.wait(seconds)

    def note(self, value: T | None) -> None:
        """Take a value."""
        if value is not None and not self.finished:
            self._value = value

    def end(self) -> None:
        """Take note that nothing more is to come; arguments, which may be large, are forgotten."""
        self.finished, self.work = True, None
        self._end.set()

    def is_given_up(self, now: float) -> bool:
        """Tell whether no browser has waited for it for too long."""
        if self._wanted():
            self._last_wanted = now
        return now - self._last_wanted > self._patience


class WorkQueue:
    """Run as many calculations at once as there are processors, and one more that is short."""

    def __init__(self, processors: int, pool: WorkerPool) -> None:
        self._most_long, self._pool = processors, pool
        # One for the short calculation, one that is ready before another has been replaced.
        pool.size = processors + 2
        self._tasks: list[Task[Any]] = []
        # Those whose process or thread has not ended: a cancelled one frees its place when it does.
        self._running: set[Task[Any]] = set()
        self._changed = Condition()
        self._thread: Thread | None = None
        self._is_open = True

    def start(self) -> None:
        """Start the workers, so that the first calculation need not wait for them."""
        self._pool.start()

    def add(self, function: Callable[..., Iterator[T] | T], *arguments: Any, **options: Any) -> Task[T]:
        """Put a calculation into the queue: what `function(*arguments)` returns, or the values of its generator.

        The function must be one that a worker can import, unless it is called `here`. The options are those of `Task`.
        """
        task: Task[T] = Task(self, (function, arguments), **options)
        with self._changed:
            self._tasks.append(task)
            if self._thread is None:
                self._thread = Thread(target=self._dispatch, name="work queue", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return task

    def cancel(self, task: Task[Any]) -> None:
        """Take a calculation out, and end its worker."""
        with self._changed:
            if not task.finished:
                # Read before the worker forgets it.
                task.note(task.latest)
                task.cancelled = True
                self._take_out(task)
        for call in task.calls:
            call.cancel()

    def place(self, task: Task[Any]) -> int:
        """Count the calculations that come before one that waits; those that run are among them."""
        with self._changed:
            if task.finished or task.is_running:
                return 0
            return sum(other is not task and (other.is_running or other.due < task.due) for other in self._tasks)

    def close(self) -> None:
        """Cancel everything and end the workers."""
        with self._changed:
            self._is_open = False
            tasks = list(self._tasks)
            self._changed.notify_all()
        for task in tasks:
            task.cancel()
        if self._thread is not None:
            self._thread.join()
        self._pool.close()

    def _dispatch(self) -> None:
        while (task := self._next()) is not None:
            if task.here:
                Thread(target=self._run_here, args=(task,), name="work here", daemon=True).start()
                continue
            try:
                function, arguments = task.work or (_nothing, ())
                call = self._pool.submit(function, *arguments)
            except Exception as error:
                # Such as arguments that cannot be sent.
                self._finish(task, error)
                continue
            task.calls.append(call)
            call.future.add_done_callback(partial(self._collect, task, call))
            if task.cancelled:
                call.cancel()

    def _next(self) -> Task[Any] | None:
        """Wait for a calculation that may begin; None once the queue is closed."""
        with self._changed:
            while self._is_open:
                now = time.monotonic()
                for task in [task for task in self._tasks if task.is_given_up(now)]:
                    task.cancel()
                free = [task for task in self._tasks if not task.is_running and self._has_room(task)]
                ready = [task for task in free if task.begins <= now]
                if ready:
                    task = min(ready, key=lambda task: task.due)
                    task.is_running = True
                    self._running.add(task)
                    return task
                pause = min((task.begins - now for task in free), default=SECONDS_BETWEEN_LOOKS)
                self._changed.wait(min(pause, SECONDS_BETWEEN_LOOKS) if self._tasks else None)
        return None

    def _has_room(self, task: Task[Any]) -> bool:
        long = sum(other.is_long for other in self._running)
        return len(self._running) <= self._most_long and (not task.is_long or long < self._most_long)

    def _run_here(self, task: Task[Any]) -> None:
        calls_of_this_thread.set(task.calls)
        try:
            function, arguments = task.work or (_nothing, ())
            found = function(*arguments)
            if isinstance(found, Iterator):
                for step in found:
                    task.note(step)
                    if task.cancelled:
                        break
            else:
                task.note(found)
        except Exception as error:
            self._finish(task, error)
        else:
            self._finish(task)

    def _collect(self, task: Task[Any], call: Call[Any], _: object) -> None:
        """Take the result of a worker."""
        try:
            task.note(call.result())
        except CancelledError:
            self._finish(task)
        except Exception as error:
            self._finish(task, error)
        else:
            self._finish(task)

    def _finish(self, task: Task[Any], failure: Exception | None = None) -> None:
        with self._changed:
            self._running.discard(task)
            if not task.finished:
                task.failure = failure
                self._take_out(task)
            self._changed.notify_all()

    def _take_out(self, task: Task[Any]) -> None:
        if task in self._tasks:
            self._tasks.remove(task)
        task.is_running = False
        task.end()
        self._changed.notify_all()


def _nothing() -> None:
    """Stand for a calculation that was cancelled before it began."""


@lru_cache(maxsize=1)
def shared_queue() -> WorkQueue:
    """Return the queue of this program."""
    processors = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return WorkQueue(processors, shared_pool())
