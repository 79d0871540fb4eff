"""How much longer ten visitors at once wait than one alone, and whether the server's memory grows over hours.

Starts the application, or visits one at `--address`. Each visitor brings a file of her own, opens the operating point,
moves the slider about a second after each answer, and now and then opens a part of the page. First visitors come one
at a time, then `--visitors` at the same moment, several times, the last time while somebody moves the slider in
Chromium; with `--calm` they look at what they see before they go on. With `--soak` they come and leave for so many
minutes, and the server's memory is printed after each round. Run: python -m benchmarks.load [--visitors 10]
[--seconds 600] [--calm] [--soak MINUTES [--stay SECONDS]] [--address http://127.0.0.1:8501 --process NUMBER]
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path

import numpy as np
from playwright.async_api import Page

from benchmarks.load.memory import resident_megabytes, server_process
from benchmarks.load.screen import ON_SCREEN, press_until, watched_slider
from benchmarks.load.visitor import CALM, HURRIED, Findings, Pace, visit
from benchmarks.shared.reporting import print_header, print_row, print_setup, print_table
from tests.app_server import app_server

OPENINGS_ALONE = 6
ROUNDS = 4
MOST_SECONDS_ALONE = 60.0
AFTERWARDS = 60.0
# What a wait of many may be, as a multiple of one alone: both at the 95th percentile.
TARGETS = {"first opening": 3.0, "slider": 1.5, ON_SCREEN: 1.5}
WAITS = (
    ("upload", 95),
    ("first opening", 95),
    ("all paths", 95),
    ("script", 95),
    ("slider", 50),
    ("slider", 95),
    (ON_SCREEN, 50),
    (ON_SCREEN, 95),
    ("section", 95),
)
VISITORS = count(1)


def main() -> None:
    asked = _asked()
    with _server(asked.address, asked.process) as (address, process):
        load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
        words = f", {os.cpu_count()} cores, load before {load}"
        pace = CALM if asked.calm else HURRIED
        title = "Visitors at once, at an analyst's pace" if asked.calm else "Visitors at once"
        print_setup(title, ("streamlit", "websockets"), words)
        if asked.soak:
            asyncio.run(_soak(address, process, asked.visitors, asked.soak, asked.stay))
        else:
            asyncio.run(_compare(address, process, asked.visitors, asked.seconds, pace))


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.load", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--visitors", type=int, default=10, help="how many come at once")
    parser.add_argument("--seconds", type=float, default=600.0, help="about how long the comparison takes")
    parser.add_argument("--calm", action="store_true", help="visitors read what they see")
    parser.add_argument("--soak", type=float, default=0.0, metavar="MINUTES", help="visitors come and leave so long")
    parser.add_argument("--stay", type=float, default=180.0, help="how many seconds each moves the slider then")
    parser.add_argument("--address", help="of a server that runs; without it, one is started")
    parser.add_argument("--process", type=int, help="the number of that server's process, to tell its memory")
    asked = parser.parse_args()
    if asked.visitors < 1:
        parser.error("--visitors must be at least 1.")
    return asked


@contextmanager
def _server(address: str | None, process: int | None) -> Iterator[tuple[str, int | None]]:
    if address is not None:
        yield address.rstrip("/"), process
        return
    with tempfile.TemporaryDirectory() as folder, app_server(Path(folder)) as started:
        yield started, server_process(os.getpid())


async def _compare(address: str, process: int | None, visitors: int, seconds: float, pace: Pace) -> None:
    alone, together, memory = Findings(), Findings(), [("before", _memory(process))]
    share = seconds / (ROUNDS + OPENINGS_ALONE / 2 + 2)
    # The first visitor of a fresh server waits for modules to be read; what she waits is not counted.
    first = Findings()
    await visit(address, next(VISITORS), 0.0, first)
    alone.errors.extend(first.errors)
    # Half of them stay as long as each of the many will.
    for opening in range(OPENINGS_ALONE):
        await visit(address, next(VISITORS), share if opening % 2 else 0.0, alone, pace)
    memory.append(("after one", _memory(process)))
    for _ in range(ROUNDS):
        await _round(address, visitors, share, together, pace)
        memory.append((f"after {visitors} at once", _memory(process)))
    # Apart: Chromium itself takes the processors from the server. What the others wait for meanwhile is not counted.
    others = Findings()
    async with watched_slider(address) as page:
        async with _pressed(page, alone):
            await asyncio.sleep(min(MOST_SECONDS_ALONE, share))
        async with _pressed(page, together):
            await _round(address, visitors, share, others, pace)
    together.errors.extend(others.errors)
    await asyncio.sleep(AFTERWARDS)
    memory.append((f"{AFTERWARDS:g} s later", _memory(process)))
    rows = [
        (
            f"{name}, p{percentile}",
            *_pair(alone, together, name, percentile),
            len(alone.seconds[name]),
            len(together.seconds[name]),
            f"≤ {TARGETS[name]:g}" if name in TARGETS and percentile == 95 else "",
        )
        for name, percentile in WAITS
    ]
    rows.append(("errors", len(alone.errors), len(together.errors), "", "", "", "0"))
    header = ("seconds", "one", f"{visitors} at once", "ratio", "waits of one", f"waits of {visitors}", "target")
    print_table("Waits", header, rows)
    print_table("Memory of the server and its processes", ("when", "MB"), memory)
    _print_errors([*alone.errors, *together.errors])


async def _round(address: str, visitors: int, seconds: float, findings: Findings, pace: Pace = HURRIED) -> None:
    async with asyncio.TaskGroup() as coming:
        for _ in range(visitors):
            coming.create_task(visit(address, next(VISITORS), seconds, findings, pace))


@asynccontextmanager
async def _pressed(page: Page, findings: Findings) -> AsyncIterator[None]:
    """Have the slider moved in Chromium meanwhile."""
    over = asyncio.Event()
    async with asyncio.TaskGroup() as pressing:
        pressing.create_task(press_until(page, over, findings))
        yield
        over.set()


async def _soak(address: str, process: int | None, visitors: int, minutes: float, stay: float) -> None:
    begin = time.perf_counter()
    hours, megabytes, errors = [], [], []
    print_header("minutes", "MB", "first opening p95, s", "slider p95, s", "errors")
    while (left := 60 * minutes - (time.perf_counter() - begin)) > 0:
        findings = Findings()
        await _round(address, visitors, min(stay, left), findings)
        hours.append((time.perf_counter() - begin) / 3600)
        megabytes.append(resident_megabytes(process) if process else float("nan"))
        waits = (_percentile(findings, name, 95) for name in ("first opening", "slider"))
        print_row(
            f"{60 * hours[-1]:.1f}", f"{megabytes[-1]:.0f}", *(f"{wait:.2f}" for wait in waits), len(findings.errors)
        )
        errors.extend(findings.errors)
    half = len(hours) // 2
    if len(hours) - half > 1:
        slope = np.polyfit(hours[half:], megabytes[half:], 1)[0]
        print(f"\nMemory over the second half: {slope:+.1f} MB an hour; {len(errors)} errors.")
    else:
        print("\nToo few rounds to tell whether memory grows: ask for more minutes.")
    _print_errors(errors)


def _memory(process: int | None) -> str:
    return f"{resident_megabytes(process):.0f}" if process else "not known"


def _pair(alone: Findings, together: Findings, name: str, percentile: int) -> tuple[str, str, str]:
    one, many = (_percentile(findings, name, percentile) for findings in (alone, together))
    return f"{one:.3f}", f"{many:.3f}", f"{many / one:.2f}"


def _percentile(findings: Findings, name: str, percentile: int) -> float:
    return float(np.percentile(findings.seconds[name] or [np.nan], percentile))


def _print_errors(errors: list[str]) -> None:
    for error in errors:
        print(f"- {error}")


if __name__ == "__main__":
    main()
