"""Test the schema of the log and the errors of its databases."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError

from decision_log import DecisionLog
from decision_log.connection import _sentence
from decision_log.schema import SCHEMA
from multiloss_core import DataError
from tests.decisions.logs import executed
from tests.decisions.records import make_record


@pytest.fixture
def log(address):
    with DecisionLog(address) as opened:
        yield opened


class TestSchema:
    @pytest.mark.parametrize(
        "change",
        [
            "UPDATE decision_log_version SET version_num = '0003'",
            "DELETE FROM decision_log_version",
            "DROP TABLE decision_log_version",
        ],
    )
    def test_other_schema_is_rejected_and_unchanged(self, address, change):
        with DecisionLog(address) as log:
            log.add(make_record())
        executed(address, change)
        with pytest.raises(DataError, match=rf"has the schema .* uses '{SCHEMA}'; open it with"):
            DecisionLog(address)
        assert len(executed(address, "SELECT id FROM decision_log_entries")) == 1

    def test_tables_of_other_programs_are_unchanged(self, address):
        executed(address, "CREATE TABLE alembic_version (version_num VARCHAR(32))")
        executed(address, "INSERT INTO alembic_version VALUES ('of another program')")
        with DecisionLog(address) as log:
            log.add(make_record())
        assert executed(address, "SELECT * FROM alembic_version") == [("of another program",)]


class TestErrors:
    @pytest.mark.parametrize(
        "address",
        [
            "",
            "decisions.db",
            "mysql://u:secret@host/d",
            "postgresql+psycopg2://u:secret@host/d",
            "http://[secret",
            "sqlite://",
        ],
    )
    def test_addresses_of_other_kinds(self, address):
        with pytest.raises(DataError, match=r"sqlite:///decisions\.db") as caught:
            DecisionLog(address)
        assert "secret" not in str(caught.value)

    def test_a_file_that_is_no_database(self, tmp_path):
        (tmp_path / "rated.csv").write_text("score,rating\n" * 100)
        with pytest.raises(DataError, match="file is not a database"):
            DecisionLog(f"sqlite:///{tmp_path / 'rated.csv'}")
        assert (tmp_path / "rated.csv").read_text().startswith("score,rating")

    def test_a_file_that_may_only_be_read(self, tmp_path):
        path = tmp_path / "decisions.db"
        with DecisionLog(f"sqlite:///{path}") as log:
            number = log.add(make_record())
        with DecisionLog(f"sqlite:///file:{path}?mode=ro&uri=true") as log:
            assert [entry.id for entry in log.entries()] == [number]
            with pytest.raises(DataError, match="readonly"):
                log.add(make_record())
            with pytest.raises(DataError, match="readonly"):
                log.mark_deployed(number, "Ann")

    def test_a_user_who_may_only_read(self, postgres_database):
        with DecisionLog(postgres_database) as log:
            number = log.add(make_record())
        url = make_url(postgres_database).update_query_dict({"options": "-c default_transaction_read_only=on"})
        with DecisionLog(url.render_as_string(hide_password=False)) as log:
            assert [entry.id for entry in log.entries()] == [number]
            with pytest.raises(DataError, match="read-only"):
                log.add(make_record())

    def test_wrong_password_is_not_printed(self, postgres_database):
        url = make_url(postgres_database).set(password="tester secret")
        with pytest.raises(DataError, match="password authentication failed") as caught:
            DecisionLog(url.render_as_string(hide_password=False))
        sentence = str(caught.value)
        assert "secret" not in sentence
        assert "\n" not in sentence
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__

    def test_password_in_a_database_error_is_hidden(self):
        error = OperationalError("SELECT secret", None, Exception("no pg_hba entry for 'tester:secret'\nmore"))
        sentence = _sentence(make_url("postgresql+psycopg://tester:secret@db.example:5433/decisions"), error)
        assert "'tester:***'" in sentence
        assert "db.example" not in sentence
        assert "secret" not in sentence
        assert "more" not in sentence

    def test_a_server_that_is_not_there(self, tmp_path):
        address = f"postgresql+psycopg://user:secret@/decisions?host={tmp_path}"
        with pytest.raises(DataError, match="No such file or directory") as caught:
            DecisionLog(address)
        assert "secret" not in str(caught.value)

    def test_a_server_that_goes_away(self, log, address):
        log.add(make_record())
        if address.startswith("sqlite"):
            with sqlite3.connect(make_url(address).database) as connection:
                connection.execute("DROP TABLE decision_log_deployments")
            connection.close()
            words = "no such table"
        else:
            executed(address, "DROP TABLE decision_log_deployments")
            words = "does not exist"
        with pytest.raises(DataError, match=words):
            log.entries()


def test_a_file_with_spaces_and_signs(tmp_path):
    path = tmp_path / "décisions 100%.db"
    with DecisionLog(f"sqlite:///{path}") as log:
        log.add(make_record())
    assert path.exists()
    assert not Path(f"{path}-wal").exists()
