"""Choices in the URL that no widget is bound to, so that a copied link reopens with them."""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import streamlit as st

from multiloss_core.formatting import NEVER, threshold
from multiloss_core.numerics import written_number
from ui.shared.session import UrlEcho, session

T = TypeVar("T")
Number = TypeVar("Number", int, float)

SEPARATOR = ","
MAX_NUMBERS = 10
# The scale of sliders for a marginal precision, in percent.
LOWEST, HIGHEST, FIRST, STEP = 0.5, 99.5, 20.0, 0.5
PERCENTS = np.arange(LOWEST, HIGHEST + STEP / 2, STEP)
# By then the URL says what was written: what it says of before is a step back in the browser.
SECONDS_TO_ARRIVE = 2.0


@dataclass(frozen=True)
class UrlParameter(Generic[T]):
    """One parameter of the URL: its name, and how its text is read (None where it says no such value) and written."""

    name: str
    read: Callable[[str], T | None]
    write: Callable[[T], str]

    def asked(self, *, if_gone: T | None = None) -> T | None:
        """Return what a link, or a step back in the browser, asks for; None if the URL says nothing new, or nonsense.

        `if_gone`: what a step back to a URL without the parameter asks for.
        """
        said, echo = _said(self.name), _echo(self.name)
        if echo.written and time.monotonic() - echo.written_at > SECONDS_TO_ARRIVE:
            echo.seen, echo.written = echo.written[-1], []
        if said in echo.written:
            # A quick user is ahead of the URL: what it says late was not asked for.
            del echo.written[: echo.written.index(said) + 1]
        elif said != echo.seen:
            echo.seen, echo.written = said, []
            if said is None:
                return if_gone
            wanted = self.read(said)
            if wanted is None:
                self.show(None)
            return wanted
        echo.seen = said
        return None

    def shown(self) -> T | None:
        """Return what the URL says, new or not."""
        said = _said(self.name)
        return None if said is None else self.read(said)

    def show(self, value: T | None) -> None:
        """Have the URL say it; None takes it out."""
        text = None if value is None else self.write(value)
        if _said(self.name) == text:
            return
        echo = _echo(self.name)
        echo.written.append(text)
        echo.written_at = time.monotonic()
        if text is None:
            del st.query_params[self.name]
        else:
            st.query_params[self.name] = text


def ask_choice(
    widget: Callable[..., Any],
    label: str,
    labels: Mapping[str, str],
    *,
    key: str,
    **options: Any,
) -> str:
    """Draw a selectbox or a segmented control whose choice, other than the first, is in the URL.

    `labels`: by the short stable value that the URL and the session hold, what the screen says. A widget that is bound
    to the URL would write its label there.
    """
    first = next(iter(labels))
    parameter = UrlParameter[str](key, lambda text: text if text in labels else None, str)
    asked = parameter.asked(if_gone=first)
    if asked is not None or st.session_state.get(key) not in labels:
        st.session_state[key] = asked or first
    picked = widget(
        label,
        list(labels),
        format_func=lambda value: labels.get(value, value),
        key=key,
        persist_state="session",
        **options,
    )
    known = str(picked) if picked in labels else first
    parameter.show(None if known == first else known)
    return known


def ask_number(
    widget: Callable[..., Number],
    label: str,
    bounds: tuple[Number, Number],
    usual: Number,
    *step: Number,
    key: str,
    start: Number | None = None,
    in_address: bool = True,
    **options: object,
) -> Number:
    """Draw a box or slider for a number within `bounds`; `usual` takes the place of what is no number.

    `start`: where it begins, and what the URL says then, unless a link or the user gave a number.
    """
    known, anew = st.session_state.get(key), session().point.start_anew
    is_new = key not in st.session_state and not (in_address and key in st.query_params)
    if key in anew:
        anew.discard(key)
        st.session_state[key] = within(usual if start is None else start, bounds, usual)
    elif known is not None and within(known, bounds, usual) != known:
        st.session_state[key] = within(known, bounds, usual)
    elif is_new and start is not None:
        # Into the URL as well, which else would say nothing of it until it is changed.
        st.session_state[key] = within(start, bounds, usual)
        st.query_params[key] = repr(st.session_state[key])
    value = bounds[0] if key in st.session_state else within(usual, bounds, bounds[0])
    bound = {"bind": "query-params"} if in_address else {}
    return within(widget(label, *bounds, value, *step, key=key, **bound, **options), bounds, usual)


def within(value: object, bounds: tuple[Number, Number], usual: Number) -> Number:
    """Bring a value within bounds; `usual` takes the place of what is no finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return within(usual, bounds, bounds[0]) if value is not usual else bounds[0]
    low, high = bounds
    return type(low)(min(max(value, low), high))


def open_page(page: str) -> None:
    """Note which page is open."""
    if session().page != page:
        # Another page's URL says nothing of what this one's said: that is no step back.
        session().page, session().url = page, {}


def read_numbers(text: str) -> list[float] | None:
    """Read the numbers of a URL, infinity for never; None for what is no list of numbers: it may come from anybody."""
    if not text or text.count(SEPARATOR) >= MAX_NUMBERS:
        return None
    try:
        numbers = [math.inf if part == NEVER else written_number(part) for part in text.split(SEPARATOR)]
    except ValueError:
        return None
    return None if any(math.isnan(number) or number == -math.inf for number in numbers) else numbers


def write_numbers(numbers: Iterable[float]) -> str:
    """Numbers, infinity for never, as a URL holds them."""
    return SEPARATOR.join(map(threshold, numbers))


def numbers_parameter(name: str) -> UrlParameter[list[float]]:
    """Make a parameter that holds numbers, infinity for never."""
    return UrlParameter(name, read_numbers, write_numbers)


def is_infinite(text: str) -> bool:
    """Tell whether a text is a number of no finite value, which no address needs: thresholds say `NEVER`."""
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False


def _said(name: str) -> str | None:
    """Return what the URL says; nonsense, an empty text, where it says two things."""
    said = st.query_params.get_all(name)
    return None if not said else said[0] if len(said) == 1 else ""


def _echo(name: str) -> UrlEcho:
    return session().url.setdefault(name, UrlEcho())
