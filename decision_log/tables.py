"""The tables of the log as its queries see them; how they come about is in `migrations`."""

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
    """A moment in UTC; SQLite, which knows no time zones, keeps it without one."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give a moment as the database takes it."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Take a moment as the database gave it."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# SQLite numbers rows in columns of this very type, of 64 bits as well.
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

# The chain of `decision_log.chain`: an event for each row of the tables above, in the order of writing.
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

# A deployment ends when the next one for the same data name begins: no row is changed for it.
_next = func.lead(deployments.c.deployed_at).over(partition_by=deployments.c.data_name, order_by=deployments.c.id)
succession = select(deployments, type_coerce(_next, UtcTime).label("retired_at")).subquery()
