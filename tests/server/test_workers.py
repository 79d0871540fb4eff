"""Test worker processes: limits, cancellation, replacement and start methods."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import CancelledError
from multiprocessing import spawn
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from multiloss_core import workers
from multiloss_core.workers import WorkerLostError, WorkerPool
from tests.server import samples

SECONDS = 60
METHODS = ["forkserver", "spawn"] if sys.platform == "linux" else ["spawn"]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=METHODS)
def pool(request):
    pool = WorkerPool(2, request.param)
    yield pool
    pool.close()


def latest(call):
    deadline = time.monotonic() + SECONDS
    while (found := call.latest) is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found


def test_a_worker_runs_a_function_elsewhere(pool):
    assert pool.submit(samples.process).result() != os.getpid()
    array = np.arange(100_000.0)
    np.testing.assert_array_equal(pool.submit(np.negative, array).result(), -array)


def test_the_main_module_does_not_run_again(pool):
    assert pool.submit(samples.main_module).result() is None


def test_a_page_that_becomes_the_main_module_does_not_run(monkeypatch):
    page = ModuleType("__main__")
    page.__file__ = "page.py"
    with workers._main_hidden():
        monkeypatch.setitem(sys.modules, "__main__", page)
        hidden = spawn.get_preparation_data("a worker")
    shown = spawn.get_preparation_data("another process")
    assert set(shown) - set(hidden) == {"init_main_from_path"}


def test_what_takes_too_long_is_ended(pool, tmp_path):
    call = pool.submit(samples.hold, tmp_path / "never", seconds=0.5)
    with pytest.raises(TimeoutError):
        call.result()
    assert pool.submit(samples.count_to, 1).result() == 1


def test_what_is_cancelled_ends_at_once(pool, tmp_path):
    call = pool.submit(samples.hold, tmp_path / "never")
    process = latest(call)
    call.cancel()
    with pytest.raises(CancelledError):
        call.result()
    assert pool.submit(samples.process).result() != process


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux limits the memory of a process.")
def test_memory_limit_holds_for_one_function(pool):
    with pytest.raises(MemoryError):
        pool.submit(samples.exhaust_memory, 2**27).result()
    assert pool.submit(len, bytes(2**28)).result() == 2**28


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL.")
def test_a_worker_that_dies_is_replaced(pool, tmp_path):
    for _ in range(3):
        call = pool.submit(samples.hold, tmp_path / "never")
        os.kill(latest(call), signal.SIGKILL)
        with pytest.raises(WorkerLostError):
            call.result()
    assert pool.submit(samples.count_to, 1).result() == 1


def test_workers_end_with_their_pool():
    pool = WorkerPool(1)
    process = pool.submit(samples.process).result()
    pool.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_script_without_a_guard_reads_a_file(method, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from multiloss_core.tables import read_in_process\n"
        "print(len(read_in_process(b'score,rating\\n0.5,fraud\\n0.25,ok\\n', 'f.csv')[0].frame))\n"
    )
    environment = os.environ | {"MULTILOSS_START_METHOD": method, "PYTHONPATH": str(ROOT)}
    found = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout == "2\n"


SCRIPT = """
import os, signal, sys, time
from multiprocessing import forkserver
from multiloss_core import workers
from tests.server import samples
pool = workers.shared_pool()
pool.method = "forkserver"
if sys.argv[1] == "before":
    forkserver.ensure_running()
else:
    pool.submit(samples.process).result()
# The library is loaded; from here on the server does not answer.
workers.SECONDS_TO_START, workers.SECONDS_TO_STOP = 5, 2
os.kill(forkserver._forkserver._forkserver_pid, signal.SIGSTOP)
if sys.argv[1] != "end":
    try:
        for _ in range(5):
            pool.submit(samples.process).result()
    except workers.WorkerLostError:
        print("lost")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux forks workers from a server.")
@pytest.mark.parametrize("when", ["before", "between", "end"])
def test_program_ends_while_the_server_does_not_answer(when):
    begun = time.monotonic()
    command = [sys.executable, "-c", SCRIPT, when]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    # Another server may take over.
    assert done.stdout in ("", "lost\n")
    assert time.monotonic() - begun < SECONDS


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux lists processes in a folder.")
@pytest.mark.parametrize("method", METHODS)
def test_workers_end_with_a_killed_program(method):
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from multiloss_core.workers import WorkerPool\nfrom tests.server import samples\n"
        f"call = WorkerPool(1, {method!r}).submit(samples.hold, Path('never'))\n"
        "while call.latest is None: pass\n"
        "print(call.latest, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    deadline = time.monotonic() + SECONDS
    while Path(f"/proc/{int(done.stdout)}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert "Traceback" not in done.stderr
