"""Test the server's responses to foreign requests, its limits and its start."""

import asyncio
import os
import re
import shutil
import socket
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from benchmarks.client import Client
from tests.app_server import ROOT, app_server, free_port
from tests.browser.steps import PAGES, follow, losses, open_page, rated_csv, selected, settle, upload


def answer(address):
    try:
        with urllib.request.urlopen(address, timeout=30) as found:
            return found.status, found.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


@pytest.mark.parametrize("closed", ["metrics", "script-health-check", "agent", "agent/sessions", "metrics/"])
def test_strangers_learn_nothing_and_run_nothing(server, closed):
    assert answer(f"{server}/_stcore/{closed}")[0] == 404
    assert answer(f"{server}/rated_data/_stcore/{closed}")[0] == 404


@pytest.mark.parametrize("path", ["", "rated_data", "_stcore/health", "_stcore/metrics", "app/static/none.js"])
def test_every_response_has_the_policy_of_its_page(server, path):
    status, headers = answer(f"{server}/{path}")
    assert status == (404 if path.endswith(("metrics", ".js")) else 200)
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["connect-src"].split()[0] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("origin", ["", "http://localhost:1", "http://127.0.0.1:9"])
def test_other_ports_of_this_machine_are_foreign(server, origin):
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws{server.removeprefix('http')}/_stcore/stream", additional_headers={"Origin": origin})
    assert refused.value.response.status_code == 403


def test_server_listens_on_this_machine_only(server):
    port = urlsplit(server).port
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)}
    for address in others - {"127.0.0.1", "127.0.1.1"}:
        with socket.socket() as probe:
            probe.settimeout(5)
            assert probe.connect_ex((address, port)) != 0
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) == 0


def test_page_loads_nothing_from_another_server(server, page):
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(1)
        open_page(page, f"{server}/top_k", PAGES["top_k"])
        refused = page.evaluate(
            """address => new Promise(resolve => {
                document.addEventListener('securitypolicyviolation', event => resolve(event.effectiveDirective))
                new Image().src = address
            })""",
            f"http://127.0.0.1:{other.getsockname()[1]}/picture.png",
        )
        assert refused == "img-src"
        with pytest.raises(TimeoutError):
            other.accept()


@pytest.mark.parametrize("origin", ["http://evil.example", "https://127.0.0.1.evil.example", "null", "http://[broken"])
def test_pages_of_other_servers_open_no_websocket(server, origin):
    address = f"ws{server.removeprefix('http')}/_stcore/stream"
    with pytest.raises(InvalidStatus) as refused:
        connect(address, additional_headers={"Origin": origin})
    assert refused.value.response.status_code == 403
    for own in (server, server.replace("127.0.0.1", "localhost")):
        with connect(address, additional_headers={"Origin": own}) as open_one:
            assert open_one.response.status_code == 101


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8501", "localhost.evil.example"])
def test_names_of_others_lead_to_nothing_here(server, host):
    port = urlsplit(server).port
    for path in ("/", "/rated_data", "/_stcore/health", "/_stcore/host-config"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(f"{server}{path}", headers={"Host": host}), timeout=30)
        with refused.value as answered:
            assert answered.code == 403
            assert "allowedHosts" in answered.read().decode()
    # As the rebound page would: its own name in both headers.
    with socket.create_connection(("127.0.0.1", port)) as connection, pytest.raises(InvalidStatus) as refused:
        connect(f"ws://{host.partition(':')[0]}:{port}/_stcore/stream", sock=connection, origin=f"http://{host}")
    assert refused.value.response.status_code == 403
    assert answer(f"http://localhost:{port}/")[0] == 200


