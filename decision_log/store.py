"""Add, list, deploy, remark on and withdraw decision records; nothing is changed or deleted."""

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Self

from sqlalchemy import Connection, Row, Select, select

from decision_log import chain, schema
from decision_log.chain import DEPLOYED, RECORDED, REMARKED, WITHDRAWN
from decision_log.connection import make_engine, place, reading, writing
from decision_log.tables import deployments, entries, remarks, succession
from multiloss_core import DataError, DecisionRecord
from multiloss_core.decisions import checked_name

MAX_ENTRIES = 100


@dataclass(frozen=True)
class Deployment:
    """Period (UTC; end None: until now) in which an entry was deployed, and who deployed it."""

    deployed_by: str
    deployed_at: datetime
    retired_at: datetime | None


@dataclass(frozen=True)
class Remark:
    """A later remark on an entry with its author and time (UTC); it may withdraw the decision."""

    author: str
    made: datetime
    words: str
    withdraws: bool


@dataclass(frozen=True)
class LogEntry:
    """A record with its number, the time it was added (UTC), its deployments and its remarks.

    The latest deployments and remarks come last.
    """

    id: int
    added: datetime
    record: DecisionRecord
    deployments: tuple[Deployment, ...]
    remarks: tuple[Remark, ...] = ()

    @property
    def withdrawn(self) -> Remark | None:
        """The remark that withdrew the decision; None where it stands."""
        return next((remark for remark in self.remarks if remark.withdraws), None)

    @property
    def deployed(self) -> bool:
        """Whether it is deployed now."""
        return any(deployment.retired_at is None for deployment in self.deployments)


@dataclass(frozen=True)
class Listing:
    """Entries of the log, and a sentence for each entry number whose record cannot be read."""

    entries: tuple[LogEntry, ...]
    unreadable: dict[int, str]

    def __len__(self) -> int:
        return len(self.entries) + len(self.unreadable)


class DecisionLog:
    """A log of decision records in an SQLite file or in PostgreSQL; created when first opened.

    `address`: `sqlite:///decisions.db` or `postgresql+psycopg://user:password@host/database`. Threads may share a log;
    processes open one each. Every method raises DataError when the database does not answer or rejects the statement.

    Raises DataError: an invalid address, a database that cannot be reached, or a log of another schema.
    """

    def __init__(self, address: str) -> None:
        self._engine = make_engine(address)
        try:
            schema.create(self._engine)
        except BaseException:
            self.close()
            raise

    @property
    def place(self) -> str:
        """The place of the log, without user and password."""
        return place(self._engine.url)

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, record: DecisionRecord) -> int:
        """Add a record and return the number of its entry; a record added before keeps its number.

        Raises DataError: the log holds another record with the same `record_id`.
        """
        values: dict[str, Any] = {
            "record_id": record.record_id,
            "data_name": record.data.name,
            "fingerprint": record.data.fingerprint,
            "author": record.author,
            "created": record.created,
            "record": record.to_json(),
        }
        with writing(self._engine) as connection:
            known = connection.execute(select(entries).where(entries.c.record_id == record.record_id)).one_or_none()
            if known is None:
                values["added"] = chain.now(connection)
                row = connection.execute(entries.insert().values(values).returning(*entries.c)).one()
                chain.append(connection, RECORDED, record.author, (row.id, row.fingerprint), row)
                return int(row.id)
        if _record(known) != record:
            raise DataError(
                f"Entry {known.id} of the decision log has the same record_id and another content; decide anew instead "
                "of changing a record."
            )
        return int(known.id)

    def entries(self, *, limit: int = MAX_ENTRIES, data_name: str | None = None) -> tuple[LogEntry, ...]:
        """List the newest entries that can be read, see `listing`."""
        return self.listing(limit=limit, data_name=data_name).entries

    def listing(self, *, limit: int = MAX_ENTRIES, data_name: str | None = None) -> Listing:
        """List the newest entries first: at most `limit`, of one data name.

        Unreadable entries do not hide the others.
        """
        conditions = [] if data_name is None else [entries.c.data_name == data_name]
        wanted = select(entries).where(*conditions).order_by(entries.c.id.desc()).limit(limit)
        with reading(self._engine) as connection:
            return _listing(connection, wanted)

    def get(self, entry_id: int) -> LogEntry:
        """Get one entry.

        Raises DataError: there is no entry with this number.
        """
        with reading(self._engine) as connection:
            return _entry(connection, entry_id)

    def deployed_entries(self) -> tuple[LogEntry, ...]:
        """List the readable entries that are deployed for any data, the newest first."""
        there = select(succession.c.entry_id).where(succession.c.retired_at.is_(None))
        wanted = select(entries).where(entries.c.id.in_(there)).order_by(entries.c.id.desc())
        with reading(self._engine) as connection:
            return _listing(connection, wanted).entries

    def remark(self, entry_id: int, by: str, words: str, *, withdraws: bool = False) -> LogEntry:
        """Add a remark on an entry, or withdraw the entry; neither can be undone.

        Raises DataError: no such entry, an empty name or remark, or an entry that was withdrawn before.
        """
        checked_name("author", by)
        checked_name("words", words)
        with writing(self._engine) as connection:
            entry = _entry(connection, entry_id)
            if withdraws and entry.withdrawn is not None:
                raise DataError(f"Entry {entry_id} of the decision log is withdrawn already; add a remark instead.")
            values = {"entry_id": entry_id, "author": by, "words": words, "withdraws": withdraws}
            added = remarks.insert().values(made=chain.now(connection), **values).returning(*remarks.c)
            row = connection.execute(added).one()
            about = (entry_id, entry.record.data.fingerprint)
            chain.append(connection, WITHDRAWN if withdraws else REMARKED, by, about, row)
            return _entry(connection, entry_id)

    def mark_deployed(self, entry_id: int, by: str, when: datetime | None = None) -> LogEntry:
        """Record the deployment of an entry and retire the one before for the same data name.

        `by` is the person, `when` a time with a zone (default: now). An entry that is deployed already is not changed.
        If a wrong clock dated the current deployment more than the tolerance into the future, the next one begins
        before it; `audit` reports that.

        Raises DataError: no such entry, a withdrawn one, an empty name, or a time that has no zone, is in the future or
        is before the current deployment.
        """
        checked_name("deployed_by", by)
        if when is not None and when.utcoffset() is None:
            raise DataError("The time of a deployment needs a time zone; give it in UTC.")
        with writing(self._engine) as connection:
            entry = _entry(connection, entry_id)
            if entry.withdrawn is not None:
                raise DataError(
                    f"Entry {entry_id} of the decision log is withdrawn; decide anew to put it into production."
                )
            data_name = entry.record.data.name
            of_data = select(deployments).where(deployments.c.data_name == data_name)
            current = connection.execute(of_data.order_by(deployments.c.id.desc()).limit(1)).one_or_none()
            if current is None or current.entry_id != entry_id:
                moment = _moment(when, current, chain.now(connection))
                values = {"entry_id": entry_id, "data_name": data_name, "deployed_by": by, "deployed_at": moment}
                row = connection.execute(deployments.insert().values(values).returning(*deployments.c)).one()
                chain.append(connection, DEPLOYED, by, (entry_id, entry.record.data.fingerprint), row)
            return _entry(connection, entry_id)

    def trail(self) -> tuple[chain.Event, ...]:
        """List the events, the oldest first: author, action and time without the data."""
        with reading(self._engine) as connection:
            return tuple(chain.trail(connection))

    def audit(self, head: str | None = None) -> chain.Audit:
        """Check that no other program changed, removed or added rows. O(rows).

        `head`: the head of the chain from an earlier audit. Without it, an audit cannot detect a log that lost its last
        events or was written anew as a whole.
        """
        with reading(self._engine) as connection:
            return chain.audit(connection, head)

    def export(self) -> str:
        """Export all entries with deployments and remarks as JSON lines, the oldest first."""
        wanted = select(entries).order_by(entries.c.id)
        with reading(self._engine) as connection:
            rows, found = connection.execute(wanted).all(), _listing(connection, wanted)
        plain = {entry.id: _plain(entry) for entry in found.entries}
        # Unreadable records are exported as they are stored.
        lines = (plain.get(row.id, {"id": row.id, "added": row.added, "unreadable": row.record}) for row in rows)
        return "".join(f"{json.dumps(line, default=datetime.isoformat, allow_nan=False)}\n" for line in lines)


