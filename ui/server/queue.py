"""Queue the calculations of all sessions: shortest first, with ageing."""

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

# Priority in seconds of waiting for each second of a calculation.
WEIGHT = 4.0
# In seconds: longer calculations leave one place to short ones.
LONG = 2.0
# Grace period after a disconnect.
GRACE_SECONDS = 20.0
SECONDS_BETWEEN_POLLS = 0.5


class Task(Generic[T]):
    """Hold a calculation in the queue; `latest` is its last value, None before the first.

    `failure`: the exception raised. `seconds`: the expected duration. `rest`: the delay before it may begin. `behind`:
    seconds by which equally long tasks may overtake it. `here`: run it in a thread of this process instead of a worker.
    It is cancelled once `wanted` has returned False for `grace_seconds`.
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
        grace_seconds: float = GRACE_SECONDS,
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
        self._step: T | None = None
        self._wanted, self._grace_seconds, self._last_wanted = wanted, grace_seconds, now
        self._end = Event()

    @property
    def latest(self) -> T | None:
        """Return the last value, also of a cancelled task."""
        if not self.finished and not self.here and self.calls and (found := self.calls[0].latest) is not None:
            # Apart from the result, which another thread may record at this moment.
            self._step = found
        return self._step if self._value is None else self._value

    @property
    def place(self) -> int:
        """Count the preceding calculations; 0 for a running one."""
        return self._queue.place(self)

    def cancel(self) -> None:
        """Cancel the task and keep its last value."""
        self._queue.cancel(self)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait at most `seconds`; return whether the task has finished."""
        return self._end.wait(seconds)

    def note(self, value: T | None) -> None:
        """Record a value."""
        if value is not None and not self.finished:
            self._value = value

    def end(self) -> None:
        """Mark the task as finished and free its arguments."""
        self.finished, self.work = True, None
        self._end.set()

    def is_given_up(self, now: float) -> bool:
        """Return whether its session has been away beyond the grace period."""
        if self._wanted():
            self._last_wanted = now
        return now - self._last_wanted > self._grace_seconds


class WorkQueue:
    """Run one calculation for each processor, and one more short one."""

    def __init__(self, processors: int, pool: WorkerPool) -> None:
        self._max_long, self._pool = processors, pool
        # One more for the short calculation, and a spare that is ready while another is replaced.
        pool.size = processors + 2
        self._tasks: list[Task[Any]] = []
        # A cancelled task frees its place when its process or thread ends.
        self._running: set[Task[Any]] = set()
        self._changed = Condition()
        self._thread: Thread | None = None
        self._is_open = True

    def start(self) -> None:
        """Start the workers before the first calculation."""
        self._pool.start()

    def add(self, function: Callable[..., Iterator[T] | T], *arguments: Any, **options: Any) -> Task[T]:
        """Queue `function(*arguments)`; the task's values are its result or those of its generator.

        Workers must be able to import the function, unless it runs `here`. The options are those of `Task`.
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
        """Remove a calculation and stop its worker."""
        with self._changed:
            if not task.finished:
                # Read before the worker forgets it.
                task.note(task.latest)
                task.cancelled = True
                self._take_out(task)
        for call in task.calls:
            call.cancel()

    def place(self, task: Task[Any]) -> int:
        """Count the running and waiting calculations before a waiting one."""
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
                pause = min((task.begins - now for task in free), default=SECONDS_BETWEEN_POLLS)
                self._changed.wait(min(pause, SECONDS_BETWEEN_POLLS) if self._tasks else None)
        return None

    def _has_room(self, task: Task[Any]) -> bool:
        long = sum(other.is_long for other in self._running)
        return len(self._running) <= self._max_long and (not task.is_long or long < self._max_long)

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
    if sys.platform == "linux":
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    return WorkQueue(processors, shared_pool())
