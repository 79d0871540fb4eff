"""A calculation is a function or, of several steps, a generator; what is asked of who keeps it, and answered."""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Order:
    """Take a step of the calculation of a number; begin it with `function(*arguments)` where that is given.

    `dropped` are numbers of calculations that nobody wants any more.
    """

    number: int
    function: Callable[..., Any] | None = None
    arguments: tuple[Any, ...] = ()
    dropped: tuple[int, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What a step gave, whether there is none left, or why it failed."""

    value: Any = None
    ended: bool = False
    error: Exception | None = None


def follow(order: Order, begun: dict[int, Iterator[Any]]) -> Answer:
    """Take the step; what was `begun` is kept until it has ended or is dropped."""
    for number in order.dropped:
        begun.pop(number, None)
    try:
        if order.function is not None:
            found = order.function(*order.arguments)
            if not isinstance(found, Iterator):
                return Answer(found, ended=True)
            begun[order.number] = found
        return Answer(next(begun[order.number]))
    except StopIteration:
        begun.pop(order.number, None)
        return Answer(ended=True)
    except Exception as error:
        begun.pop(order.number, None)
        return Answer(error=_sendable(error))


def _sendable(error: Exception) -> Exception:
    """Return the error, or its words where it cannot be made again in another process."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
