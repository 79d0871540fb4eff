"""Calculations in the queue: what they find, in which order, how they end."""

import contextlib
import os
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from multiloss_core import PATH_METHODS, RatedDocuments
from multiloss_core.datasets import RatedDataset
from multiloss_core.thresholds import PathSearch
from multiloss_core.workers import WorkerPool
from tests.server import samples
from ui.data.rated import sample
from ui.operating_point import path_tasks
from ui.operating_point.calculations import find_path
from ui.operating_point.path_tasks import FIRST, PathTasks, Settings
from ui.server.queue import LONG, Task, WorkQueue, shared_queue

SECONDS = 60


@pytest.fixture(scope="module")
def queue():
    return shared_queue()


@pytest.fixture
def one_place(monkeypatch):
    """A queue in which one calculation runs at a time."""
    queue = WorkQueue(1, WorkerPool(1))
    monkeypatch.setattr(queue, "_max_long", 0)
    monkeypatch.setattr(queue, "_has_room", lambda task: not queue._running)
    yield queue
    queue.close()


def result(task):
    assert task.wait(SECONDS)
    assert task.failure is None
    return task.latest


def until(is_so):
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("method", [method.name for method in PATH_METHODS])
def test_a_path_found_by_a_worker_is_that_found_here(queue, method):
    source = sample("Card alerts")
    choice = source.first_choice
    documents = RatedDocuments.from_frame(source.frame, choice.scores, choice.rating, floors=choice.floors)
    search = PathSearch(documents)
    there, here = result(queue.add(find_path, search, method, seconds=1)).path, find_path(search, method).path
    for name in ("thresholds", "tp", "fp"):
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))


def test_values_are_seen_on_the_way_and_the_last_one_stays(queue):
    task = queue.add(samples.count_to, 50, seconds=1)
    until(lambda: task.latest is not None)
    assert task.latest < 50
    assert result(task) == 50
    assert task.finished
    assert not task.cancelled
    assert task.place == 0


def test_two_work_at_once_in_processes_of_their_own(queue, tmp_path):
    first = queue.add(samples.wait_for_file, tmp_path / "released", seconds=1)
    # Another worker answers meanwhile.
    process = result(queue.add(samples.process, seconds=1))
    assert process != os.getpid()
    assert not first.finished
    (tmp_path / "released").touch()
    assert result(first) == "released"


def test_what_hands_its_work_on_is_called_here(queue):
    held = object()
    assert result(queue.add(lambda: (os.getpid(), held), seconds=1, here=True)) == (os.getpid(), held)
    failed = queue.add(samples.fail, seconds=1, here=True)
    assert failed.wait(SECONDS)
    assert str(failed.failure) == "no such number"


def test_steps_here_stop_when_they_are_cancelled(queue):
    stopped = threading.Event()

    def steps():
        try:
            yield from samples.count_to(10_000)
        finally:
            stopped.set()

    task = queue.add(steps, seconds=1, here=True)
    until(lambda: task.latest is not None)
    task.cancel()
    assert task.finished
    assert stopped.wait(SECONDS)
    assert 0 < task.latest < 10_000


def test_long_calculations_leave_a_place_to_a_short_one(tmp_path):
    queue = WorkQueue(2, WorkerPool(1))
    try:
        long = [queue.add(samples.wait_for_file, tmp_path / "released", seconds=LONG + 1) for _ in range(3)]
        # Behind them by far, and not long.
        assert result(queue.add(samples.note, tmp_path / "order", "short", seconds=LONG, behind=1000)) == "short"
        assert [task.is_running for task in long] == [True, True, False]
        (tmp_path / "released").touch()
        assert [result(task) for task in long] == ["released"] * 3
    finally:
        (tmp_path / "released").touch()
        queue.close()


def test_shortest_task_runs_first_and_has_its_place(one_place, tmp_path):
    blocker = one_place.add(samples.wait_for_file, tmp_path / "released", seconds=1)
    tasks = {
        word: one_place.add(samples.note, tmp_path / "order", word, seconds=seconds)
        for word, seconds in (("long", 1000), ("short", 1), ("middle", 100))
    }
    assert [tasks[word].place for word in ("short", "middle", "long")] == [1, 2, 3]
    (tmp_path / "released").touch()
    for task in (blocker, *tasks.values()):
        result(task)
    assert (tmp_path / "order").read_text().split() == ["short", "middle", "long"]


