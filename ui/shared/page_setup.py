"""Set up every page: title, style, access and error handling."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import streamlit as st

from multiloss_core import DataError
from ui.shared.browser_files import serve_library
from ui.shared.choices import is_infinite, open_page
from ui.shared.formatting import as_text
from ui.shared.session import KEY, PointState, session
from ui.sign_in.user import current_user

LOGGER = logging.getLogger(__name__)
TITLES = {"top_k": "Top-k"}
ICON = Path(__file__).parent / "icon.svg"
# The product's name beside its icon, in the colour of the text; narrow screens show less.
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 150 32">{icon}<text x="42" y="23" font-family="sans-serif" '
    'font-size="21" font-weight="600" fill="{ink}">Multiloss</text></svg>'
)
# URL parameter of the page to open from app.py; session keys: app.py has run, the page to restart.
TO, HAS_RUN, ANEW = "to", "app_has_run", "started_anew"
# The browser lays out the empty page in this time; earlier content would visibly shift.
FIRST_FRAME_SECONDS = 0.1


def bootstrap_app() -> None:
    """Set up the application at the start of app.py."""
    _configure("Multiloss")
    if HAS_RUN not in st.session_state:
        time.sleep(FIRST_FRAME_SECONDS)
    st.session_state[HAS_RUN] = True


def bootstrap(page: str) -> None:
    """Set up the page of a file: its browser title, access and session state."""
    name = Path(page).stem
    _configure(f"{TITLES.get(name, name.replace('_', ' ').capitalize())} · Multiloss")
    if HAS_RUN not in st.session_state:
        # Before app.py has run, Streamlit opens files of pages/ without navigation.
        st.switch_page("app.py", query_params={**asked_in_address(), TO: [name]})
    if ANEW in st.session_state:
        st.switch_page(st.session_state.pop(ANEW) or page, query_params=asked_in_address())
    _remove_infinite_numbers(page)
    _require_reader()
    open_page(page)


def run_page(run: Callable[[], None]) -> None:
    """Run a page; after an unexpected error keep its inputs and offer a restart."""
    try:
        run()
    except Exception:
        LOGGER.exception("A page failed.")
        _show_failure()


def _show_failure() -> None:
    """Show that a page failed, and offer to restart it without its inputs."""
    st.error(
        "This page failed; the server's log has the error. Your data and the inputs above are kept: change the last "
        "input, or restart the page.",
        icon=":material/error:",
    )
    if st.button("Restart this page", key="start_anew", icon=":material/restart_alt:"):
        for key in [key for key in st.session_state if key not in (KEY, HAS_RUN)]:
            del st.session_state[key]
        data = {name: texts for name, texts in asked_in_address().items() if name == "data" or name.endswith("_file")}
        st.session_state[ANEW], session().point = session().page, PointState()
        for kind in session().tasks.kinds:
            session().tasks.forget(kind)
        # A page without inputs in between removes the URL parameters of this page's widgets.
        st.switch_page("pages/papers.py", query_params=data)


def _remove_infinite_numbers(page: str) -> None:
    """Remove infinite numbers from the URL: Streamlit's integer inputs raise for them."""
    asked = asked_in_address()
    usable = {name: texts for name, texts in asked.items() if not any(map(is_infinite, texts))}
    if usable != asked:
        st.switch_page(page, query_params=usable)


def _require_reader() -> None:
    """Stop users without access who bypass the sign-in page of app.py."""
    try:
        current_user()
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/lock:")
        st.stop()


def asked_in_address() -> dict[str, list[str]]:
    """Return all URL parameters, including repeated ones."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _configure(title: str) -> None:
    st.set_page_config(page_title=title, page_icon=str(ICON), layout="wide")
    serve_library()
    st.logo(LOGO.format(icon=ICON.read_text("utf-8"), ink=st.get_option(f"theme.{theme()}.textColor")), size="large")


@contextmanager
def reading(name: str, tag: str = "upload") -> Iterator[None]:
    """Show that a file is being read, hiding the results of the previous data meanwhile.

    `tag`: another one for each file, where several are read in one run of a page.
    """
    with st.container(key=f"reading_{tag}"), st.spinner(f"Reading {as_text(name)} …"):
        yield


def write_style(rules: str) -> None:
    """Apply CSS rules that depend on the state; others are in ui/style.css.

    Call it at every run, with empty rules to remove them: Streamlit keeps a style that is not drawn again.
    """
    st.html(f"<style>{rules or '/* none */'}</style>")


def theme() -> Literal["light", "dark"]:
    """Return the theme of the user's browser."""
    return "dark" if st.context.theme.type == "dark" else "light"
