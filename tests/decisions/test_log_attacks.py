"""A log that is attacked, loses its file, hangs or is restored refuses, and acknowledges nothing in vain."""

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from decision_log import DecisionLog, connection
from decision_log.backup import back_up, restore
from decision_log.seals import FIRST, seal_of_event, seal_of_row
from multiloss_core import DataError
from tests.decisions.records import make_record
from tests.decisions.test_audit import told
from tests.decisions.test_decision_log import altered, executed

NOW = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
ENTRIES = 450


def add_rows(address, *rows):
    """Add (table, values) past the program, as a role that may only add can."""
    engine = create_engine(address)
    try:
        with engine.begin() as opened:
            for table, values in rows:
                columns = ", ".join(values)
                words = ", ".join(f":{name}" for name in values)
                statement = text(f"INSERT INTO decision_log_{table} ({columns}) VALUES ({words})")
                opened.execute(statement, {name: moment(value, address) for name, value in values.items()})
    finally:
        engine.dispose()


def is_sqlite(address):
    return address.startswith("sqlite")


def moment(value, address):
    return (
        value.isoformat(" ", timespec="microseconds") if isinstance(value, datetime) and is_sqlite(address) else value
    )


def next_event(address, row, table="remarks", **changes):
    """An event that seals a row and follows on the last one, except for the changes."""
    last = executed(address, "SELECT number, digest FROM decision_log_events ORDER BY number DESC LIMIT 1")
    number, digest = last[0] if last else (0, FIRST)
    (fingerprint,) = executed(address, f"SELECT fingerprint FROM decision_log_entries WHERE id = {row['entry_id']}")[0]
    event = {
        "number": number + 1,
        "made": row["made"],
        "actor": row["author"],
        "action": "remarked",
        "entry_id": row["entry_id"],
        "row_id": row["id"],
        "fingerprint": fingerprint,
        "content": seal_of_row(f"decision_log_{table}", row),
        "previous": digest,
    } | changes
    return event | {"digest": seal_of_event(event)}


@pytest.fixture
def written(address):
    """The address of a log with two entries of different data and a remark of Ann's."""
    with DecisionLog(address) as log:
        log.add(make_record())
        other = make_record()
        log.add(replace(other, data=replace(other.data, fingerprint="ef" * 32)))
        log.remark(1, "Ann", "seen")
    return address


def remark(author="Ann", entry_id=1, number=2):
    return {"id": number, "entry_id": entry_id, "author": author, "made": NOW, "words": "fine", "withdraws": False}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({}, None),
        ({"actor": "Bob"}, "Remark 2 on entry 1 has another actor than event 4"),
        ({"action": "withdrawn"}, "Remark 2 on entry 1 has another action than event 4"),
        ({"entry_id": 2}, "Remark 2 on entry 1 has another entry_id than event 4"),
        ({"fingerprint": "0" * 64}, "Remark 2 on entry 1 has another fingerprint than event 4"),
        ({"made": NOW - timedelta(days=9)}, "Remark 2 on entry 1 has another time than event 4"),
    ],
)
def test_event_that_contradicts_its_row_is_found(written, changes, fault):
    row = remark()
    add_rows(written, ("remarks", row), ("events", next_event(written, row, **changes)))
    with DecisionLog(written) as log:
        assert log.audit().faults == (() if fault is None else (f"{fault}.",))


def test_deployment_of_other_data_than_its_entry_is_found(written):
    row = {"id": 1, "entry_id": 2, "data_name": "others.csv", "deployed_by": "Ann", "deployed_at": NOW}
    about = row | {"author": "Ann", "made": NOW}
    event = next_event(written, about, "deployments", action="deployed")
    add_rows(written, ("deployments", row), ("events", event))
    with DecisionLog(written) as log:
        assert log.audit().faults == ("Deployment 1 of entry 2 has another data name than its entry.",)


