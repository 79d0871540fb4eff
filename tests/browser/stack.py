"""Run the services of compose.yaml as processes with their own commands and settings."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import venv
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic, sleep

import pytest
from packaging.requirements import Requirement
from sqlalchemy import URL, create_engine, text

from tests.app_server import free_port
from tests.deployment.files import (
    ENVIRONMENT,
    ROOT,
    SERVICES,
    command,
    copy_build_context,
    health_check,
    values_of,
)
from tests.postgres import PASSWORD, cluster, installed_programs

SECONDS = 60
SOCKET = "/var/run/postgresql"
NO_PROXY = "No nginx was found, so the proxy was not tried; install it with: apt-get install nginx-light (Debian)."


@dataclass(frozen=True)
class Stack:
    """Hold the proxy's addresses, the database of two roles, and the folder of logs and secrets."""

    https: str
    http: str
    owner: URL
    app_role: URL
    app: subprocess.Popen
    folder: Path


@contextmanager
def running_stack():
    """Start database, schema, rights, application and proxy, in the order of compose.yaml."""
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if nginx is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(NO_PROXY)
    folder = Path(mkdtemp(prefix="multiloss-stack-"))
    folder.chmod(0o755)
    with ExitStack() as ends:
        ends.callback(shutil.rmtree, folder)
        secrets = _secrets(folder)
        image = _image(folder)
        server = ends.enter_context(cluster(installed_programs()))
        owner = _owner(server)
        _run_once("schema", image, folder, owner)
        _run_once("rights", image, folder, owner)
        port = free_port()
        app = ends.enter_context(_app(image, folder, owner, port))
        http, https = free_port(), free_port()
        ends.enter_context(_proxy(nginx, folder, {"app": port, "http": http, "https": https}))
        password = re.search("^password=(.*)$", (secrets / "decision_log.conf").read_text(), re.MULTILINE)[1]
        yield Stack(
            f"https://localhost:{https}",
            f"http://localhost:{http}",
            owner,
            owner.set(username="multiloss_app", password=password),
            app,
            folder,
        )


def _secrets(folder):
    """Make the secrets by the recipe in docs/operations.md."""
    words = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"```sh\n(mkdir -m 700 secrets\n.*?)```", words, re.DOTALL)
    subprocess.run(["sh", "-eu", "-c", recipe], cwd=folder, check=True, capture_output=True)
    return folder / "secrets"


def _image(folder):
    """Lay out the files of the Dockerfile: locked packages, application, prepared files."""
    home = folder / "image"
    copy_build_context(home)
    venv.create(folder / "python", symlinks=True)
    (packages,) = (folder / "python/lib").glob("python*/site-packages")
    locked = map(Requirement, re.findall(r"^[\w.-]+==[^\\\n]+", (ROOT / "requirements.txt").read_text(), re.MULTILINE))
    for package in locked:
        # Others are for another system.
        if package.marker and not package.marker.evaluate():
            continue
        found = distribution(package.name)
        for part in {file.parts[0] for file in found.files} - {"..", "__pycache__"}:
            if not (packages / part).exists():
                (packages / part).symlink_to(found.locate_file(part))
    (build,) = (value for value in values_of("RUN") if "python -m compileall" in value)
    subprocess.run(["sh", "-euc", build], cwd=home, env=_environment(folder), check=True, capture_output=True)
    # What is mounted there.
    shutil.copy(folder / "secrets/secrets.toml", home / ".streamlit")
    return home


def _environment(folder, service=None):
    said = {} if service is None else ENVIRONMENT | SERVICES[service].get("environment", {})
    moved = {name: value.replace("/run/secrets", str(folder / "secrets")) for name, value in said.items()}
    return {"PATH": f"{folder}/python/bin:{os.environ['PATH']}"} | moved


