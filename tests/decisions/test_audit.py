"""The chain of events: what was changed past the program is found, and a copy of the log is as good as the log."""

import json
import os
import sqlite3
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from decision_log import DecisionLog
from decision_log.backup import back_up
from decision_log.seals import seal_of_event
from multiloss_core import DataError
from tests.decisions.records import make_record
from tests.decisions.test_decision_log import altered, executed

TABLES = ("entries", "deployments", "remarks", "events")
# What somebody with the rights of the owner might do, and what the check says of it.
CHANGES = [
    ("UPDATE decision_log_entries SET record = REPLACE(record, '0.', '1.') WHERE id = 2", "Entry 2 was changed after"),
    ("UPDATE decision_log_entries SET author = 'Mallory' WHERE id = 1", "Entry 1 was changed after"),
    ("UPDATE decision_log_entries SET added = '2020-01-01 00:00:00.000000' WHERE id = 1", "Entry 1 was changed"),
    ("UPDATE decision_log_deployments SET deployed_by = 'Mallory' WHERE id = 2", "Deployment 2 of entry 2 was changed"),
    ("DELETE FROM decision_log_deployments WHERE id = 1", "Deployment 1 of entry 1 was taken out after"),
    ("UPDATE decision_log_remarks SET words = 'all is well'", "Remark 1 on entry 1 was changed after"),
    ("DELETE FROM decision_log_remarks", "Remark 1 on entry 1 was taken out after"),
    (
        "INSERT INTO decision_log_deployments (entry_id, data_name, deployed_by, deployed_at) "
        "VALUES (1, 'alerts.csv', 'Mallory', '2026-02-01 12:00:00.000000')",
        "Deployment 3 of entry 1 was put in past the program",
    ),
    ("UPDATE decision_log_events SET actor = 'Mallory' WHERE number = 3", "Event 3 was changed"),
    ("DELETE FROM decision_log_events WHERE number = 3", "Events 3 to 3 are missing"),
]


@pytest.fixture
def written(address):
    """The address of a log with two entries, two deployments and a remark."""
    with DecisionLog(address) as log:
        first, second = log.add(make_record()), log.add(make_record())
        log.mark_deployed(first, "Ann")
        log.mark_deployed(second, "Bob")
        log.remark(first, "Ann", "too many alerts", withdraws=True)
    return address


