"""All tables, with the triggers that let rows only be added, each after the last one."""

from alembic import op

from decision_log.tables import metadata
from decision_log.triggers import statements

revision = "0003"
down_revision = None


def upgrade() -> None:
    """From an empty database."""
    metadata.create_all(op.get_bind())
    for statement in statements(op.get_bind().dialect.name):
        op.execute(statement)


def downgrade() -> None:
    """Refuse: a chain is not taken apart again."""
    raise NotImplementedError("The chain of events cannot be taken out of a decision log; restore a backup instead.")
