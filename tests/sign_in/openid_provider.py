"""Starts the OpenID provider of the tests, a process of its own."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

from tests.app_server import ROOT, SECONDS_TO_START, free_port

CLIENT, SECRET, PASSWORD = "multiloss", "the secret of the client", "correct horse"


@contextmanager
def openid_provider(folder, application, people):
    """Yield the address of a provider with `people` (claims by account) and one client."""
    port = free_port()
    address, log = f"http://localhost:{port}/o", folder / "output.txt"
    (folder / "provider.json").write_text(json.dumps({"application": application, "people": people}))
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.sign_in.provider.serve", str(port)],
            cwd=ROOT,
            env=os.environ | {"PROVIDER_FOLDER": str(folder), "OAUTHLIB_INSECURE_TRANSPORT": "1"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_until_ready(address, process, log)
            yield address
        finally:
            process.terminate()
            process.wait()


def metadata_of(provider):
    return f"{provider}/.well-known/openid-configuration"


def _wait_until_ready(address, process, log):
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            urllib.request.urlopen(metadata_of(address), timeout=30).close()
        except OSError as error:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The provider did not start:\n{log.read_text(errors='replace')}") from error
            time.sleep(0.05)
        else:
            return
