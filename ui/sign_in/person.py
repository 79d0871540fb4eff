"""Roles, and the identity of a person in the decision log."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from multiloss_core import DataError


class Role(StrEnum):
    """What somebody may do; each role includes reading, and nothing else of the others.

    READ: see the pages and the log, load data. DECIDE: save decisions, remark, withdraw her own. DEPLOY: mark as
    deployed. ADMINISTER: withdraw anybody's, remark, see the audit trail.
    """

    READ = "read"
    DECIDE = "decide"
    DEPLOY = "deploy"
    ADMINISTER = "administer"


@dataclass(frozen=True)
class Person:
    """Who visits, with what roles, `until` when (UTC; None: without end).

    `identity` is what the log keeps her words under; empty where there is no sign-in, and names are typed.
    """

    roles: frozenset[Role]
    name: str = ""
    identity: str = ""
    until: datetime | None = None

    def may(self, *roles: Role) -> bool:
        """Tell whether she has one of these roles; any role includes reading."""
        return bool(self.roles) if Role.READ in roles else not self.roles.isdisjoint(roles)

    def may_sign(self, name: str) -> bool:
        """Tell whether she may write under this name; without sign-in that is any."""
        return not self.identity or name == self.identity

    def require(self, *roles: Role) -> None:
        """Refuse who has none of these roles, or signed in too long ago.

        Raises
        ------
        DataError : one sentence that says so.
        """
        if self.until is not None and datetime.now(UTC) >= self.until:
            raise DataError("Your sign-in is too long ago; reload the page and sign in again.")
        if not self.may(*roles):
            wanted = " or ".join(f"'{role}'" for role in roles)
            raise DataError(f"This takes the role {wanted}, which you do not have; ask whoever gives roles out.")


# Without sign-in.
ANYBODY = Person(frozenset(Role))

# Letters of a name and of an e-mail address in an identity, which may be as long as a name in the log.
NAME, ADDRESS = 100, 150


def identity_of(name: str, address: str, issuer: str, subject: str) -> str:
    """Write an identity: a name and an address for people, then 16 digits that tell this person from all others.

    The digits begin the SHA-256 of issuer, line break and subject, which alone are unique and never given to another.
    Names and addresses change, and can be chosen to look like somebody else's.
    """
    digits = hashlib.sha256(f"{issuer}\n{subject}".encode()).hexdigest()[:16]
    shown = plain(address or subject)[:ADDRESS]
    return " ".join(part for part in (plain(name)[:NAME].strip(), f"<{shown}>", f"[{digits}]") if part)


def is_same_person(one: str, other: str) -> bool:
    """Tell whether two identities are of one person, whose name or address may have changed since."""
    return bool(digits := _digits(one)) and digits == _digits(other)


def is_identity(text: str) -> bool:
    """Tell whether a name in the log is an identity; else it was typed."""
    return bool(_digits(text))


def is_same_name(one: str, other: str) -> bool:
    """Tell whether two typed names are the same but for spaces and capitals."""
    return " ".join(one.casefold().split()) == " ".join(other.casefold().split())


def _digits(identity: str) -> str:
    digits = identity[-17:-1]
    is_whole = identity[-19:-17] == " [" and identity.endswith("]") and not set(digits) - set("0123456789abcdef")
    return digits if is_whole else ""


def plain(text: str) -> str:
    """Keep what can be read of a text, on one line, without the signs that an identity is made of."""
    return " ".join("".join(sign if sign.isprintable() and sign not in "<>[]" else " " for sign in text).split())
