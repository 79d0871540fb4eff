"""Remarks on a logged decision, its withdrawal, and the audit trail."""

import pandas as pd
import streamlit as st

from decision_log import Audit, Event, LogEntry
from multiloss_core import DataError
from multiloss_core.decisions import MAX_NAME
from multiloss_core.formatting import count, plural, shortened
from ui.records import ask_name, decision_log, from_log, may_withdraw, moment
from ui.shared.formatting import LONG_NAME, as_text, show_table
from ui.shared.session import session
from ui.shared.widgets import shown_when_open
from ui.sign_in.person import Role
from ui.sign_in.user import current_user

NEWEST = 200


def show_remarks(entry: LogEntry) -> None:
    """Show the remarks on an entry, which are permanent."""
    withdrawn = entry.withdrawn
    if withdrawn is not None:
        note = "; still deployed until replaced" if entry.deployed else ""
        st.warning(
            f"Withdrawn {moment(withdrawn.made)} UTC by {_named(withdrawn.author)}: {as_text(withdrawn.words)}{note}.",
            icon=":material/undo:",
        )
    for remark in entry.remarks:
        if not remark.withdraws:
            st.markdown(f"{moment(remark.made)} UTC, {_named(remark.author)}: {as_text(remark.words)}")


def offer_remark(entry: LogEntry) -> None:
    """Offer a form for a remark, where the user may write one."""
    if current_user().may(Role.DECIDE, Role.ADMINISTER):
        with st.popover("Remark or withdraw", icon=":material/comment:"):
            _ask_remark(entry)


def _ask_remark(entry: LogEntry) -> None:
    is_withdrawable = entry.withdrawn is None and may_withdraw(current_user(), entry)
    with st.form("remark", border=False, clear_on_submit=False):
        by = ask_name("Your name", key="remark_by")
        words = st.text_input("Remark", key=f"remark_words_{entry.id}_{len(entry.remarks)}", max_chars=MAX_NAME)
        with st.container(horizontal=True):
            remarks = st.form_submit_button("Add the remark", icon=":material/comment:")
            withdraws = is_withdrawable and st.form_submit_button(
                "Withdraw the decision",
                icon=":material/undo:",
                help="The decision stays in the log with your remark and can no longer be deployed.",
            )
    if not (remarks or withdraws):
        return
    if not (by and words.strip()):
        st.error("Enter your name and a reason.", icon=":material/error:")
        return
    try:
        decision_log().remark(entry.id, by, words.strip(), withdraws=withdraws)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    done = "is withdrawn" if withdraws else "has a new remark"
    session().decisions.note = f"Decision {entry.id} {done}."
    st.rerun()


def _named(name: str) -> str:
    return as_text(shortened(name, LONG_NAME))


def show_audit_trail() -> None:
    """Offer the audit to administrators."""
    if current_user().may(Role.ADMINISTER):
        _show_audit_trail()


@shown_when_open("Audit trail", key="audit_trail", icon=":material/verified_user:")
def _show_audit_trail() -> None:
    """Check every seal of the log and list its events, newest first."""
    found = from_log(lambda log: (log.audit(), log.trail()))
    if found is None:
        return
    audit, trail = found
    _show_audit(audit)
    if not trail:
        return
    show_table(
        pd.DataFrame([_listed(event) for event in trail[: -NEWEST - 1 : -1]]),
        hide_index=True,
        alt="Events of the log with author and decision, newest first.",
    )
    if len(trail) > NEWEST:
        st.caption(f"The newest {NEWEST} of {count(len(trail))}; `python -m decision_log trail` prints all.")


def _show_audit(audit: Audit) -> None:
    if audit.faults:
        st.error(
            "**The log is not as the program wrote it.**  \n" + "  \n".join(map(as_text, audit.faults)),
            icon=":material/gpp_bad:",
        )
    else:
        st.success(
            f"{plural(audit.entries, 'decision')} and {plural(audit.events, 'event')} are as the program wrote them.",
            icon=":material/gpp_good:",
        )
    for notice in audit.notices:
        st.warning(as_text(notice), icon=":material/schedule:")
    st.caption("Head of the chain. Keep a copy elsewhere to detect a truncated log later:")
    st.code(audit.head, language=None)


def _listed(event: Event) -> dict[str, object]:
    return {
        "No.": event.number,
        "When (UTC)": moment(event.made),
        "Who": event.actor,
        "What": event.action,
        "Decision": event.entry_id,
        "Fingerprint of its data": event.fingerprint[:12],
    }
