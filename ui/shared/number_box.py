"""Numbers that a widget asks for: whatever an address, the session or a record says is brought within its bounds."""

import math
from collections.abc import Callable
from typing import TypeVar

import streamlit as st

Number = TypeVar("Number", int, float)


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
    known = st.session_state.get(key)
    is_new = key not in st.session_state and not (in_address and key in st.query_params)
    if known is not None and within(known, bounds, usual) != known:
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
