"""Test logs in PostgreSQL: dump and restore, restricted roles, time zones."""

import os
import subprocess
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from decision_log import DecisionLog
from tests.decisions.logs import check_output, executed
from tests.decisions.records import make_record

TABLES = ("entries", "deployments", "remarks", "events")


def test_a_dump_of_postgresql_is_restored_whole(postgres_database, postgres_server, tmp_path):
    with DecisionLog(postgres_database) as log:
        log.mark_deployed(log.add(make_record()), "Ann")
        head = log.audit().head
    assert "pg_dump" in check_output(postgres_database, "backup", str(tmp_path / "x.db"), code=2)
    url = make_url(postgres_database)
    other = f"{url.database}_restored"
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parts[-2]))
    dump, restore = (str(programs[-1] / name) if programs else name for name in ("pg_dump", "psql"))
    environment = os.environ | {
        "PGPASSWORD": str(url.password),
        "PGUSER": str(url.username),
        "PGHOST": str(url.host or url.query.get("host", "localhost")),
        **({"PGPORT": str(url.port)} if url.port else {}),
    }
    file = tmp_path / "log.sql"
    subprocess.run([dump, "--file", str(file), str(url.database)], env=environment, check=True)
    maker = create_engine(postgres_server, isolation_level="AUTOCOMMIT")
    with maker.connect() as connection:
        connection.execute(text(f'CREATE DATABASE "{other}"'))
    try:
        command = [restore, "--quiet", "--set=ON_ERROR_STOP=1", "--file", str(file), other]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        restored = url.set(database=other).render_as_string(hide_password=False)
        with DecisionLog(restored) as log:
            assert log.audit(head).faults == ()
            assert log.audit().entries == 1
        with pytest.raises(Exception, match="append-only"):
            executed(restored, "DELETE FROM decision_log_events")
    finally:
        with maker.connect() as connection:
            connection.execute(text(f'DROP DATABASE "{other}" WITH (FORCE)'))
        maker.dispose()


def test_restricted_role_can_only_read_and_add(postgres_database, postgres_server):
    with DecisionLog(postgres_database) as log:
        log.add(make_record())
    role = f"app_{make_url(postgres_database).database}"[:60]
    owner = create_engine(postgres_database, isolation_level="AUTOCOMMIT")
    tables = ", ".join(f"decision_log_{table}" for table in TABLES)
    with owner.connect() as connection:
        connection.execute(text(f"CREATE ROLE \"{role}\" LOGIN PASSWORD 'secret'"))
        connection.execute(text(f'GRANT SELECT, INSERT ON {tables} TO "{role}"'))
        connection.execute(text(f'GRANT SELECT ON decision_log_version TO "{role}"'))
        connection.execute(text(f'GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO "{role}"'))
    try:
        url = make_url(postgres_database).set(username=role, password="secret").render_as_string(hide_password=False)
        with DecisionLog(url) as log:
            number = log.add(make_record())
            log.mark_deployed(number, "Ann")
            log.remark(number, "Ann", "seen")
            assert not log.audit().faults
        for statement in (
            "UPDATE decision_log_entries SET author = 'x'",
            "DELETE FROM decision_log_events",
            "TRUNCATE decision_log_events CASCADE",
            "ALTER TABLE decision_log_entries DISABLE TRIGGER USER",
            "DROP TABLE decision_log_remarks",
        ):
            with pytest.raises(Exception, match=r"permission denied|must be owner"):
                executed(url, statement)
    finally:
        with owner.connect() as connection:
            connection.execute(text(f'DROP OWNED BY "{role}"'))
            connection.execute(text(f'DROP ROLE "{role}"'))
        owner.dispose()


@pytest.mark.parametrize("zone", ["America/New_York", "Pacific/Kiritimati"])
@pytest.mark.parametrize("created", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_record_with_an_extreme_date_is_kept(postgres_database, zone, created):
    name = make_url(postgres_database).database
    executed(postgres_database, f"ALTER DATABASE \"{name}\" SET timezone = '{zone}'")
    with DecisionLog(postgres_database) as log:
        number = log.add(make_record(created=datetime.fromisoformat(created)))
        assert [entry.id for entry in log.entries()] == [number]
        assert not log.audit().faults
