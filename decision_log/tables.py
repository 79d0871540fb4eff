"""Define the tables of the log."""

from datetime import UTC, datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    func,
    select,
    type_coerce,
)


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC; SQLite stores it without a zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert a time to UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Add the time zone that SQLite leaves out."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# The `previous` of the first event.
FIRST = "0" * 64
# SQLite numbers rows only in columns of this type, also of 64 bits.
Id = BigInteger().with_variant(Integer, "sqlite")
metadata = MetaData()

entries = Table(
    "decision_log_entries",
    metadata,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("record_id", String(36), nullable=False, unique=True),
    Column("data_name", Text, nullable=False, index=True),
    Column("fingerprint", String(64), nullable=False, index=True),
    Column("author", Text, nullable=False, index=True),
    Column("created", UtcTime, nullable=False, index=True),
    Column("added", UtcTime, nullable=False),
    Column("record", Text, nullable=False),
    sqlite_autoincrement=True,
)

deployments = Table(
    "decision_log_deployments",
    metadata,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("entry_id", ForeignKey(entries.c.id), nullable=False, index=True),
    Column("data_name", Text, nullable=False, index=True),
    Column("deployed_by", Text, nullable=False),
    Column("deployed_at", UtcTime, nullable=False),
    sqlite_autoincrement=True,
)

remarks = Table(
    "decision_log_remarks",
    metadata,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("entry_id", ForeignKey(entries.c.id), nullable=False, index=True),
    Column("author", Text, nullable=False),
    Column("made", UtcTime, nullable=False),
    Column("words", Text, nullable=False),
    Column("withdraws", Boolean, nullable=False),
    sqlite_autoincrement=True,
)

# One event for each row of the tables above, in the order of writing; see `decision_log.chain`.
events = Table(
    "decision_log_events",
    metadata,
    Column("number", Id, primary_key=True, autoincrement=False),
    Column("made", UtcTime, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", String(16), nullable=False),
    Column("entry_id", ForeignKey(entries.c.id), nullable=False, index=True),
    Column("row_id", Id, nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("content", String(64), nullable=False),
    Column("previous", String(64), nullable=False, unique=True),
    Column("digest", String(64), nullable=False, unique=True),
)

# Their rows are sealed by events.
SEALED = (entries, deployments, remarks)

version = Table("decision_log_version", metadata, Column("version_num", String(32), primary_key=True))

# A deployment ends when the next one for the same data name begins, so that no row is changed.
_next = func.lead(deployments.c.deployed_at).over(partition_by=deployments.c.data_name, order_by=deployments.c.id)
succession = select(deployments, type_coerce(_next, UtcTime).label("retired_at")).subquery()
