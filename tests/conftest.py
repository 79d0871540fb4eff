"""What all tests share: the settings of the property tests and the folder of real rated files."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "multiloss", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("multiloss")


@pytest.fixture(scope="session")
def rated_folder() -> Path:
    folder = Path(__file__).resolve().parents[2] / "shared/data/rated"
    if not folder.is_dir():
        pytest.skip("The folder shared/data/rated with the public rated files is not beside the checkout.")
    return folder
