"""Questions to an engine that the user can watch and stop."""

import threading
from collections.abc import Callable
from typing import TypeVar

from multiloss_core.engines import Engine
from ui.shared.long_work import stoppable

T = TypeVar("T")

SECONDS_BETWEEN_LOOKS = 0.1


def answered(engine: Engine, work: Callable[[Callable[[str], None]], T], *, key: str) -> T:
    """Do work that asks an engine, in a thread of its own, while its progress and a button to stop it are shown.

    `work` is given what to tell in words what it is doing. Whatever ends the run of the page, such as the button,
    withdraws the question. Raises what the work raises.
    """
    told = ["Asking the source"]
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work(told.append))
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    with stoppable(key) as show:
        thread.start()
        try:
            while thread.is_alive():
                thread.join(SECONDS_BETWEEN_LOOKS)
                share = engine.progress()
                words = told[-1] if share is None else f"{told[-1]} · {share:.0%}"
                show(min(share or 0.0, 0.99), f"{words} …")
        finally:
            while thread.is_alive():
                engine.cancel()
                thread.join(SECONDS_BETWEEN_LOOKS)
    if failures:
        raise failures[0]
    return results[0]