def test_event_out_of_order_is_refused(written):
    row = remark()
    add_rows(written, ("remarks", row))
    good = next_event(written, row)
    for bad in (
        good | {"number": 2**62},
        good | {"number": good["number"] + 1},
        good | {"number": 1},
        good | {"previous": "a" * 64},
        good | {"previous": FIRST},
    ):
        with pytest.raises(Exception, match=r"must follow the last one|UNIQUE|duplicate key"):
            add_rows(written, ("events", bad))
    add_rows(written, ("events", good))
    with DecisionLog(written) as log:
        log.remark(1, "Ann", "still usable")
        assert log.audit().faults == ()


@pytest.mark.parametrize("number", [4, 2**31 - 1, 2**63 - 1])
def test_row_with_a_number_ahead_is_refused(written, number):
    with pytest.raises(Exception, match="must follow the last one"):
        add_rows(written, ("remarks", remark(number=number)))
    with DecisionLog(written) as log:
        assert len(log.remark(1, "Ann", "still usable").remarks) == 2
        assert log.audit().faults == ()


def test_failed_write_leaves_no_gap_in_the_numbers(written):
    values = {name: value for name, value in remark().items() if name != "id"}
    engine = create_engine(written)
    with engine.connect() as opened:
        statement = (
            "INSERT INTO decision_log_remarks (entry_id, author, made, words, withdraws) "
            "VALUES (:entry_id, :author, :made, :words, :withdraws)"
        )
        opened.execute(text(statement), values | {"made": moment(NOW, written)})
        opened.rollback()
    engine.dispose()
    with DecisionLog(written) as log:
        log.remark(1, "Ann", "next")
        assert log.audit().faults == ()


def test_missing_trigger_is_found(written):
    if is_sqlite(written):
        executed(written, "DROP TRIGGER decision_log_remarks_no_delete")
        name = "decision_log_remarks_no_delete"
    else:
        executed(written, "ALTER TABLE decision_log_remarks DISABLE TRIGGER decision_log_remarks_append_only")
        name = "decision_log_remarks_append_only"
    with DecisionLog(written) as log:
        assert log.audit().faults == (f"The trigger {name} is missing, switched off or changed.",)
    assert name in told(written, "check", code=1)


def test_trigger_that_does_nothing_is_found(written):
    if is_sqlite(written):
        executed(
            written,
            "DROP TRIGGER decision_log_events_no_update",
            "CREATE TRIGGER decision_log_events_no_update BEFORE UPDATE ON decision_log_events BEGIN SELECT 1; END",
        )
    else:
        executed(
            written,
            "CREATE OR REPLACE FUNCTION decision_log_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RETURN NULL; END $$",
        )
    with DecisionLog(written) as log:
        assert any("decision_log_events_" in fault and "changed" in fault for fault in log.audit().faults)


def test_counter_ahead_of_the_rows_is_found(tmp_path):
    address = f"sqlite:///{tmp_path / 'decisions.db'}"
    with DecisionLog(address) as log:
        log.add(make_record())
    executed(address, "UPDATE sqlite_sequence SET seq = 7000 WHERE name = 'decision_log_entries'")
    with DecisionLog(address) as log:
        (fault,) = log.audit().faults
    assert "decision_log_entries" in fault
    assert "7,000" in fault


def test_end_cut_off_with_its_rows_is_found_by_the_counter(tmp_path):
    address = f"sqlite:///{tmp_path / 'decisions.db'}"
    with DecisionLog(address) as log:
        log.add(make_record())
        log.add(make_record())
    altered(
        address, "DELETE FROM decision_log_events WHERE number = 2", "DELETE FROM decision_log_entries WHERE id = 2"
    )
    with DecisionLog(address) as log:
        (fault,) = log.audit().faults
    assert fault.startswith("decision_log_entries gave numbers up to 2")


