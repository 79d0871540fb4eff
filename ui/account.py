"""The sign-in page, and the page with the user's own roles."""

import streamlit as st

from multiloss_core import DataError
from ui.server.middleware import RETURN_COOKIE
from ui.shared.formatting import as_text
from ui.shared.page_setup import bootstrap
from ui.sign_in.person import Person, Role
from ui.sign_in.visitor import reader, settings, visitor

# The browser remembers the page that was asked for: the provider leads back to the start, and the server on from there.
REMEMBER_ADDRESS = f"""<script>
document.cookie = "{RETURN_COOKIE}=" + encodeURIComponent(location.pathname + location.search)
    + "; path=/; max-age=600; samesite=lax" + (location.protocol === "https:" ? "; secure" : "")
</script>"""


def admitted() -> Person | None:
    """Return who visits and may see the pages; None for others, see `show_sign_in`."""
    try:
        person = visitor()
    except DataError:
        return None
    return person if person is not None and person.may(Role.READ) else None


def show_sign_in() -> None:
    """Say why nothing is shown, and offer what leads on."""
    with st.container(horizontal_alignment="center"), st.container(width=440):
        st.title("Multiloss", anchor=False)
        try:
            settings()
        except DataError as error:
            st.error(f"Closed: {as_text(str(error))} Then start the server again.", icon=":material/lock:")
            return
        try:
            person = visitor()
        except DataError as error:
            st.warning(as_text(str(error)), icon=":material/schedule:")
        else:
            if person is not None:
                _say_without_role(person)
                return
        st.html(REMEMBER_ADDRESS, unsafe_allow_javascript=True)
        st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)


def _say_without_role(person: Person) -> None:
    say_who(person)
    contact = as_text(settings().roles.contact)
    st.info(f"You have no role here, so nothing is shown. Ask {contact} for one, then sign in again.")
    st.button("Sign out", icon=":material/logout:", on_click=st.logout)


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
