"""Who wrote what to the log and when, and whether anything of it was changed past the program."""

import pandas as pd
import streamlit as st

from decision_log import Audit, Event
from multiloss_core.formatting import count, plural
from ui.identity.roles import Role
from ui.identity.visitor import reader
from ui.records.log_access import from_log
from ui.records.record_text import moment
from ui.shared.formatting import as_text, show_table
from ui.shared.lazy_section import shown_when_open

NEWEST = 200


def show_audit_trail() -> None:
    """Offer the audit to whoever may see it."""
    if reader().may(Role.ADMINISTER):
        _show_audit_trail()


@shown_when_open("Audit trail", key="audit_trail", icon=":material/verified_user:")
def _show_audit_trail() -> None:
    """Check every seal of the log, and list its events, the newest first."""
    found = from_log(lambda log: (log.audit(), log.trail()))
    if found is None:
        return
    audit, trail = found
    _say(audit)
    if not trail:
        return
    show_table(
        pd.DataFrame([_listed(event) for event in trail[: -NEWEST - 1 : -1]]),
        hide_index=True,
        alt="Who recorded, deployed, remarked on or withdrew which decision, the newest first.",
    )
    if len(trail) > NEWEST:
        st.caption(f"The newest {NEWEST} of {count(len(trail))}; `python -m decision_log trail` prints all.")


def _say(audit: Audit) -> None:
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
    st.caption("Head of the chain; noted elsewhere, it shows later that no end of the log was cut off:")
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
