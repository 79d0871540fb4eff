"""Give each test of the pages its own decision log and scan components once."""

from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner

from decision_log import ADDRESS
from tests.pages.steps import complete
from ui.records import opened_log
from ui.server.file_store import FOLDER, file_store
from ui.shared import formatting


@pytest.fixture(scope="session", autouse=True)
def installed_components():
    """Scan the installed packages for components once; it takes as long as a page run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(scope="session", autouse=True)
def rows_are_documents():
    """Call rows documents in sentences, to distinguish them from flagged alerts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formatting, "ALERTS", formatting.FRAUD)
        yield


@pytest.fixture(autouse=True)
def complete_pages(monkeypatch, request):
    """Complete every page, except for a test of the surfaces before they are seen."""
    complete(monkeypatch, surfaces="closed_surfaces" not in request.keywords)


@pytest.fixture(autouse=True)
def log_address(monkeypatch, tmp_path):
    """The address of an empty log in a temporary file."""
    address = f"sqlite:///{tmp_path / 'decisions.db'}"
    monkeypatch.setenv(ADDRESS, address)
    yield address
    opened_log.clear()


@pytest.fixture(autouse=True)
def stored_files(monkeypatch, tmp_path):
    """The folder of the files that the server keeps, for this test alone."""
    folder = tmp_path / "files"
    monkeypatch.setenv(FOLDER, str(folder))
    file_store.cache_clear()
    yield folder
    file_store.cache_clear()


@pytest.fixture(autouse=True)
def no_page_fails(caplog):
    """Fail a test whose page failed with an error that the page catches and shows."""
    yield
    failed = [record for record in caplog.get_records("call") if record.name == "ui.shared.page_setup"]
    assert not failed, failed[0].exc_text
