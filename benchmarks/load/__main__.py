"""Compare the waits of ten users at once with those of one user.

Start the application. Each user uploads a file, opens the operating point, moves the slider about a second after each
response, and now and then opens a section. First users come one at a time, then `--users` at the same moment, four
times; with `--calm` they read before they go on.
Run: python -m benchmarks.load [--users 10] [--seconds 600] [--calm]
"""

import argparse
import asyncio
import os
import tempfile
from itertools import count
from pathlib import Path

import numpy as np

from benchmarks.load.visitor import CALM, HURRIED, Findings, Pace, visit
from benchmarks.shared.reporting import print_setup, print_table
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
    await visit(address, next(NUMBERS), 0.0, first)
    alone.errors.extend(first.errors)
    # Half of them stay as long as each of the many will.
    for opening in range(OPENINGS_ALONE):
        await visit(address, next(NUMBERS), share if opening % 2 else 0.0, alone, pace)
    for _ in range(ROUNDS):
        async with asyncio.TaskGroup() as coming:
            for _ in range(users):
                coming.create_task(visit(address, next(NUMBERS), share, together, pace))
    rows: list[tuple[object, ...]] = []
    for name, percentile in WAITS:
        one, many = (float(np.percentile(found.seconds[name] or [np.nan], percentile)) for found in (alone, together))
        target = f"≤ {TARGETS[name]:g}" if name in TARGETS and percentile == 95 else ""
        counts = len(alone.seconds[name]), len(together.seconds[name])
        rows.append((f"{name}, p{percentile}", f"{one:.3f}", f"{many:.3f}", f"{many / one:.2f}", *counts, target))
    rows.append(("errors", len(alone.errors), len(together.errors), "", "", "", "0"))
    header = ("seconds", "one", f"{users} at once", "ratio", "waits of one", f"waits of {users}", "target")
    print_table("Waits", header, rows)
    for error in (*alone.errors, *together.errors):
        print(f"- {error}")


if __name__ == "__main__":
    main()
