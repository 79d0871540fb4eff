"""Draws side by side, each in a process of its own."""

import os
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from time import perf_counter

from threadpoolctl import threadpool_limits

from experiments.robles.draws import Outcome, outcomes_of_draw

PROCESSES = 2
Task = tuple[str, str, int]


def run_tasks(tasks: Sequence[Task]) -> list[Outcome]:
    """Run tasks (set, kind, draw) in two processes of one thread each; a line on the terminal for each that ends.

    Ctrl-C ends early: what is done by then is returned.
    """
    outcomes: list[Outcome] = []
    # Boosting's threads wait for each other on a busy machine; set before the processes load their libraries.
    os.environ["OMP_NUM_THREADS"] = "1"
    # A command in the background may have been started with the signal ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    start = perf_counter()
    with ProcessPoolExecutor(PROCESSES, get_context("spawn"), initializer=_one_thread) as pool:
        running = {pool.submit(outcomes_of_draw, *task): task for task in tasks}
        try:
            for done, future in enumerate(as_completed(running), start=1):
                outcomes += future.result()
                data_set, kind, draw = running[future]
                words = f"{done}/{len(tasks)}: {data_set}, {kind}, draw {draw + 1}; {perf_counter() - start:.0f} s"
                print(words, file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=True, cancel_futures=True)
    return outcomes


def _one_thread() -> None:
    # The first process ends the others in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threadpool_limits(1)
