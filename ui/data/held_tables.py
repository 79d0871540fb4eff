"""How much memory and disk the tables of all visits take, and the most that they may."""

import os
from weakref import WeakValueDictionary

from multiloss_core import DataError
from ui.shared.session import UploadedFile, Uploads

VARIABLE = "MULTILOSS_MOST_TABLES_MB"
MOST_MEGABYTES = 4096
# By identity, as they are: a visit that has ended is no longer among them.
_held: WeakValueDictionary[int, Uploads] = WeakValueDictionary()  # type: ignore[type-arg]


def hold(state: Uploads, name: str, file: UploadedFile) -> None:  # type: ignore[type-arg]
    """Note that a visit holds a table under a name. Raises DataError where all visits together may hold no more."""
    held = sum(one.memory for visit in list(_held.values()) for one in list(visit.files.values()))
    before = state.files[name].memory if id(state) in _held and name in state.files else 0
    if held - before + file.memory > _most():
        raise DataError(
            "This server holds as many tables as it may for all its visitors; try again when others have finished, or "
            "load a smaller file."
        )
    _held[id(state)] = state


def _most() -> int:
    """Read the limit in bytes. Raises DataError where it is no whole number of megabytes."""
    text = os.environ.get(VARIABLE, str(MOST_MEGABYTES))
    if not text.isdigit() or not int(text):
        raise DataError(f"{VARIABLE} is '{text}'; give a whole number of megabytes, such as {MOST_MEGABYTES}.")
    return int(text) * 2**20