def test_an_installation_that_cannot_be_written_starts(tmp_path, new_page):
    installed = tmp_path / "installed"
    installed.mkdir()
    for name in ("app.py", "server.py", "pages", "ui", "multiloss_core", "decision_log", "docs", ".streamlit"):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy2)(ROOT / name, installed / name)
    (installed / "static").mkdir()
    for folder, _, files in os.walk(installed):
        for file in files:
            os.chmod(os.path.join(folder, file), 0o444)
        os.chmod(folder, 0o555)
    # To root everything can be written, unless it gives that up.
    bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    environment = {"HOME": str(installed / "nobody"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        with app_server(tmp_path, root=installed, before=bound, environment=environment) as address:
            page = new_page()
            page.add_init_script(
                """new MutationObserver(() => window.sidebar ||= !!document.querySelector('[data-testid=stSidebar]'))
                    .observe(document, { subtree: true, childList: true })"""
            )
            open_page(page, f"{address}/operating_point", PAGES["operating_point"])
            # Plotly's own library could not be copied: Streamlit's charts take its place.
            expect(page.locator(".js-plotly-plot").first).to_be_visible()
            expect(page.get_by_test_id("stException")).to_have_count(0)
            # The first session of a fresh server, by a link to a page, sees the application's menu only.
            assert page.evaluate("window.sidebar") is False
            follow(page, "Rated data", PAGES["rated_data"])
            expect(losses(page)).to_be_visible()
        assert not list((installed / "static").iterdir())
        assert "Traceback" not in (tmp_path / "output.txt").read_text()
    finally:
        for folder, _, _ in os.walk(installed):
            os.chmod(folder, 0o755)


def memory_of(server):
    """Megabytes in memory of the process that serves an address."""
    port = f"--server.port={urlsplit(server).port}"
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if port in place.read_text().split("\0"):
                status = place.with_name("status").read_text()
                return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024
    raise AssertionError(f"no process serves {server}")


def test_the_next_file_after_a_broken_upload_is_read(tmp_path, chromium):
    port = free_port()
    context = chromium.new_context()
    page = context.new_page()

    with app_server(tmp_path, port) as server:
        open_page(page, f"{server}/rated_data", PAGES["rated_data"])
        # Nothing answers the upload.
        page.route("**/upload_file/**", lambda _: None)
        chosen = page.locator("[data-testid=stFileUploader] input[type=file]").first
        with page.expect_request("**/upload_file/**"):
            chosen.set_input_files({"name": "broken.csv", "mimeType": "text/csv", "buffer": rated_csv()})
    page.unroute("**/upload_file/**")
    with app_server(tmp_path, port):
        page.wait_for_event("websocket", timeout=60_000)
        settle(page)
        upload(page, "second.csv", rated_csv())
        expect(selected(page, "Data")).to_have_value("second.csv")
        settle(page)
    context.close()


async def status_of(tab, path, size):
    """Return the response to an upload of a size in bytes."""
    try:
        await tab.put(path, "any.csv", bytes(size))
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
    return 204, ""


async def bring_too_much(server):
    """Upload files up to the limit; return the responses and the additional memory."""
    async with Client(server) as tab:
        await tab.go(page_name="rated_data")
        await tab.until(lambda: tab.uploader and tab.is_at_rest, "the page Rated data")
        before = memory_of(server)
        places = [(await tab.place_for("any.csv")).upload_url for _ in range(10)]
        large = [await status_of(tab, place, 100 * 2**20) for place in places[:5]]
        small = [await status_of(tab, place, 1) for place in places[5:]]
        unasked = await status_of(tab, f"{places[0]}0", 1)
        others = await status_of(tab, f"{places[0].rpartition('/')[0]}0/{places[0].rpartition('/')[2]}", 1)
        return large, small, unasked, others, memory_of(server) - before


def test_uploads_are_limited_and_freed_after_the_session(tmp_path, chromium):
    with app_server(tmp_path, environment={"STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "1"}) as server:
        context = chromium.new_context()
        page = context.new_page()
        open_page(page, f"{server}/rated_data", PAGES["rated_data"])
        upload(page, "alerts.csv", rated_csv())
        expect(selected(page, "Data")).to_have_value("alerts.csv")
        settle(page)
        before = memory_of(server)
        with ThreadPoolExecutor(1) as thread:
            large, small, unasked, others, more = thread.submit(asyncio.run, bring_too_much(server)).result()
        assert [status for status, _ in large] == [204] * 4 + [413]
        assert "450 MB" in large[-1][1]
        assert [status for status, _ in small] == [204] * 4 + [413]
        assert (unasked[0], others[0]) == (403, 403)
        assert "did not request this file" in unasked[1]
        assert more > 350
        wait_until(lambda: memory_of(server) < before + 60)
        context.close()


def wait_until(is_so):
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.2)
