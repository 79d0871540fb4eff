"""Which uploads the server takes and keeps: those that it named a place for, while a widget holds them."""

import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from streamlit import runtime

from multiloss_core import DataError
from ui.sign_in.visitor import reader

# Named to one visit and not used yet: browsers ask for one at a time.
MOST_PLACES = 32
# In seconds: so long a file may wait for the run in which its widget takes it.
PATIENCE = 60.0


class AskedFiles:
    """What browsers were told of where files may go, and since when no widget has held a file that came.

    `manager` is Streamlit's, which takes any name of a file, and keeps a file of a page left behind for the visit.
    """

    def __init__(self, manager: Any) -> None:
        self._manager = manager
        self._named: dict[str, list[str]] = defaultdict(list)
        self._unclaimed: dict[tuple[str, str], float] = {}
        self._name = manager.get_upload_urls
        manager.get_upload_urls = self._remember

    def was_named(self, visit: str, file: str) -> bool:
        """Tell whether a visit was told that a file may come under this name."""
        return file in self._named.get(visit, ())

    def drop_unclaimed(self, claimed: Mapping[str, Collection[str]], now: float | None = None) -> None:
        """Let go of files that none of the widgets of its visit has held for `PATIENCE`, as seen from call to call.

        `claimed`: the files that widgets hold, by visit; places named to other visits are forgotten.
        """
        now = time.monotonic() if now is None else now
        held = {(visit, file) for visit, files in list(self._manager.file_storage.items()) for file in list(files)}
        waiting = [(visit, file) for visit, file in held if file not in claimed.get(visit, ())]
        self._unclaimed = {one: self._unclaimed.get(one, now) for one in waiting}
        for (visit, file), since in self._unclaimed.items():
            if now - since > PATIENCE:
                self._manager.remove_file(visit, file)
        for visit in [visit for visit in list(self._named) if visit not in claimed]:
            del self._named[visit]

    def _remember(self, session_id: str, file_names: Sequence[str]) -> Any:
        places = self._name(session_id, file_names)
        self._named[session_id] = [*self._named[session_id], *(place.file_id for place in places)][-MOST_PLACES:]
        return places


@lru_cache(maxsize=1)
def asked_files() -> AskedFiles:
    """Watch over the files of the server that runs; the first call must come before the first visitor."""
    return AskedFiles(runtime.get_instance().uploaded_file_mgr)


def claimed_files() -> dict[str, set[str]]:
    """Find the files that widgets hold, by visit, of all visits that may go on. Streamlit has no public way to."""
    found = {}
    for info in runtime.get_instance()._session_mgr.list_sessions():
        states = info.session.session_state.get_widget_states()
        found[info.session.id] = {
            file.file_id for state in states for file in state.file_uploader_state_value.uploaded_file_info
        }
    return found


def is_admitted(visit: str) -> bool:
    """Tell whether the user of a session may see the pages; without sign-in every user may."""
    found = runtime.get_instance()._session_mgr.get_session_info(visit)
    try:
        return found is not None and bool(reader(found.session._user_info))
    except DataError:
        return False
