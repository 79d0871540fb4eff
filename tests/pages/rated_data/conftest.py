"""The screen Rated data, as it is opened and with a file."""

import pytest

from tests.pages.rated_data.steps import GOOD, csv_of, rated_frame, upload
from tests.pages.steps import opened


@pytest.fixture
def app():
    return opened("rated_data")


@pytest.fixture
def app_with_upload(app):
    return upload(app, csv_of(rated_frame()), GOOD)
