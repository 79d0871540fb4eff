"""Choices that no widget of their own keeps in the address, so that a copied link reopens with them."""

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import streamlit as st

from multiloss_core.formatting import NEVER, threshold

KNOWN = "known_of_address"
BETWEEN = ","
MAX_NUMBERS = 10
# By then the address says what was written: what it says of before is a step back in the browser.
SECONDS_TO_ARRIVE = 2.0


@dataclass
class _Known:
    """What the browser last said that its address says, and what was written since, which it will say in this order."""

    said: str | None = None
    written: list[str | None] = field(default_factory=list)
    at: float = 0.0


def from_address(name: str) -> str | None:
    """What a link, or a step back in the browser, asks for; None where the address says nothing new."""
    said, known = st.query_params.get(name), _known(name)
    if known.written and time.monotonic() - known.at > SECONDS_TO_ARRIVE:
        known.said, known.written = known.written[-1], []
    if said in known.written:
        # A quick reader is ahead of the address: what it says late was not asked for.
        del known.written[: known.written.index(said) + 1]
    elif said != known.said:
        known.said, known.written = said, []
        return said
    known.said = said
    return None


def into_address(name: str, text: str | None) -> None:
    """Have the address say it; None takes it out."""
    if st.query_params.get(name) == text:
        return
    known = _known(name)
    known.written.append(text)
    known.at = time.monotonic()
    if text is None:
        del st.query_params[name]
    else:
        st.query_params[name] = text


def as_numbers(text: str | None) -> list[float] | None:
    """The numbers of an address, infinity for never. It may come from anybody: what is no list of numbers is None."""
    if not text or text.count(BETWEEN) >= MAX_NUMBERS:
        return None
    try:
        numbers = [math.inf if part == NEVER else float(part) for part in text.split(BETWEEN)]
    except ValueError:
        return None
    return None if any(math.isnan(number) or number == -math.inf for number in numbers) else numbers


def as_text_of(numbers: Iterable[float]) -> str:
    """Numbers, infinity for never, as an address holds them."""
    return BETWEEN.join(map(threshold, numbers))


def _known(name: str) -> _Known:
    found: dict[str, _Known] = st.session_state.setdefault(KNOWN, {})
    return found.setdefault(name, _Known())
