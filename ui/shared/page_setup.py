"""What every page does first, whether app.py ran before it or the page was opened directly."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import DataError
from ui.shared.browser_files import serve_library
from ui.shared.formatting import as_text
from ui.shared.session import KEY, PointState, session
from ui.shared.url_params import is_infinite, open_page
from ui.sign_in.visitor import reader

LOGGER = logging.getLogger(__name__)
# Streamlit writes white on the main colour, which on a dark page is bright.
MAIN_BUTTONS = '[data-testid="stBaseButton-primary"] *, [data-testid="stBaseButton-primaryFormSubmit"] *'
ON_MAIN_COLOUR = {"light": "#ffffff", "dark": "#12181d"}
WHILE_READING = """
    [data-testid="stMain"]:has(.st-key-reading [data-testid="stSpinner"])
    [data-stale="true"]:not(:has([data-testid="stSelectbox"]))
    { &, * { visibility: hidden !important; } }
"""
TITLES = {"top_k": "Top-k"}
ICON = Path(__file__).parent / "icon.svg"
# Which page app.py leads on to, in its address; whether it ran in this visit; the page that is started anew.
TO, HAS_RUN, ANEW = "to", "app_has_run", "started_anew"
# In pixels: below this width Streamlit puts columns under each other.
PHONE = 640
# Seconds in which a visitor's browser makes the empty page wide: what stood on it by then would be seen to shift.
FIRST_FRAME = 0.1


def bootstrap_app() -> None:
    """Set up the application; what app.py does first."""
    _configure("Multiloss")
    if HAS_RUN not in st.session_state:
        time.sleep(FIRST_FRAME)
    st.session_state[HAS_RUN] = True


def bootstrap(page: str) -> None:
    """Set up the page of this file, with a title of its own in the browser."""
    name = Path(page).stem
    _configure(f"{TITLES.get(name, name.replace('_', ' ').capitalize())} · Multiloss")
    if HAS_RUN not in st.session_state:
        # Until app.py has run once, a server takes the files of pages/ for applications without a navigation.
        st.switch_page("app.py", query_params={**asked_in_address(), TO: [name]})
    if ANEW in st.session_state:
        st.switch_page(st.session_state.pop(ANEW) or page, query_params=asked_in_address())
    _leave_out_infinite_numbers(page)
    _refuse_strangers()
    open_page(page)


def run_page(run: Callable[[], None]) -> None:
    """Run a page; an error that nobody expected leaves its inputs on the screen, with a way to start it anew."""
    try:
        run()
    except Exception:
        LOGGER.exception("A page failed.")
        say_failed()


def say_failed() -> None:
    """Say that a page failed, and offer to show it without the choices that it was asked for."""
    st.error(
        "This page met an error of its own, which is in the server's log. Your data and the inputs above are kept: "
        "change the last input, or start the page anew.",
        icon=":material/error:",
    )
    if st.button("Start this page anew", key="start_anew", icon=":material/restart_alt:"):
        for key in [key for key in st.session_state if key not in (KEY, HAS_RUN)]:
            del st.session_state[key]
        data = {name: texts for name, texts in asked_in_address().items() if name == "data" or name.endswith("_file")}
        st.session_state[ANEW], session().point = session().page, PointState()
        # By way of a page without inputs: what a widget of this one has in the address goes with it.
        st.switch_page("pages/papers.py", query_params=data)


def _leave_out_infinite_numbers(page: str) -> None:
    """Open the page anew without them: Streamlit's boxes for whole numbers raise where an address has one for them."""
    asked = asked_in_address()
    usable = {name: texts for name, texts in asked.items() if not any(map(is_infinite, texts))}
    if usable != asked:
        st.switch_page(page, query_params=usable)


def _refuse_strangers() -> None:
    """Stop where nobody may read: app.py shows the sign-in page before, so nobody comes here but past it."""
    try:
        reader()
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/lock:")
        st.stop()


def asked_in_address() -> dict[str, list[str]]:
    """Return what the address says: also what it says twice, which means nothing."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _configure(title: str) -> None:
    st.set_page_config(page_title=title, page_icon=str(ICON), layout="wide")
    serve_library()
    write_style(f"{MAIN_BUTTONS} {{ color: {ON_MAIN_COLOUR[theme()]} !important; }} {WHILE_READING}")


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Say that a file is read; what the page shows of the data before is hidden as soon as that takes a moment."""
    with st.container(key="reading"), st.spinner(f"Reading {as_text(name)} …"):
        yield


def write_style(rules: str) -> None:
    """Put CSS rules in force on the page; call it at every run of the page, also with no rules any more.

    A style that is no longer drawn stays in force, one that is drawn again is replaced.
    """
    st.html(f"<style>{rules or '/* none */'}</style>")


def room(key: str, pixels: int, *, is_fixed: bool = False) -> DeltaGenerator:
    """Make a container of at least this height: the scripts of some widgets come late, and what is below stays put.

    `is_fixed`: of just this height but on a phone, for a widget that is higher until it knows its width.
    """
    rules = f".st-key-{key} {{ min-height: {pixels}px; }}"
    if is_fixed:
        rules += f" @media (min-width: {PHONE}px) {{ .st-key-{key} {{ max-height: {pixels}px; }} }}"
    write_style(rules)
    return st.container(key=key)


def theme() -> Literal["light", "dark"]:
    """Return the user's theme, for the figures."""
    return "dark" if st.context.theme.type == "dark" else "light"
