"""List the choices of users; read and write them in the session and in the URL.

A choice is known by the key of its widget, which is also its name in the URL. Its default is that of its widget.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import streamlit as st
from streamlit.errors import StreamlitAPIException

from multiloss_core.formatting import NEVER, threshold
from multiloss_core.numerics import written_number
from ui.shared.session import UrlEcho, session

T = TypeVar("T")
Number = TypeVar("Number", int, float)

EVERY_PAGE, NO_PAGE = "every_page", "no_page"
# The choices of each page in its URL. One that ends in "_" stands for names that go on, as with a number. "*": each
# file has its own, while others belong to the session. "=": reopening a decision sets it.
_TABLE = """
every_page data data_file scored_data scored_data_file to
rated_data now goal_days
decision_sheet setting* own afford* afford_alerts_ afford_percent* afford_review* afford_catch* afford_share* \
 goal_days rule now
operating_point m= method= rule= nodes= count= plain new_data resolution_= across up present stay= now= pin against \
 hand= guaranteed= graph_nodes graph_step_ goal*= goal_price*= goal_alerts*= goal_days*= goal_held*= goal_precision*= \
 goal_share*= goal_name= goal_review= goal_recovered= goal_catch= goal_annoyance= goal_currency= view band= block_by= \
 reviews= block_m= block_precision= block_cost=
audit audit_budget audit_width
decisions decisions_for decision compared_with
optimal_cut cut_loss cut_beta cut_least cut_all cut_calibration cut_part cut_axes cut_ratio cut_more plain
top_k topk_loss topk_beta topk_n topk_seed topk_scale topk_p topk_guess topk_k topk_shown step topk_by_hand \
 topk_draws topk_early topk_broken topk_ties topk_tied_draw topk_draw_ topk_tied_loss topk_strength topk_other_loss \
 topk_tangent_at topk_corner_k plain
papers paper natarajan_part robles_part topk_loss topk_beta topk_n topk_seed topk_scale topk_p topk_graph_steps \
 topk_step paper_loss paper_method paper_set paper_edge paper_measure paper_source paper_view paper_target small_loss \
 strength_set strength_loss robles_set robles_measure robles_mode robles_row
no_page scenario*
"""
_MARKED = {page: names for page, *names in map(str.split, _TABLE.strip().splitlines())}
OF_FILE, RECORDED = (
    frozenset(name.strip("*=") for names in _MARKED.values() for name in names if mark in name) for mark in "*="
)
# Every name in the URL by page.
PARAMETERS = {page: tuple(name.strip("*=") for name in names) for page, names in _MARKED.items() if page != NO_PAGE}
NAMES = frozenset(name for names in PARAMETERS.values() for name in names)
SEPARATOR = ","
MAX_NUMBERS = 10
# Sliders for a marginal precision, in percent.
LOWEST, HIGHEST, FIRST, STEP = 0.5, 99.5, 20.0, 0.5
PERCENTS = np.arange(LOWEST, HIGHEST + STEP / 2, STEP)
# After this time an old value in the URL is a step back in the browser, not a delayed echo.
ECHO_SECONDS = 2.0


def chosen(name: str, default: Any = None) -> Any:
    """Return what was chosen in this session."""
    return st.session_state.get(name, default)


def chosen_or_linked(name: str) -> Any:
    """Return what was chosen, else the text of the URL, which its widget has not read yet."""
    return chosen(name) or st.query_params.get(name)


def choose(name: str, value: object) -> None:
    """Make a choice; call this before its widget is drawn, which writes it to the URL."""
    st.session_state[name] = value


def choose_first(name: str, value: object) -> None:
    """Make a choice that was not made yet."""
    if name not in st.session_state:
        choose(name, value)


def withdraw(*names: str) -> None:
    """Forget choices, so that links and defaults count again; names end in "_" as in the table."""
    for key in [key for key in map(str, st.session_state) if _is_among(names, key)]:
        del st.session_state[key]


def remove_from_url(*names: str) -> None:
    """Remove choices from the URL."""
    for name in names:
        # Refused while a widget is going, which then takes its value with it.
        with suppress(StreamlitAPIException):
            st.query_params.pop(name, None)


def in_url(name: str) -> dict[str, Any]:
    """Return the key of a widget that keeps its value in the URL itself."""
    require_listed(name)
    return {"key": name, "bind": "query-params"}


def swap_choices_of_file(others: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the choices of a file by those of another one, and return them."""
    before = {name: chosen(name) for name in OF_FILE if name in st.session_state}
    for name in before.keys() | others.keys():
        # None instead of removal: a box that is on the screen keeps its number unless it is given another one.
        choose(name, others.get(name))
    return before


def _is_among(names: Iterable[str], name: str) -> bool:
    return any(name == listed or (listed.endswith("_") and name.startswith(listed)) for listed in names)


