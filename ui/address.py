"""Choices that no widget of their own keeps in the address, so that a copied link reopens with them."""

import math
from collections.abc import Iterable

import streamlit as st

from ui.words import NEVER, threshold

WRITTEN = "written_in_address"
BETWEEN = ","
MOST_NUMBERS = 10


def from_address(name: str) -> str | None:
    """What a link, or a step back in the browser, asks for; None where the address says what this session wrote there."""
    said = st.query_params.get(name)
    return None if said == _written().get(name) else said


def into_address(name: str, text: str | None) -> None:
    """Have the address say it; None takes it out."""
    _written()[name] = text
    if text is None:
        if name in st.query_params:
            del st.query_params[name]
    elif st.query_params.get(name) != text:
        st.query_params[name] = text


def as_numbers(text: str | None) -> list[float] | None:
    """The numbers of an address, infinity for never. It may come from anybody: what is no list of numbers is None."""
    if not text or text.count(BETWEEN) >= MOST_NUMBERS:
        return None
    try:
        numbers = [math.inf if part == NEVER else float(part) for part in text.split(BETWEEN)]
    except ValueError:
        return None
    return None if any(math.isnan(number) or number == -math.inf for number in numbers) else numbers


def as_text_of(numbers: Iterable[float]) -> str:
    """Numbers, infinity for never, as an address holds them."""
    return BETWEEN.join(map(threshold, numbers))


def _written() -> dict[str, str | None]:
    found: dict[str, str | None] = st.session_state.setdefault(WRITTEN, {})
    return found
