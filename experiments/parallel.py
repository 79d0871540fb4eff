"""Run a function on many inputs in processes of one thread each."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits

Given = TypeVar("Given")
Found = TypeVar("Found")


def each(function: Callable[[Given], Found], given: Sequence[Given], processes: int) -> Iterator[tuple[Given, Found]]:
    """Yield every input with its result, in the order in which the results come in."""
    if processes == 1:
        with threadpool_limits(1):
            yield from (_paired(function, one) for one in given)
        return
    with parallel_config("loky", inner_max_num_threads=1):
        run = Parallel(processes, return_as="generator_unordered")
        yield from run(delayed(_paired)(function, one) for one in given)


def _paired(function: Callable[[Given], Found], one: Given) -> tuple[Given, Found]:
    return one, function(one)
