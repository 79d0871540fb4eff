"""Limit the uploads that the server receives and holds, for each session and in total."""

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

from multiloss_core import DataError
from ui.server import streamlit_runtime

UPLOADS = "/_stcore/upload_file/"
# The page has a few uploaders of one file each.
MAX_FILES = 8
MAX_BYTES = 450 * 2**20
VARIABLE = "MULTILOSS_MAX_UPLOADED_MB"
MAX_MEGABYTES_OF_ALL = 4096
# Abort an upload after this silence, or below this mean rate.
MAX_SILENCE_SECONDS = 60.0
MIN_BYTES_A_SECOND = 50_000
# Browsers request one upload URL at a time.
MAX_PLACES = 32
# Grace period in seconds until a widget claims an uploaded file.
CLAIM_SECONDS = 60.0
# Refuse these without reading the body; other responses are read only by browsers that have sent the file.
NOT_REQUESTED, NO_LENGTH = 403, 411


class IssuedFiles:
    """Record the upload URLs issued to each session, and delete files that no widget claims.

    `manager` is Streamlit's, which accepts any file name and keeps files of closed pages until the session ends.
    """

    def __init__(self, manager: Any) -> None:
        self._manager = manager
        self._issued: dict[str, list[str]] = defaultdict(list)
        self._unclaimed: dict[tuple[str, str], float] = {}
        self._issue = manager.get_upload_urls
        manager.get_upload_urls = self._remember

    def was_issued(self, session: str, file: str) -> bool:
        """Return whether the server issued an upload URL for this file to the session."""
        return file in self._issued.get(session, ())

    def drop_unclaimed(self, claimed: Mapping[str, Collection[str]], now: float | None = None) -> None:
        """Delete files that no widget has claimed for `CLAIM_SECONDS`, measured from call to call.

        `claimed`: the claimed files by session; URLs of other sessions are forgotten.
        """
        now = time.monotonic() if now is None else now
        held = {(session, file) for session, files in list(self._manager.file_storage.items()) for file in list(files)}
        waiting = [(session, file) for session, file in held if file not in claimed.get(session, ())]
        self._unclaimed = {one: self._unclaimed.get(one, now) for one in waiting}
        for (session, file), since in self._unclaimed.items():
            if now - since > CLAIM_SECONDS:
                self._manager.remove_file(session, file)
        for session in [session for session in list(self._issued) if session not in claimed]:
            del self._issued[session]

    def _remember(self, session_id: str, file_names: Sequence[str]) -> Any:
        places = self._issue(session_id, file_names)
        self._issued[session_id] = [*self._issued[session_id], *(place.file_id for place in places)][-MAX_PLACES:]
        return places


@lru_cache(maxsize=1)
def issued_files() -> IssuedFiles:
    """Return the record of the running server; call it before the first session."""
    return IssuedFiles(streamlit_runtime.files_manager())


class UploadLimits:
    """Refuse uploads that were not requested or exceed the limits of the session or server.

    The announced length of an upload counts from its first byte to its end.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._max_total = limit_bytes(VARIABLE, MAX_MEGABYTES_OF_ALL)
        # By request: the session, and the bytes announced.
        self._under_way: dict[int, tuple[str, int]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on or refuse it."""
        _, is_upload, place = scope.get("path", "").partition(UPLOADS)
        if scope["type"] != "http" or scope["method"] != "PUT" or not is_upload or not streamlit_runtime.is_running():
            await self._app(scope, receive, send)
            return
        text = dict(scope["headers"]).get(b"content-length", b"")
        length = int(text) if text.isdigit() and len(text) < 16 else None
        session, _, file = place.partition("/")
        refusal = self._refusal(session, file, length)
        receive = _with_timeout(receive, length or 0)
        if refusal is None:
            try:
                with self._reserved(session, length or 0):
                    await self._app(scope, receive, send)
                return
            except ClientDisconnect:
                refusal = 408, "The file did not arrive; choose it again."
        elif refusal[0] not in (NOT_REQUESTED, NO_LENGTH) and (length or 0) <= MAX_BYTES:
            while (await receive()).get("more_body"):
                pass
        status, message = refusal
        await PlainTextResponse(message, status_code=status)(scope, receive, send)

    @contextmanager
    def _reserved(self, session: str, length: int) -> Iterator[None]:
        request = id(asyncio.current_task())
        self._under_way[request] = session, length
        try:
            yield
        finally:
            del self._under_way[request]

    def _refusal(self, session: str, file: str, length: int | None) -> tuple[int, str] | None:
        if not issued_files().was_issued(session, file) or not streamlit_runtime.is_admitted(session):
            return NOT_REQUESTED, "The server did not request this file; reload the page and choose it again."
        if length is None:
            return NO_LENGTH, "The request needs the length of the file (Content-Length)."
        held: dict[str, dict[str, object]] = getattr(streamlit_runtime.files_manager(), "file_storage", {})
        own = [size for one, size in self._under_way.values() if one == session]
        files, size = len(held.get(session, {})) + len(own), _bytes_of(held.get(session, {})) + sum(own)
        if files >= MAX_FILES or size + length > MAX_BYTES:
            return 413, f"A session may have at most {MAX_FILES} files and {MAX_BYTES // 2**20} MB on this server."
        size = sum(map(_bytes_of, list(held.values()))) + sum(size for _, size in self._under_way.values())
        if size + length > self._max_total:
            return 503, "The server's limit for uploads is reached; try again when other users have finished."
        return None


def _with_timeout(receive: Receive, length: int) -> Receive:
    """Treat an upload that is silent or slow beyond the limits as disconnected."""
    end = time.monotonic() + MAX_SILENCE_SECONDS + length / MIN_BYTES_A_SECOND

    async def receive_or_disconnect() -> Message:
        try:
            async with asyncio.timeout(min(MAX_SILENCE_SECONDS, end - time.monotonic())):
                return await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}

    return receive_or_disconnect


def _bytes_of(files: dict[str, object]) -> int:
    return sum(len(getattr(file, "data", b"")) for file in list(files.values()))


def limit_bytes(variable: str, default_megabytes: int) -> int:
    """Read a limit in megabytes from the environment. Raises DataError for an invalid value."""
    text = os.environ.get(variable, str(default_megabytes))
    if not text.isdigit() or not int(text):
        raise DataError(f"{variable} is '{text}'; give a whole number of megabytes, such as {default_megabytes}.")
    return int(text) * 2**20
