"""The queue of all visitors' calculations: what takes least comes first, and nothing waits for ever."""

import os
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import count
from threading import Condition, Event, Thread
from typing import Any, Generic, TypeVar

from ui.work.lanes import Lane, new_lane
from ui.work.steps import Answer, Order, follow

T = TypeVar("T")

# A calculation of so many seconds more is overtaken by those that come up to this many times later.
WEIGHT = 4.0
# In seconds: of steps as long, which none can pass, all but one lane take one at a time.
LONG_STEP = 2.0
# As many files are read at once: a further reading would hold its lane for nothing.
MOST_HERE = 2
# So long a browser may be away, as on a train, before its work is given up.
PATIENCE = 20.0
LOST = "The process that calculated this was ended, perhaps because the server ran out of memory; try again."


class WorkerLostError(RuntimeError):
    """The process that worked on a calculation has ended."""


class Task(Generic[T]):
    """A calculation in the queue; `latest` is its last step, None before the first.

    `finished` once there is nothing more to come; `failure` holds what went wrong. `seconds` are what it may take, and
    it waits `rest` seconds in which it may be cancelled for nothing; those as long that come up to `behind` seconds
    later pass it. `here`: it is called in this process and waits for a process of its own, while its lane rests. Once
    `wanted` has said for `patience` seconds that nobody waits for it, it is cancelled.
    """

    def __init__(
        self,
        queue: "WorkQueue",
        order: Order,
        *,
        seconds: float,
        rest: float = 0.0,
        behind: float = 0.0,
        here: bool = False,
        wanted: Callable[[], bool] = lambda: True,
        patience: float = PATIENCE,
    ) -> None:
        now = time.monotonic()
        self.latest: T | None = None
        self.finished = False
        self.cancelled = False
        self.failure: Exception | None = None
        self.is_running = False
        self.order = order
        self.here = here
        self.is_long_step = here and seconds > LONG_STEP
        self.begins = now + rest
        self.due = self.begins + WEIGHT * seconds + behind
        self.lane: int | None = None
        self._queue = queue
        self._wanted, self._patience, self._last_wanted = wanted, patience, now
        self._end = Event()

    @property
    def place(self) -> int:
        """How many calculations come first; 0 for one that is worked on."""
        return self._queue.place(self)

    def cancel(self) -> None:
        """Stop after the step that is being taken; what is known by then stays."""
        self._queue.cancel(self)

    def wait(self, seconds: float | None = None) -> bool:
        """Give it so many seconds, or as many as it takes; tells whether it has finished."""
        return self._end.wait(seconds)

    def note(self, answer: Answer) -> None:
        """Take what a step gave."""
        if answer.error is not None:
            self.failure = answer.error
        elif not answer.ended or answer.value is not None:
            self.latest = answer.value
        if answer.ended or answer.error is not None or self.cancelled:
            self.end()

    def end(self) -> None:
        """Nothing more is to come."""
        # Arguments may be large.
        self.order = Order(self.order.number)
        self.finished = True
        self._end.set()

    def is_given_up(self, now: float) -> bool:
        """Tell whether nobody has waited for it for too long."""
        if self._wanted():
            self._last_wanted = now
        return now - self._last_wanted > self._patience


