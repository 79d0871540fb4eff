"""Convert the claims of an OpenID provider to a person with roles."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from multiloss_core import DataError
from ui.sign_in.person import Person, identity_of, plain
from ui.sign_in.settings import RoleSettings

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
