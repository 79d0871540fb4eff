"""Roles and identities of persons in the decision log."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from multiloss_core import DataError

# Characters in an identity, which must not exceed the limit of names in the log.
MAX_NAME, MAX_ADDRESS = 100, 150


class Role(StrEnum):
    """The permissions of a person; each role includes READ, and no other role.

    READ: see the pages and the log, load data. DECIDE: save decisions, remark, withdraw one's own. DEPLOY: mark as
    deployed. ADMINISTER: withdraw any decision, remark, see the audit trail.
    """

    READ = "read"
    DECIDE = "decide"
    DEPLOY = "deploy"
    ADMINISTER = "administer"


@dataclass(frozen=True)
class Person:
    """A user with roles, `until` the end of the sign-in (UTC; None: unlimited).

    `identity` is the author's name in the log; empty without sign-in, where names are typed.
    """

    roles: frozenset[Role]
    name: str = ""
    identity: str = ""
    until: datetime | None = None

    def may(self, *roles: Role) -> bool:
        """Return whether the person has one of these roles; any role includes READ."""
        return bool(self.roles) if Role.READ in roles else not self.roles.isdisjoint(roles)

    def may_sign(self, name: str) -> bool:
        """Return whether the person may write under this name; without sign-in any name is allowed."""
        return not self.identity or name == self.identity

    def require(self, *roles: Role) -> None:
        """Check that the person has one of these roles and a valid sign-in.

        Raises
        ------
        DataError : a missing role, or a sign-in that has ended.
        """
        if self.until is not None and datetime.now(UTC) >= self.until:
            raise DataError("Your sign-in has ended; reload the page and sign in again.")
        if not self.may(*roles):
            wanted = " or ".join(f"'{role}'" for role in roles)
            raise DataError(f"This needs the role {wanted}, which you do not have; ask your administrator.")


# The user without sign-in.
ANYBODY = Person(frozenset(Role))


def identity_of(name: str, address: str, issuer: str, subject: str) -> str:
    """Format an identity: name, address and 16 digits that identify the person.

    The digits begin the SHA-256 of issuer, line break and subject, the only claims that are unique and never reused.
    Names and addresses change and can imitate another person's.
    """
    digits = hashlib.sha256(f"{issuer}\n{subject}".encode()).hexdigest()[:16]
    shown = plain(address or subject)[:MAX_ADDRESS]
    return " ".join(part for part in (plain(name)[:MAX_NAME].strip(), f"<{shown}>", f"[{digits}]") if part)


def is_same_person(one: str, other: str) -> bool:
    """Return whether two identities have the same digits; name and address may differ."""
    return bool(digits := _digits(one)) and digits == _digits(other)


def is_identity(text: str) -> bool:
    """Return whether a name in the log is an identity rather than typed."""
    return bool(_digits(text))


def is_same_name(one: str, other: str) -> bool:
    """Return whether two typed names are equal apart from spaces and case."""
    return " ".join(one.casefold().split()) == " ".join(other.casefold().split())


def _digits(identity: str) -> str:
    digits = identity[-17:-1]
    is_whole = identity[-19:-17] == " [" and identity.endswith("]") and not set(digits) - set("0123456789abcdef")
    return digits if is_whole else ""


def plain(text: str) -> str:
    """Keep the printable characters of a text on one line, without the delimiters of identities."""
    return " ".join("".join(sign if sign.isprintable() and sign not in "<>[]" else " " for sign in text).split())
