"""The screen Rated data, as it is opened and with a file."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.rated_data.steps import GOOD, csv_of, rated_frame, upload
from tests.pages.steps import APP, run


@pytest.fixture
def app():
    return run(AppTest.from_file(APP, default_timeout=180))


@pytest.fixture
def app_with_upload(app):
    return upload(app, csv_of(rated_frame()), GOOD)
