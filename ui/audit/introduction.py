"""Introduce the page, and show errors in place."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from multiloss_core import DataError, Unit
from multiloss_core.formatting import count, plural, reached, score_name
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.shared.choices import choose, chosen
from ui.shared.formatting import as_text, unrated, vocabulary


def require_documents(analysis: Analysis) -> None:
    """Stop the page, with a way out, where amounts are counted."""
    if analysis.settings.unit is Unit.MONEY:
        st.info(
            "An audit counts documents, and the settings count amounts. Count documents on *Operating point*, then "
            "come back.",
            icon=":material/info:",
        )
        st.page_link("pages/operating_point.py", label="Operating point", icon=":material/tune:")
        st.stop()


def introduction(analysis: Analysis, point: Point) -> None:
    """Explain an audit, and name the thresholds whose recall it finds."""
    words = vocabulary()
    st.subheader(f"How much {words.positive} do we miss?")
    thresholds = ", ".join(
        f"{as_text(score_name(name))} {reached(name, value, analysis.alert_rules)}"
        for name, value in zip(point.names, analysis.deployable(point).tolist(), strict=True)
    )
    undecided = analysis.undecided([point])[0]
    decided = f", {count(point.alerts)} of them decided" if undecided else ""
    alerts = f"{plural(point.alerts + undecided, 'alert')}{decided}"
    st.markdown(
        f"Rated alerts do not show it. Ratings of a small random sample of {unrated()} without an alert show which "
        f"share of {words.positive} the operating point catches (*recall*): {thresholds} ({alerts}).",
        width=860,
    )


PLAN, READ = "audit_start", "audit_read"
_ASKED = "audit_asked"


def ask_start() -> str:
    """Offer to plan an audit or read its ratings; return `PLAN`, `READ` or ""."""
    asked: str = chosen(_ASKED, "")
    with st.container(horizontal=True):
        for key, label, icon in ((PLAN, "Plan an audit", "casino"), (READ, "Give the ratings back", "fact_check")):
            st.button(
                label,
                key=key,
                type="primary" if key == (asked or PLAN) else "secondary",
                icon=f":material/{icon}:",
                on_click=choose,
                args=(_ASKED, key),
            )
    return asked


@contextmanager
def errors_shown() -> Iterator[None]:
    """Show a problem with data in the place of what follows."""
    try:
        yield
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
