"""Compare the waits of ten users at once with those of one user.

Start the application. Each user uploads a file, opens the operating point, moves the slider about a second after each
response, and now and then opens a section. First users come one at a time, then `--users` at the same moment, four
times; with `--calm` they read before they go on.
Run: python -m benchmarks.load [--users 10] [--seconds 600] [--calm]
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.client import Client, ClientError
from benchmarks.reporting import print_setup, print_table
from tests.app_server import app_server

OPENINGS_ALONE = 6
ROUNDS = 4
# Permitted ratio of the waits at the 95th percentile.
TARGETS = {"first opening": 3.0, "slider": 1.5}
WAITS = (
    ("upload", 95),
    ("first opening", 95),
    ("all paths", 95),
    ("script", 95),
    ("slider", 50),
    ("slider", 95),
    ("section", 95),
)
NUMBERS = count(1)
EXPORT = Path(__file__).parents[2] / "shared" / "data" / "rated" / "bssr1_four_scores_rated.csv"
ACTIONS_FOR_A_SECTION = 8
# Sections calculated when opened.
SECTIONS = ("Compare with the current thresholds", "Guarantee a precision")
LEFT_OUT = 0.01
CONFIRM = "These columns are right"
OPERATING_POINT = "operating_point"


@dataclass(frozen=True)
class Pace:
    """Ranges of seconds before the operating point and between moves; random against lockstep."""

    reading: tuple[float, float]
    thinking: tuple[float, float]


HURRIED = Pace(reading=(0.5, 1.5), thinking=(0.5, 1.5))
CALM = Pace(reading=(5.0, 25.0), thinking=(2.0, 6.0))


@dataclass
class Findings:
    """Seconds of each kind of wait, and error messages."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)

    def add(self, name: str, start: float, end: float | None = None) -> None:
        """Add one wait since `start` (`perf_counter`), until `end` or now."""
        self.seconds[name].append((time.perf_counter() if end is None else end) - start)


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.load", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--users", type=int, default=10, help="number of users at once")
    parser.add_argument("--seconds", type=float, default=600.0, help="approximate length of the comparison")
    parser.add_argument("--calm", action="store_true", help="users read what they see")
    given = parser.parse_args()
    if given.users < 1:
        parser.error("--users must be at least 1.")
    pace = CALM if given.calm else HURRIED
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    title = "Users at once, at an analyst's pace" if given.calm else "Users at once"
    print_setup(title, ("streamlit", "websockets"), f", {os.cpu_count()} cores, load before {load}")
    with tempfile.TemporaryDirectory() as folder, app_server(Path(folder)) as address:
        asyncio.run(_compare(address, given.users, given.seconds, pace))


async def _compare(address: str, users: int, seconds: float, pace: Pace) -> None:
    alone, together, first = Findings(), Findings(), Findings()
    share = seconds / (ROUNDS + OPENINGS_ALONE / 2 + 1)
    # The first user of a fresh server waits for its imports and is not counted.
    await run_session(address, next(NUMBERS), 0.0, first)
    alone.errors.extend(first.errors)
    # Half of them stay as long as each of the many will.
    for opening in range(OPENINGS_ALONE):
        await run_session(address, next(NUMBERS), share if opening % 2 else 0.0, alone, pace)
    for _ in range(ROUNDS):
        async with asyncio.TaskGroup() as coming:
            for _ in range(users):
                coming.create_task(run_session(address, next(NUMBERS), share, together, pace))
    rows: list[tuple[object, ...]] = []
    for name, percentile in WAITS:
        one, many = (float(np.percentile(found.seconds[name] or [np.nan], percentile)) for found in (alone, together))
        target = f"≤ {TARGETS[name]:g}" if name in TARGETS and percentile == 95 else ""
        counts = len(alone.seconds[name]), len(together.seconds[name])
        rows.append((f"{name}, p{percentile}", f"{one:.3f}", f"{many:.3f}", f"{many / one:.2f}", *counts, target))
    rows.append(("errors", len(alone.errors), len(together.errors), "", "", "", "0"))
    header = ("seconds", "one", f"{users} at once", "ratio", "waits of one", f"waits of {users}", "target")
    print_table("Waits", header, rows)
    if errors := [*alone.errors, *together.errors]:
        raise SystemExit("\n".join(errors))


