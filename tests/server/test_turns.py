"""A few scripts run at once, short ones first; one that hangs does not keep the others out."""

import threading
import time

from ui.server.script_limit import Turns


def run(count, work):
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()


def test_no_more_run_at_once_than_the_limit():
    turns, running, most, lock = Turns(3, 60), set(), [], threading.Lock()

    def work(number):
        with turns.taken():
            with lock:
                running.add(number)
                most.append(len(running))
            time.sleep(0.005)
            with lock:
                running.remove(number)

    run(40, work)
    assert len(most) == 40
    assert max(most) == 3


def waiting(turns, count):
    deadline = time.monotonic() + 30
    while len(turns._waiting) < count:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_short_ones_come_first_and_others_in_their_order():
    turns, order = Turns(1, 60), []

    def work(name, is_short):
        with turns.taken(is_short=is_short):
            order.append(name)

    threads = []
    with turns.taken():
        for name, is_short in (("long 1", False), ("long 2", False), ("short 1", True), ("short 2", True)):
            threads.append(threading.Thread(target=work, args=(name, is_short)))
            threads[-1].start()
            waiting(turns, len(threads))
    for thread in threads:
        thread.join(30)
    assert order == ["short 1", "short 2", "long 1", "long 2"]


def test_turn_that_hangs_stops_counting():
    turns, release, came = Turns(1, 0.2), threading.Event(), threading.Event()

    def hang():
        with turns.taken():
            came.set()
            release.wait(30)

    thread = threading.Thread(target=hang)
    thread.start()
    assert came.wait(30)
    begun = time.monotonic()
    with turns.taken():
        assert time.monotonic() - begun < 10
    release.set()
    thread.join(30)


def test_turn_is_free_while_its_thread_waits_for_something_else():
    turns = Turns(1, 60)
    passed = threading.Event()

    def other():
        with turns.taken():
            passed.set()

    thread = threading.Thread(target=other)
    with turns.taken():
        thread.start()
        assert not passed.wait(0.05)
        with turns.paused():
            assert passed.wait(30)
    thread.join(30)
    # Without a turn there is nothing to give.
    with turns.paused():
        pass


def test_turn_ends_with_an_error():
    turns = Turns(1, 60)
    for _ in range(3):
        try:
            with turns.taken():
                raise ValueError
        except ValueError:
            pass
    with turns.taken():
        pass