class TestFileThatIsGone:
    @pytest.fixture
    def path(self, tmp_path):
        return tmp_path / "decisions.db"

    @pytest.fixture
    def log(self, path):
        with DecisionLog(f"sqlite:///{path}") as opened:
            opened.add(make_record())
            yield opened

    @pytest.mark.parametrize("change", ["deleted", "moved", "replaced"])
    def test_no_write_is_acknowledged(self, log, path, change):
        if change == "moved":
            path.rename(path.with_name("elsewhere.db"))
        else:
            path.unlink()
        if change == "replaced":
            with DecisionLog(f"sqlite:///{path}") as other:
                other.add(make_record())
        for act in (lambda: log.add(make_record()), lambda: log.remark(1, "Ann", "x"), log.entries):
            with pytest.raises(DataError, match="moved, replaced or deleted"):
                act()
        assert path.exists() == (change == "replaced")

    def test_file_put_back_is_used_again(self, log, path):
        path.rename(path.with_name("elsewhere.db"))
        with pytest.raises(DataError, match="put it back"):
            log.add(make_record())
        path.with_name("elsewhere.db").rename(path)
        assert log.add(make_record()) == 2
        with DecisionLog(f"sqlite:///{path}") as other:
            assert len(other.entries()) == 2

    def test_file_that_leaves_during_a_write_is_noticed(self, log, path, monkeypatch):
        original = connection._check_file
        calls = []

        def check(engine):
            calls.append(engine)
            if len(calls) == 2:
                path.rename(path.with_name("elsewhere.db"))
            original(engine)

        monkeypatch.setattr(connection, "_check_file", check)
        with pytest.raises(DataError, match="moved, replaced or deleted"):
            log.add(make_record())


