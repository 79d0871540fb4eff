import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
SECONDS_TO_START = 90
MILLISECONDS_TO_SHOW = 60_000

expect.set_options(timeout=MILLISECONDS_TO_SHOW)


@pytest.fixture(scope="package")
def server(tmp_path_factory):
    """The address of a fresh server of the app, ready for visitors."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    folder = tmp_path_factory.mktemp("server")
    log = folder / "output.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "streamlit", "run", "app.py"),
                f"--server.port={port}",
                "--server.headless=true",
                "--server.address=127.0.0.1",
                "--server.fileWatcherType=none",
                "--browser.gatherUsageStats=false",
            ],
            cwd=ROOT,
            env=os.environ | {"MULTILOSS_DECISION_LOG": f"sqlite:///{folder / 'decisions.db'}"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_until_healthy(address, process, log)
            # One run of app.py tells the server which pages there are.
            get(f"{address}/_stcore/script-health-check", timeout=SECONDS_TO_START)
            yield address
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture(scope="package")
def chromium():
    executable = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if executable is None:
        sentence = (
            "No Chromium was found, so the app was not tried in a browser; install it with: "
            "apt-get install chromium (Debian) or apt-get install chromium-browser (Ubuntu)."
        )
        if os.environ.get("CI"):
            pytest.fail(sentence)
        pytest.skip(sentence)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium):
    """Opens a page in a context of its own, as another visitor would; keywords go to the context."""
    contexts = []

    def make(**keywords):
        context = chromium.new_context(**({"viewport": {"width": 1000, "height": 700}} | keywords))
        contexts.append(context)
        context.set_default_timeout(MILLISECONDS_TO_SHOW)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_page):
    return new_page()


def wait_until_healthy(address, process, log):
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            get(f"{address}/_stcore/health", timeout=5)
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"The server did not start:\n{log.read_text(errors='replace')}")
            time.sleep(0.05)
        else:
            return


def get(address, timeout):
    with urllib.request.urlopen(address, timeout=timeout) as answer:
        return answer.read()
