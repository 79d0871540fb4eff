"""What a visitor does: brings her file, opens the operating point, moves the slider, opens a part of the page."""

import asyncio
import json
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.load.wire import Visit, VisitError

EXPORT = Path(__file__).parents[3] / "shared" / "data" / "rated" / "bssr1_four_scores_rated.csv"
ACTIONS_FOR_A_SECTION = 8
# Parts that are worked out once they are opened.
SECTIONS = ("Who flags what", "Guarantee a precision", "Documents near the thresholds")
LEFT_OUT = 0.01
CONFIRM = "These columns are right"
OPERATING_POINT = "operating_point"


@dataclass(frozen=True)
class Pace:
    """Seconds, at least and at most, before a visitor opens the operating point, and between her moves there.

    With the same time for all, visitors who came together would stay in step for ever.
    """

    reading: tuple[float, float]
    thinking: tuple[float, float]


HURRIED = Pace(reading=(0.5, 1.5), thinking=(0.5, 1.5))
# Who looks at what was read, and at the numbers that a move brought.
CALM = Pace(reading=(5.0, 25.0), thinking=(2.0, 6.0))


@dataclass
class Findings:
    """Seconds by what was waited for, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)

    def add(self, name: str, start: float, end: float | None = None) -> None:
        """Add one wait since `start` (`perf_counter`), until `end` or now."""
        self.seconds[name].append((time.perf_counter() if end is None else end) - start)


def export(visitor: int) -> bytes:
    """Make a visitor's own variant of the file: rows in another order, about one in a hundred left out."""
    rated = pd.read_csv(EXPORT)
    random = np.random.default_rng(visitor)
    order = random.permutation(len(rated))
    kept = rated.iloc[order[random.random(len(rated)) >= LEFT_OUT]]
    return kept.to_csv(index=False).encode()


async def visit(address: str, visitor: int, seconds: float, findings: Findings, pace: Pace = HURRIED) -> None:
    """Go through a whole visit; after the opening the slider is moved for `seconds`. Errors end it, and are told."""
    try:
        content = await asyncio.to_thread(export, visitor)
        async with Visit(address) as tab:
            await bring(tab, content, f"visitor_{visitor}.csv", findings)
            random = np.random.default_rng(visitor)
            await asyncio.sleep(random.uniform(*pace.reading))
            await open_point(tab, findings)
            await work(tab, seconds, pace.thinking, random, findings)
    except (VisitError, OSError, TimeoutError) as error:
        findings.errors.append(f"visitor {visitor}: {error}")


async def bring(tab: Visit, content: bytes, name: str, findings: Findings) -> None:
    """Upload a file on *Rated data*, and confirm its columns."""
    await tab.go(page_name="rated_data")
    await tab.until(lambda: tab.uploader and tab.is_at_rest and tab.runs_finished, "the page Rated data")
    start = time.perf_counter()
    await tab.upload(name, content)
    # What '1' means is asked of this file, and of no sample.
    await tab.until(lambda: CONFIRM in tab.buttons and tab.is_at_rest, "the upload")
    findings.add("upload", start)
    finished = tab.runs_finished
    await tab.set(WidgetState(id=tab.buttons.pop(CONFIRM), trigger_value=True), is_trigger=True)
    await tab.until(lambda: tab.runs_finished > finished and tab.is_at_rest, "the columns")


async def open_point(tab: Visit, findings: Findings) -> None:
    """Open *Operating point*: its first numbers, all its paths, and the end of the script."""
    start, finished = time.perf_counter(), tab.runs_finished
    await tab.go(page_hash=tab.pages[OPERATING_POINT])
    await tab.until(lambda: tab.explorer, "the operating point")
    findings.add("first opening", start, tab.arrived)
    await tab.until(lambda: tab.runs_finished > finished and not tab.is_running, "the end of the opening")
    findings.add("script", start)
    await tab.until(lambda: tab.is_at_rest, "all paths")
    findings.add("all paths", start, tab.methods_arrived)


async def work(
    tab: Visit, seconds: float, thinking: tuple[float, float], random: np.random.Generator, findings: Findings
) -> None:
    """Move the slider and, now and then, open a part of the page, until the time is over."""
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


async def move(tab: Visit, percent: float, findings: Findings) -> None:
    """Move the slider; the answer is the end of the run that has heard of it."""
    number = int(tab.explorer["acknowledged"]) + 1
    start = time.perf_counter()
    moved = [percent, number, [*tab.texts]]
    state = WidgetState(id=tab.explorer_id, json_value=json.dumps({"moved": moved}))
    await tab.set(state, tab.explorer_fragment)
    await tab.until(lambda: tab.explorer["acknowledged"] >= number and not tab.is_running, "the slider")
    findings.add("slider", start)


async def open_section(tab: Visit, turn: int, findings: Findings) -> None:
    """Open one of `SECTIONS`, measure until it is worked out, and close it again."""
    present = [label for label in SECTIONS if label in tab.expanders]
    if not present:
        raise VisitError(f"none of the parts {', '.join(SECTIONS)} is on the page")
    widget, fragment = tab.expanders[present[turn % len(present)]]
    for is_open in (True, False):
        start, finished = time.perf_counter(), tab.runs_finished
        await tab.set(WidgetState(id=widget, bool_value=is_open), fragment)
        await tab.until(lambda before=finished: tab.runs_finished > before and not tab.is_running, "a part")  # type: ignore[misc]
        if is_open:
            findings.add("section", start)
