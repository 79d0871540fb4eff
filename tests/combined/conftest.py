from tests.postgres import postgres_database, postgres_server  # noqa: F401
