"""Identify the user of a session from the claims that Streamlit verifies and signs."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from streamlit import config

from multiloss_core import DataError
from ui.sign_in.claims import person_of
from ui.sign_in.person import ANYBODY, Person, Role
from ui.sign_in.settings import Settings, read_settings

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
