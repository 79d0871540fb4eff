"""Time the methods of `expected_losses` on this machine."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.losses.expected.methods import METHODS, expected_losses
from multiloss_core.losses.multivariate import Loss

MAX_TIMED = 1_000_000

_FIRST = 16
# Shorter runs are repeated, as other processes affect their time.
_SHORT = 0.3
_REPEATS = 3


@dataclass(frozen=True)
class TimedRun:
    """Seconds of `method` for every L_k of `n` items, the fastest of up to three runs."""

    method: str
    n: int
    seconds: float


def methods_for(loss: Loss) -> list[str]:
    """List the methods of `expected_losses` that take `loss`, slowest growth last."""
    return [name for name, method in METHODS.items() if method.takes(loss, _FIRST)]


def timed_runs(
    loss: Loss,
    *,
    seed: int = 0,
    seconds_each: float = 1.0,
    seconds_in_all: float = 30.0,
    methods: Sequence[str] | None = None,
    clock: Callable[[], float] = perf_counter,
) -> Iterator[TimedRun]:
    """Time one method after the other on growing n; yields after each run.

    Probabilities are uniform on [0, 1]. A method ends when its next run would exceed `seconds_each`, judged by its last
    run and its growth, or its largest n; all end after `seconds_in_all` (one run may end later). `methods`: some of
    `METHODS`, by default all that take the loss. `clock` returns the time in seconds. Raises DataError, at once, for
    other methods and for seconds that are not above 0.
    """
    chosen = methods_for(loss) if methods is None else list(methods)
    unknown = [method for method in chosen if method not in METHODS]
    if unknown:
        raise DataError(f"There is no method {unknown[0]!r}; choose {', '.join(METHODS)}.")
    if not (seconds_each > 0.0 and seconds_in_all > 0.0):
        raise DataError(f"The seconds are {seconds_each:g} and {seconds_in_all:g}; choose numbers above 0.")
    return _timed(loss, chosen, seed, seconds_each, seconds_in_all, clock)


def sizes_of(method: str) -> list[int]:
    """List the numbers of items for timing a method, its maximum included."""
    largest = int(min(METHODS[method].largest, MAX_TIMED))
    # Too few to double.
    if largest < _FIRST:
        return list(range(2, largest + 1, 2))
    doubled = [_FIRST * 2**i for i in range(30) if _FIRST * 2**i < largest]
    return [*doubled, largest]


def _timed(
    loss: Loss,
    methods: Sequence[str],
    seed: int,
    seconds_each: float,
    seconds_in_all: float,
    clock: Callable[[], float],
) -> Iterator[TimedRun]:
    begun = clock()
    for method in methods:
        last: TimedRun | None = None
        work = METHODS[method].work
        for n in sizes_of(method):
            if last is not None and last.seconds * work(n) / work(last.n) > seconds_each:
                break
            if clock() - begun > seconds_in_all:
                return
            last = TimedRun(method, n, _shortest(loss, method, n, seed, clock))
            yield last


def _shortest(loss: Loss, method: str, n: int, seed: int, clock: Callable[[], float]) -> float:
    probabilities = np.random.default_rng(seed).random(n)
    times: list[float] = []
    while len(times) < _REPEATS and (not times or min(times) < _SHORT):
        begun = clock()
        expected_losses(probabilities, loss, method=method)
        times.append(clock() - begun)
    return min(times)
