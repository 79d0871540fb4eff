"""A chain of events that seals every row; rows can be added and not changed, so that deployments end by the next."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from decision_log.seals import DEPLOYED, FIRST, RECORDED, REMARKED, WITHDRAWN, seal_of_event, seal_of_row
from decision_log.tables import Id, UtcTime
from decision_log.triggers import statements

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """From rows without events: what is there is sealed as it is found."""
    op.drop_index("decision_log_one_in_force", "decision_log_deployments")
    op.execute("ALTER TABLE decision_log_deployments DROP COLUMN retired_at")
    op.create_index("ix_decision_log_deployments_data_name", "decision_log_deployments", ["data_name"])
    op.create_table(
        "decision_log_events",
        sa.Column("number", Id, primary_key=True, autoincrement=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("action", sa.String(16), nullable=False),
        sa.Column("entry_id", Id, sa.ForeignKey("decision_log_entries.id"), nullable=False, index=True),
        sa.Column("row_id", Id, nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("content", sa.String(64), nullable=False),
        sa.Column("previous", sa.String(64), nullable=False, unique=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
    )
    _seal_what_is_there(op.get_bind())
    for statement in statements(op.get_bind().dialect.name):
        op.execute(statement)


def _seal_what_is_there(connection: sa.Connection) -> None:
    rows = []
    prints = {}
    for row in _every(connection, "decision_log_entries", "created", "added"):
        prints[row["id"]] = row["fingerprint"]
        rows.append((row["added"], 0, RECORDED, row["author"], row["id"], "decision_log_entries", row))
    for row in _every(connection, "decision_log_deployments", "deployed_at"):
        rows.append(
            (row["deployed_at"], 1, DEPLOYED, row["deployed_by"], row["entry_id"], "decision_log_deployments", row)
        )
    for row in _every(connection, "decision_log_remarks", "made"):
        action = WITHDRAWN if row["withdraws"] else REMARKED
        rows.append((row["made"], 2, action, row["author"], row["entry_id"], "decision_log_remarks", row))
    previous, events = FIRST, []
    for number, (made, _, action, actor, entry_id, table, row) in enumerate(
        sorted(rows, key=lambda one: (*one[:2], one[6]["id"])), start=1
    ):
        event = {
            "number": number,
            "made": made,
            "actor": actor,
            "action": action,
            "entry_id": entry_id,
            "row_id": row["id"],
            "fingerprint": prints[entry_id],
            "content": seal_of_row(table, row),
            "previous": previous,
        }
        previous = seal_of_event(event)
        events.append(event | {"digest": previous})
    if events:
        columns = [sa.column(name, UtcTime() if name == "made" else None) for name in events[0]]
        connection.execute(sa.insert(sa.table("decision_log_events", *columns)), events)


def _every(connection: sa.Connection, table: str, *moments: str) -> list[dict[str, Any]]:
    """Read all rows of a table as it is in this version."""
    types = dict.fromkeys(moments, UtcTime()) | {"withdraws": sa.Boolean()}
    names = [column["name"] for column in sa.inspect(connection).get_columns(table)]
    wanted = sa.select(*(sa.column(name, types.get(name)) for name in names)).select_from(sa.table(table))
    return [dict(row._mapping) for row in connection.execute(wanted)]


def downgrade() -> None:
    """Refuse: a chain is not taken apart again."""
    raise NotImplementedError("The chain of events cannot be taken out of a decision log; restore a backup instead.")
