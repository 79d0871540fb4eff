"""What the decision log says is in production, for the data on the screen or others with the same scores."""

from collections.abc import Sequence

import streamlit as st

from decision_log import LogEntry
from multiloss_core import DataError
from multiloss_core.formatting import shortened
from multiloss_core.thresholds import Rule
from ui.records.log_access import decision_log
from ui.records.record_text import deployment_words, thresholds_words
from ui.shared.formatting import LONG_NAME, as_text
from ui.shared.session import session


def entry_in_production(names: Sequence[str], data_name: str, rule: Rule | None = None) -> LogEntry | None:
    """Find the entry in production for data of a name with score columns of some names, else for others with these.

    With `rule`, only of this rule. None as well where the log cannot be used: the page on decisions says why.
    """
    if session().decisions.log_complaint is not None:
        return None
    try:
        found = decision_log().in_production()
    except DataError:
        return None
    fitting = [
        entry
        for entry in found
        if entry.record.columns.scores == tuple(names) and rule in (None, entry.record.settings.rule)
    ]
    return next((entry for entry in fitting if entry.record.data.name == data_name), next(iter(fitting), None))


def show_in_production(names: Sequence[str], data_name: str) -> None:
    """Say in a line which thresholds are in production for these scores, with the way to the decision."""
    entry = entry_in_production(names, data_name)
    if entry is None:
        return
    record = entry.record
    of = "" if record.data.name == data_name else f", decided on {shortened(record.data.name, LONG_NAME)}"
    words = f"{thresholds_words(record.columns.scores, record.thresholds)}{of}, {deployment_words(entry)} (UTC)"
    with st.container(horizontal=True, vertical_alignment="center", key="in_production"):
        st.markdown(f":material/rocket_launch: **In production:** {as_text(words)}.", width="content")
        st.page_link("pages/decisions.py", label=f"Decision {entry.id}", query_params={"decision": f"{entry.id}"})