@dataclass(frozen=True)
class UrlParameter(Generic[T]):
    """One URL parameter: its name, the parser of its text (None if invalid) and the formatter."""

    name: str
    read: Callable[[str], T | None]
    write: Callable[[T], str]

    def __post_init__(self) -> None:
        require_listed(self.name)

    def asked(self, *, if_gone: T | None = None) -> T | None:
        """Return a new value from a link or a browser step back; None if unchanged or invalid.

        `if_gone`: the value of a step back to a URL without the parameter.
        """
        text, echo = _text(self.name), _echo(self.name)
        if echo.written and time.monotonic() - echo.written_at > ECHO_SECONDS:
            echo.seen, echo.written = echo.written[-1], []
        if text in echo.written:
            # Ignore delayed echoes of values we wrote.
            del echo.written[: echo.written.index(text) + 1]
        elif text != echo.seen:
            echo.seen, echo.written = text, []
            if text is None:
                return if_gone
            value = self.read(text)
            if value is None:
                self.show(None)
            return value
        echo.seen = text
        return None

    def shown(self) -> T | None:
        """Return the value in the URL, new or not."""
        text = _text(self.name)
        return None if text is None else self.read(text)

    def show(self, value: T | None) -> None:
        """Write the value to the URL; None removes the parameter."""
        text = None if value is None else self.write(value)
        if _text(self.name) == text:
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
    closable: bool = False,
    **options: Any,
) -> str:
    """Draw a selectbox or segmented control whose choice, other than the first, is in the URL.

    `labels` maps the short stable values in URL and session to labels; a bound widget would write its label.
    `closable`: no choice is the first one, returned as an empty text.
    """
    first = "" if closable else next(iter(labels))
    parameter = UrlParameter[str](key, lambda text: text if text in labels else None, str)
    asked = parameter.asked(if_gone=first)
    if asked is not None or chosen(key) not in labels:
        choose(key, asked or first or None)
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
    """Draw a box or slider for a number within `bounds`; `usual` replaces an invalid number.

    `start`: its first value, also in the URL, unless a link or the user gave one.
    """
    known, first = chosen(key), within(usual if start is None else start, bounds, usual)
    if key in st.session_state:
        if known is None or within(known, bounds, usual) != known:
            choose(key, first if known is None else within(known, bounds, usual))
    elif start is not None and not (in_address and key in st.query_params):
        choose(key, first)
        # Streamlit writes only changed values to the URL.
        st.query_params[key] = repr(first)
    value = bounds[0] if key in st.session_state else within(usual, bounds, bounds[0])
    keyed = in_url(key) if in_address else {"key": key}
    return within(widget(label, *bounds, value, *step, **keyed, **options), bounds, usual)


def require_listed(name: str) -> bool:
    """Return True for a name of `PARAMETERS`. Raises KeyError for any other."""
    if _is_among(NAMES, name):
        return True
    raise KeyError(f"The URL parameter {name} is not listed in PARAMETERS.")


def within(value: object, bounds: tuple[Number, Number], usual: Number) -> Number:
    """Clamp a value to bounds; `usual` replaces anything but a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return within(usual, bounds, bounds[0]) if value is not usual else bounds[0]
    low, high = bounds
    return type(low)(min(max(value, low), high))


def open_page(page: str) -> None:
    """Record the open page."""
    if session().page != page:
        # Parameters missing on a new page are no step back.
        session().page, session().url = page, {}


def read_numbers(text: str) -> list[float] | None:
    """Parse the numbers of a URL, infinity for never; return None for invalid ones."""
    if not text or text.count(SEPARATOR) >= MAX_NUMBERS:
        return None
    try:
        numbers = [math.inf if part == NEVER else written_number(part) for part in text.split(SEPARATOR)]
    except ValueError:
        return None
    return None if any(math.isnan(number) or number == -math.inf for number in numbers) else numbers


def write_numbers(numbers: Iterable[float]) -> str:
    """Format numbers for a URL, infinity as never."""
    return SEPARATOR.join(map(threshold, numbers))


def numbers_parameter(name: str) -> UrlParameter[list[float]]:
    """Make a parameter of numbers, infinity for never."""
    return UrlParameter(name, read_numbers, write_numbers)


def is_infinite(text: str) -> bool:
    """Return whether a text is an infinite number or NaN; thresholds in URLs use `NEVER`."""
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False


def _text(name: str) -> str | None:
    """Return the text of a URL parameter; an empty, invalid one if it is repeated."""
    texts = st.query_params.get_all(name)
    return None if not texts else texts[0] if len(texts) == 1 else ""


def _echo(name: str) -> UrlEcho:
    return session().url.setdefault(name, UrlEcho())
