"""Remarks on entries, of which a withdrawal is one: added, never changed."""

import sqlalchemy as sa
from alembic import op

from decision_log.tables import Id
from decision_log.triggers import numbering

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """From entries and deployments alone."""
    dialect = op.get_bind().dialect.name
    op.create_table(
        "decision_log_remarks",
        sa.Column("id", Id, primary_key=True, **numbering(dialect, "decision_log_remarks")),
        sa.Column("entry_id", Id, sa.ForeignKey("decision_log_entries.id"), nullable=False, index=True),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("withdraws", sa.Boolean, nullable=False),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Back to entries and deployments alone."""
    op.drop_table("decision_log_remarks")
