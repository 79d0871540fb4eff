"""How much visitors may have the server hold as uploads, each of them and all together."""

import os

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime

from ui.serving.asked_files import asked_files

UPLOADS = "/_stcore/upload_file/"
# The page has a few uploaders, of one file each: more is not theirs.
MOST_FILES = 8
MOST_BYTES = 450 * 2**20
VARIABLE = "MULTILOSS_MOST_UPLOADED_MB"
MOST_MEGABYTES_OF_ALL = 4096
UNASKED = 403


class UploadLimits:
    """Refuse an upload that nobody asked for, or beyond what a visit, or all together, may have the server hold."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._most_of_all = _most_of_all()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        refusal = self._refusal(scope) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            status, words = refusal
            # A browser reads the answer only once it has sent the file; what nobody asked for is not even received.
            while status != UNASKED and (await receive()).get("more_body"):
                pass
            await PlainTextResponse(words, status_code=status)(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        _, is_upload, place = scope["path"].partition(UPLOADS)
        if not is_upload or not runtime.exists():
            return None
        visit, _, file = place.partition("/")
        if not asked_files().was_named(visit, file):
            return UNASKED, "The server asked for no such file; reload the page and choose it again."
        length = dict(scope["headers"]).get(b"content-length", b"")
        if not length.isdigit():
            return 411, "Say how long the file is (Content-Length)."
        held: dict[str, dict[str, object]] = getattr(runtime.get_instance().uploaded_file_mgr, "file_storage", {})
        others = {name: kept for name, kept in held.get(visit, {}).items() if name != file}
        if len(others) >= MOST_FILES or _bytes_of(others) + int(length) > MOST_BYTES:
            return 413, f"A visit may have at most {MOST_FILES} files and {MOST_BYTES // 2**20} MB on this server."
        if sum(map(_bytes_of, list(held.values()))) + int(length) > self._most_of_all:
            return 503, "This server holds as many uploads as it may; try again when other visitors have finished."
        return None


def _bytes_of(files: dict[str, object]) -> int:
    return sum(len(getattr(file, "data", b"")) for file in list(files.values()))


def _most_of_all() -> int:
    """Read the limit over all visits, in bytes. Raises ValueError where it is no whole number of megabytes."""
    text = os.environ.get(VARIABLE, str(MOST_MEGABYTES_OF_ALL))
    if not text.isdigit() or not int(text):
        raise ValueError(f"{VARIABLE} is '{text}'; give a whole number of megabytes, such as {MOST_MEGABYTES_OF_ALL}.")
    return int(text) * 2**20
