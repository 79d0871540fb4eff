"""Test that foreign hosts and origins are rejected."""

import asyncio
import sys
from pathlib import Path

import pytest
import streamlit as st
import uvicorn
from starlette.responses import PlainTextResponse
from streamlit import config

from ui.server import middleware
from ui.server.middleware import (
    CLOSED,
    HEADERS,
    STYLE,
    AllowedHosts,
    ClosedAddresses,
    ForeignOrigins,
    OwnDocument,
    SafeHeaders,
)


@pytest.fixture
def options(monkeypatch):
    """Set options of Streamlit for one test."""
    before = {}

    def set_options(**values):
        for name, value in values.items():
            key = f"server.{name}"
            before.setdefault(key, st.get_option(key))
            config.set_option(key, value)

    set_options(allowedHosts=[], address="127.0.0.1")
    yield set_options
    for key, value in before.items():
        config.set_option(key, value)


def asked(layer, kind, *headers):
    """Ask through a middleware; return whether the request or the WebSocket came through."""
    sent, passed = [], []

    async def app(scope, receive, send):
        passed.append(scope)

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    scope = {
        "type": kind,
        "method": "GET",
        "path": "/_stcore/stream",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }
    asyncio.run(layer(app)(scope, receive, send))
    if passed:
        return True
    if kind == "websocket":
        assert [message["type"] for message in sent] == ["websocket.close"]
    else:
        assert sent[0]["status"] == 403
    return False


KINDS = pytest.mark.parametrize("kind", ["http", "websocket"])


@KINDS
@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("localhost", True),
        ("LOCALHOST:8501", True),
        ("127.0.0.1:9000", True),
        ("[::1]:8501", True),
        ("evil.example", False),
        ("evil.example:8501", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.nip.example:8501", False),
        ("localhost@evil.example", False),
        ("192.168.0.7", False),
        ("0.0.0.0", False),
        ("", False),
        ("localhost:port", False),
    ],
)
def test_only_this_machine_is_a_host_by_default(options, kind, host, is_own):
    assert asked(AllowedHosts, kind, ("host", host)) is is_own


@KINDS
def test_missing_or_second_host_is_refused(options, kind):
    assert not asked(AllowedHosts, kind)
    assert not asked(AllowedHosts, kind, ("host", "localhost"), ("host", "evil.example"))


@KINDS
@pytest.mark.parametrize("named", ["app.bank.example", "https://app.bank.example:8443/", "a.example,app.bank.example"])
def test_hosts_that_the_operator_names_are_added(options, kind, named):
    options(allowedHosts=[named])
    assert asked(AllowedHosts, kind, ("host", "app.bank.example:8443"))
    assert asked(AllowedHosts, kind, ("host", "localhost:8501"))
    assert not asked(AllowedHosts, kind, ("host", "other.bank.example"))


@KINDS
def test_host_of_the_redirect_of_sign_in_is_added(options, monkeypatch, kind):
    monkeypatch.setattr(middleware, "redirect_host", lambda: "fraud.bank.example")
    assert asked(AllowedHosts, kind, ("host", "fraud.bank.example"))
    assert not asked(AllowedHosts, kind, ("host", "evil.example"))


def test_address_that_the_server_listens_at_is_added(options):
    options(address="10.1.2.3")
    assert asked(AllowedHosts, "http", ("host", "10.1.2.3:8501"))
    options(address="0.0.0.0", allowedHosts=[])
    assert not asked(AllowedHosts, "http", ("host", "0.0.0.0:8501"))


@pytest.mark.parametrize(
    ("origin", "host", "is_own"),
    [
        ("http://localhost:8501", "localhost:8501", True),
        ("http://localhost:8501", "127.0.0.1:8501", True),
        ("https://app.bank.example", "app.bank.example", True),
        ("https://app.bank.example", "app.bank.example:443", True),
        ("http://localhost:3000", "localhost:8501", False),
        ("http://127.0.0.1:8502", "127.0.0.1:8501", False),
        ("http://localhost", "localhost:8501", False),
        ("https://app.bank.example:8443", "app.bank.example", False),
        ("https://evil.example", "app.bank.example", False),
        ("", "localhost:8501", False),
        ("null", "localhost:8501", False),
        ("localhost:8501", "localhost:8501", False),
        ("file://localhost:8501", "localhost:8501", False),
        ("http://localhost:port", "localhost:8501", False),
        ("http://[broken", "localhost:8501", False),
    ],
)
def test_origin_is_the_same_host_and_port(options, origin, host, is_own):
    assert asked(ForeignOrigins, "websocket", ("host", host), ("origin", origin)) is is_own


