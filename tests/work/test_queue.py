"""Calculations in worker processes: what they find, in which order, how they end, and that arrays are not copied."""

import gc
import os
import signal
import socket
import threading
from itertools import pairwise

import numpy as np
import pytest

from multiloss_core import PATH_METHODS, RatedDocuments
from multiloss_core.thresholds import PathSearch
from tests.work import samples
from ui.data.rated import sample
from ui.operating_point.calculations import find_path
from ui.work import Here, WorkerLostError, WorkQueue
from ui.work.channel import Channel

SECONDS = 60


@pytest.fixture
def queue():
    queue = WorkQueue(2)
    yield queue
    queue.close()


@pytest.fixture
def one_lane():
    queue = WorkQueue(1, Here)
    yield queue
    queue.close()


def result(task):
    assert task.wait(SECONDS)
    assert task.failure is None
    return task.latest


@pytest.mark.parametrize("method", [method.name for method in PATH_METHODS])
def test_a_path_found_by_a_worker_is_that_found_here(queue, method):
    source = sample("Card alerts")
    choice = source.first_choice
    documents = RatedDocuments.from_frame(source.frame, choice.scores, choice.rating, floors=choice.floors)
    search = PathSearch(documents)
    there, here = result(queue.add(find_path, search, method, seconds=1)).path, find_path(search, method).path
    for name in ("thresholds", "tp", "fp"):
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))


def test_steps_come_one_by_one_and_what_ended_is_finished(queue):
    task = queue.add(samples.count_to, 3, seconds=1)
    assert result(task) == 3
    assert task.finished
    assert not task.cancelled
    assert task.place == 0


def test_a_calculation_stays_in_its_process_and_two_work_at_once(queue, tmp_path):
    first = queue.add(samples.wait_for_file, tmp_path / "let go", seconds=1)
    # The other lane answers meanwhile.
    process = result(queue.add(samples.process, seconds=1))
    assert process != os.getpid()
    assert not first.finished
    (tmp_path / "let go").touch()
    assert result(first) == "let go"


def test_what_waits_for_a_process_of_its_own_is_called_here(queue):
    held = object()
    assert result(queue.add(lambda: (os.getpid(), held), seconds=1, here=True)) == (os.getpid(), held)
    failed = queue.add(samples.fail, seconds=1, here=True)
    assert failed.wait(SECONDS)
    assert str(failed.failure) == "no such number"


def test_long_readings_leave_one_lane_to_others(queue, tmp_path):
    readings = [
        queue.add(samples.wait_for_file, tmp_path / f"let go {number}", seconds=60, here=True) for number in range(2)
    ]
    # Longer by far, and not behind them.
    assert result(queue.add(samples.note, tmp_path / "order", "other", seconds=1000)) == "other"
    assert [reading.is_running for reading in readings] == [True, False]
    for number, reading in enumerate(readings):
        (tmp_path / f"let go {number}").touch()
        assert result(reading) == "let go"


def test_readings_that_would_wait_for_others_hold_no_lane(tmp_path):
    queue = WorkQueue(3, Here)
    try:
        readings = [queue.add(samples.wait_for_file, tmp_path / "let go", seconds=0.1, here=True) for _ in range(3)]
        assert result(queue.add(samples.note, tmp_path / "order", "other", seconds=1000)) == "other"
        assert [reading.is_running for reading in readings] == [True, True, False]
        (tmp_path / "let go").touch()
        assert [result(reading) for reading in readings] == ["let go"] * 3
    finally:
        (tmp_path / "let go").touch()
        queue.close()


def test_on_one_lane_readings_come_one_by_one(one_lane, tmp_path):
    first, second = (one_lane.add(samples.note, tmp_path / "order", word, seconds=60, here=True) for word in "ab")
    result(first)
    result(second)
    assert (tmp_path / "order").read_text().split() == ["a", "b"]


def test_what_takes_least_comes_first_and_says_how_many_come_before(one_lane, tmp_path):
    blocker = one_lane.add(samples.wait_for_file, tmp_path / "let go", seconds=1)
    tasks = {
        word: one_lane.add(samples.note, tmp_path / "order", word, seconds=seconds)
        for word, seconds in (("long", 1000), ("short", 1), ("middle", 100))
    }
    assert [tasks[word].place for word in ("short", "middle", "long")] == [1, 2, 3]
    (tmp_path / "let go").touch()
    for task in (blocker, *tasks.values()):
        result(task)
    assert (tmp_path / "order").read_text().split() == ["short", "middle", "long"]


def test_nothing_waits_for_ever(one_lane, tmp_path):
    blocker = one_lane.add(samples.wait_for_file, tmp_path / "let go", seconds=1)
    old, new = (one_lane.add(samples.note, tmp_path / "order", word, seconds=1) for word in ("old", "new"))
    old.due -= 1000
    shorter = one_lane.add(samples.note, tmp_path / "order", "shorter", seconds=0)
    (tmp_path / "let go").touch()
    for task in (blocker, old, new, shorter):
        result(task)
    assert (tmp_path / "order").read_text().split() == ["old", "shorter", "new"]


def test_a_long_calculation_lets_short_ones_through_between_its_steps(one_lane, tmp_path):
    long = one_lane.add(samples.hold, tmp_path / "let go", seconds=1000)
    short = one_lane.add(samples.note, tmp_path / "order", "short", seconds=1)
    (tmp_path / "let go").touch()
    result(short)
    assert not long.finished
    long.cancel()
    assert long.wait(SECONDS)
    assert long.cancelled
    assert long.latest is not None


