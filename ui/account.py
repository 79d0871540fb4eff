"""The sign-in page, and the page with the user's own roles."""

import streamlit as st

from multiloss_core import DataError
from ui.server.middleware import RETURN_COOKIE
from ui.shared.formatting import as_text
from ui.shared.page_setup import bootstrap
from ui.sign_in.person import Person, Role
from ui.sign_in.user import current_user, settings, signed_in_user

# A cookie keeps the requested page, because the provider redirects to the start.
REMEMBER_ADDRESS = f"""<script>
document.cookie = "{RETURN_COOKIE}=" + encodeURIComponent(location.pathname + location.search)
    + "; path=/; max-age=600; samesite=lax" + (location.protocol === "https:" ? "; secure" : "")
</script>"""
PERMISSIONS = {
    Role.READ: "see the pages and the decision log",
    Role.DECIDE: "save decisions, remark on decisions, withdraw your own",
    Role.DEPLOY: "mark decisions as deployed",
    Role.ADMINISTER: "withdraw any decision, remark, see the audit trail",
}


def admitted() -> Person | None:
    """Return the user, or None without the right to see the pages; see `show_sign_in`."""
    try:
        person = signed_in_user()
    except DataError:
        return None
    return person if person is not None and person.may(Role.READ) else None


def show_sign_in() -> None:
    """Show the reason for no access, with a sign-in or sign-out button."""
    with st.container(horizontal_alignment="center"), st.container(width=440):
        st.title("Multiloss", anchor=False)
        try:
            settings()
        except DataError as error:
            st.error(f"Closed: {as_text(str(error))} Then start the server again.", icon=":material/lock:")
            return
        try:
            person = signed_in_user()
        except DataError as error:
            st.warning(as_text(str(error)), icon=":material/schedule:")
        else:
            if person is not None:
                _show_without_role(person)
                return
        st.html(REMEMBER_ADDRESS, unsafe_allow_javascript=True)
        st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)


def _show_without_role(person: Person) -> None:
    _show_identity(person)
    contact = as_text(settings().roles.contact)
    st.info(f"You have no role, so no page is available. Ask {contact} for one, then sign in again.")
    st.button("Sign out", icon=":material/logout:", on_click=st.logout)


def show_own_page() -> None:
    """Show the page of the signed-in user."""
    bootstrap("your_account.py")
    person = current_user()
    st.title("Your account")
    _show_identity(person)
    st.markdown("\n".join(f"- **{role.capitalize()}**: {PERMISSIONS[role]}" for role in Role if person.may(role)))
    if person.until is not None:
        st.caption(f"This sign-in ends {person.until:%Y-%m-%d %H:%M} UTC; changed roles apply from the next one.")
    st.button("Sign out", icon=":material/logout:", on_click=st.logout)


def _show_identity(person: Person) -> None:
    st.markdown(f"Signed in as **{as_text(person.identity)}**")
