"""Seals: hashes that tie every row of the log, and every event of its chain, to what came before.

What is hashed never changes between versions: chains that were written before must still be found whole.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

FIRST = "0" * 64
RECORDED, DEPLOYED, REMARKED, WITHDRAWN = "recorded", "deployed", "remarked", "withdrawn"

# By table, its columns that a seal covers: all of them.
SEALED = {
    "decision_log_entries": ("id", "record_id", "data_name", "fingerprint", "author", "created", "added", "record"),
    "decision_log_deployments": ("id", "entry_id", "data_name", "deployed_by", "deployed_at"),
    "decision_log_remarks": ("id", "entry_id", "author", "made", "words", "withdraws"),
}
EVENT = ("number", "made", "actor", "action", "entry_id", "row_id", "fingerprint", "content", "previous")


def seal_of_row(table: str, row: Mapping[str, Any]) -> str:
    """Hash what a row of a table says; SHA-256 in hexadecimal."""
    return _hash([table, *(row[column] for column in SEALED[table])])


def seal_of_event(event: Mapping[str, Any]) -> str:
    """Hash an event together with the hash of the one before; SHA-256 in hexadecimal."""
    return _hash([event[column] for column in EVENT])


def table_of(action: str) -> str:
    """Name the table that holds the row which an event of this action is about."""
    tables = {RECORDED: "decision_log_entries", DEPLOYED: "decision_log_deployments"}
    return tables.get(action, "decision_log_remarks")


def _hash(values: Sequence[Any]) -> str:
    plain = [_plain(value) for value in values]
    return hashlib.sha256(json.dumps(plain, allow_nan=False).encode("ascii")).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        # SQLite keeps no time zone; all moments of the log are in UTC.
        moment = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
        return moment.isoformat(timespec="microseconds")
    return value
