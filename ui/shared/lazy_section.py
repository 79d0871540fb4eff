"""Parts of a page that are worked out only while the reader has them open."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import streamlit as st

Parameters = ParamSpec("Parameters")
Part = Callable[Parameters, None]

LESSON = Path(__file__).parents[2] / "docs" / "lesson.md"


def shown_when_open(
    label: str | Callable[[], str], *, key: str, icon: str | None = None
) -> Callable[[Part[Parameters]], Part[Parameters]]:
    """Put what a function shows into an expander of this label, and call it only while that is open."""

    def folded(show: Part[Parameters]) -> Part[Parameters]:
        @wraps(show)
        def show_when_open(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
            expander = st.expander(label if isinstance(label, str) else label(), icon=icon, key=key, on_change="rerun")
            if expander.open:
                with expander:
                    show(*args, **kwargs)

        return show_when_open

    return folded


@shown_when_open("A lesson of 50 minutes with these pages", key="lesson", icon=":material/school:")
def lesson_plan() -> None:
    """Show the lesson plan; its links lead to the pages as each step needs them."""
    _, _, plan = LESSON.read_text(encoding="utf-8").partition("\n")
    st.markdown(plan)
