"""Names under which the server answers: a page elsewhere may have its own name lead to this address."""

from urllib.parse import urlsplit

import streamlit as st
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from ui.sign_in.settings import LOOPBACK
from ui.sign_in.visitor import redirect_host

OPTION = "server.allowedHosts"
REFUSAL = f"This server does not answer to this host name. Its operator may name it in the option {OPTION}."


class AllowedHosts:
    """Refuse requests and WebSockets to other hosts than this machine, sign-in's, and those that the operator named.

    Streamlit compares `server.allowedHosts` for WebSockets alone, and with none named it takes all.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        config.set_option(OPTION, sorted(allowed_hosts()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        hosts = [value.decode("latin-1") for name, value in scope.get("headers", ()) if name == b"host"]
        if scope["type"] not in ("http", "websocket") or (len(hosts) == 1 and is_host_allowed(hosts[0])):
            await self._app(scope, receive, send)
        else:
            await refuse(scope, receive, send, REFUSAL)


def allowed_hosts() -> set[str]:
    """Return the names: of this machine, of the redirect of sign-in, and what the options of the server name."""
    named = [*st.get_option(OPTION), st.get_option("server.address"), redirect_host()]
    # Written with commas, as addresses, or with a port, they mean the same.
    words = [word for name in named if name for word in str(name).replace(",", " ").split()]
    hosts = {urlsplit(word if "//" in word else f"//{word}").hostname or word for word in words}
    return {*LOOPBACK, *hosts} - {"0.0.0.0", "::"}


async def refuse(scope: Scope, receive: Receive, send: Send, words: str = "Forbidden") -> None:
    """Answer a request, or the opening of a WebSocket, with 403."""
    if scope["type"] == "http":
        await PlainTextResponse(words, status_code=403)(scope, receive, send)
    else:
        await receive()
        await send({"type": "websocket.close", "code": 1008})