def _owner(server):
    said = SERVICES["database"]["environment"]
    name, database = said["POSTGRES_USER"], said["POSTGRES_DB"]
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE ROLE {name} SUPERUSER LOGIN PASSWORD '{PASSWORD}'"))
        connection.execute(text(f"CREATE DATABASE {database} OWNER {name}"))
    engine.dispose()
    return server.set(username=name, database=database)


def _run_once(service, image, folder, owner):
    socket = owner.query["host"]
    environment = _environment(folder, service) | {"PGHOST": socket, "PGPASSWORD": PASSWORD}
    if "MULTILOSS_DECISION_LOG" in environment:
        environment["MULTILOSS_DECISION_LOG"] = _replaced(environment["MULTILOSS_DECISION_LOG"], {SOCKET: socket})
    words = [
        str(ROOT / "deployment/rights.sql").join(word.split("/rights.sql")) for word in SERVICES[service]["command"]
    ]
    done = subprocess.run(words, cwd=image, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def _app(image, folder, owner, port):
    environment = _environment(folder, "app") | {"STREAMLIT_SERVER_PORT": str(port)}
    database = {"@database/decisions?": f"@/decisions?host={owner.query['host']}&"}
    environment["MULTILOSS_DECISION_LOG"] = _replaced(environment["MULTILOSS_DECISION_LOG"], database)
    (user,) = values_of("USER")
    files = folder / "files"
    files.mkdir(mode=0o777, exist_ok=True)
    files.chmod(0o777)
    environment["MULTILOSS_FILES"] = str(files)
    with _process(command(), "app", folder, _as_user(user), cwd=image, env=environment) as process:
        check = [*_as_user(user), *health_check()]
        wait_until(
            lambda: subprocess.run(check, cwd=image, env=environment, capture_output=True, check=False).returncode == 0,
            process,
            folder / "app.log",
        )
        yield process


@contextmanager
def _proxy(nginx, folder, ports):
    work = folder / "nginx"
    work.mkdir(mode=0o777)
    work.chmod(0o777)
    config = folder / "nginx.conf"
    moves = {
        " /tmp/": f" {work}/",
        "app:8501": f"127.0.0.1:{ports['app']}",
        "listen 8080": f"listen 127.0.0.1:{ports['http']}",
        "listen 8443": f"listen 127.0.0.1:{ports['https']}",
        "/run/secrets": str(folder / "secrets"),
    }
    config.write_text(_replaced((ROOT / "deployment/nginx.conf").read_text(encoding="utf-8"), moves))
    service = SERVICES["proxy"]
    words = [_replaced(word, {}).replace("/etc/nginx/multiloss.conf", str(config)) for word in service["entrypoint"]]
    words[0] = nginx
    with _process(words, "proxy", folder, _as_user(service["user"]), cwd=folder, env={}) as process:
        wait_until((work / "nginx.pid").exists, process, folder / "proxy.log")
        yield process


def _as_user(user):
    """Stand before a command: as a container's user without privileges, where this is root.

    It may read all, for this checkout may lie where only root looks.
    """
    if os.geteuid() != 0:
        return []
    number, group = user.split(":")
    only = "-all,+dac_read_search"
    return shlex.split(
        f"setpriv --reuid={number} --regid={group} --clear-groups --no-new-privs "
        f"--inh-caps={only} --ambient-caps={only} --bounding-set={only}"
    )


@contextmanager
def _process(words, name, folder, before, **place):
    log = folder / f"{name}.log"
    log.touch()
    log.chmod(0o666)
    with log.open("ab") as output:
        process = subprocess.Popen([*before, *words], stdin=subprocess.DEVNULL, stdout=output, stderr=output, **place)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until(is_so, process, log):
    """Wait for a condition of a running process; show its log if it ends or is too late."""
    deadline = monotonic() + SECONDS
    while not is_so():
        assert process.poll() is None, log.read_text()
        assert monotonic() < deadline, log.read_text()
        sleep(0.05)


def _replaced(words, moves):
    for old, new in moves.items():
        assert old in words
        words = words.replace(old, new)
    return words
