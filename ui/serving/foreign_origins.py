"""WebSockets that a page of another server opens in a browser of this server's users."""

from urllib.parse import urlsplit

import streamlit as st
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.serving.allowed_hosts import refuse
from ui.sign_in.settings import LOOPBACK


class ForeignOrigins:
    """Refuse them. Streamlit does so as well, but takes any port of this machine and asks a server outside for its own.

    A page at another port of this machine is as foreign as one elsewhere.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a connection on, or refuse it."""
        if scope["type"] == "websocket" and _is_foreign(scope):
            await refuse(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _is_foreign(scope: Scope) -> bool:
    if not st.get_option("server.enableCORS"):
        # The operator lets everybody in.
        return False
    origins, hosts = (
        [value.decode("latin-1") for name, value in scope["headers"] if name == wanted]
        for wanted in (b"origin", b"host")
    )
    if not origins:
        # A browser always sends one.
        return False
    if len(origins) > 1 or len(hosts) != 1:
        return True
    try:
        origin = urlsplit(origins[0])
        named = st.get_option("server.corsAllowedOrigins") or ()
        own = {_place(one) for one in (f"{origin.scheme}://{hosts[0]}", *named)}
        return origin.hostname is None or origin.scheme not in ("http", "https") or _place(origins[0]) not in own
    except ValueError:
        return True


def _place(origin: str) -> tuple[str, str, int | None]:
    """Return what tells origins apart; the names of this machine are one."""
    parts = urlsplit(origin)
    host = "localhost" if parts.hostname in LOOPBACK else parts.hostname or ""
    return parts.scheme, host, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
