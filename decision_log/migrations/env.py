"""Alembic's environment: run the versions on the connection, within the transaction, that is handed over to it."""

from alembic import context

from decision_log.bring_up_to_date import VERSION_TABLE
from decision_log.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
context.run_migrations()
