"""What all tests share: the settings of the property tests and the folder of real rated files."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "multiloss", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("multiloss")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A test that is skipped on a user's machine must run in CI."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def rated_folder() -> Path:
    folder = Path(__file__).resolve().parents[2] / "shared/data/rated"
    if not folder.is_dir():
        pytest.skip("The folder shared/data/rated with the public rated files is not beside the checkout.")
    return folder
