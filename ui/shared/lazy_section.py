"""Parts of a page that are worked out only while the reader has them open."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

Parameters = ParamSpec("Parameters")
Part = Callable[Parameters, None]


def shown_when_open(label: str, *, key: str, icon: str | None = None) -> Callable[[Part[Parameters]], Part[Parameters]]:
    """Put what a function shows into an expander of this label, and call it only while that is open."""

    def folded(show: Part[Parameters]) -> Part[Parameters]:
        @wraps(show)
        def show_when_open(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
            expander = st.expander(label, icon=icon, key=key, on_change="rerun")
            if expander.open:
                with expander:
                    show(*args, **kwargs)

        return show_when_open

    return folded
