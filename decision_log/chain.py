"""Seal every row of the log by an event with the hash of the event before; check the chain."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select, text

from decision_log import schema
from decision_log.tables import FIRST, deployments, entries, events, metadata, remarks
from multiloss_core import DataError, DecisionRecord

RECORDED, DEPLOYED, REMARKED, WITHDRAWN = "recorded", "deployed", "remarked", "withdrawn"
# Permitted difference between the clocks of two machines.
TOLERANCE = timedelta(minutes=5)
NAMES = {
    entries.name: "Entry {id}",
    deployments.name: "Deployment {id} of entry {entry_id}",
    remarks.name: "Remark {id} on entry {entry_id}",
}
# Columns with the time and the author of a row; a deployment may be dated back.
MADE = {entries.name: "added", remarks.name: "made"}
ACTOR = {entries.name: "author", deployments.name: "deployed_by", remarks.name: "author"}


@dataclass(frozen=True)
class Event:
    """One addition to the log, without its data.

    `number` of the event, time `made` (UTC), `actor`, `action` (recorded, deployed, remarked, withdrawn), entry,
    `fingerprint` of that entry's data, and the `digest` that seals it with all events before.
    """

    number: int
    made: datetime
    actor: str
    action: str
    entry_id: int
    fingerprint: str
    digest: str


@dataclass(frozen=True)
class Audit:
    """Result of a check of the whole log.

    Number of `events` and `entries`; `head` of the chain: its last digest.

    `faults`: sentences on rows changed, removed or added by other programs; `notices`: sentences on wrong clocks.
    """

    events: int
    entries: int
    head: str
    faults: tuple[str, ...]
    notices: tuple[str, ...]


def seal_of_row(table: str, row: Mapping[str, Any]) -> str:
    """Hash all columns of a row; SHA-256 in hexadecimal."""
    return _hash([table, *(row[column.name] for column in metadata.tables[table].columns)])


def seal_of_event(event: Mapping[str, Any]) -> str:
    """Hash an event together with the hash of the one before; SHA-256 in hexadecimal."""
    return _hash([event[column.name] for column in events.columns if column is not events.c.digest])


def now(connection: Connection) -> datetime:
    """Return the time in UTC, by the clock of the database server where there is one."""
    if connection.dialect.name == "postgresql":
        moment: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
        return moment.astimezone(UTC)
    return datetime.now(UTC)


def append(connection: Connection, action: str, actor: str, entry: tuple[int, str], row: Row[Any]) -> None:
    """Add the event that seals a new `row`.

    `entry` is the number of the entry and the fingerprint of its data. The transaction must lock out other writers.
    """
    last = connection.execute(select(events).order_by(events.c.number.desc()).limit(1)).one_or_none()
    table = _table_of(action)
    event = {
        "number": 1 if last is None else last.number + 1,
        "made": getattr(row, MADE[table]) if table in MADE else now(connection),
        "actor": actor,
        "action": action,
        "entry_id": entry[0],
        "row_id": row.id,
        "fingerprint": entry[1],
        "content": seal_of_row(table, dict(row._mapping)),
        "previous": FIRST if last is None else last.digest,
    }
    connection.execute(events.insert().values(event | {"digest": seal_of_event(event)}))


def trail(connection: Connection) -> Iterator[Event]:
    """List the events, the oldest first."""
    for row in connection.execute(select(events).order_by(events.c.number)):
        yield Event(row.number, row.made, row.actor, row.action, row.entry_id, row.fingerprint, row.digest)


def audit(connection: Connection, head: str | None = None) -> Audit:
    """Compute every seal again and compare; `head` is a digest noted earlier. O(rows)."""
    chain = _rows(connection, select(events).order_by(events.c.number))
    faults = [
        *_damage(connection),
        *_broken_links(chain),
        *_deployed_after_withdrawal(chain),
        *_broken_rows(connection, chain),
        *_numbers_ahead(connection, chain),
    ]
    faults += [f"The trigger {name} is missing, switched off or changed." for name in schema.missing(connection)]
    if head is not None and head not in {FIRST, *(event["digest"] for event in chain)}:
        faults.append(
            f"No event has the hash {head[:64]}: since it was noted, the end was cut off or all written anew."
        )
    number = connection.execute(select(func.count()).select_from(entries)).scalar_one()
    last = chain[-1]["digest"] if chain else FIRST
    return Audit(len(chain), number, last, tuple(faults), tuple(_wrong_clocks(connection, chain)))


def _damage(connection: Connection) -> Iterator[str]:
    """List what SQLite finds damaged in its file."""
    if connection.dialect.name == "sqlite":
        for found in connection.execute(text("PRAGMA integrity_check(5)")).scalars():
            if found != "ok":
                yield f"The file of the log is damaged: {found}."


def _deployed_after_withdrawal(chain: Sequence[dict[str, Any]]) -> Iterator[str]:
    withdrawn: dict[int, int] = {}
    for event in chain:
        if event["action"] == WITHDRAWN:
            withdrawn[event["entry_id"]] = event["number"]
        elif event["action"] == DEPLOYED and event["entry_id"] in withdrawn:
            yield (
                f"Event {event['number']:,} deploys entry {event['entry_id']}, which event "
                f"{withdrawn[event['entry_id']]:,} had withdrawn."
            )


def _broken_links(chain: Sequence[dict[str, Any]]) -> Iterator[str]:
    previous, expected = FIRST, 1
    for event in chain:
        number = event["number"]
        if number != expected:
            yield f"Events {expected:,} to {number - 1:,} are missing."
        elif event["previous"] != previous:
            yield f"Event {number:,} does not follow on the one before."
        if seal_of_event(event) != event["digest"]:
            yield f"Event {number:,} was changed."
        previous, expected = event["digest"], number + 1


def _broken_rows(connection: Connection, chain: Sequence[dict[str, Any]]) -> Iterator[str]:
    sealed: dict[tuple[str, int], dict[str, Any]] = {}
    for event in chain:
        key = (_table_of(event["action"]), event["row_id"])
        if key in sealed:
            yield f"Event {event['number']:,} seals what event {sealed[key]['number']:,} sealed before."
        sealed[key] = event
    entry_rows: dict[int, dict[str, Any]] = {}
    # Entries come first, because the other rows refer to them.
    for name, words in NAMES.items():
        for row in _rows(connection, select(metadata.tables[name])):
            if name == entries.name:
                entry_rows[row["id"]] = row
            seal = sealed.pop((name, row["id"])) if (name, row["id"]) in sealed else None
            what = words.format_map(row)
            if seal is None:
                yield f"{what} was put in past the program: no event speaks of it."
            elif seal_of_row(name, row) != seal["content"]:
                yield f"{what} was changed after {_moment(seal)}."
            else:
                entry = entry_rows.get(row.get("entry_id", row["id"]), {})
                yield from (f"{what} has another {other}." for other in _contradictions(name, row, entry, seal))
    for (name, row_id), event in sealed.items():
        what = NAMES[name].format_map({"id": row_id, "entry_id": event["entry_id"]})
        yield f"{what} was taken out after {_moment(event)}."


def _contradictions(
    name: str, row: Mapping[str, Any], entry: Mapping[str, Any], event: Mapping[str, Any]
) -> Iterator[str]:
    """List differences of a row from its event, and from its entry or record."""
    action = {entries.name: RECORDED, deployments.name: DEPLOYED}.get(name)
    of_event = f"than event {event['number']:,}"
    expected = {
        "actor": row[ACTOR[name]],
        "action": action or (WITHDRAWN if row["withdraws"] else REMARKED),
        "entry_id": entry.get("id"),
        "fingerprint": entry.get("fingerprint"),
    }
    yield from (f"{column} {of_event}" for column, value in expected.items() if event[column] != value)
    if row[MADE[name]] != event["made"] if name in MADE else row["deployed_at"] > event["made"] + TOLERANCE:
        yield f"time {of_event}"
    if name == deployments.name and row["data_name"] != entry.get("data_name"):
        yield "data name than its entry"
    if name == entries.name:
        try:
            record = DecisionRecord.from_json(row["record"])
        except DataError:
            # The list of entries reports it.
            return
        recorded = (record.record_id, record.data.name, record.data.fingerprint, record.author)
        columns = ("record_id", "data_name", "fingerprint", "author")
        yield from (
            f"{column} than its record" for column, value in zip(columns, recorded, strict=True) if row[column] != value
        )


def _numbers_ahead(connection: Connection, chain: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Find tables with more row numbers than events: rows were removed, or numbers used up."""
    counters: dict[str, int] = {}
    if connection.dialect.name == "sqlite":
        counters = {row.name: row.seq for row in connection.execute(text("SELECT name, seq FROM sqlite_sequence"))}
    sealed = Counter(_table_of(event["action"]) for event in chain)
    for name in NAMES:
        last = connection.execute(select(func.max(metadata.tables[name].c.id))).scalar_one() or 0
        given = max(last, counters.get(name, 0))
        if given > sealed[name]:
            yield f"{name} gave numbers up to {given:,}, but the chain has {sealed[name]:,} of its rows."


