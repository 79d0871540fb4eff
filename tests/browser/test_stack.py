"""Test the services of compose.yaml: application, PostgreSQL and proxy with TLS."""

import os
import re
import shlex
import signal
import ssl
import subprocess
from http.client import HTTPConnection, HTTPSConnection
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from sqlalchemy import create_engine, text
from sqlalchemy.exc import ProgrammingError

from decision_log import DecisionLog
from tests.browser.stack import running_stack, wait_until
from tests.browser.steps import PAGES, follow, metric, open_page, open_part, rated_csv, selected, settle, upload
from tests.deployment.files import ROOT, SERVICES
from ui.server.middleware import HEADERS

WHY = "Saved by way of the proxy."
STREAM = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@pytest.fixture(scope="module")
def stack():
    with running_stack() as found:
        yield found


def answer(stack, path, method="GET", headers=()):
    """Ask the proxy, which shows its certificate; status and headers, each with all its values."""
    trusted = ssl.create_default_context(cafile=stack.folder / "secrets/tls_certificate.pem")
    connection = HTTPSConnection(urlsplit(stack.https).netloc, context=trusted, timeout=30)
    connection.request(method, path, headers=dict(headers))
    found = connection.getresponse()
    found.read()
    connection.close()
    return found.status, found.headers


def rows(address, statement):
    engine = create_engine(address, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            result = connection.execute(text(statement))
            return result.fetchall() if result.returns_rows else []
    finally:
        engine.dispose()


def test_decision_is_saved_through_tls_by_role_that_only_adds(stack, new_page):
    page = new_page(ignore_https_errors=True)
    open_page(page, f"{stack.https}/operating_point?data=Login+alerts", PAGES["operating_point"])
    # Plotly's own library was made with the image.
    expect(page.locator(".explorer")).to_be_visible()
    expect(metric(page, "Caught (TP)")).to_be_visible()
    open_part(page, "Save this decision")
    page.get_by_role("textbox", name="Decided by").fill("A. Nalyst")
    page.get_by_role("textbox", name="Why").fill(WHY)
    page.get_by_role("button", name="Save to the log").click()
    expect(page.get_by_test_id("stAlert").filter(has_text="number")).to_be_visible()
    follow(page, "Decisions", PAGES["decisions"])
    expect(page.get_by_text(WHY).first).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    settle(page)

    # Twice where this is tried once more.
    assert rows(stack.owner, "SELECT DISTINCT author FROM decision_log_entries") == [("A. Nalyst",)]
    assert rows(stack.app_role, "SELECT count(*) > 0 FROM decision_log_events") == [(True,)]
    for refused in (
        "INSERT INTO decision_log_version VALUES ('v0009')",
        "UPDATE decision_log_entries SET id = 7",
        "DELETE FROM decision_log_events",
        "TRUNCATE decision_log_entries",
        "CREATE TABLE another (id integer)",
    ):
        with pytest.raises(ProgrammingError, match="permission denied"):
            rows(stack.app_role, refused)
    assert "Traceback" not in (stack.folder / "app.log").read_text()


def test_a_file_is_uploaded_through_the_proxy(stack, new_page):
    page = new_page(ignore_https_errors=True)
    open_page(page, f"{stack.https}/rated_data", PAGES["rated_data"])
    upload(page, "alerts.csv", rated_csv())
    expect(selected(page, "Data")).to_have_value("alerts.csv")
    settle(page)
    assert all(cookie["secure"] for cookie in page.context.cookies() if cookie["name"].startswith("_streamlit"))
    assert any(cookie["name"] == "_streamlit_xsrf" for cookie in page.context.cookies())


def test_backup_is_restored_without_role_of_application(stack):
    words = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    dump, restore = (
        shlex.split(re.search(rf"exec -T database ({program} .*?) decisions [<>] log\.sql", words)[1])
        for program in ("pg_dump", "psql")
    )
    socket = {"PGHOST": stack.owner.query["host"], "PGPASSWORD": stack.owner.password, "PATH": os.environ["PATH"]}
    rows(stack.owner, "DROP DATABASE IF EXISTS restored")
    rows(stack.owner, "CREATE DATABASE restored")
    kept = subprocess.run([*dump, "decisions"], env=socket, capture_output=True, check=True).stdout
    assert b"multiloss_app" not in kept
    subprocess.run([*restore, "restored"], env=socket, input=kept, capture_output=True, check=True)
    with DecisionLog(stack.owner.set(database="restored").render_as_string(hide_password=False)) as log:
        found = log.audit()
    assert found.faults == ()
    assert found.entries > 0


def test_every_answer_has_each_header_once(stack):
    for path in ("/", "/_stcore/health", "/none.js"):
        _, headers = answer(stack, path)
        assert {name: headers.get_all(name) for name in HEADERS} == {name: [value] for name, value in HEADERS.items()}
        (strict,) = headers.get_all("Strict-Transport-Security")
        assert int(re.fullmatch(r"max-age=(\d+)", strict)[1]) >= 31_536_000
        assert headers.get_all("Server") == ["nginx"]
        assert all("secure" in cookie.lower() for cookie in headers.get_all("Set-Cookie", []))


def test_addresses_without_tls_lead_to_those_with_it(stack):
    connection = HTTPConnection(urlsplit(stack.http).netloc, timeout=30)
    connection.request("GET", "/decisions?a=1", headers={"Host": "multiloss.example"})
    found = connection.getresponse()
    connection.close()
    assert (found.status, found.headers["Location"]) == (308, "https://multiloss.example/decisions?a=1")


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(stack):
    # A file may have 200 MB.
    for megabytes, status in ((200, 403), (202, 413)):
        length = {"Content-Length": str(megabytes * 2**20), "Expect": "100-continue"}
        assert answer(stack, "/_stcore/upload_file/none/none", "PUT", length)[0] == status


def test_an_address_has_a_limit_of_streams_of_its_own(stack):
    trusted = ssl.create_default_context(cafile=stack.folder / "secrets/tls_certificate.pem")
    connections, statuses = [], []
    for _ in range(32):
        connection = HTTPSConnection(urlsplit(stack.https).netloc, context=trusted, timeout=30)
        connections.append(connection)
        connection.request("GET", "/_stcore/stream", headers=STREAM | {"Origin": stack.https})
        statuses.append(connection.sock.recv(100).split()[1])
    assert statuses[:25] == [b"101"] * 25
    assert statuses[-1] == b"429"
    # The pages themselves are still sent.
    assert answer(stack, "/")[0] == 200
    for connection in connections:
        connection.close()


def test_keys_to_sessions_and_their_downloads_are_not_logged(stack):
    session = "0f8fad5b-d9cb-469f-a165-70867728950e"
    for place in ("/_stcore/upload_file/{}/1", "/rated_data/_stcore/upload_file/{}", "/media/{}.csv"):
        answer(stack, place.format(session))
    log = stack.folder / "proxy.log"
    wait_until(lambda: '/media/"' in log.read_text(), stack.app, log)
    assert session not in log.read_text()


def test_the_log_of_the_proxy_holds_no_names(stack):
    answer(stack, "/rated_data?data=Case+4711+of+Ann+Lee")
    log = stack.folder / "proxy.log"
    # A line is written once the answer is sent.
    wait_until(lambda: "GET /rated_data" in log.read_text(), stack.app, log)
    lines = log.read_text()
    assert "4711" not in lines
    assert "?" not in lines


def test_password_of_database_is_in_no_environment_and_no_log(stack):
    password = stack.app_role.password
    assert len(password) >= 32
    with open(f"/proc/{stack.app.pid}/environ", "rb") as environment:
        assert password.encode() not in environment.read()
    assert password not in (stack.folder / "app.log").read_text()


def test_the_application_ends_within_seconds_of_being_asked_to(stack, new_page):
    page = new_page(ignore_https_errors=True)
    open_page(page, f"{stack.https}/decisions", PAGES["decisions"])
    stack.app.send_signal(signal.SIGTERM)
    stack.app.wait(timeout=int(SERVICES["app"]["stop_grace_period"].removesuffix("s")))
    assert answer(stack, "/")[0] == 502
