"""Identify the user of a session from the claims that Streamlit verifies and signs."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from streamlit import config

from multiloss_core import DataError
from ui.sign_in.person import ANYBODY, Person, Role, identity_of, plain
from ui.sign_in.settings import RoleSettings, Settings, read_settings

# Allowed lead of the provider's clock.
TOLERANCE = timedelta(minutes=5)
# Characters of a name in the menu.
MAX_SHOWN = 40


def person_of(claims: Mapping[str, Any], settings: RoleSettings, now: datetime) -> Person:
    """Make a person from the claims of a verified ID token.

    A sign-in ends `sign_in_hours` after the token was issued, because tokens often expire within minutes. A removed
    role stays valid until then.

    Raises
    ------
    DataError : claims without issuer, subject or time of issue, or a sign-in that has ended.
    """
    issuer, subject, issued = claims.get("iss"), claims.get("sub"), _moment(claims.get("iat"))
    if not (isinstance(issuer, str) and issuer and isinstance(subject, str) and subject) or issued is None:
        raise DataError("The provider sent no valid identity; sign in again, or ask the operator of this program.")
    until = issued + timedelta(hours=settings.sign_in_hours)
    if not issued - TOLERANCE <= now < until:
        raise DataError(f"Your sign-in of {issued:%Y-%m-%d %H:%M} UTC has ended; sign in again.")
    address = _text(claims.get("email"))
    if claims.get("email_verified") in (False, "false"):
        # An unverified address may be another person's.
        address = ""
    name = _text(claims.get("name")) or _text(claims.get("preferred_username"))
    return Person(
        settings.given_by(claims.get(settings.roles_claim)),
        plain(name or address or subject)[:MAX_SHOWN],
        identity_of(name, address, issuer, subject),
        until,
    )


def _moment(seconds: object) -> datetime | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


SIGNED_OUT = "You are not signed in; reload the page and sign in."


def settings() -> Settings:
    """Return the sign-in settings of this server's start.

    They are read once: a file that is missing for a moment must not open the pages.

    Raises
    ------
    DataError : an invalid setting.
    """
    found = _read_once()
    if isinstance(found, str):
        raise DataError(found)
    return found


def signed_in_user(claims: Mapping[str, Any] | None = None) -> Person | None:
    """Return the user of a session: `ANYBODY` without sign-in, None if signed out.

    `claims` are those of the session, by default of the one that a page is drawn for.

    Raises
    ------
    DataError : a sign-in that has ended, or an invalid configuration.
    """
    configured = settings()
    if not configured.has_sign_in:
        return ANYBODY
    claims = st.user.to_dict() if claims is None else claims
    if claims.get("is_logged_in") is not True:
        return None
    return person_of(claims, configured.roles, datetime.now(UTC))


def current_user(claims: Mapping[str, Any] | None = None) -> Person:
    """Return the user, who must have the role READ; `claims` as for `signed_in_user`.

    Raises
    ------
    DataError : a user who is signed out or has no role, or a sign-in that has ended.
    """
    person = signed_in_user(claims)
    if person is None:
        raise DataError(SIGNED_OUT)
    person.require(Role.READ)
    return person


def redirect_host() -> str | None:
    """Return the host of the redirect URI, or None, even if other settings are invalid."""
    try:
        return urlsplit(_secrets()["auth"]["redirect_uri"]).hostname
    except (DataError, KeyError, TypeError, ValueError, AttributeError):
        return None


@cache
def _read_once() -> Settings | str:
    try:
        return read_settings(_secrets(), st.get_option("server.trustedUserHeaders"))
    except DataError as error:
        return str(error)


def _secrets() -> dict[str, Any]:
    """Read Streamlit's secrets; reject an unreadable or missing file, which Streamlit ignores."""
    try:
        if st.secrets.load_if_toml_exists():
            found: dict[str, Any] = st.secrets.to_dict()
            return found
        is_meant = config.is_manually_set("secrets.files") or any(
            Path(path).exists() for path in st.get_option("secrets.files")
        )
    except (OSError, UnicodeDecodeError):
        is_meant = True
    if is_meant:
        raise DataError("secrets.toml is missing or cannot be read as TOML; correct it.")
    return {}
