"""The decision log: records are added, listed, opened, deployed, remarked on or withdrawn, never changed or lost."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from sqlalchemy import Connection, Row, Select, select

from decision_log import chain
from decision_log.bring_up_to_date import bring_up_to_date
from decision_log.connection import make_engine, place, reading, writing
from decision_log.seals import DEPLOYED, RECORDED, REMARKED, WITHDRAWN
from decision_log.tables import deployments, entries, remarks, succession
from multiloss_core import DataError, DecisionRecord
from multiloss_core.decisions import checked_name

MAX_ENTRIES = 100


@dataclass(frozen=True)
class Deployment:
    """From when to when (UTC; None: still) an entry was in production, and who put it there."""

    deployed_by: str
    deployed_at: datetime
    retired_at: datetime | None


@dataclass(frozen=True)
class Remark:
    """What somebody said later of an entry, and when (UTC); it may withdraw the decision."""

    author: str
    made: datetime
    words: str
    withdraws: bool


@dataclass(frozen=True)
class LogEntry:
    """A record in the log under its number there, when it was added (UTC), its deployments and its remarks.

    The latest of both come last.
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
        """Whether it is in production now."""
        return any(deployment.retired_at is None for deployment in self.deployments)


@dataclass(frozen=True)
class Listing:
    """Entries of the log, and by their numbers the sentences on those whose records cannot be read."""

    entries: tuple[LogEntry, ...]
    unreadable: dict[int, str]

    def __len__(self) -> int:
        return len(self.entries) + len(self.unreadable)


