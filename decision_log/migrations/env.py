"""Alembic's environment: run the versions on the connection, and within the transaction, that `schema` hands over."""

from alembic import context

from decision_log.schema import VERSION_TABLE
from decision_log.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
context.run_migrations()
