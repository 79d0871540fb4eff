"""Addresses that Streamlit opens and the application does not need."""

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

# They tell strangers how many visitors there are, or run the script for whoever asks.
CLOSED = ("/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/agent")


class ClosedAddresses:
    """Answer what is asked of `CLOSED` as if it were not there."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        path = scope.get("path", "").rstrip("/")
        if scope["type"] == "http" and any(path.endswith(closed) or f"{closed}/" in path for closed in CLOSED):
            await PlainTextResponse("Not Found", status_code=404)(scope, receive, send)
            return
        await self._app(scope, receive, send)
