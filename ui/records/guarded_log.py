"""The decision log as one person may use it: who may not is refused here, whatever a page offers."""

from datetime import datetime

from decision_log import Audit, DecisionLog, Event, Listing, LogEntry
from decision_log.store import MAX_ENTRIES
from multiloss_core import DataError, DecisionRecord
from ui.identity.roles import Person, Role, is_identity, is_same_name, is_same_person


class GuardedLog:
    """A log for a `person`; `second_person`: whether another one than the author must deploy.

    With sign-in everything is written under her identity. Every method raises DataError where she may not, or where the
    log itself refuses.
    """

    def __init__(self, log: DecisionLog, person: Person, *, second_person: bool) -> None:
        self._log, self._person, self._second_person = log, person, second_person

    def listing(self, *, limit: int) -> Listing:
        """List the newest entries, and what cannot be read."""
        return self._for(Role.READ).listing(limit=limit)

    def entries(self, *, limit: int = MAX_ENTRIES, data_name: str | None = None) -> tuple[LogEntry, ...]:
        """List the newest entries that can be read, of one data name."""
        return self._for(Role.READ).entries(limit=limit, data_name=data_name)

    def get(self, entry_id: int) -> LogEntry:
        """Get one entry."""
        return self._for(Role.READ).get(entry_id)

    def in_production(self) -> tuple[LogEntry, ...]:
        """List what is in production."""
        return self._for(Role.READ).in_production()

    def export(self) -> str:
        """All entries as JSON lines."""
        return self._for(Role.READ).export()

    def trail(self) -> tuple[Event, ...]:
        """List who wrote what and when."""
        return self._for(Role.ADMINISTER).trail()

    def audit(self) -> Audit:
        """Check every seal."""
        return self._for(Role.ADMINISTER).audit()

    def add(self, record: DecisionRecord) -> int:
        """Keep a record of this person's and return the number of its entry."""
        log = self._for(Role.DECIDE)
        if not self._person.may_sign(record.author):
            raise DataError("The author of this record is somebody else; only the author can add it to the log.")
        return log.add(record)

    def remark(self, entry_id: int, by: str, words: str, *, withdraws: bool = False) -> LogEntry:
        """Add a remark on an entry, or withdraw it: her own, or anybody's as an administrator."""
        log = self._for(Role.DECIDE, Role.ADMINISTER)
        if withdraws and not may_withdraw(self._person, log.get(entry_id)):
            raise DataError("Only the author of a decision, or an administrator, withdraws it; add a remark instead.")
        return log.remark(entry_id, self._own(by), words, withdraws=withdraws)

    def mark_deployed(self, entry_id: int, by: str, when: datetime | None = None) -> LogEntry:
        """Note that an entry went to production."""
        log, by = self._for(Role.DEPLOY), self._own(by)
        if self._second_person and (complaint := why_another_deploys(self._person, log.get(entry_id), by)):
            raise DataError(complaint)
        return log.mark_deployed(entry_id, by, when)

    def _for(self, *roles: Role) -> DecisionLog:
        self._person.require(*roles)
        return self._log

    def _own(self, name: str) -> str:
        if not self._person.may_sign(name):
            raise DataError("With sign-in everything is written under one's own name; sign in as the other person.")
        return name


def may_withdraw(person: Person, entry: LogEntry) -> bool:
    """Tell whether a person may withdraw an entry: her own with the role to decide, anybody's as an administrator."""
    is_own = not person.identity or is_same_person(entry.record.author, person.identity)
    return person.may(Role.ADMINISTER) or (is_own and person.may(Role.DECIDE))


def why_another_deploys(person: Person, entry: LogEntry, by: str) -> str:
    """Say why, where a second person must deploy, it cannot be this one under the name `by`; empty where it can."""
    author = entry.record.author
    if person.identity and not is_identity(author):
        return (
            f"Decision {entry.id} was made under a typed name, so nobody can tell whether you are a second person; "
            "decide anew to put it into production."
        )
    is_own = is_same_person(author, by) if person.identity else is_same_name(author, by)
    return f"Decision {entry.id} was made by the same person; here another one deploys." if is_own else ""
