"""Recompute a set in a separate process while the page is open."""

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

import streamlit as st

from experiments.files import data_folder
from multiloss_core import DataError
from ui.server.queue import Task
from ui.shared.formatting import as_text
from ui.shared.long_work import begin
from ui.shared.session import session
from ui.shared.url_params import ask_choice
from ui.shared.widgets import shown_when_open

ROOT = Path(__file__).parents[2]
# Sets that take seconds.
SETS = {"breast": "BREAST CANCER", "webpage": "WEB PAGE", "spambase": "SPAMBASE", "image": "IMAGE"}
DRAWS = 3
ESTIMATORS = ("sklearn", "dlib")
POLL_SECONDS = 0.5
PROGRESS = re.compile(r"(\d+) of (\d+): ([^\r\n\x1b]*)")
# Of a run with few draws.
SECONDS_OF_RUN = 60.0


@dataclass(frozen=True)
class Run:
    """The progress of a run, as a share and as text; `tables` in Markdown at its end."""

    share: float
    text: str
    tables: str | None = None


@shown_when_open("Run one of the sets again", key="paper_run", icon=":material/replay:")
def offer_run() -> None:
    """Offer a run of a quick set, with progress and a stop button."""
    missing = _missing()
    if missing:
        st.info(missing, icon=":material/science:")
        return
    key = ask_choice(st.segmented_control, "Set", SETS, key="run_set", required=True)
    job = session().paper_run
    idle = job is None or job.finished
    words = f"Run {SETS[key]} with {DRAWS} draws"
    if st.button(words, icon=":material/play_arrow:", key="run_paper", disabled=not idle):
        session().paper_run = job = begin(steps, key, seconds=SECONDS_OF_RUN, here=True)
    if job is not None:
        st.fragment(_show_progress, run_every=None if job.finished else POLL_SECONDS)(job, job.finished)


def _show_progress(job: Task[Run], was_finished: bool) -> None:
    if job.finished and not was_finished:
        st.rerun()
    if job.failure is not None:
        st.error(as_text(str(job.failure)), icon=":material/error:")
        return
    run = job.latest or Run(0.0, "Starting")
    if run.tables is not None:
        st.markdown(run.tables)
    elif job.finished:
        st.info("Stopped; the stored results above are unchanged.", icon=":material/stop_circle:")
    else:
        bar, button = st.columns([4, 1], vertical_alignment="center")
        bar.progress(run.share, as_text(run.text))
        if button.button("Stop", key="stop_paper", icon=":material/stop:"):
            job.cancel()


def _missing() -> str | None:
    """Name the missing requirement of a run; return None if there is none."""
    if any(find_spec(name) is None for name in ESTIMATORS):
        return (
            "A run needs scikit-learn and dlib: `pip install -r requirements-experiments.txt`. Stored results need "
            "neither."
        )
    try:
        data_folder()
    except DataError:
        return "A run needs the data of the sets; set the environment variable MULTILOSS_DATA to their folder."
    return None


def steps(key: str) -> Iterator[Run]:
    """Run the command for one set and yield its progress. Raises DataError on failure."""
    with ExitStack() as ends:
        errors, output = (ends.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")) for _ in range(2))
        process = subprocess.Popen(command_for(key), cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        ends.callback(process.wait)
        ends.callback(process.kill)
        while process.poll() is None:
            yield _progress(_text(errors))
            time.sleep(POLL_SECONDS)
        if process.returncode:
            raise DataError(_text(errors).strip().splitlines()[-1])
        yield Run(1.0, "Done", _text(output))


def command_for(key: str) -> list[str]:
    """Return the command that runs a set with a few draws and stores nothing."""
    return [sys.executable, "-m", "experiments.natarajan", key, "--quick", "--processes", "1"]


def _text(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def _progress(log: str) -> Run:
    reports = PROGRESS.findall(log)
    if not reports:
        return Run(0.0, "Reading the data")
    done, total, text = reports[-1]
    return Run(int(done) / max(1, int(total)), f"{done} of {total}: {text}")
