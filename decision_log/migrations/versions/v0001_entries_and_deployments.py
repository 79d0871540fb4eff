"""Entries, one for each record, and the times for which they were deployed."""

import sqlalchemy as sa
from alembic import op

from decision_log.tables import Id
from decision_log.triggers import NEXT_NUMBER, numbering

revision = "0001"
down_revision = None


def upgrade() -> None:
    """From an empty database."""
    dialect = op.get_bind().dialect.name
    if dialect == "postgresql":
        op.execute(NEXT_NUMBER)
    op.create_table(
        "decision_log_entries",
        sa.Column("id", Id, primary_key=True, **numbering(dialect, "decision_log_entries")),
        sa.Column("record_id", sa.String(36), nullable=False, unique=True),
        sa.Column("data_name", sa.Text, nullable=False, index=True),
        sa.Column("fingerprint", sa.String(64), nullable=False, index=True),
        sa.Column("author", sa.Text, nullable=False, index=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("added", sa.DateTime(timezone=True), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "decision_log_deployments",
        sa.Column("id", Id, primary_key=True, **numbering(dialect, "decision_log_deployments")),
        sa.Column("entry_id", Id, sa.ForeignKey("decision_log_entries.id"), nullable=False, index=True),
        sa.Column("data_name", sa.Text, nullable=False),
        sa.Column("deployed_by", sa.Text, nullable=False),
        sa.Column("deployed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retired_at", sa.DateTime(timezone=True)),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "decision_log_one_in_force",
        "decision_log_deployments",
        ["data_name"],
        unique=True,
        sqlite_where=sa.text("retired_at IS NULL"),
        postgresql_where=sa.text("retired_at IS NULL"),
    )


def downgrade() -> None:
    """Back to an empty database."""
    op.drop_table("decision_log_deployments")
    op.drop_table("decision_log_entries")