def test_what_waits_is_cancelled_without_being_begun(one_lane, tmp_path):
    blocker = one_lane.add(samples.wait_for_file, tmp_path / "let go", seconds=1)
    cancelled = one_lane.add(samples.note, tmp_path / "order", "cancelled", seconds=1)
    resting = one_lane.add(samples.note, tmp_path / "order", "resting", seconds=1, rest=3600)
    for task in (cancelled, resting):
        task.cancel()
        assert task.wait(0)
        assert task.latest is None
    (tmp_path / "let go").touch()
    result(blocker)
    result(one_lane.add(samples.note, tmp_path / "order", "last", seconds=1))
    assert (tmp_path / "order").read_text().split() == ["last"]


def test_work_of_a_visit_that_has_ended_is_given_up(one_lane):
    answers = iter([True] * 5)
    task = one_lane.add(samples.count_to, 10**9, seconds=1, wanted=lambda: next(answers, False), patience=0)
    assert task.wait(SECONDS)
    assert task.cancelled
    assert 0 < task.latest < 10


def test_a_visit_that_comes_back_in_time_keeps_its_work(one_lane):
    answers = iter([False, True] * 50)
    task = one_lane.add(samples.count_to, 20, seconds=1, wanted=lambda: next(answers, True), patience=3600)
    assert result(task) == 20


@pytest.mark.parametrize(
    ("function", "kind", "words"),
    [(samples.fail, ValueError, "no such number"), (samples.fail_oddly, RuntimeError, "OddError: made here")],
)
def test_what_fails_says_why_and_others_go_on(queue, function, kind, words):
    task = queue.add(function, seconds=1)
    assert task.wait(SECONDS)
    assert type(task.failure) is kind
    assert str(task.failure) == words
    assert result(queue.add(samples.count_to, 1, seconds=1)) == 1


def test_what_cannot_be_sent_fails(queue):
    task = queue.add(samples.describe, threading.Lock(), seconds=1)
    assert task.wait(SECONDS)
    assert isinstance(task.failure, TypeError)


def test_a_worker_that_is_killed_is_replaced_and_its_work_has_failed(tmp_path):
    queue = WorkQueue(1)
    try:
        process = result(queue.add(samples.process, seconds=1))
        kept = queue.add(samples.hold, tmp_path / "never", seconds=1)
        while kept.latest is None or not kept.is_running:
            pass
        os.kill(process, signal.SIGKILL)
        assert kept.wait(SECONDS)
        assert isinstance(kept.failure, WorkerLostError)
        assert result(queue.add(samples.process, seconds=1)) != process
    finally:
        queue.close()


def test_workers_end_with_their_queue():
    queue = WorkQueue(2)
    process = result(queue.add(samples.process, seconds=1))
    queue.close()
    ended = threading.Event()
    while not ended.wait(0.01):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            ended.set()


class TestChannel:
    @pytest.fixture
    def ends(self):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            yield Channel(ours), Channel(theirs, copies=True)

    def send(self, ends, value):
        sender = threading.Thread(target=ends[0].send, args=(value,))
        sender.start()
        found = ends[1].receive()
        sender.join()
        return found

    @pytest.mark.parametrize(
        "array",
        [
            samples.large(),
            np.arange(100_000),
            np.arange(120_000.0).reshape(4, -1).T,
            np.arange(240_000.0).reshape(2, 3, -1),
            np.arange(200_000.0)[::2],
            np.array(["word", None] * 50_000, dtype=object),
            np.zeros((0, 4)),
        ],
        ids=["read-only", "whole numbers", "by columns", "three axes", "every second", "objects", "empty"],
    )
    def test_arrays_arrive_as_they_are(self, ends, array):
        found = self.send(ends, {"array": array, "again": array})
        np.testing.assert_array_equal(found["array"], array)
        assert found["array"].dtype == array.dtype
        assert found["array"] is found["again"]

    def test_an_array_that_nobody_writes_to_is_shared_once_until_it_is_gone(self, ends):
        before, array = len(samples.open_arrays()), samples.large(2.0)
        received = [self.send(ends, [array, array]) for _ in range(3)]
        assert len(samples.open_arrays()) == before + 1
        assert not any(found.flags.writeable for pair in received for found in pair)
        for one, other in pairwise(found for pair in received for found in pair):
            np.testing.assert_array_equal(one, other)
        del array
        gc.collect()
        assert len(samples.open_arrays()) == before

    def test_an_array_that_is_changed_is_sent_anew(self, ends):
        array = np.zeros(100_000)
        first = self.send(ends, array)
        array[:] = 1
        assert first.sum() == 0
        assert self.send(ends, array).sum() == len(array)

    def test_a_closed_end_is_told(self, ends):
        ends[0].close()
        with pytest.raises(EOFError):
            ends[1].receive()


def test_a_worker_reads_the_array_where_it_lies(queue):
    array = samples.large(3.0)
    is_writeable, total, process, files = result(queue.add(samples.describe, array, seconds=1))
    assert not is_writeable
    assert total == array.sum()
    assert process != os.getpid()
    assert files == 1
    np.testing.assert_array_equal(result(queue.add(samples.doubled, array, seconds=1)), 2 * array)
