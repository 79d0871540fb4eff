"""Cache what is drawn from an analysis."""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from ui.data.rated import is_built_in
from ui.operating_point.analysis import Analysis

T = TypeVar("T")


def cached(max_entries: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Cache a function of what can be hashed and of an analysis, its parameter `_analysis`.

    `max_entries` in each session, and as many again of the built-in samples for all sessions together.
    """

    def decorate(function: Callable[..., T]) -> Callable[..., T]:
        options: dict[str, Any] = {"max_entries": max_entries, "show_spinner": False}
        of_session, of_all = (st.cache_data(scope=scope, **options)(function) for scope in ("session", "global"))

        def call(*arguments: Any, _analysis: Analysis) -> T:
            return (of_all if is_built_in(_analysis.rated) else of_session)(*arguments, _analysis=_analysis)

        return call

    return decorate
