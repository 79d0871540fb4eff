"""A set run again while the page is open, in a process of its own; where estimators and data are there."""

import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

import streamlit as st

from experiments.files import data_folder
from multiloss_core import DataError
from ui.shared.formatting import as_text
from ui.shared.session import session
from ui.shared.url_params import ask_choice
from ui.shared.widgets import shown_when_open
from ui.work.background_job import Job

ROOT = Path(__file__).parents[2]
# Those that take seconds.
SETS = {"breast": "BREAST CANCER", "webpage": "WEB PAGE", "spambase": "SPAMBASE", "image": "IMAGE"}
DRAWS = 3
ESTIMATORS = ("sklearn", "dlib")
SECONDS_BETWEEN_LOOKS = 0.5
PROGRESS = re.compile(r"(\d+) of (\d+): ([^\r\n\x1b]*)")
# One run for all visitors: it takes a processor.
_running = threading.Lock()


@dataclass(frozen=True)
class Run:
    """How far a run is, its share done and what that is in words; `tables` in Markdown at its end."""

    share: float
    words: str
    tables: str | None = None


@shown_when_open("Run one of the sets again", key="paper_run", icon=":material/replay:")
def offer_run() -> None:
    """Offer to run a quick set again, with progress and a way to stop it."""
    missing = _missing()
    if missing:
        st.info(missing, icon=":material/science:")
        return
    key = ask_choice(st.segmented_control, "Set", SETS, key="run_set", required=True)
    job = session().paper_run
    idle = job is None or job.finished
    words = f"Run {SETS[key]} with {DRAWS} draws"
    if st.button(words, icon=":material/play_arrow:", key="run_paper", disabled=not idle):
        session().paper_run = job = Job(lambda: steps(key))
    if job is not None:
        st.fragment(_look, run_every=None if job.finished else SECONDS_BETWEEN_LOOKS)(job, job.finished)


def _look(job: Job[Run], was_finished: bool) -> None:
    if job.finished and not was_finished:
        st.rerun()
    if job.failure is not None:
        st.error(as_text(str(job.failure)), icon=":material/error:")
        return
    run = job.latest or Run(0.0, "Starting")
    if run.tables is not None:
        st.markdown(run.tables)
    elif job.finished:
        st.info("Stopped; the stored results above are as they were.", icon=":material/stop_circle:")
    else:
        bar, button = st.columns([4, 1], vertical_alignment="center")
        bar.progress(run.share, as_text(run.words))
        if button.button("Stop", key="stop_paper", icon=":material/stop:"):
            job.cancel()


def _missing() -> str | None:
    """Say what is not there to run a set; None if everything is."""
    if any(find_spec(name) is None for name in ESTIMATORS):
        return (
            "A run takes scikit-learn and dlib: `pip install -r requirements-experiments.txt`. Stored results need "
            "neither."
        )
    try:
        data_folder()
    except DataError:
        return "A run takes the sets' data, whose folder the environment variable MULTILOSS_DATA names."
    return None


def steps(key: str) -> Iterator[Run]:
    """Run the command for one set, and look at its progress. Raises DataError where another visitor's run goes on."""
    if not _running.acquire(blocking=False):
        raise DataError("Another run is going on on this server; try again when it is done.")
    with ExitStack() as ends:
        ends.callback(_running.release)
        said, found = (ends.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")) for _ in range(2))
        process = subprocess.Popen(command_for(key), cwd=ROOT, stdin=subprocess.DEVNULL, stdout=found, stderr=said)
        ends.callback(process.wait)
        ends.callback(process.kill)
        while process.poll() is None:
            yield _progress(_text(said))
            time.sleep(SECONDS_BETWEEN_LOOKS)
        if process.returncode:
            raise DataError(_text(said).strip().splitlines()[-1])
        yield Run(1.0, "Done", _text(found))


def command_for(key: str) -> list[str]:
    """Give the command that runs a set with a few draws; nothing is stored."""
    return [sys.executable, "-m", "experiments.natarajan", key, "--quick", "--processes", "1"]


def _text(file: TextIO) -> str:
    file.seek(0)
    return file.read()


def _progress(said: str) -> Run:
    told = PROGRESS.findall(said)
    if not told:
        return Run(0.0, "Reading the data")
    done, every, words = told[-1]
    return Run(int(done) / max(1, int(every)), f"{done} of {every}: {words}")
