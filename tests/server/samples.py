"""Calculations that workers of the tests are asked for."""

import os
import time
from pathlib import Path


def count_to(limit):
    for number in range(1, limit + 1):
        yield number
        time.sleep(0.02)


def note(path, word):
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(f"{word}\n")
    return word


def wait_for_file(path):
    """Hold a worker until the test releases it."""
    while not Path(path).exists():
        time.sleep(0.01)
    return "released"


def hold(path):
    """Say which process this is, then hold it."""
    yield os.getpid()
    yield wait_for_file(path)


def fail():
    raise ValueError("no such number")


def fail_oddly():
    class OddError(Exception):
        pass

    raise OddError("made here")


def process():
    return os.getpid()


def exhaust_memory(most):
    from multiloss_core.workers import memory_limited

    with memory_limited(most):
        return len(bytes(4 * most))


def main_module():
    import sys

    return getattr(sys.modules["__main__"], "__file__", None)
