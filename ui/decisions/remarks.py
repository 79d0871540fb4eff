"""What is said later of a decision in the log: remarks, and its withdrawal."""

import streamlit as st

from decision_log import LogEntry
from multiloss_core import DataError
from multiloss_core.decisions import MAX_NAME
from multiloss_core.formatting import shortened
from ui.identity.roles import Role
from ui.identity.visitor import reader
from ui.records.guarded_log import may_withdraw
from ui.records.log_access import ask_name, decision_log
from ui.records.record_text import moment
from ui.shared.formatting import LONG_NAME, as_text
from ui.shared.session import session


def show_remarks(entry: LogEntry) -> None:
    """Show what was said of an entry, and ask for more; nothing that was said is changed."""
    withdrawn = entry.withdrawn
    if withdrawn is not None:
        there = ", and is still in production until another decision is" if entry.deployed else ""
        st.warning(
            f"Withdrawn {moment(withdrawn.made)} UTC by {_named(withdrawn.author)}: {as_text(withdrawn.words)}{there}.",
            icon=":material/undo:",
        )
    for remark in entry.remarks:
        if not remark.withdraws:
            st.markdown(f"{moment(remark.made)} UTC, {_named(remark.author)}: {as_text(remark.words)}")
    if not reader().may(Role.DECIDE, Role.ADMINISTER):
        return
    with st.popover("Remark or withdraw", icon=":material/comment:"):
        _ask(entry)


def _ask(entry: LogEntry) -> None:
    is_withdrawable = entry.withdrawn is None and may_withdraw(reader(), entry)
    with st.form("remark", border=False, clear_on_submit=False):
        by = ask_name("Your name", key="remark_by")
        words = st.text_input("What to say", key=f"remark_words_{entry.id}_{len(entry.remarks)}", max_chars=MAX_NAME)
        with st.container(horizontal=True):
            said = st.form_submit_button("Add the remark", icon=":material/comment:")
            withdraws = is_withdrawable and st.form_submit_button(
                "Withdraw the decision",
                icon=":material/undo:",
                help="It stays in the log with your words, and cannot be put into production any more.",
            )
    if not (said or withdraws):
        return
    if not (by and words.strip()):
        st.error("Give your name and say why, in a sentence.", icon=":material/error:")
        return
    try:
        decision_log().remark(entry.id, by, words.strip(), withdraws=withdraws)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    done = "is withdrawn" if withdraws else "has a remark more"
    session().decisions.note = f"Decision {entry.id} {done}."
    st.rerun()


def _named(name: str) -> str:
    return as_text(shortened(name, LONG_NAME))
