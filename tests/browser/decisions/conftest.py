import pytest

from tests.app_server import app_server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Start a server with its own decision log: deployed thresholds change other pages."""
    with app_server(tmp_path_factory.mktemp("server")) as address:
        yield address
