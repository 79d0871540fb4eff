"""What an audit is for, and how its errors are shown."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from multiloss_core import DataError
from multiloss_core.formatting import plural, reached, score_name
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.shared.formatting import as_text, vocabulary


def unrated() -> str:
    """Return what the documents that nobody rated are called: they are no alerts."""
    words = vocabulary()
    return "documents" if words.documents == "alerts" else words.documents


def introduction(analysis: Analysis, point: Point) -> None:
    """Say what cannot be known without an audit, and whose recall it finds."""
    words = vocabulary()
    thresholds = ", ".join(
        f"{as_text(score_name(name))} {reached(name, value)}"
        for name, value in zip(point.names, analysis.deployable(point).tolist(), strict=True)
    )
    st.markdown(
        f"How much {words.positive} is missed, and what is blocked wrongly, cannot be told from rated alerts. A small "
        f"random sample of the other {unrated()} tells it. Recall is that of the operating point: {thresholds} "
        f"({plural(point.alerts, 'alert')}).",
        width=860,
    )


@contextmanager
def errors_shown() -> Iterator[None]:
    """Show a problem with data in the place of what follows."""
    try:
        yield
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
