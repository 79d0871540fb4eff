"""Test logs whose file is gone, copied or restored, and databases that hang."""

import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from decision_log import DecisionLog, connection, store
from decision_log.backup import back_up, restore
from multiloss_core import DataError
from tests.decisions.logs import check_output
from tests.decisions.records import make_record

ENTRIES = 450
OVERWRITE = "import sys; open(sys.argv[1], 'r+b').write(b'no database at all ' * 5)"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "decisions.db"


@pytest.fixture
def address(path):
    return f"sqlite:///{path}"


class TestFileThatIsGone:
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

        def check(engine, **options):
            calls.append(engine)
            if len(calls) == 2:
                path.rename(path.with_name("elsewhere.db"))
            original(engine, **options)

        monkeypatch.setattr(connection, "_check_file", check)
        with pytest.raises(DataError, match="moved, replaced or deleted"):
            log.add(make_record())


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """Copy a log, then add to it; return the folder, the copy's head and its records' texts."""
    folder = tmp_path_factory.mktemp("copied")
    address = f"sqlite:///{folder / 'decisions.db'}"
    with DecisionLog(address) as log:
        for _ in range(ENTRIES):
            log.add(make_record())
        head = log.audit().head
        kept = log.export()
        back_up(address, folder / "copy.db")
        for _ in range(60):
            log.add(make_record())
    return folder, head, kept


class TestRestore:
    @pytest.fixture
    def copy(self, copied, path, tmp_path):
        """Files of a log and of its copy, which a test may ruin."""
        folder, head, kept = copied
        assert sorted(file.name for file in folder.iterdir()) == ["copy.db", path.name]
        shutil.copy(folder / path.name, path)
        return Path(shutil.copy(folder / "copy.db", tmp_path)), head, kept

    def test_many_entries_are_restored_exactly_after_a_kill(self, copy, path, address):
        file, head, kept = copy
        # As a killed server leaves it: much of the log is in its journals alone.
        self.leave_journals(path)
        assert path.with_name("decisions.db-wal").stat().st_size > 0
        printed = check_output(address, "restore", str(file), "--head", head, "--older")
        assert f"{ENTRIES:,} entries" in printed
        assert printed.split()[-1] == head
        assert not path.with_name("decisions.db-wal").exists()
        assert not path.with_name("decisions.db-shm").exists()
        with DecisionLog(address) as log:
            assert log.export() == kept
            assert log.add(make_record()) == ENTRIES + 1
            assert log.audit(head).faults == ()

    def test_restore_keeps_open_log(self, copy, address):
        file, _, _ = copy
        with DecisionLog(address) as log:
            before = log.export()
            assert "stop the server" in check_output(address, "restore", str(file), code=2)
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
        restore(address, file, older=True)
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
            assert check_output(address, "restore", str(tmp_path / name), code=2).count("\n") == 1
        with DecisionLog(address) as log:
            assert log.export() == before

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


def test_copy_of_open_file_is_an_own_log(tmp_path):
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
        assert "copied" in check_output(address, "backup", str(copy))
    finally:
        stop.set()
        writer.join()
    with DecisionLog(f"sqlite:///{copy}") as log:
        found = log.audit()
        assert not found.faults
        assert found.entries >= before
        log.add(make_record())
        assert log.audit(found.head).faults == ()
    assert "is there already" in check_output(address, "backup", str(copy), code=2)
    assert "There is no decision log" in check_output(
        f"sqlite:///{tmp_path}/no.db", "backup", str(tmp_path / "x.db"), code=2
    )
    assert not (tmp_path / "x.db").exists()


class TestDatabaseThatHangs:
    @pytest.fixture(autouse=True)
    def impatience(self, monkeypatch):
        monkeypatch.setattr(connection, "SECONDS_TO_WAIT", 1)
        monkeypatch.setattr(connection, "SECONDS_TO_CONNECT", 1)
        monkeypatch.setitem(connection.CONNECTION, "connect_timeout", 2)

    def test_writer_that_holds_a_file_is_one_sentence(self, tmp_path):
        path = tmp_path / "decisions.db"
        with DecisionLog(f"sqlite:///{path}") as log, closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            assert_gives_up(lambda: log.add(make_record()))

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
    """Stop the database's server processes, as on a machine that hangs."""
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


class TestCopyThatIsRefused:
    @pytest.fixture
    def copy(self, address, tmp_path):
        with DecisionLog(address) as log:
            for _ in range(3):
                log.add(make_record())
        back_up(address, tmp_path / "copy.db")
        return tmp_path / "copy.db"

    def assert_refused(self, address, path, file, words, **options):
        with DecisionLog(address) as log:
            before = log.export()
        with pytest.raises(DataError, match=words):
            restore(address, file, **options)
        with DecisionLog(address) as log:
            assert log.export() == before
        assert list(path.parent.glob("*before*")) == []

    def test_tables_with_the_same_names(self, address, path, copy, tmp_path):
        with closing(sqlite3.connect(tmp_path / "alike.db")) as alike:
            alike.execute("CREATE TABLE decision_log_entries (id INTEGER)")
            alike.execute("CREATE TABLE decision_log_version (version_num TEXT)")
            alike.execute("INSERT INTO decision_log_version VALUES ('1')")
            alike.commit()
        self.assert_refused(address, path, tmp_path / "alike.db", "no copy of a decision log")

    def test_copy_that_was_changed(self, address, path, copy):
        with closing(sqlite3.connect(copy)) as changed:
            changed.execute("DROP TRIGGER decision_log_entries_no_update")
            changed.execute("UPDATE decision_log_entries SET author = 'Eve' WHERE id = 2")
            changed.commit()
        self.assert_refused(address, path, copy, "not as the program wrote it")

    def test_copy_without_the_noted_head(self, address, path, copy):
        self.assert_refused(address, path, copy, "not as the program wrote it", head="f" * 64)

    def test_former_state_needs_the_option(self, address, path, copy):
        with DecisionLog(address) as log:
            log.add(make_record())
            newer = log.export()
        self.assert_refused(address, path, copy, "has 1 events more; give --older")
        kept = restore(address, copy, older=True)
        with DecisionLog(address) as log:
            assert len(log.entries()) == 3
        with DecisionLog(f"sqlite:///{kept}") as log:
            assert log.export() == newer
            assert log.audit().faults == ()


