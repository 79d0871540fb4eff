"""Cache results by session, those of the built-in samples once for all sessions."""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

T = TypeVar("T")


def cached(is_built_in: Callable[..., bool], max_entries: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Cache a function of what can be hashed and of keywords that start with "_", which are not.

    `is_built_in` decides by these keywords whether all sessions share the result. `max_entries` in each session, and
    as many again for all together.
    """

    def decorate(function: Callable[..., T]) -> Callable[..., T]:
        options: dict[str, Any] = {"max_entries": max_entries, "show_spinner": False}
        of_session, of_all = (st.cache_data(scope=scope, **options)(function) for scope in ("session", "global"))

        def call(*arguments: Any, **hidden: Any) -> T:
            found: T = (of_all if is_built_in(**hidden) else of_session)(*arguments, **hidden)
            return found

        return call

    return decorate
