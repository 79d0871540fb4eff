"""Create the tables of the log, and triggers that allow only additions in order."""

from collections.abc import Iterator

from sqlalchemy import Connection, Engine, inspect, select, text

from decision_log.connection import reading, writing
from decision_log.tables import FIRST, SEALED, entries, events, metadata, version
from multiloss_core import DataError

SCHEMA = "1"
EVENTS = events.name
NUMBERED = tuple(table.name for table in SEALED)
TABLES = (*NUMBERED, EVENTS)
REFUSED = "the decision log is append-only"
OUT_OF_ORDER = "a row of the decision log must follow the last one"
_BODIES = {
    "decision_log_append_only": f"BEGIN RAISE EXCEPTION '{REFUSED}'; END",
    "decision_log_in_order": f"""
DECLARE last record;
BEGIN
    IF TG_TABLE_NAME = '{EVENTS}' THEN
        EXECUTE format('SELECT number, digest FROM %I.%I ORDER BY number DESC LIMIT 1', TG_TABLE_SCHEMA, TG_TABLE_NAME)
            INTO last;
        IF NEW.number <> coalesce(last.number, 0) + 1 OR NEW.previous <> coalesce(last.digest, '{FIRST}') THEN
            RAISE EXCEPTION '{OUT_OF_ORDER}';
        END IF;
    ELSE
        EXECUTE format('SELECT max(id) AS id FROM %I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME) INTO last;
        IF NEW.id <> coalesce(last.id, 0) + 1 THEN
            RAISE EXCEPTION '{OUT_OF_ORDER}';
        END IF;
    END IF;
    RETURN NEW;
END""",
    # A sequence would leave gaps after failed transactions.
    "decision_log_next": """
DECLARE last bigint;
BEGIN
    EXECUTE format('SELECT max(id) FROM %I', $1) INTO last;
    RETURN coalesce(last, 0) + 1;
END""",
}


def create(engine: Engine) -> None:
    """Create missing tables and triggers; several programs may open the database at once.

    Raises DataError: the database holds a log of another schema.
    """
    with reading(engine) as connection:
        if _exists(connection):
            return
    with writing(engine) as connection:
        if not _exists(connection):
            metadata.create_all(connection)
            for statement in _statements(connection.dialect.name):
                connection.execute(text(statement))
            connection.execute(version.insert().values(version_num=SCHEMA))


def _exists(connection: Connection) -> bool:
    """Check whether the log exists. Raises DataError for a log of another schema."""
    found = None
    if inspect(connection).has_table(version.name):
        found = connection.execute(select(version.c.version_num)).scalar()
    elif not inspect(connection).has_table(entries.name):
        return False
    if found != SCHEMA:
        raise DataError(
            f"The decision log has the schema {str(found)[:32]!r} and this program uses {SCHEMA!r}; open it with the "
            "version of the program that wrote it and save its records there, or choose another database for a new log."
        )
    return True


def _statements(dialect: str) -> Iterator[str]:
    """List the statements for triggers, and for PostgreSQL also for functions and numbering."""
    if dialect == "sqlite":
        yield from _of_sqlite().values()
        return
    for name, body in _BODIES.items():
        head = "(text) RETURNS bigint" if name == "decision_log_next" else "() RETURNS trigger"
        yield f"CREATE FUNCTION {name}{head} LANGUAGE plpgsql AS $${body}$$"
    for table in TABLES:
        yield (
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION decision_log_append_only()"
        )
        yield (
            f"CREATE TRIGGER {table}_in_order BEFORE INSERT ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION decision_log_in_order()"
        )
    for table in NUMBERED:
        yield f"ALTER TABLE {table} ALTER COLUMN id SET DEFAULT decision_log_next('{table}')"
        yield f"DROP SEQUENCE {table}_id_seq"


def missing(connection: Connection) -> list[str]:
    """List the triggers that are missing, switched off or changed; sorted."""
    if connection.dialect.name == "sqlite":
        found = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
        return sorted(dict(_of_sqlite().items() - {(row.name, row.sql) for row in found}))
    query = text(
        "SELECT tgname, prosrc FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid "
        "WHERE tgrelid = ANY (ARRAY(SELECT to_regclass(one) FROM unnest(CAST(:tables AS text[])) AS one)) "
        "AND tgenabled IN ('O', 'A')"
    )
    wanted = {
        (f"{table}_{kind}", _BODIES[f"decision_log_{kind}"]) for table in TABLES for kind in ("append_only", "in_order")
    }
    found = connection.execute(query, {"tables": list(TABLES)})
    return sorted(dict(wanted - {(row.tgname, row.prosrc) for row in found}))


def _of_sqlite() -> dict[str, str]:
    found = {}
    for table in TABLES:
        for change in ("UPDATE", "DELETE"):
            name = f"{table}_no_{change.lower()}"
            found[name] = (
                f"CREATE TRIGGER {name} BEFORE {change} ON {table} BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END"
            )
    for table in NUMBERED:
        # SQLite numbers the row during the insertion.
        last = f"(SELECT id FROM {table} WHERE id <> NEW.id ORDER BY id DESC LIMIT 1)"
        found[f"{table}_in_order"] = (
            f"CREATE TRIGGER {table}_in_order AFTER INSERT ON {table} WHEN NEW.id <> coalesce({last}, 0) + 1 "
            f"BEGIN SELECT RAISE(ABORT, '{OUT_OF_ORDER}'); END"
        )
    last, digest = (f"(SELECT {one} FROM {EVENTS} ORDER BY number DESC LIMIT 1)" for one in ("number", "digest"))
    found[f"{EVENTS}_in_order"] = (
        f"CREATE TRIGGER {EVENTS}_in_order BEFORE INSERT ON {EVENTS} WHEN NEW.number <> coalesce({last}, 0) + 1 "
        f"OR NEW.previous <> coalesce({digest}, '{FIRST}') BEGIN SELECT RAISE(ABORT, '{OUT_OF_ORDER}'); END"
    )
    return found
