"""The databases that the decision log is tried on."""

import pytest


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request, tmp_path):
    """The address of an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'decisions.db'}"
    return request.getfixturevalue("postgres_database")
