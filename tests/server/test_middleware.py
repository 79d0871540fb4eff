"""Test that foreign hosts and origins are rejected."""

import asyncio

import pytest
import streamlit as st
from starlette.responses import PlainTextResponse
from streamlit import config

from ui.server import middleware
from ui.server.middleware import CLOSED, HEADERS, AllowedHosts, ClosedAddresses, ForeignOrigins, SafeHeaders


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