class WorkQueue:
    """Takes steps of calculations, at most one in each lane at a time; a calculation stays in the lane it began in."""

    def __init__(self, lanes: int, lane: Callable[[], Lane] = new_lane) -> None:
        self.lanes = [lane() for _ in range(lanes)]
        self._numbers = count()
        self._tasks: list[Task[Any]] = []
        self._dropped: list[list[int]] = [[] for _ in self.lanes]
        self._changed = Condition()
        self._threads: list[Thread] = []
        self._is_open = True

    def add(
        self,
        function: Callable[..., Iterator[T] | T],
        *arguments: Any,
        seconds: float,
        rest: float = 0.0,
        behind: float = 0.0,
        here: bool = False,
        wanted: Callable[[], bool] = lambda: True,
        patience: float = PATIENCE,
    ) -> Task[T]:
        """Put a calculation into the queue: what `function(*arguments)` returns, or its steps.

        The function must be one that a worker can import, unless it is called `here`; then it has one step.
        """
        order = Order(next(self._numbers), function, arguments)
        task: Task[T] = Task(
            self, order, seconds=seconds, rest=rest, behind=behind, here=here, wanted=wanted, patience=patience
        )
        with self._changed:
            self._tasks.append(task)
            if not self._threads:
                self._threads = [
                    Thread(target=self._work, args=(place,), name=f"work {place}", daemon=True)
                    for place in range(len(self.lanes))
                ]
                for thread in self._threads:
                    thread.start()
            self._changed.notify_all()
        return task

    def cancel(self, task: Task[Any]) -> None:
        """Take a calculation out, after the step that is being taken."""
        with self._changed:
            if not task.finished:
                task.cancelled = True
                if not task.is_running:
                    self._take_out(task)

    def place(self, task: Task[Any]) -> int:
        """Count the calculations that come before one that waits; those that are worked on are among them."""
        with self._changed:
            if task.finished or task.is_running:
                return 0
            return sum(other is not task and (other.is_running or other.due < task.due) for other in self._tasks)

    def close(self) -> None:
        """Cancel everything and end the lanes."""
        with self._changed:
            self._is_open = False
            for task in list(self._tasks):
                task.cancelled = True
                if not task.is_running:
                    self._take_out(task)
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        for lane in self.lanes:
            lane.close()

    def _work(self, place: int) -> None:
        while (taken := self._next(place)) is not None:
            task, order = taken
            try:
                answer = follow(order, {}) if task.here else self.lanes[place].follow(order)
            except (EOFError, OSError):
                self._lose(place)
                answer = Answer(error=WorkerLostError(LOST))
            except Exception as error:
                # Such as arguments that cannot be sent.
                answer = Answer(error=error)
            with self._changed:
                task.is_running = False
                task.note(answer)
                if task.finished:
                    self._take_out(task)
                self._changed.notify_all()

    def _next(self, place: int) -> tuple[Task[Any], Order] | None:
        """Wait for a step that this lane may take; None once the queue is closed."""
        with self._changed:
            while self._is_open:
                now = time.monotonic()
                for task in [task for task in self._tasks if not task.is_running and task.is_given_up(now)]:
                    task.cancelled = True
                    self._take_out(task)
                free = [
                    task
                    for task in self._tasks
                    if not task.is_running and task.lane in {None, place} and self._has_room(task)
                ]
                ready = [task for task in free if task.begins <= now]
                if ready:
                    task = min(ready, key=lambda task: task.due)
                    order, task.lane, task.is_running = task.order, place, True
                    task.order = Order(order.number)
                    dropped: list[int] = []
                    if not task.here:
                        dropped, self._dropped[place] = self._dropped[place], []
                    return task, Order(order.number, order.function, order.arguments, tuple(dropped))
                self._changed.wait(min((task.begins - now for task in free), default=None))
        return None

    def _has_room(self, task: Task[Any]) -> bool:
        """Tell whether a lane would not have to wait for what others do `here`, and one stays for what is short."""
        running = [other for other in self._tasks if other.is_running and other.here]
        long_steps = sum(other.is_long_step for other in running)
        return not task.here or (
            len(running) < MOST_HERE and (not task.is_long_step or long_steps < max(len(self.lanes) - 1, 1))
        )

    def _lose(self, place: int) -> None:
        """Start the lane anew; what it kept besides the step that it was taking has failed."""
        with self._changed:
            self.lanes[place].close()
            self._dropped[place] = []
            for task in [task for task in self._tasks if task.lane == place and not task.is_running]:
                task.note(Answer(error=WorkerLostError(LOST)))
                self._take_out(task)

    def _take_out(self, task: Task[Any]) -> None:
        if task in self._tasks:
            self._tasks.remove(task)
            if task.lane is not None:
                self._dropped[task.lane].append(task.order.number)
        if not task.finished:
            task.end()


@lru_cache(maxsize=1)
def shared_queue() -> WorkQueue:
    """Return the queue of this program: as many lanes as there are processors for it."""
    return WorkQueue(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