class TestFileThatIsDamaged:
    @pytest.fixture
    def path(self, tmp_path):
        with DecisionLog(f"sqlite:///{tmp_path / 'decisions.db'}") as log:
            for _ in range(20):
                log.add(make_record())
        return tmp_path / "decisions.db"

    def test_changed_bits_are_one_sentence(self, path):
        content = path.read_bytes()
        generator, sentences = random.Random(0), []
        for _ in range(60):
            bit = generator.randrange(100 * 8) if generator.random() < 0.5 else generator.randrange(len(content) * 8)
            changed = bytearray(content)
            changed[bit // 8] ^= 1 << bit % 8
            path.write_bytes(changed)
            for ending in ("-wal", "-shm"):
                path.with_name(path.name + ending).unlink(missing_ok=True)
            try:
                with DecisionLog(f"sqlite:///{path}") as log:
                    log.audit()
                    log.listing()
            except DataError as error:
                sentences.append(str(error))
        assert sentences
        assert not [sentence for sentence in sentences if "\n" in sentence]

    def test_check_names_damage_of_the_file(self, path):
        with closing(sqlite3.connect(path)) as found:
            pages = found.execute("SELECT rootpage FROM sqlite_master WHERE name LIKE 'ix_%author'").fetchone()[0]
            size = found.execute("PRAGMA page_size").fetchone()[0]
        content = bytearray(path.read_bytes())
        place = content.index(b"Ann", (pages - 1) * size) if b"Ann" in content[(pages - 1) * size :] else None
        content[(place or pages * size - 4)] ^= 1
        path.write_bytes(content)
        with DecisionLog(f"sqlite:///{path}") as log:
            assert "file of the log is damaged" in log.audit().faults[0]

    def test_file_that_is_cut_acknowledges_no_write(self, path):
        with DecisionLog(f"sqlite:///{path}") as log:
            log.entries()
            os.truncate(path, 8192)
            with pytest.raises(DataError, match="moved, replaced or deleted"):
                log.add(make_record())

    def test_acknowledged_write_survives_an_overwritten_header(self, path):
        with DecisionLog(f"sqlite:///{path}") as log:
            log.entries()
            # Opened anew, the file would lose the locks of SQLite.
            subprocess.run([sys.executable, "-c", OVERWRITE, str(path)], check=True)
            with suppress(DataError):
                number = log.add(make_record())
                log.remark(number, "Ann", "x")
        with DecisionLog(f"sqlite:///{path}") as log:
            assert log.audit().faults == ()
            assert log.get(number).remarks


def test_log_in_a_folder_without_rights_is_read(tmp_path, monkeypatch):
    path = tmp_path / "decisions.db"
    with DecisionLog(f"sqlite:///{path}") as log:
        log.add(make_record())
    # An administrator may write everywhere.
    monkeypatch.setattr(os, "access", lambda *_: False)
    before = sorted(tmp_path.iterdir())
    with DecisionLog(f"sqlite:///{path}") as log:
        assert len(log.entries()) == 1
        assert log.audit().faults == ()
        with pytest.raises(DataError, match="readonly"):
            log.add(make_record())
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Only Linux limits the size of files here.")
def test_full_disk_is_named(tmp_path):
    code = (
        "import resource, sys\nfrom decision_log import DecisionLog\nfrom multiloss_core import DataError\n"
        "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from tests.decisions.records import make_record\n"
        "log = DecisionLog(sys.argv[1])\nresource.setrlimit(resource.RLIMIT_FSIZE, (150_000, -1))\n"
        "try:\n    while True: log.add(make_record())\nexcept DataError as error: print(error)\n"
    )
    command = [sys.executable, "-c", code, f"sqlite:///{tmp_path / 'decisions.db'}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "The disk of the decision log is full" in done.stdout


def test_withdrawn_entry_is_not_deployed_in_a_race(tmp_path, monkeypatch):
    address = f"sqlite:///{tmp_path / 'decisions.db'}"
    with DecisionLog(address) as log, DecisionLog(address) as other:
        log.add(make_record())
        original = store.writing

        @contextmanager
        def late(engine):
            # Another user is faster.
            monkeypatch.setattr(store, "writing", original)
            other.remark(1, "Bob", "Wrong data.", withdraws=True)
            with original(engine) as connection:
                yield connection

        monkeypatch.setattr(store, "writing", late)
        with pytest.raises(DataError, match="is withdrawn"):
            log.mark_deployed(1, "Ann")
        assert log.deployed_entries() == ()
        # As an earlier version of the program let happen.
        monkeypatch.setattr(store.LogEntry, "withdrawn", None)
        log.mark_deployed(1, "Ann")
        assert log.audit().faults == ("Event 3 deploys entry 1, which event 2 had withdrawn.",)