class DecisionLog:
    """A log of decision records in an SQLite file or in PostgreSQL; brought up to date when opened.

    `address`: `sqlite:///decisions.db` or `postgresql+psycopg://user:password@host/database`. Threads may share a log;
    processes open one each. Every method raises DataError where the database does not answer, or refuses.

    Raises
    ------
    DataError : an address of another kind, a database that cannot be reached, or one that a newer program has changed.
    """

    def __init__(self, address: str) -> None:
        self._engine = make_engine(address)
        try:
            bring_up_to_date(self._engine)
        except BaseException:
            self.close()
            raise

    @property
    def place(self) -> str:
        """Where the log is kept, without user and password."""
        return place(self._engine.url)

    def close(self) -> None:
        """Give back the connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, record: DecisionRecord) -> int:
        """Keep a record and return the number of its entry; one that is there already keeps the number it has.

        Raises
        ------
        DataError : another record with the same `record_id` is there.
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

    def entries(
        self, *, limit: int = MAX_ENTRIES, before: int | None = None, data_name: str | None = None
    ) -> tuple[LogEntry, ...]:
        """List the newest entries that can be read, see `listing`."""
        return self.listing(limit=limit, before=before, data_name=data_name).entries

    def listing(self, *, limit: int = MAX_ENTRIES, before: int | None = None, data_name: str | None = None) -> Listing:
        """List the newest entries first, at most `limit`: those with a number below `before`, of one data name.

        An entry that cannot be read does not keep the others from being listed.
        """
        conditions = [] if before is None else [entries.c.id < before]
        if data_name is not None:
            conditions.append(entries.c.data_name == data_name)
        wanted = select(entries).where(*conditions).order_by(entries.c.id.desc()).limit(limit)
        with reading(self._engine) as connection:
            return _listing(connection, wanted)

    def get(self, entry_id: int) -> LogEntry:
        """Get one entry.

        Raises
        ------
        DataError : there is none of this number.
        """
        with reading(self._engine) as connection:
            return _entry(connection, entry_id)

    def deployed(self, data_name: str) -> LogEntry | None:
        """Get the entry that is in production for a data name, if any."""
        with reading(self._engine) as connection:
            in_force = _in_force(connection, data_name)
            return None if in_force is None else _entry(connection, in_force.entry_id)

    def in_production(self) -> tuple[LogEntry, ...]:
        """List the entries that are in production for any data and can be read, the newest first."""
        there = select(succession.c.entry_id).where(succession.c.retired_at.is_(None))
        wanted = select(entries).where(entries.c.id.in_(there)).order_by(entries.c.id.desc())
        with reading(self._engine) as connection:
            return _listing(connection, wanted).entries

    def remark(self, entry_id: int, by: str, words: str, *, withdraws: bool = False) -> LogEntry:
        """Add a remark on an entry, or withdraw it; neither can be taken back, and nothing else of it changes.

        Raises
        ------
        DataError : no such entry, nobody's name, no words, or an entry that was withdrawn before.
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
        """Note that an entry went to production; whatever was there for the same data name is retired at that moment.

        `by` is who did it, `when` a time with a zone (now). An entry that is in production already stays as it is. A
        present deployment whose time has not come, by more than clocks differ, was dated by a wrong clock: the next one
        begins before it, which `audit` tells.

        Raises
        ------
        DataError : no such entry or one that is withdrawn, nobody's name, or a time without a zone, in the
            future or before that of the present deployment.
        """
        checked_name("deployed_by", by)
        if when is not None and when.utcoffset() is None:
            raise DataError("The time of a deployment needs a time zone; give it in UTC.")
        with reading(self._engine) as connection:
            entry = _entry(connection, entry_id)
        if entry.withdrawn is not None:
            raise DataError(
                f"Entry {entry_id} of the decision log is withdrawn; decide anew to put it into production."
            )
        data_name = entry.record.data.name
        with writing(self._engine) as connection:
            in_force = _in_force(connection, data_name)
            if in_force is None or in_force.entry_id != entry_id:
                moment = _moment(when, in_force, chain.now(connection))
                values = {"entry_id": entry_id, "data_name": data_name, "deployed_by": by, "deployed_at": moment}
                row = connection.execute(deployments.insert().values(values).returning(*deployments.c)).one()
                chain.append(connection, DEPLOYED, by, (entry_id, entry.record.data.fingerprint), row)
            return _entry(connection, entry_id)

    def trail(self) -> tuple[chain.Event, ...]:
        """List who wrote what and when, the oldest first; without the data themselves."""
        with reading(self._engine) as connection:
            return tuple(chain.trail(connection))

    def audit(self, head: str | None = None) -> chain.Audit:
        """Check that nothing of the log was changed, taken out or put in past the program. O(rows).

        `head`: the head of the chain as an earlier audit told it. Without one, a log whose last events are cut off, or
        that is written anew as a whole, looks whole.
        """
        with reading(self._engine) as connection:
            return chain.audit(connection, head)

    def export(self) -> str:
        """All entries, the oldest first, as JSON lines in ASCII: with deployments, remarks and the record as it is."""
        wanted = select(entries).order_by(entries.c.id)
        with reading(self._engine) as connection:
            rows, found = connection.execute(wanted).all(), _listing(connection, wanted)
        plain = {entry.id: _plain(entry) for entry in found.entries}
        # What cannot be read is exported as it is stored: nothing of the log is lost.
        lines = (
            plain[row.id]
            if row.id in plain
            else {"id": row.id, "added": row.added.isoformat(), "unreadable": row.record}
            for row in rows
        )
        return "".join(f"{json.dumps(line, allow_nan=False)}\n" for line in lines)


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
    said: dict[int, list[Remark]] = {row.id: [] for row in rows}
    if rows:
        numbers = select(wanted.subquery().c.id)
        for row in connection.execute(
            select(succession).where(succession.c.entry_id.in_(numbers)).order_by(succession.c.id)
        ):
            times[row.entry_id].append(Deployment(row.deployed_by, row.deployed_at, row.retired_at))
        for row in connection.execute(select(remarks).where(remarks.c.entry_id.in_(numbers)).order_by(remarks.c.id)):
            said[row.entry_id].append(Remark(row.author, row.made, row.words, row.withdraws))
    found, unreadable = [], {}
    for row in rows:
        try:
            record = _record(row)
        except DataError as error:
            unreadable[row.id] = str(error)
        else:
            found.append(LogEntry(row.id, row.added, record, tuple(times[row.id]), tuple(said[row.id])))
    return Listing(tuple(found), unreadable)


def _record(row: Row[Any]) -> DecisionRecord:
    try:
        return DecisionRecord.from_json(row.record)
    except DataError as error:
        raise DataError(f"Entry {row.id} of the decision log cannot be read: {error}") from None


def _in_force(connection: Connection, data_name: str) -> Row[Any] | None:
    of_data = select(deployments).where(deployments.c.data_name == data_name)
    return connection.execute(of_data.order_by(deployments.c.id.desc()).limit(1)).one_or_none()


def _moment(when: datetime | None, in_force: Row[Any] | None, now: datetime) -> datetime:
    """When a deployment begins: never before the one that it ends, even where clocks differ a little."""
    earliest = None if in_force is None or in_force.deployed_at > now + chain.TOLERANCE else in_force.deployed_at
    if when is None:
        return now if earliest is None else max(now, earliest)
    if when > now + chain.TOLERANCE:
        raise DataError(
            f"The time of a deployment lies in the future: it is {now:%Y-%m-%d %H:%M:%S} UTC; give a past one."
        )
    if earliest is not None and when < earliest:
        raise DataError(
            f"The present deployment began at {earliest:%Y-%m-%d %H:%M:%S} UTC; the next one cannot begin before it."
        )
    return when


def _plain(entry: LogEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "added": entry.added.isoformat(),
        "deployments": [
            {
                "deployed_by": deployment.deployed_by,
                "deployed_at": deployment.deployed_at.isoformat(),
                "retired_at": None if deployment.retired_at is None else deployment.retired_at.isoformat(),
            }
            for deployment in entry.deployments
        ],
        "remarks": [
            {
                "author": remark.author,
                "made": remark.made.isoformat(),
                "words": remark.words,
                "withdraws": remark.withdraws,
            }
            for remark in entry.remarks
        ],
        "record": entry.record.as_dict(),
    }