def _entry(connection: Connection, entry_id: int) -> LogEntry:
    found = _listing(connection, select(entries).where(entries.c.id == entry_id))
    if entry_id in found.unreadable:
        raise DataError(found.unreadable[entry_id])
    if not found.entries:
        raise DataError(f"The decision log has no entry {entry_id}; choose one of its list.")
    return found.entries[0]


def _listing(connection: Connection, wanted: Select[Any]) -> Listing:
    rows = connection.execute(wanted).all()
    times: dict[int, list[Deployment]] = {row.id: [] for row in rows}
    remarked: dict[int, list[Remark]] = {row.id: [] for row in rows}
    if rows:
        numbers = select(wanted.subquery().c.id)
        for row in connection.execute(
            select(succession).where(succession.c.entry_id.in_(numbers)).order_by(succession.c.id)
        ):
            times[row.entry_id].append(Deployment(row.deployed_by, row.deployed_at, row.retired_at))
        for row in connection.execute(select(remarks).where(remarks.c.entry_id.in_(numbers)).order_by(remarks.c.id)):
            remarked[row.entry_id].append(Remark(row.author, row.made, row.words, row.withdraws))
    found, unreadable = [], {}
    for row in rows:
        try:
            record = _record(row)
        except DataError as error:
            unreadable[row.id] = str(error)
        else:
            found.append(LogEntry(row.id, row.added, record, tuple(times[row.id]), tuple(remarked[row.id])))
    return Listing(tuple(found), unreadable)


def _record(row: Row[Any]) -> DecisionRecord:
    try:
        return DecisionRecord.from_json(row.record)
    except DataError as error:
        raise DataError(f"Entry {row.id} of the decision log cannot be read: {error}") from None


def _moment(when: datetime | None, current: Row[Any] | None, now: datetime) -> datetime:
    """Return the start of a deployment, never before that of the one it ends."""
    earliest = None if current is None or current.deployed_at > now + chain.TOLERANCE else current.deployed_at
    if when is None:
        return now if earliest is None else max(now, earliest)
    if when > now + chain.TOLERANCE:
        raise DataError(
            f"The time of a deployment lies in the future: it is {now:%Y-%m-%d %H:%M:%S} UTC; give a past one."
        )
    if earliest is not None and when < earliest:
        raise DataError(
            f"The current deployment began at {earliest:%Y-%m-%d %H:%M:%S} UTC; the next one cannot begin before it."
        )
    return when


def _plain(entry: LogEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "added": entry.added,
        "deployments": [asdict(deployment) for deployment in entry.deployments],
        "remarks": [asdict(remark) for remark in entry.remarks],
        "record": entry.record.as_dict(),
    }
