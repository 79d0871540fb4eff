"""How a process takes memory from the system and gives it back: what a visit freed does not stay.

Only Linux's C library is told; elsewhere nothing happens.
"""

import contextlib
import ctypes
import gc
import sys

# Of mallopt(3).
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
# As the system begins with; it would raise the first as arrays are freed, and have eight of the second a processor.
SMALLEST_OF_ITS_OWN, ARENAS = 2**17, 2


def give_back_early() -> None:
    """Have arrays lie apart, so that each leaves when it is freed, and threads share what they take for the rest.

    Otherwise memory grew by some 100 MB an hour of 20 visitors, though they left nothing behind.
    """
    _call("mallopt", _MMAP_THRESHOLD, SMALLEST_OF_ITS_OWN)
    _call("mallopt", _ARENA_MAX, ARENAS)


def settle() -> None:
    """Take what is there for what stays: later searches for unused memory pass over the modules that were loaded.

    With these, a search holds every thread up for .05 s.
    """
    gc.collect()
    gc.freeze()


def give_back() -> None:
    """Have Python, then the C library, give memory back to the system."""
    gc.collect()
    _call("malloc_trim", 0)


def _call(function: str, *numbers: int) -> None:
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            getattr(ctypes.CDLL(None), function)(*numbers)