def export(user: int) -> bytes:
    """Shuffle the file and drop about one row in a hundred, so that every user has another."""
    rated = pd.read_csv(EXPORT)
    random = np.random.default_rng(user)
    order = random.permutation(len(rated))
    kept = rated.iloc[order[random.random(len(rated)) >= LEFT_OUT]]
    return kept.to_csv(index=False).encode()


async def run_session(address: str, user: int, seconds: float, findings: Findings, pace: Pace = HURRIED) -> None:
    """Run one session, moving the slider for `seconds`; record an error, which ends the session."""
    try:
        content = await asyncio.to_thread(export, user)
        async with Client(address) as tab:
            await upload_file(tab, content, f"user_{user}.csv", findings)
            random = np.random.default_rng(user)
            await asyncio.sleep(random.uniform(*pace.reading))
            await open_point(tab, findings)
            await work(tab, seconds, pace.thinking, random, findings)
    except (ClientError, OSError, TimeoutError) as error:
        findings.errors.append(f"user {user}: {error}")


async def upload_file(tab: Client, content: bytes, name: str, findings: Findings) -> None:
    """Upload a file on *Rated data* and confirm its columns."""
    await tab.go(page_name="rated_data")
    await tab.until(lambda: tab.uploader and tab.is_at_rest and tab.runs_finished, "the page Rated data")
    start = time.perf_counter()
    await tab.upload(name, content)
    # The question on the meaning of '1' comes with this file, not with a sample.
    await tab.until(lambda: CONFIRM in tab.buttons and tab.is_at_rest, "the upload")
    findings.add("upload", start)
    finished = tab.runs_finished
    await tab.set(WidgetState(id=tab.buttons.pop(CONFIRM), trigger_value=True), is_trigger=True)
    await tab.until(lambda: tab.runs_finished > finished and tab.is_at_rest, "the columns")


async def open_point(tab: Client, findings: Findings) -> None:
    """Open *Operating point* and measure the first numbers, all paths and the end of the script."""
    start, finished = time.perf_counter(), tab.runs_finished
    await tab.go(page_hash=tab.pages[OPERATING_POINT])
    await tab.until(lambda: tab.explorer, "the operating point")
    findings.add("first opening", start, tab.arrived)
    await tab.until(lambda: tab.runs_finished > finished and not tab.is_running, "the end of the opening")
    findings.add("script", start)
    await tab.until(lambda: tab.is_at_rest, "all paths")
    findings.add("all paths", start, tab.methods_arrived)


async def work(
    tab: Client, seconds: float, thinking: tuple[float, float], random: np.random.Generator, findings: Findings
) -> None:
    """Move the slider and sometimes open a section until the time is over."""
    end = time.perf_counter() + seconds
    action = 0
    while time.perf_counter() < end:
        await asyncio.sleep(random.uniform(*thinking))
        action += 1
        if action % ACTIONS_FOR_A_SECTION:
            percents = json.loads(tab.explorer["table"])["percents"]
            await move(tab, float(random.choice(percents)), findings)
        else:
            await open_section(tab, action // ACTIONS_FOR_A_SECTION, findings)


async def move(tab: Client, percent: float, findings: Findings) -> None:
    """Move the slider and wait until a run with the new value has finished."""
    number = int(tab.explorer["acknowledged"]) + 1
    start = time.perf_counter()
    moved = [percent, number, [*tab.texts]]
    state = WidgetState(id=tab.explorer_id, json_value=json.dumps({"moved": moved}))
    await tab.set(state, tab.explorer_fragment)
    await tab.until(lambda: tab.explorer["acknowledged"] >= number and not tab.is_running, "the slider")
    findings.add("slider", start)


async def open_section(tab: Client, turn: int, findings: Findings) -> None:
    """Open one of `SECTIONS`, measure its calculation and close it."""
    shown = [label for label in SECTIONS if label in tab.expanders]
    if not shown:
        raise ClientError(f"none of the sections {', '.join(SECTIONS)} is on the page")
    widget, fragment = tab.expanders[shown[turn % len(shown)]]
    for is_open in (True, False):
        start, finished = time.perf_counter(), tab.runs_finished
        await tab.set(WidgetState(id=widget, bool_value=is_open), fragment)
        await tab.until(lambda before=finished: tab.runs_finished > before and not tab.is_running, "a section")  # type: ignore[misc]
        if is_open:
            findings.add("section", start)


if __name__ == "__main__":
    main()
