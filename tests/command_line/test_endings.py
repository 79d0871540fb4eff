"""Test the ends of the command: codes, sentences, and no process that is left."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from multiloss_core.command_line import options
from multiloss_core.command_line.exit_codes import one_sentence
from multiloss_core.engines.engine import Cancelled, EngineError, UnavailableError
from multiloss_core.errors import DataError
from multiloss_core.workers import WorkerLostError
from tests.command_line.conftest import complaint, rated_month, run

ROOT = Path(__file__).parents[2]
SECONDS = 20


@pytest.fixture
def alerts(tmp_path):
    file = tmp_path / "alerts.csv"
    rated_month(documents=20_000).to_csv(file, index=False)
    return file


def command(*arguments, **options):
    """Run the command as a program of its own."""
    return subprocess.run(
        [sys.executable, "-m", "multiloss_core.command_line", *map(str, arguments)],
        cwd=ROOT,
        check=False,
        text=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options,
    )


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DataError("There is no column 'x'."), 2),
        (FileNotFoundError(2, "No such file or directory", "x"), 2),
        (EngineError("There is no table 'x'."), 2),
        (UnavailableError("The database cannot be reached."), 3),
        (Cancelled(), 3),
        (OSError(28, "No space left on device", "x"), 3),
        (BrokenPipeError(32, "Broken pipe"), 3),
        (ModuleNotFoundError("No module named 'typer'", name="typer"), 3),
        (KeyboardInterrupt(), 3),
        (WorkerLostError("The process ended early."), 3),
        (ZeroDivisionError("division by zero\nand more"), 3),
    ],
)
def test_each_error_is_a_code_and_one_sentence(error, code, capsys):
    with pytest.raises(SystemExit) as ended, one_sentence():
        raise error
    assert ended.value.code == code
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.endswith(".")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal for groups of processes.")
def test_interrupt_of_all_processes_is_one_sentence(alerts, tmp_path):
    arguments = ["choose", alerts, "--marginal-precision", ".2", "--output", tmp_path / "out"]
    for seconds in (0.5, 2):
        with subprocess.Popen(
            [sys.executable, "-m", "multiloss_core.command_line", *map(str, arguments)],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        ) as program:
            time.sleep(seconds)
            os.killpg(program.pid, signal.SIGINT)
            _, errors = program.communicate(timeout=60)
        # Before its first line runs, Python itself ends.
        if program.returncode == 3:
            assert "interrupted" in errors.splitlines()[-1]
            assert "Traceback" not in errors


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Only Linux has a device that is full.")
def test_full_disk_is_code_3():
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = command("--help", stdout=full)
    assert done.returncode == 3
    assert "No space left" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("missing", ["typer", "sklearn"])
def test_missing_package_is_one_sentence(missing, tmp_path):
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from multiloss_core.command_line.__main__ import main\n"
        "sys.argv[1:] = ['--help']\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert done.returncode == (3 if missing == "typer" else 0)
    assert done.stderr.count("\n") == (1 if missing == "typer" else 0)


def test_pipe_with_a_name_is_refused(tmp_path):
    name = tmp_path / "pipe"
    os.mkfifo(name)
    assert "pipe" in complaint(run("choose", name, "--marginal-precision", ".2", "--output", tmp_path / "out"))


@pytest.mark.slow
def test_many_programs_under_load_all_end():
    """Run four failing and four successful programs, more at once than there are processors."""
    with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as threads:
        found = threads.map(end_of_program, ["fails", "works"] * 4)
        assert [outcome for outcome in found if outcome] == []


def end_of_program(how):
    """Run a function in a worker and end as the command does; return what is wrong with that."""
    code = (
        "import os, sys\n"
        "from multiloss_core.command_line.exit_codes import one_sentence\n"
        "from multiloss_core.workers import shared_pool\n"
        "with one_sentence():\n"
        "    pool = shared_pool()\n"
        "    pool.preloaded.clear()\n"
        "    pool.submit(os.getpid).result()\n"
        "    if sys.argv[1] == 'fails': open('no such file')\n"
    )
    command = [sys.executable, "-c", code, how]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"{how} does not end"
    is_well = (done.returncode, done.stderr.count("\n")) == ((2, 1) if how == "fails" else (0, 0))
    return None if is_well else f"{done.returncode}: {done.stderr}"


def test_slow_work_is_named_and_quick_work_is_not(monkeypatch, capsys):
    with options.said_if_slow("Reading"):
        pass
    assert capsys.readouterr() == ("", "")
    was_said = Event()
    monkeypatch.setattr(options, "SECONDS_WITHOUT_WORDS", 0.0)
    monkeypatch.setattr(options, "print_step", lambda step: was_said.set() if step == "Reading" else None)
    with options.said_if_slow("Reading"):
        assert was_said.wait(SECONDS)
