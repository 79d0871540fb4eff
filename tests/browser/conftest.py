import os

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.app_server import CHROMIUM_ARGUMENTS, app_server, chromium_executable
from tests.browser.steps import without_webgl

MILLISECONDS_TO_SHOW = 60_000

expect.set_options(timeout=MILLISECONDS_TO_SHOW)


@pytest.fixture(scope="package")
def server(tmp_path_factory):
    """Yield the address of a fresh server of the app."""
    with app_server(tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.fixture(scope="package")
def chromium():
    executable = chromium_executable()
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
    """Return a function that opens a page in its own context; keywords go to the context.

    Without WebGL unless `surfaces`: they take seconds of a machine without a graphics card.
    """
    contexts = []

    def make(*, surfaces=False, **keywords):
        context = chromium.new_context(**({"viewport": {"width": 1000, "height": 700}} | keywords))
        contexts.append(context)
        context.set_default_timeout(MILLISECONDS_TO_SHOW)
        if not surfaces:
            without_webgl(context)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_page):
    return new_page()


@pytest.fixture
def page_with_surfaces(new_page):
    return new_page(surfaces=True)