def told(address, *arguments, code=0):
    """What the command prints of a log."""
    command = [sys.executable, "-m", "decision_log", "--log", address, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == code, done.stderr
    return done.stdout if code < 2 else done.stderr


def test_a_log_that_only_the_program_wrote_is_whole(written):
    with DecisionLog(written) as log:
        found = log.audit()
        events = log.trail()
        prints = {entry.id: entry.record.data.fingerprint for entry in log.entries()}
    assert (found.events, found.entries, found.faults, found.notices) == (5, 2, (), ())
    assert [(event.number, event.actor, event.action, event.entry_id) for event in events] == [
        (1, make_record().author, "recorded", 1),
        (2, make_record().author, "recorded", 2),
        (3, "Ann", "deployed", 1),
        (4, "Bob", "deployed", 2),
        (5, "Ann", "withdrawn", 1),
    ]
    assert all(event.fingerprint == prints[event.entry_id] for event in events)
    assert found.head == events[-1].digest


@pytest.mark.parametrize("statement", [statement for statement, _ in CHANGES if not statement.startswith("INSERT")])
def test_the_database_refuses_what_is_no_addition(written, statement):
    with pytest.raises(Exception, match="the decision log is append-only"):
        executed(written, statement)
    with DecisionLog(written) as log:
        assert not log.audit().faults


@pytest.mark.parametrize(("statement", "fault"), CHANGES)
def test_what_was_changed_past_the_program_is_found(written, statement, fault):
    altered(written, statement)
    with DecisionLog(written) as log:
        assert any(sentence.startswith(fault) for sentence in log.audit().faults)


def test_an_event_that_is_sealed_anew_breaks_those_after_it(written):
    columns = "number, made, actor, action, entry_id, row_id, fingerprint, content, previous"
    (row,) = executed(written, f"SELECT {columns} FROM decision_log_events WHERE number = 3")
    event = dict(row._mapping) | {"actor": "Mallory"}
    made = event["made"]
    event["made"] = datetime.fromisoformat(made).replace(tzinfo=UTC) if isinstance(made, str) else made
    digest = seal_of_event(event)
    altered(written, f"UPDATE decision_log_events SET actor = 'Mallory', digest = '{digest}' WHERE number = 3")
    with DecisionLog(written) as log:
        assert log.audit().faults == (
            "Event 4 does not follow on the one before.",
            "Deployment 1 of entry 1 has another actor than event 3.",
        )


def test_end_that_was_cut_off_is_found_by_head_that_was_noted(written):
    with DecisionLog(written) as log:
        head = log.audit().head
        assert not log.audit(head).faults
    altered(written, "DELETE FROM decision_log_events WHERE number = 5")
    altered(written, "DELETE FROM decision_log_remarks")
    if written.startswith("sqlite"):
        executed(written, "UPDATE sqlite_sequence SET seq = 0 WHERE name = 'decision_log_remarks'")
    with DecisionLog(written) as log:
        assert not log.audit().faults
        (fault,) = log.audit(head).faults
    assert fault.startswith(f"No event has the hash {head}")


def test_an_auditor_who_alters_a_row_is_told_of_it(written):
    whole = told(written, "check")
    assert whole.startswith("2 entries and 5 events are as the program wrote them.")
    head = whole.split()[-1]
    assert told(written, "check", "--head", head) == whole
    altered(written, "UPDATE decision_log_entries SET author = 'Mallory' WHERE id = 2")
    faults = told(written, "check", code=1)
    assert faults.startswith("Entry 2 was changed after 20")
    assert "NOT as the program wrote it: 1 " in faults
    events = [json.loads(line) for line in told(written, "trail").splitlines()]
    assert [event["action"] for event in events] == ["recorded", "recorded", "deployed", "deployed", "withdrawn"]
    assert {"record", "content"}.isdisjoint(events[0])


def test_a_log_that_is_not_there_is_one_sentence(tmp_path):
    assert told(f"sqlite:///{tmp_path}/no/decisions.db", "check", code=2).count("\n") == 1


def test_a_copy_of_a_file_in_use_is_a_log_of_its_own(tmp_path):
    address, copy = f"sqlite:///{tmp_path / 'decisions.db'}", tmp_path / "copy of log.db"
    begun, stop = threading.Event(), threading.Event()

    def write():
        with DecisionLog(address) as log:
            while not stop.is_set():
                log.add(make_record())
                begun.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert begun.wait(60)
        with DecisionLog(address) as log:
            before = len(log.entries(limit=10_000))
        assert "copied" in told(address, "backup", str(copy))
    finally:
        stop.set()
        writer.join()
    with DecisionLog(f"sqlite:///{copy}") as log:
        found = log.audit()
        assert not found.faults
        assert found.entries >= before
        log.add(make_record())
        assert log.audit(found.head).faults == ()
    assert "is there already" in told(address, "backup", str(copy), code=2)
    assert "There is no decision log" in told(f"sqlite:///{tmp_path}/no.db", "backup", str(tmp_path / "x.db"), code=2)
    assert not (tmp_path / "x.db").exists()


def test_a_dump_of_postgresql_is_restored_whole(postgres_database, postgres_server, tmp_path):
    with DecisionLog(postgres_database) as log:
        log.mark_deployed(log.add(make_record()), "Ann")
        head = log.audit().head
    assert "pg_dump" in told(postgres_database, "backup", str(tmp_path / "x.db"), code=2)
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


def test_role_of_program_may_only_read_and_add(postgres_database, postgres_server):
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
def test_a_record_from_the_end_of_time_blocks_no_log(postgres_database, zone, created):
    name = make_url(postgres_database).database
    executed(postgres_database, f"ALTER DATABASE \"{name}\" SET timezone = '{zone}'")
    with DecisionLog(postgres_database) as log:
        number = log.add(make_record(created=datetime.fromisoformat(created)))
        assert [entry.id for entry in log.entries()] == [number]
        assert not log.audit().faults


def test_a_file_keeps_its_rows_from_other_programs(tmp_path):
    path = tmp_path / "decisions.db"
    with DecisionLog(f"sqlite:///{path}") as log:
        log.add(make_record())
    with sqlite3.connect(path) as connection, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute("DELETE FROM decision_log_events")
    connection.close()


def test_a_name_for_the_file_that_cannot_be_is_one_sentence(tmp_path):
    with DecisionLog(f"sqlite:///{tmp_path / 'decisions.db'}"):
        pass
    with pytest.raises(DataError, match="cannot be copied"):
        back_up(f"sqlite:///{tmp_path / 'decisions.db'}", tmp_path / "no" / "copy.db")
