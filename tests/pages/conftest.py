"""Every test of the pages has a decision log of its own."""

import pytest

from ui.records.log_access import ADDRESS, forget_log


@pytest.fixture(autouse=True)
def log_address(monkeypatch, tmp_path):
    """The address of an empty log in a temporary file."""
    address = f"sqlite:///{tmp_path / 'decisions.db'}"
    monkeypatch.setenv(ADDRESS, address)
    yield address
    forget_log()
