"""Who this visit is of. The claims come from Streamlit, which checks the provider's signature and signs its cookie."""

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

SIGNED_OUT = "Nobody is signed in; reload the page and sign in."


def settings() -> Settings:
    """Return how sign-in was configured when the program first asked; a change takes a start of the server.

    Read once, so that no moment in which the file is missing opens what is closed.

    Raises
    ------
    DataError : a mistake in it, in one sentence.
    """
    found = _read_once()
    if isinstance(found, str):
        raise DataError(found)
    return found


def visitor(claims: Mapping[str, Any] | None = None) -> Person | None:
    """Return who visits: anybody without sign-in, None where nobody is signed in.

    `claims`: those of the session; else of the session that a page is drawn for.

    Raises
    ------
    DataError : a sign-in that has ended, or a mistake in the configuration.
    """
    configured = settings()
    if not configured.has_sign_in:
        return ANYBODY
    claims = st.user.to_dict() if claims is None else claims
    if claims.get("is_logged_in") is not True:
        return None
    return person_of(claims, configured.roles, datetime.now(UTC))


def reader(claims: Mapping[str, Any] | None = None) -> Person:
    """Return who visits, with the right to see the pages; `claims` as for `visitor`.

    Raises
    ------
    DataError : nobody is signed in, without any role, or too long ago.
    """
    person = visitor(claims)
    if person is None:
        raise DataError(SIGNED_OUT)
    person.require(Role.READ)
    return person


def redirect_host() -> str | None:
    """Return the host that sign-in leads back to, if any, whatever else is wrong with the settings."""
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
    """Read Streamlit's secrets; Streamlit itself takes a file that it cannot read, or does not find, for none."""
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