def test_second_origin_is_refused(options):
    own = ("origin", "http://localhost:8501")
    assert not asked(ForeignOrigins, "websocket", ("host", "localhost:8501"), own, ("origin", "http://evil.example"))


def test_origins_that_the_operator_names_are_added(options):
    options(corsAllowedOrigins=["https://portal.bank.example"])
    host = ("host", "app.bank.example")
    assert asked(ForeignOrigins, "websocket", host, ("origin", "https://portal.bank.example"))
    assert not asked(ForeignOrigins, "websocket", host, ("origin", "https://portal.bank.example:8443"))
    assert not asked(ForeignOrigins, "websocket", host, ("origin", "http://portal.bank.example"))


def answer_to(layer, path):
    """Return status and headers of a GET request through a layer."""
    sent = []

    async def app(scope, receive, send):
        await PlainTextResponse("page")(scope, receive, send)

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "headers": []}
    asyncio.run(layer(app)(scope, None, send))
    return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}


@pytest.mark.parametrize("path", [*CLOSED, *(f"/somewhere{path}/" for path in CLOSED), f"{CLOSED[-1]}/more"])
def test_closed_addresses_are_not_there(path):
    assert answer_to(ClosedAddresses, path)[0] == 404


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/operating_point"])
def test_other_addresses_are_open(path):
    assert answer_to(ClosedAddresses, path)[0] == 200


def test_every_response_has_the_security_headers():
    status, headers = answer_to(SafeHeaders, "/")
    assert status == 200
    assert {name.lower(): value for name, value in HEADERS.items()}.items() <= headers.items()


def served(body, *, accept="text/html,*/*", kind="text/html; charset=utf-8", status=200):
    """Serve a file through `OwnDocument`; return headers, body and the request's headers."""
    sent, passed = [], []

    async def app(scope, receive, send):
        passed.append(dict(scope["headers"]))
        headers = [(b"content-type", kind.encode()), (b"content-length", b"%d" % len(body)), (b"etag", b'"1"')]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body[:9], "more_body": True})
        await send({"type": "http.response.body", "body": body[9:]})

    async def send(message):
        sent.append(message)

    headers = [(b"accept", accept.encode()), (b"accept-encoding", b"gzip")]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
    asyncio.run(OwnDocument(app)(scope, None, send))
    return dict(sent[0]["headers"]), b"".join(message["body"] for message in sent[1:]), passed[0]


PAGE = b"<html><head><title>Streamlit</title></head><body><div></div></body></html>"


def test_the_document_of_a_page_carries_name_address_and_style():
    headers, body, request = served(PAGE)
    assert b"<title>Multiloss</title>" in body
    assert b"BACKEND_BASE_URL" in body.partition(b"</head>")[0]
    assert STYLE.read_bytes() in body.partition(b"<div></div>")[2]
    assert headers[b"content-length"] == b"%d" % len(body)
    assert b"etag" not in headers
    assert b"accept-encoding" not in request


@pytest.mark.parametrize(
    "other",
    [{"accept": "*/*"}, {"kind": "application/javascript"}, {"status": 404}],
    ids=["no page", "file", "missing"],
)
def test_other_responses_stay_as_they_are(other):
    headers, body, _ = served(PAGE, **other)
    assert body == PAGE
    assert headers[b"etag"] == b'"1"'


def test_streamlits_document_has_the_parts_that_are_replaced():
    page = (Path(st.__file__).parent / "static" / "index.html").read_bytes()
    _, body, _ = served(page)
    assert b"<title>Multiloss</title>" in body
    assert body.rstrip().endswith(b"</style></body>\n</html>")


@pytest.mark.skipif(sys.platform == "win32", reason="uvloop does not run on Windows")
def test_small_responses_are_sent_at_once():
    """Streamlit's socket has no protocol number, so asyncio's own loop would delay them."""
    assert uvicorn.Config(None).get_loop_factory().__module__.startswith("uvloop")
