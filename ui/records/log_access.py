"""The decision log of this installation: where it is, opened once, and what the screen says when it cannot be used."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from decision_log import DecisionLog, log_address
from multiloss_core import DataError
from multiloss_core.decisions import MAX_NAME
from ui.identity.visitor import reader, settings
from ui.records.guarded_log import GuardedLog
from ui.shared.formatting import as_text
from ui.shared.session import session

T = TypeVar("T")


def decision_log() -> GuardedLog:
    """Open the log at the address of the environment's MULTILOSS_DECISION_LOG, else in a file of this user.

    It does what whoever visits may do.

    Raises
    ------
    DataError : it cannot be opened, or not by whoever visits.
    """
    return GuardedLog(_opened(log_address()), reader(), second_person=settings().roles.second_person)


def ask_name(label: str, *, key: str, help: str | None = None) -> str:
    """Ask under which name something is written to the log; with sign-in show it: it is not typed."""
    identity = reader().identity
    if identity:
        st.markdown(f"{label}: {as_text(identity)}", help=help)
        return identity
    typed: str = st.text_input(label, key=key, persist_state="session", max_chars=MAX_NAME, help=help)
    return typed.strip()


def from_log(ask: Callable[[GuardedLog], T]) -> T | None:
    """Ask the log; None after the sentence why it cannot be used and a button to try again.

    A database that does not answer is not asked at every run, for each time may take seconds.
    """
    state = session().decisions
    complaint = state.log_complaint
    if complaint is None:
        try:
            return ask(decision_log())
        except DataError as error:
            state.log_complaint = complaint = str(error)
    st.error(as_text(complaint), icon=":material/database_off:")
    st.button("Try again", icon=":material/refresh:", on_click=lambda: setattr(state, "log_complaint", None))
    return None


@st.cache_resource(max_entries=4, on_release=DecisionLog.close, show_spinner="Opening the decision log …")
def _opened(address: str) -> DecisionLog:
    return DecisionLog(address)


def forget_log() -> None:
    """Close the log; it is opened again when it is asked."""
    _opened.clear()
