"""Check requests before Streamlit handles them, and add headers to responses."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config

from ui.server.limits import UploadLimits
from ui.server.streamlit_runtime import is_host_allowed
from ui.sign_in.settings import LOOPBACK
from ui.sign_in.user import redirect_host

# Streamlit and its components bring inline scripts and styles; Plotly compiles drawing code for surfaces, and
# downloads and workers are blobs. All connections stay on this server.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' blob: data:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
OPTION = "server.allowedHosts"
REFUSAL = f"This server does not accept this host name. Its operator may add it to the option {OPTION}."
# These expose the number of sessions or run the script for any client.
CLOSED = ("/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/agent")
# Cookie of the sign-in page: path and query of the requested page.
RETURN_COOKIE = "multiloss_return"
CALLBACK = "/oauth2callback"
STYLE, SCRIPT = (Path(__file__).parents[1] / name for name in ("style.css", "document.js"))
# A path of this server that browsers cannot take for another host.
_OWN_PAGE = re.compile(r"/(?![/\\])[!-\[\]-~]*")


class SafeHeaders:
    """Add `HEADERS` to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and add the headers to its response."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class AllowedHosts:
    """Refuse requests and WebSockets with a host other than `allowed_hosts`.

    Streamlit checks `server.allowedHosts` only for WebSockets and accepts any host without it.
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
    """Return the host names of this machine, the sign-in redirect and the server options."""
    named = [*st.get_option(OPTION), st.get_option("server.address"), redirect_host()]
    # Options may hold commas, URLs or ports.
    words = [word for name in named if name for word in str(name).replace(",", " ").split()]
    hosts = {urlsplit(word if "//" in word else f"//{word}").hostname or word for word in words}
    return {*LOOPBACK, *hosts} - {"0.0.0.0", "::"}


async def refuse(scope: Scope, receive: Receive, send: Send, words: str = "Forbidden") -> None:
    """Respond to a request or the opening of a WebSocket with 403."""
    if scope["type"] == "http":
        await PlainTextResponse(words, status_code=403)(scope, receive, send)
    else:
        await receive()
        await send({"type": "websocket.close", "code": 1008})


class ClosedAddresses:
    """Respond to the paths in `CLOSED` with 404."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        path = scope.get("path", "").rstrip("/")
        if scope["type"] == "http" and any(path.endswith(closed) or f"{closed}/" in path for closed in CLOSED):
            await PlainTextResponse("Not Found", status_code=404)(scope, receive, send)
            return
        await self._app(scope, receive, send)


class ForeignOrigins:
    """Refuse connections from other origins, including other ports of this machine.

    Streamlit accepts any port of this machine and asks an external server for its own address.
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
        # The operator allows all origins.
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
        own = {_origin_key(one) for one in (f"{origin.scheme}://{hosts[0]}", *named)}
        return origin.hostname is None or origin.scheme not in ("http", "https") or _origin_key(origins[0]) not in own
    except ValueError:
        return True


def _origin_key(origin: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port of an origin; all names of this machine are equal."""
    parts = urlsplit(origin)
    host = "localhost" if parts.hostname in LOOPBACK else parts.hostname or ""
    return parts.scheme, host, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


class AfterSignIn:
    """Redirect a user returning from the identity provider to the page in `RETURN_COOKIE`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and redirect the response to a request from the provider."""
        page = page_asked_for(Request(scope)) if scope["type"] == "http" else None
        if page is None:
            await self._app(scope, receive, send)
            return

        async def send_redirect(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 302:
                headers = MutableHeaders(scope=message)
                headers["Location"] = page
                headers.append("Set-Cookie", f"{RETURN_COOKIE}=; Path=/; Max-Age=0; SameSite=lax")
            await send(message)

        await self._app(scope, receive, send_redirect)


def page_asked_for(request: Request) -> str | None:
    """Return the local page to open after signing in; None for any other request."""
    # Returning from signing out brings no state.
    if not request.url.path.endswith(CALLBACK) or "state" not in request.query_params:
        return None
    page = unquote(request.cookies.get(RETURN_COOKIE, ""))
    return page if _OWN_PAGE.fullmatch(page) else None


class OwnDocument:
    """Add the product's name, style and script to the HTML document of all pages."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        colours = {
            name: "light-dark({}, {})".format(*(st.get_option(f"theme.{theme}.{part}") for theme in ("light", "dark")))
            for name, part in (("--main-colour", "primaryColor"), ("--on-main-colour", "backgroundColor"))
        }
        rules = " ".join(f"{name}: {colour};" for name, colour in colours.items())
        style = f"<style>:root {{ {rules} }}\n{STYLE.read_text('utf-8')}</style>"
        script = f"<script>{SCRIPT.read_text('utf-8')}</script>"
        # Streamlit adds its own rules to the head: those of the body come later and win.
        self._replaced = {
            b"<title>Streamlit</title>": f"<title>Multiloss</title>{script}".encode(),
            b"</body>": f"{style}</body>".encode(),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; its response is held back until complete if it is a document."""
        held: list[Message] = []

        async def send_extended(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_document(message):
                held.append(message)
            elif not held:
                await send(message)
            else:
                held.append(message)
                if not message.get("more_body"):
                    await self._send(held, send)

        if (
            scope["type"] == "http"
            and scope["method"] == "GET"
            and "text/html" in Headers(scope=scope).get("accept", "")
        ):
            # Streamlit would compress the document.
            headers = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
            await self._app({**scope, "headers": headers}, receive, send_extended)
        else:
            await self._app(scope, receive, send)

    async def _send(self, held: list[Message], send: Send) -> None:
        start, *parts = held
        body = b"".join(part.get("body", b"") for part in parts)
        for old, new in self._replaced.items():
            body = body.replace(old, new, 1)
        headers = MutableHeaders(scope=start)
        headers["Content-Length"] = str(len(body))
        # They describe Streamlit's file, and browsers would keep an outdated style.
        for name in ("ETag", "Last-Modified"):
            del headers[name]
        await send(start)
        await send({"type": "http.response.body", "body": body})


def _is_document(start: Message) -> bool:
    return start["status"] == 200 and Headers(raw=start["headers"]).get("content-type", "").startswith("text/html")


MIDDLEWARE = (
    Middleware(SafeHeaders),
    Middleware(AllowedHosts),
    Middleware(ClosedAddresses),
    Middleware(ForeignOrigins),
    Middleware(UploadLimits),
    Middleware(AfterSignIn),
    Middleware(OwnDocument),
)
