"""WebSockets that a page of another server opens in a visitor's browser."""

from urllib.parse import urlsplit

import streamlit as st
from starlette.types import ASGIApp, Receive, Scope, Send

LOCAL = {"localhost", "127.0.0.1"}


class ForeignOrigins:
    """Refuse them. Streamlit does so as well, but asks a server outside for its own address before."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a connection on, or refuse it."""
        if scope["type"] == "websocket" and _is_foreign(scope):
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        await self._app(scope, receive, send)


def _is_foreign(scope: Scope) -> bool:
    if not st.get_option("server.enableCORS"):
        # The operator lets everybody in.
        return False
    headers = dict(scope["headers"])
    origin, host = (headers.get(name, b"").decode("latin-1") for name in (b"origin", b"host"))
    try:
        said = urlsplit(origin)
        # Those who are no browser say nothing.
        return bool(origin) and said.netloc != host and said.hostname not in LOCAL | _allowed()
    except ValueError:
        return True


def _allowed() -> set[str | None]:
    """Return the hosts that the operator has named."""
    named = [st.get_option("browser.serverAddress"), *(st.get_option("server.corsAllowedOrigins") or ())]
    return {urlsplit(one if "//" in one else f"//{one}").hostname for one in named if one}
