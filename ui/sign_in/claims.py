"""From what an OpenID provider says of somebody to a person with roles."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from multiloss_core import DataError
from ui.sign_in.person import Person, identity_of, plain
from ui.sign_in.settings import RoleSettings

# The provider's clock may be ahead by so much.
TOLERANCE = timedelta(minutes=5)
# Letters of a name in the menu.
SHOWN = 40


def person_of(claims: Mapping[str, Any], settings: RoleSettings, now: datetime) -> Person:
    """Make a person of the claims of an ID token whose signature was checked; one without roles may see nothing.

    A sign-in ends `sign_in_hours` after the token was issued; the token's own end is often only minutes away. A role
    that was taken away stays in force for so long.

    Raises
    ------
    DataError : claims that do not say who it is and since when, or a sign-in that has ended.
    """
    issuer, subject, issued = claims.get("iss"), claims.get("sub"), _moment(claims.get("iat"))
    if not (isinstance(issuer, str) and issuer and isinstance(subject, str) and subject) or issued is None:
        raise DataError("The provider did not say who you are; sign in again, or ask whoever runs this program.")
    until = issued + timedelta(hours=settings.sign_in_hours)
    if not issued - TOLERANCE <= now < until:
        raise DataError(f"Your sign-in of {issued:%Y-%m-%d %H:%M} UTC has ended; sign in again.")
    address = _text(claims.get("email"))
    if claims.get("email_verified") in (False, "false"):
        # Anybody may have written it.
        address = ""
    name = _text(claims.get("name")) or _text(claims.get("preferred_username"))
    return Person(
        settings.given_by(claims.get(settings.roles_claim)),
        plain(name or address or subject)[:SHOWN],
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
