"""Provide PostgreSQL: MULTILOSS_TEST_POSTGRES, or a temporary cluster."""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, make_url, text

PASSWORD = "p@ss:word/%40 ?"
SENTENCE = (
    "No PostgreSQL was found, so nothing was tried on it; install it with: apt-get install postgresql "
    "(Debian, Ubuntu), or set MULTILOSS_TEST_POSTGRES to the URL of a user who may create databases, "
    "postgresql+psycopg://user:password@host/postgres."
)


@pytest.fixture(scope="session")
def postgres_server():
    """The URL of a PostgreSQL whose user may create databases."""
    address = os.environ.get("MULTILOSS_TEST_POSTGRES")
    if address:
        yield make_url(address)
        return
    with cluster(installed_programs()) as url:
        yield url


def installed_programs():
    """The folder of PostgreSQL's programs; without one the test is skipped, and fails in CI."""
    programs = programs_of_postgres()
    if programs is None:
        if os.environ.get("CI"):
            pytest.fail(SENTENCE)
        pytest.skip(SENTENCE)
    return programs


def programs_of_postgres():
    """The folder of the newest PostgreSQL that is installed, if any."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    initdb = found[-1] if found else shutil.which("initdb")
    return None if initdb is None else Path(initdb).parent


@contextmanager
def cluster(programs):
    """A cluster of its own that listens on a socket in its own folder only."""
    folder = Path(tempfile.mkdtemp(prefix="multiloss-postgres-"))
    # PostgreSQL refuses to be run by root; Debian's package makes a user for it.
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    secret, data = folder / "password", folder / "data"
    secret.write_text(PASSWORD)
    if as_user:
        for path in (folder, secret):
            shutil.chown(path, "postgres")

    def run(program, *arguments):
        command = [*as_user, programs / program, *arguments]
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.fail(f"{program} failed:\n{done.stdout}\n{done.stderr}")

    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -c full_page_writes=off"
    # An abandoned attempt to connect holds up DROP DATABASE for as long.
    options += " -c authentication_timeout=5s"
    try:
        run(
            "initdb",
            *(f"--pgdata={data}", f"--pwfile={secret}", "--username=tester", "--auth=scram-sha-256"),
            *("--encoding=UTF8", "--locale=C", "--no-sync"),
        )
        # Without a log file the server would keep the pipe of this program open.
        run("pg_ctl", "start", "-w", "-D", data, "-l", folder / "log", "-o", options)
        try:
            url = make_url("postgresql+psycopg://tester@/postgres").set(password=PASSWORD)
            yield url.update_query_dict({"host": str(folder)})
        finally:
            run("pg_ctl", "stop", "-w", "-D", data, "-m", "immediate")
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def postgres_database(postgres_server):
    """The URL, as text with its password, of an empty database of its own."""
    name = f"multiloss_test_{uuid4().hex}"
    server = create_engine(postgres_server, isolation_level="AUTOCOMMIT")
    try:
        with server.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        yield postgres_server.set(database=name).render_as_string(hide_password=False)
        with server.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    finally:
        server.dispose()