def test_waiting_tasks_age(one_place, tmp_path):
    blocker = one_place.add(samples.wait_for_file, tmp_path / "released", seconds=1)
    old, new = (one_place.add(samples.note, tmp_path / "order", word, seconds=1) for word in ("old", "new"))
    old.due -= 1000
    shorter = one_place.add(samples.note, tmp_path / "order", "shorter", seconds=0)
    (tmp_path / "released").touch()
    for task in (blocker, old, new, shorter):
        result(task)
    assert (tmp_path / "order").read_text().split() == ["old", "shorter", "new"]


def test_what_runs_is_cancelled_at_once_and_its_place_is_free(one_place, tmp_path):
    task = one_place.add(samples.hold, tmp_path / "never", seconds=1)
    until(lambda: task.latest is not None)
    begun = time.monotonic()
    task.cancel()
    assert task.finished
    assert task.cancelled
    process = task.latest
    assert result(one_place.add(samples.process, seconds=1)) != process
    assert time.monotonic() - begun < 10
    until(lambda: not is_alive(process))


def is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_what_waits_is_cancelled_without_being_begun(one_place, tmp_path):
    blocker = one_place.add(samples.wait_for_file, tmp_path / "released", seconds=1)
    cancelled = one_place.add(samples.note, tmp_path / "order", "cancelled", seconds=1)
    resting = one_place.add(samples.note, tmp_path / "order", "resting", seconds=1, rest=3600)
    for task in (cancelled, resting):
        task.cancel()
        assert task.wait(0)
        assert task.latest is None
    (tmp_path / "released").touch()
    result(blocker)
    result(one_place.add(samples.note, tmp_path / "order", "last", seconds=1))
    assert (tmp_path / "order").read_text().split() == ["last"]


def test_work_of_a_session_that_has_ended_is_given_up(queue):
    task = queue.add(samples.count_to, 10**9, seconds=1, wanted=lambda: False, grace_seconds=0.5)
    assert task.wait(SECONDS)
    assert task.cancelled


def test_a_session_that_comes_back_in_time_keeps_its_work(queue):
    answers = iter([False, True] * 50)
    task = queue.add(samples.count_to, 20, seconds=1, wanted=lambda: next(answers, True), grace_seconds=3600)
    assert result(task) == 20


@pytest.mark.parametrize(
    ("function", "kind", "words"),
    [(samples.fail, ValueError, "no such number"), (samples.fail_oddly, RuntimeError, "OddError: made here")],
)
def test_failed_task_keeps_its_error_and_others_run(queue, function, kind, words):
    task = queue.add(function, seconds=1)
    assert task.wait(SECONDS)
    assert type(task.failure) is kind
    assert str(task.failure) == words
    assert result(queue.add(samples.count_to, 1, seconds=1)) == 1


@pytest.mark.parametrize("step", [None, 1])
def test_a_result_recorded_while_a_step_is_read_stays(step):
    class CallThatEndsWhenRead:
        @property
        def latest(self):
            task.note(2)
            task.end()
            return step

    task = Task(WorkQueue(1, WorkerPool(1)), (samples.count_to, (2,)), seconds=1)
    task.calls.append(CallThatEndsWhenRead())
    assert task.latest == 2
    assert task.latest == 2


def test_a_shared_search_that_sessions_begin_is_begun_once(monkeypatch):
    waiting, added = threading.Barrier(2, timeout=SECONDS), []

    class SlowQueue:
        def add(self, function, search, name, **options):
            # Long enough for the other session to come this far, unless it waits for this one.
            with contextlib.suppress(threading.BrokenBarrierError):
                waiting.wait(0.2)
            added.append(name)
            return name

    source = sample("Card alerts")
    dataset = RatedDataset.of(source, source.first_choice)
    searches = replace(PathTasks.of(dataset, Settings("any", "positives", 20)), is_shared=True)
    monkeypatch.setattr(path_tasks, "shared_queue", SlowQueue)
    sessions = [threading.Thread(target=searches.begin, args=(FIRST,)) for _ in range(2)]
    for session in sessions:
        session.start()
    for session in sessions:
        session.join(SECONDS)
    assert sorted(added) == sorted(FIRST)
