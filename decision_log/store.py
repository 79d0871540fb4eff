"""The decision log: records are added, listed, opened, marked as deployed, and never changed or lost."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

from sqlalchemy import ColumnElement, Connection, Row, Select, select, update

from decision_log.bring_up_to_date import bring_up_to_date
from decision_log.connection import make_engine, place, reading, writing
from decision_log.tables import deployments, entries
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
class LogEntry:
    """A record in the log under its number there, when it was added (UTC), and its deployments, the latest last."""

    id: int
    added: datetime
    record: DecisionRecord
    deployments: tuple[Deployment, ...]

    @property
    def deployed(self) -> bool:
        """Whether it is in production now."""
        return any(deployment.retired_at is None for deployment in self.deployments)


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
        values = {
            "record_id": record.record_id,
            "data_name": record.data.name,
            "fingerprint": record.data.fingerprint,
            "author": record.author,
            "created": record.created,
            "added": datetime.now(UTC),
            "record": record.to_json(),
        }
        with writing(self._engine, f"record {record.record_id}") as connection:
            known = connection.execute(select(entries).where(entries.c.record_id == record.record_id)).one_or_none()
            if known is None:
                return int(connection.execute(entries.insert().values(values).returning(entries.c.id)).scalar_one())
        if _record(known) != record:
            raise DataError(
                f"Entry {known.id} of the decision log has the same record_id and another content; decide anew instead "
                "of changing a record."
            )
        return int(known.id)

    def entries(
        self, *, limit: int = MAX_ENTRIES, before: int | None = None, data_name: str | None = None
    ) -> tuple[LogEntry, ...]:
        """List the newest entries first, at most `limit`: those with a number below `before`, of one data name."""
        conditions = [] if before is None else [entries.c.id < before]
        if data_name is not None:
            conditions.append(entries.c.data_name == data_name)
        wanted = select(entries).where(*conditions).order_by(entries.c.id.desc()).limit(limit)
        with reading(self._engine) as connection:
            return _entries(connection, wanted)

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

    def mark_deployed(self, entry_id: int, by: str, when: datetime | None = None) -> LogEntry:
        """Note that an entry went to production; whatever was there for the same data name is retired at that moment.

        `by` is who did it, `when` a time with a zone (now). An entry that is in production already stays as it is.

        Raises
        ------
        DataError : no such entry, nobody's name, or a time without a zone or before the present deployment.
        """
        checked_name("deployed_by", by)
        if when is not None and when.utcoffset() is None:
            raise DataError("The time of a deployment needs a time zone; give it in UTC.")
        with reading(self._engine) as connection:
            data_name = _entry(connection, entry_id).record.data.name
        with writing(self._engine, f"deployment {data_name}") as connection:
            in_force = _in_force(connection, data_name)
            if in_force is None or in_force.entry_id != entry_id:
                moment = _moment(when, in_force)
                if in_force is not None:
                    connection.execute(
                        update(deployments).where(deployments.c.id == in_force.id).values(retired_at=moment)
                    )
                connection.execute(
                    deployments.insert().values(
                        entry_id=entry_id, data_name=data_name, deployed_by=by, deployed_at=moment
                    )
                )
            return _entry(connection, entry_id)

    def export(self) -> str:
        """All entries, the oldest first, as JSON lines in ASCII: id, added, deployments, and the record as it is."""
        with reading(self._engine) as connection:
            found = _entries(connection, select(entries).order_by(entries.c.id))
        return "".join(f"{json.dumps(_plain(entry), allow_nan=False)}\n" for entry in found)


def _entry(connection: Connection, entry_id: int) -> LogEntry:
    found = _entries(connection, select(entries).where(entries.c.id == entry_id))
    if not found:
        raise DataError(f"The decision log has no entry {entry_id}; choose one of its list.")
    return found[0]


def _entries(connection: Connection, wanted: Select[Any]) -> tuple[LogEntry, ...]:
    rows = connection.execute(wanted).all()
    times: dict[int, list[Deployment]] = {row.id: [] for row in rows}
    if rows:
        for row in connection.execute(
            select(deployments)
            .where(deployments.c.entry_id.in_(select(wanted.subquery().c.id)))
            .order_by(deployments.c.id)
        ):
            times[row.entry_id].append(Deployment(row.deployed_by, row.deployed_at, row.retired_at))
    return tuple(LogEntry(row.id, row.added, _record(row), tuple(times[row.id])) for row in rows)


def _record(row: Row[Any]) -> DecisionRecord:
    try:
        return DecisionRecord.from_json(row.record)
    except DataError as error:
        raise DataError(f"Entry {row.id} of the decision log cannot be read: {error}") from None


def _in_force(connection: Connection, data_name: str) -> Row[Any] | None:
    condition: ColumnElement[bool] = (deployments.c.data_name == data_name) & deployments.c.retired_at.is_(None)
    return connection.execute(select(deployments).where(condition)).one_or_none()


def _moment(when: datetime | None, in_force: Row[Any] | None) -> datetime:
    """When a deployment begins: never before the one that it ends, even where clocks differ."""
    earliest = None if in_force is None else in_force.deployed_at
    if when is None:
        now = datetime.now(UTC)
        return now if earliest is None else max(now, earliest)
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
        "record": entry.record.as_dict(),
    }