def _wrong_clocks(connection: Connection, chain: Sequence[dict[str, Any]]) -> Iterator[str]:
    for before, after in pairwise(chain):
        if after["made"] < before["made"] - TOLERANCE:
            yield f"Event {after['number']:,} is dated {_moment(after)}, before the event that it follows."
    latest: dict[str, datetime] = {}
    for row in _rows(connection, select(deployments).order_by(deployments.c.id)):
        begins = row["deployed_at"]
        if row["data_name"] in latest and begins < latest[row["data_name"]]:
            what = NAMES[deployments.name].format_map(row)
            yield f"{what} begins at {begins:%Y-%m-%d %H:%M} UTC, before the one that it ends: a clock was wrong."
        latest[row["data_name"]] = begins


def _rows(connection: Connection, wanted: Select[Any]) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in connection.execute(wanted)]


def _moment(event: Mapping[str, Any]) -> str:
    return f"{event['made']:%Y-%m-%d %H:%M:%S} UTC (event {event['number']:,})"


def _table_of(action: str) -> str:
    return {RECORDED: entries.name, DEPLOYED: deployments.name}.get(action, remarks.name)


def _hash(values: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(values, allow_nan=False, default=_in_utc).encode("ascii")).hexdigest()


def _in_utc(moment: datetime) -> str:
    return datetime.astimezone(moment, UTC).isoformat(timespec="microseconds")
