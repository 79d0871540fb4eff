"""Back to the page that was asked for, and to no other server."""

from urllib.parse import quote, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from ui.server.middleware import RETURN_COOKIE, page_asked_for

HERE = "https://multiloss.bank.example"


def asked(page, path="/oauth2callback", query="state=1&code=2"):
    cookie = f"{RETURN_COOKIE}={quote(page, safe='')}".encode()
    headers = [(b"cookie", cookie), (b"host", urlsplit(HERE).netloc.encode())]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": headers}
    return page_asked_for(Request(scope))


@pytest.mark.parametrize(
    "page", ["/", "/operating_point?data=Login+alerts&m=35", "/multiloss/decisions?decision=7%20%C2%B7", "/a?b=//c"]
)
def test_a_page_here_is_led_back_to(page):
    assert asked(page) == page


@pytest.mark.parametrize("page", ["", "decisions", "//evil.example", "/\\evil.example", "/a\r\nSet-Cookie: b", "/ä"])
def test_anything_else_is_not(page):
    assert asked(page) is None


@given(st.text(alphabet="/\\.:@?#%\t evil\n", max_size=30))
def test_no_cookie_leads_to_another_server(rest):
    page = asked(f"/{rest}")
    if page is not None:
        assert urlsplit(urljoin(f"{HERE}/oauth2callback", page)).netloc == urlsplit(HERE).netloc


def test_only_who_comes_from_signing_in_is_led():
    assert asked("/decisions", path="/") is None
    assert asked("/decisions", query="") is None