class TestRestore:
    @pytest.fixture
    def path(self, tmp_path):
        return tmp_path / "decisions.db"

    @pytest.fixture
    def address(self, path):
        return f"sqlite:///{path}"

    @pytest.fixture
    def copy(self, address, tmp_path):
        """A copy of a log of many entries, which holds more by now; its head, and the texts of its records."""
        with DecisionLog(address) as log:
            for _ in range(ENTRIES):
                log.add(make_record())
            head = log.audit().head
            kept = log.export()
            back_up(address, tmp_path / "copy.db")
            for _ in range(60):
                log.add(make_record())
        return tmp_path / "copy.db", head, kept

    def test_many_entries_are_restored_exactly_after_a_kill(self, copy, path, address):
        file, head, kept = copy
        # As a killed server leaves it: much of the log is in its journals alone.
        self.leave_journals(path)
        assert path.with_name("decisions.db-wal").stat().st_size > 0
        printed = told(address, "restore", str(file), "--head", head)
        assert f"{ENTRIES:,} entries" in printed
        assert printed.split()[-1] == head
        assert not path.with_name("decisions.db-wal").exists()
        assert not path.with_name("decisions.db-shm").exists()
        with DecisionLog(address) as log:
            assert log.export() == kept
            assert log.add(make_record()) == ENTRIES + 1
            assert log.audit(head).faults == ()

    def test_log_in_use_is_left_as_it_is(self, copy, address):
        file, _, _ = copy
        with DecisionLog(address) as log:
            before = log.export()
            assert "in use" in told(address, "restore", str(file), code=2)
            assert log.export() == before
            assert log.add(make_record()) > ENTRIES

    @pytest.mark.parametrize("ruin", ["missing", "overwritten", "stale journals"])
    def test_ruined_log_is_restored(self, copy, path, address, ruin):
        file, head, kept = copy
        self.leave_journals(path)
        if ruin == "overwritten":
            path.write_bytes(b"no database at all " * 500)
        elif ruin == "missing":
            path.unlink()
        else:
            shutil.copy(file, path)
        restore(address, file)
        with DecisionLog(address) as log:
            assert log.audit(head).faults == ()
            assert log.export() == kept

    def test_file_that_is_no_log_destroys_nothing(self, copy, path, address, tmp_path):
        with DecisionLog(address) as log:
            before = log.export()
        (tmp_path / "text.db").write_text("score,rating\n" * 50)
        with closing(sqlite3.connect(tmp_path / "other.db")) as other:
            other.execute("CREATE TABLE customers (id INTEGER)")
        for name in ("text.db", "other.db", "none.db", path.name):
            assert told(address, "restore", str(tmp_path / name), code=2).count("\n") == 1
        with DecisionLog(address) as log:
            assert log.export() == before

    def test_altered_copy_is_restored_and_reported(self, copy, address):
        file, _, _ = copy
        altered(f"sqlite:///{file}", "UPDATE decision_log_entries SET author = 'Mallory' WHERE id = 7")
        assert "Entry 7 was changed" in told(address, "restore", str(file), code=1)

    def test_postgresql_is_refused(self, tmp_path):
        with pytest.raises(DataError, match="psql"):
            restore("postgresql+psycopg://u@h/d", tmp_path / "copy.db")

    @staticmethod
    def leave_journals(path):
        """Add entries in a process that is killed while the log is open."""
        code = (
            "import os, signal, sys\nfrom decision_log import DecisionLog\n"
            "from tests.decisions.records import make_record\n"
            "log = DecisionLog(sys.argv[1])\n[log.add(make_record()) for _ in range(20)]\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        done = subprocess.run([sys.executable, "-c", code, f"sqlite:///{path}"], check=False)
        assert done.returncode == -signal.SIGKILL


class TestDatabaseThatHangs:
    @pytest.fixture(autouse=True)
    def impatience(self, monkeypatch):
        monkeypatch.setattr(connection, "SECONDS_TO_WAIT", 1)
        monkeypatch.setattr(connection, "SECONDS_TO_CONNECT", 1)

    def test_writer_that_holds_a_file_is_one_sentence(self, tmp_path):
        path = tmp_path / "decisions.db"
        with DecisionLog(f"sqlite:///{path}") as log, closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            assert_gives_up(lambda: log.add(make_record()))

    def test_writer_that_holds_the_lock_is_one_sentence(self, postgres_database):
        engine = create_engine(postgres_database)
        with DecisionLog(postgres_database) as log, engine.begin() as writer:
            writer.execute(text("SELECT pg_advisory_xact_lock(hashtext('decision log'))"))
            assert_gives_up(lambda: log.add(make_record()))
        engine.dispose()

    def test_table_that_is_locked_is_one_sentence(self, postgres_database):
        engine = create_engine(postgres_database)
        with DecisionLog(postgres_database) as log, engine.begin() as owner:
            owner.execute(text("LOCK TABLE decision_log_entries IN ACCESS EXCLUSIVE MODE"))
            assert_gives_up(log.entries)
        engine.dispose()

    def test_process_that_stops_is_left_for_another(self, postgres_database):
        with DecisionLog(postgres_database) as log:
            number = log.add(make_record())
            with stopped_processes(postgres_database):
                assert [entry.id for entry in log.entries()] == [number]

    def test_server_that_stops_is_one_sentence(self, postgres_database):
        with DecisionLog(postgres_database) as log:
            number = log.add(make_record())
            with stopped_processes(postgres_database, server=True):
                assert_gives_up(log.entries)
            assert [entry.id for entry in log.entries()] == [number]

    def test_server_that_never_answers_is_one_sentence(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            begun = time.monotonic()
            with pytest.raises(DataError, match="did not answer in time"):
                DecisionLog(f"postgresql+psycopg://u:p@127.0.0.1:{port}/d?connect_timeout=2")
            assert time.monotonic() - begun < 10


def assert_gives_up(act):
    begun = time.monotonic()
    with pytest.raises(DataError, match="did not answer in time"):
        act()
    assert time.monotonic() - begun < 15


@contextmanager
def stopped_processes(address, *, server=False):
    """Stop the processes that serve a database's connections, and the one that makes them, as a machine that hangs."""
    url = make_url(address)
    if "host" not in url.query:
        pytest.skip("The PostgreSQL of MULTILOSS_TEST_POSTGRES may run on another machine.")
    engine = create_engine(url.set(database="postgres"))
    with engine.connect() as asking:
        rows = asking.execute(text("SELECT pid FROM pg_stat_activity WHERE datname = :name"), {"name": url.database})
        found = [pid for (pid,) in rows]
    engine.dispose()
    if server:
        found.append(int(Path(f"/proc/{found[0]}/stat").read_text().rpartition(")")[2].split()[1]))
    for pid in found:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in found:
            os.kill(pid, signal.SIGCONT)


def test_closed_log_leaves_no_journal(tmp_path):
    path = tmp_path / "decisions.db"
    log = DecisionLog(f"sqlite:///{path}")
    threads = [threading.Thread(target=lambda: log.add(make_record())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.with_name("decisions.db-wal").exists()
    log.close()
    assert not path.with_name("decisions.db-wal").exists()
