"""Start the application and Chromium for browser tests and benchmarks."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
SECONDS_TO_START = 90


def chromium_executable() -> str | None:
    """Find the system's Chromium."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def app_server(
    folder: Path,
    port: int | None = None,
    secrets: Path | None = None,
    *,
    root: Path = ROOT,
    before: Sequence[str] = (),
    script: str = "server.py",
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """Start a server of the app and yield its address; log, decisions and files are in `folder`.

    `secrets`: the file that names the sources it may count in. `root`: where the app is installed. `before` stands
    before the command, which runs `script`; `environment` is added to this process's own.
    """
    port = port or free_port()
    address = f"http://127.0.0.1:{port}"
    log = folder / "output.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                *before,
                *(sys.executable, "-m", "streamlit", "run", script),
                f"--server.port={port}",
                "--server.headless=true",
                "--server.fileWatcherType=none",
                "--browser.gatherUsageStats=false",
                *([] if secrets is None else [f"--secrets.files={secrets}"]),
            ],
            cwd=root,
            env=os.environ
            | {
                "MULTILOSS_DECISION_LOG": f"sqlite:///{folder / 'decisions.db'}",
                "MULTILOSS_FILES": str(folder / "files"),
            }
            | dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_until_healthy(address, process, log)
            yield address
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def free_port() -> int:
    """Find a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            _get(f"{address}/_stcore/health", timeout=5)
        except OSError as error:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The server did not start:\n{log.read_text(errors='replace')}") from error
            time.sleep(0.05)
        else:
            return


def _get(address: str, timeout: float) -> bytes:
    with urllib.request.urlopen(address, timeout=timeout) as answer:
        return bytes(answer.read())
