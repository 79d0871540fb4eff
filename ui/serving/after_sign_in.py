"""Back to the page that was asked for: Streamlit's own sign-in always ends at the start of the application."""

import re
from urllib.parse import unquote

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# What the sign-in page keeps in the browser: the path and the query of the page that was asked for.
RETURN_COOKIE = "multiloss_return"
CALLBACK = "/oauth2callback"
# A page of this server: nothing that a browser could take for the name of another one.
_OWN_PAGE = re.compile(r"/(?![/\\])[!-\[\]-~]*")


class AfterSignIn:
    """Lead who comes back from the provider to the page in `RETURN_COOKIE`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; the answer to one from the provider leads to another page."""
        page = page_asked_for(Request(scope)) if scope["type"] == "http" else None
        if page is None:
            await self._app(scope, receive, send)
            return

        async def send_there(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 302:
                headers = MutableHeaders(scope=message)
                headers["Location"] = page
                headers.append("Set-Cookie", f"{RETURN_COOKIE}=; Path=/; Max-Age=0; SameSite=lax")
            await send(message)

        await self._app(scope, receive, send_there)


def page_asked_for(request: Request) -> str | None:
    """Return the page to lead to after a sign-in; None for every other request, and for what is no page here."""
    # Who comes back from signing out brings no state.
    if not request.url.path.endswith(CALLBACK) or "state" not in request.query_params:
        return None
    page = unquote(request.cookies.get(RETURN_COOKIE, ""))
    return page if _OWN_PAGE.fullmatch(page) else None
