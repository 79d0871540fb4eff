"""Who one is here, what one may do, and signing out."""

import streamlit as st

from ui.identity.roles import Person, Role
from ui.identity.visitor import reader
from ui.shared.formatting import as_text
from ui.shared.page_setup import bootstrap

WHAT = {
    Role.READ: "see the pages and the decision log",
    Role.DECIDE: "save decisions, remark on decisions, withdraw your own",
    Role.DEPLOY: "mark decisions as deployed",
    Role.ADMINISTER: "withdraw anybody's decision, remark, see the audit trail",
}


def show_own_page() -> None:
    """Show the page of whoever is signed in."""
    bootstrap("your_account.py")
    person = reader()
    st.title("Your account")
    say_who(person)
    st.markdown("\n".join(f"- **{role.capitalize()}**: {WHAT[role]}" for role in Role if person.may(role)))
    if person.until is not None:
        st.caption(f"This sign-in ends {person.until:%Y-%m-%d %H:%M} UTC; a change of your roles shows at the next.")
    st.button("Sign out", icon=":material/logout:", on_click=st.logout)


def say_who(person: Person) -> None:
    """Say as whom the log keeps what this person writes."""
    st.markdown(f"Signed in as **{as_text(person.identity)}**")
