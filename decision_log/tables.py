"""The tables of the log as its queries see them; how they come about is in `migrations`."""

from datetime import UTC, datetime

from sqlalchemy import (
    Boolean,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
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


metadata = MetaData()

entries = Table(
    "decision_log_entries",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
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
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("entry_id", ForeignKey(entries.c.id), nullable=False, index=True),
    Column("data_name", Text, nullable=False),
    Column("deployed_by", Text, nullable=False),
    Column("deployed_at", UtcTime, nullable=False),
    Column("retired_at", UtcTime),
    sqlite_autoincrement=True,
)

remarks = Table(
    "decision_log_remarks",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("entry_id", ForeignKey(entries.c.id), nullable=False, index=True),
    Column("author", Text, nullable=False),
    Column("made", UtcTime, nullable=False),
    Column("words", Text, nullable=False),
    Column("withdraws", Boolean, nullable=False),
    sqlite_autoincrement=True,
)

# Whatever writers do at once, one deployment at most is in force for each data name.
Index(
    "decision_log_one_in_force",
    deployments.c.data_name,
    unique=True,
    sqlite_where=deployments.c.retired_at.is_(None),
    postgresql_where=deployments.c.retired_at.is_(None),
)
