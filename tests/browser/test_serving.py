"""What the server answers strangers, what its pages may do, and where it starts all the same."""

import os
import shutil
import socket
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.app_server import ROOT, app_server
from tests.browser.steps import PAGES, follow, metric, open_page, settle, upload

HOSTILE = ("![i](http://{host}/t.png)", "[link](http://{host}/a)", "http://{host}/b", "<img src='http://{host}/c'>")


def answer(address):
    try:
        with urllib.request.urlopen(address, timeout=30) as found:
            return found.status, found.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


@pytest.fixture
def stranger():
    """Another web server, with the list of what it was asked for."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        yield f"127.0.0.1:{other.server_port}", asked
        other.shutdown()
        thread.join()


@pytest.mark.parametrize("closed", ["metrics", "script-health-check", "agent", "agent/sessions", "metrics/"])
def test_strangers_learn_nothing_and_run_nothing(server, closed):
    assert answer(f"{server}/_stcore/{closed}")[0] == 404
    assert answer(f"{server}/rated_data/_stcore/{closed}")[0] == 404


@pytest.mark.parametrize("path", ["", "rated_data", "_stcore/health", "_stcore/metrics", "app/static/none.js"])
def test_every_answer_says_what_a_page_may_do(server, path):
    status, headers = answer(f"{server}/{path}")
    assert status == (404 if path.endswith(("metrics", ".js")) else 200)
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["connect-src"].split()[0] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"


def test_only_this_machine_is_listened_to(server):
    port = urlsplit(server).port
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)}
    for address in others - {"127.0.0.1", "127.0.1.1"}:
        with socket.socket() as probe:
            probe.settimeout(5)
            assert probe.connect_ex((address, port)) != 0
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_page_loads_nothing_from_another_server(server, page, stranger):
    host, asked = stranger
    open_page(page, f"{server}/top_k", PAGES["top_k"])
    refused = page.evaluate(
        """address => new Promise(resolve => {
            document.addEventListener('securitypolicyviolation', event => resolve(event.effectiveDirective))
            new Image().src = address
        })""",
        f"http://{host}/picture.png",
    )
    assert refused == "img-src"
    assert not asked


def test_names_of_columns_files_and_ratings_are_text_on_every_page(server, page, stranger):
    host, asked = stranger
    names = [text.format(host=host) for text in HOSTILE]
    generator = np.random.default_rng(3)
    is_fraud = generator.random(600) < 0.3
    scores = {name: np.clip(generator.normal(0.4 + 0.3 * is_fraud, 0.2), 0, 1).round(3) for name in names[:2]}
    frame = pd.DataFrame(
        {
            **{f"{name} score": values for name, values in scores.items()},
            names[2]: generator.choice([names[3], names[0]], 600),
            "disposition": np.where(is_fraud, "fraud", "genuine"),
        }
    )
    pictures = f"img[src*='{host}'], a[href*='{host}'], [style*='{host}']"
    open_page(page, f"{server}/rated_data?data=Login+alerts", PAGES["rated_data"])
    upload(page, f"![x](http:⁄⁄{host}⁄n.png).csv", frame.to_csv(index=False).encode())
    expect(metric(page, "Rows read")).to_have_text("600")
    settle(page)
    assert page.locator(pictures).count() == 0
    page.get_by_text("Change what the columns mean").first.click()
    settle(page)
    assert page.locator(pictures).count() == 0
    confirm = page.get_by_role("button", name="These columns are right")
    if confirm.count():
        confirm.click()
        settle(page)
    for link in ("Decision sheet", "Operating point", "Decisions"):
        follow(page, link, link)
        settle(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        assert page.locator(pictures).count() == 0, link
    assert not asked


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
            # The first visitor of a fresh server, by a link to a page, sees the application's own menu and no other.
            assert page.evaluate("window.sidebar") is False
            follow(page, "Rated data", PAGES["rated_data"])
            expect(metric(page, "Rows read")).to_be_visible()
        assert not list((installed / "static").iterdir())
        assert "Traceback" not in (tmp_path / "output.txt").read_text()
    finally:
        for folder, _, _ in os.walk(installed):
            os.chmod(folder, 0o755)
