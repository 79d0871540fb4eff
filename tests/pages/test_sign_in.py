"""Pages by themselves, past the application that asks for a sign-in before it."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.sign_in.test_settings import AUTH
from ui.shared.page_setup import HAS_RUN
from ui.sign_in import user

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "pages").glob("*.py"))
TOP_K = next(page for page in PAGES if page.stem == "top_k")
CLAIMS = {"is_logged_in": True, "iss": "https://login.bank.example", "sub": "7", "name": "Ann Lee"}


@pytest.fixture(autouse=True)
def _settings_of_its_own():
    user._read_once.cache_clear()
    yield
    user._read_once.cache_clear()


def opened(page, **claims):
    app = AppTest.from_file(page, default_timeout=180)
    app.secrets["auth"] = AUTH
    app.secrets["multiloss"] = {"roles": {"decide": ["analysts"]}, "second_person": True}
    app.session_state[HAS_RUN] = True
    app.user = CLAIMS | {"iat": time.time()} | claims if claims else {}
    app.run()
    assert not app.exception
    return app


def drawn(app):
    return [element for kind in ("title", "markdown", "button", "dataframe", "selectbox") for element in app.get(kind)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_requires_sign_in(page):
    app = opened(page)
    assert [error.value for error in app.error] == ["You are not signed in; reload the page and sign in."]
    assert not drawn(app)


@pytest.mark.parametrize(
    ("claims", "sentence"),
    [({"groups": ["others"]}, "the role 'read'"), ({"groups": ["analysts"], "iat": 0}, "has ended; sign in again")],
)
def test_closed_page_names_the_reason(claims, sentence):
    app = opened(TOP_K, **claims)
    (error,) = app.error
    assert sentence in error.value
    assert not drawn(app)


def test_page_opens_with_a_role():
    app = opened(TOP_K, groups=["analysts"])
    assert not app.error
    assert drawn(app)


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_a_file_that_is_named_and_cannot_be_read_closes(content, tmp_path):
    file = tmp_path / "secrets.toml"
    if content is not None:
        file.write_bytes(content)
    code = (
        f"from streamlit import config; config.set_option('secrets.files', ['{file}'])\n"
        f"from {user.__name__} import settings; settings()"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "DataError: secrets.toml is missing or cannot be read as TOML; correct it." in result.stderr
