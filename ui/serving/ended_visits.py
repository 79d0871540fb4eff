"""What a visit loaded leaves memory soon after its end; Streamlit alone waits for another visit to end.

A file leaves with the page that asked for it, as far as the page has not taken it over.
"""

import asyncio
import contextlib
import logging
from typing import Any

from streamlit import runtime

from ui.serving.asked_files import asked_files, claimed_files
from ui.work.process_memory import give_back

SECONDS_BETWEEN_LOOKS = 10.0


async def forget_again_and_again() -> None:
    """Until cancelled, let go of files that no widget holds, and of visits without a browser.

    These have been away for `server.disconnectedSessionTTL`.
    """
    while True:
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        try:
            ended = _ended_visits()
            with contextlib.suppress(RuntimeError, KeyError):
                # A widget drawn at this moment is seen the next time.
                asked_files().drop_unclaimed(claimed_files())
        except AttributeError:
            logging.getLogger(__name__).warning(
                "This release of Streamlit does not tell what visits hold, or their end."
            )
            return
        for visit in ended:
            visit.shutdown()
            # Whoever still refers to the visit holds nothing of its data.
            visit.session_state.clear()
        if ended:
            del ended, visit
            await asyncio.to_thread(give_back)


def _ended_visits() -> list[Any]:
    """Take the visits out of Streamlit's store that may not come back. It has no public way to."""
    if not runtime.exists():
        return []
    store: Any = runtime.get_instance()._session_mgr._session_storage._cache  # type: ignore[attr-defined]
    return [kept.session for _, kept in store.expire()]
