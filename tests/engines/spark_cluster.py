"""Run a Spark cluster for the tests: master, two workers and a Connect server."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.app_server import ROOT, free_port

WORKERS = 2
SECONDS_TO_START = 150
SENTENCE = (
    "No Spark was found, so nothing was tried on a cluster; it needs Java (Debian: apt-get install "
    "openjdk-17-jre-headless) and an environment of its own, as PySpark cannot be beside the thin client: "
    "python3 -m venv .spark && .spark/bin/pip install pyspark==4.3.0. MULTILOSS_TEST_SPARK_HOME may name another."
)
# Short-lived Java processes: the quick compiler and the plain collector halve their CPU time.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="session")
def spark_cluster():
    """Hold a running cluster, shared by all tests of a process."""
    home = spark_home()
    if home is None or shutil.which("java") is None:
        if os.environ.get("CI"):
            pytest.fail(SENTENCE)
        pytest.skip(SENTENCE)
    with tempfile.TemporaryDirectory(prefix="multiloss-spark-", ignore_cleanup_errors=True) as scratch:
        cluster = SparkCluster(home, Path(scratch))
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.stop()


def spark_home():
    """Find Spark's folder, in the environment variable or in .spark of the checkout."""
    named = os.environ.get("MULTILOSS_TEST_SPARK_HOME")
    places = [Path(named)] if named else sorted(ROOT.glob(".spark/lib/python3*/site-packages/pyspark"))
    return next((place for place in places if (place / "bin/spark-class").is_file()), None)


class SparkCluster:
    """Processes on this machine, reached by its own address only.

    Attributes
    ----------
    remote : address of the Connect server.
    folder : where the cluster and the tests both read and write.
    workers : the processes of the workers; each leads the group of its executors.

    There are as many `workers` as asked for; `options` are further settings of Spark, by name, `java` those of Java.
    """

    def __init__(self, home, scratch, workers=WORKERS, options=None, java=JAVA_OPTIONS):
        self._home, self._scratch, self._java = home, scratch, java
        self._count, self._options = workers, options or {}
        self._master_port, self._page, self._port = free_port(), free_port(), free_port()
        self._master = f"spark://127.0.0.1:{self._master_port}"
        self._started, self._server = [], None
        self.remote = f"sc://127.0.0.1:{self._port}"
        self.folder = scratch / "data"
        self.folder.mkdir()
        self.workers = []

    def start(self):
        ports = ("--host", "127.0.0.1", "--port", str(self._master_port), "--webui-port", str(self._page))
        master = self._launch("org.apache.spark.deploy.master.Master", *ports)
        self._wait_until(lambda: _listens(self._master_port), master)
        self.workers = [self._launch_worker() for _ in range(self._count)]
        self.start_server()
        self._wait_until(lambda: self.alive_workers() == self._count, *self.workers)

    def stop(self):
        for process in reversed(self._started):
            _end(process)

    def alive_workers(self):
        """How many workers the master counts on."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._page}/json/", timeout=30) as answer:
            return sum(worker["state"] == "ALIVE" for worker in json.load(answer)["workers"])

    @contextmanager
    def without_a_worker(self):
        """Kill a worker with its executors, as when a machine fails; replace it at the end."""
        lost = self.workers.pop(0)
        _end(lost)
        try:
            yield
        finally:
            self.workers.append(self._launch_worker())
            # The master notices that a worker is gone as soon as its connection breaks.
            self._wait_until(lambda: self.alive_workers() == self._count, *self.workers)

    def stop_server(self):
        """Kill the Connect server with all that it knows of sessions."""
        _end(self._server)

    def suspend_server(self):
        """Let the Connect server hang with its connections open."""
        os.killpg(self._server.pid, signal.SIGSTOP)

    def start_server(self):
        """Start a Connect server at the address of the one before; it knows no session."""
        options = {
            "spark.driver.memory": "768m",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.executor.memory": "1g",
            "spark.executor.cores": "1",
            "spark.ui.enabled": "false",
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(self._port),
            "spark.connect.progress.reportInterval": "100ms",
            "spark.sql.shuffle.partitions": "1",
            # Small files of tests are read in several tasks, as large ones are.
            "spark.sql.files.minPartitionNum": "4",
            "spark.sql.warehouse.dir": str(self._scratch / "warehouse"),
            **self._options,
        }
        self._server = self._launch(
            "org.apache.spark.deploy.SparkSubmit",
            *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", self._master),
            *(part for name, value in options.items() for part in ("--conf", f"{name}={value}")),
            "spark-internal",
        )
        self._wait_until(lambda: _listens(self._port), self._server)

    def _launch_worker(self):
        resources = ("--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0")
        return self._launch("org.apache.spark.deploy.worker.Worker", *resources, self._master)

    def _launch(self, name, *arguments):
        environment = {
            **os.environ,
            "JDK_JAVA_OPTIONS": self._java,
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_WORKER_DIR": str(self._scratch / "work"),
            "SPARK_LOCAL_DIRS": str(self._scratch / "local"),
            # The Connect server counts as one as well, and refuses to start with less than 450 MiB.
            "SPARK_DAEMON_MEMORY": "768m" if name.endswith("SparkSubmit") else "256m",
        }
        with (self._scratch / f"{len(self._started)}-{name.rpartition('.')[2]}.log").open("wb") as log:
            process = subprocess.Popen(
                [self._home / "bin/spark-class", name, *arguments],
                cwd=self._scratch,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # Executors are children of workers, and outlive them unless the whole group is ended.
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def _wait_until(self, condition, *needed):
        deadline = time.monotonic() + SECONDS_TO_START
        while not condition():
            if any(process.poll() is not None for process in needed) or time.monotonic() > deadline:
                pytest.fail(f"The Spark cluster did not start:\n{self._logs()}")
            time.sleep(0.1)

    def _logs(self):
        parts = []
        for log in sorted(self._scratch.glob("*.log")):
            lines = log.read_text(errors="replace").splitlines()
            telling = [line for line in lines if any(word in line for word in ("Exception", "ERROR", "Caused by"))]
            parts.append("\n  ".join([log.name, *(telling[:8] or lines[-5:])]))
        return "\n".join(parts)


def _listens(port):
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _end(process):
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
