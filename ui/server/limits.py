"""How much the server holds and receives as uploads, for each session and for all together."""

import asyncio
import os
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.server import streamlit_runtime

UPLOADS = "/_stcore/upload_file/"
# The page has a few uploaders, of one file each: more is not theirs.
MAX_FILES = 8
MAX_BYTES = 450 * 2**20
VARIABLE = "MULTILOSS_MAX_UPLOADED_MB"
MAX_MEGABYTES_OF_ALL = 4096
# A sender that stays silent so long, or sends less in a second on the whole, has its upload ended.
MAX_SILENCE_SECONDS = 60.0
MIN_BYTES_A_SECOND = 50_000
# Named to one visit and not used yet: browsers ask for one at a time.
MAX_PLACES = 32
# In seconds: so long a file may wait for the run in which its widget takes it.
PATIENCE = 60.0
# With these refusals nothing is received: only a browser that sends a file reads the answer afterwards.
UNASKED, NO_LENGTH = 403, 411


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
        self._named[session_id] = [*self._named[session_id], *(place.file_id for place in places)][-MAX_PLACES:]
        return places


@lru_cache(maxsize=1)
def asked_files() -> AskedFiles:
    """Watch over the files of the server that runs; the first call must come before the first visitor."""
    return AskedFiles(streamlit_runtime.files_manager())


class UploadLimits:
    """Refuse an upload that was not asked for, or beyond what a session, or all together, may hold and send.

    The announced length of an upload counts from its first byte until it ends, however it ends.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._most_of_all = _most_of_all()
        # By request: the session, and the bytes announced.
        self._under_way: dict[int, tuple[str, int]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        _, is_upload, place = scope.get("path", "").partition(UPLOADS)
        if scope["type"] != "http" or scope["method"] != "PUT" or not is_upload or not streamlit_runtime.is_running():
            await self._app(scope, receive, send)
            return
        text = dict(scope["headers"]).get(b"content-length", b"")
        length = int(text) if text.isdigit() and len(text) < 16 else None
        session, _, file = place.partition("/")
        refusal = self._refusal(session, file, length)
        receive = _in_time(receive, length or 0)
        if refusal is None:
            try:
                with self._reserved(session, length or 0):
                    await self._app(scope, receive, send)
                return
            except ClientDisconnect:
                refusal = 408, "The file did not arrive; choose it again."
        elif refusal[0] not in (UNASKED, NO_LENGTH) and (length or 0) <= MAX_BYTES:
            while (await receive()).get("more_body"):
                pass
        status, words = refusal
        await PlainTextResponse(words, status_code=status)(scope, receive, send)

    @contextmanager
    def _reserved(self, session: str, length: int) -> Iterator[None]:
        request = id(asyncio.current_task())
        self._under_way[request] = session, length
        try:
            yield
        finally:
            del self._under_way[request]

    def _refusal(self, session: str, file: str, length: int | None) -> tuple[int, str] | None:
        if not asked_files().was_named(session, file) or not streamlit_runtime.is_admitted(session):
            return UNASKED, "The server asked for no such file; reload the page and choose it again."
        if length is None:
            return NO_LENGTH, "Say how long the file is (Content-Length)."
        held: dict[str, dict[str, object]] = getattr(streamlit_runtime.files_manager(), "file_storage", {})
        own = [size for one, size in self._under_way.values() if one == session]
        files, size = len(held.get(session, {})) + len(own), _bytes_of(held.get(session, {})) + sum(own)
        if files >= MAX_FILES or size + length > MAX_BYTES:
            return 413, f"A visit may have at most {MAX_FILES} files and {MAX_BYTES // 2**20} MB on this server."
        size = sum(map(_bytes_of, list(held.values()))) + sum(size for _, size in self._under_way.values())
        if size + length > self._most_of_all:
            return 503, "This server holds as many uploads as it may; try again when other visitors have finished."
        return None


def _in_time(receive: Receive, length: int) -> Receive:
    """Receive an upload; one that stays away for too long, or takes too long as a whole, counts as broken off."""
    end = time.monotonic() + MAX_SILENCE_SECONDS + length / MIN_BYTES_A_SECOND

    async def receive_in_time() -> Message:
        try:
            async with asyncio.timeout(min(MAX_SILENCE_SECONDS, end - time.monotonic())):
                return await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}

    return receive_in_time


def _bytes_of(files: dict[str, object]) -> int:
    return sum(len(getattr(file, "data", b"")) for file in list(files.values()))


def _most_of_all() -> int:
    """Read the limit over all visits, in bytes. Raises ValueError where it is no whole number of megabytes."""
    text = os.environ.get(VARIABLE, str(MAX_MEGABYTES_OF_ALL))
    if not text.isdigit() or not int(text):
        raise ValueError(f"{VARIABLE} is '{text}'; give a whole number of megabytes, such as {MAX_MEGABYTES_OF_ALL}.")
    return int(text) * 2**20
