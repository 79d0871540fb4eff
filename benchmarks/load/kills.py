"""Whether a decision that the screen acknowledged is ever lost, when the server is killed while decisions are saved.

Starts the application again and again; visitors save decisions one after the other on the operating point, and at a
random moment the server gets SIGKILL. Then the log is read, and its chain checked. On SQLite and on PostgreSQL.
Run: python -m benchmarks.load.kills [--kills 20] [--visitors 3] [--seed 0]
"""

import argparse
import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from uuid import uuid4

import numpy as np
from sqlalchemy import create_engine, text
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.load.memory import server_process
from benchmarks.load.wire import Visit, VisitError
from benchmarks.shared.reporting import print_setup, print_table
from decision_log import ADDRESS, DecisionLog
from tests.app_server import ROOT, app_server
from tests.postgres import cluster, programs_of_postgres

PAGE, SECTION, SAVE = "operating_point", "Save this decision", "Save to the log"
AUTHOR, REASON = "Decided by", "Why"
SAVED = re.compile(r"Saved in the decision log as number (\d+)\.")
# In seconds, after the first decision is acknowledged.
LATEST_KILL = 1.5


@dataclass
class Saved:
    """What visitors asked to be saved, by its reason: the number that the screen acknowledged, None before that."""

    numbers: dict[str, int | None] = field(default_factory=dict)

    @property
    def acknowledged(self) -> dict[str, int]:
        """By reason, the numbers of the decisions that were acknowledged."""
        return {reason: number for reason, number in self.numbers.items() if number is not None}


@dataclass(frozen=True)
class Outcome:
    """What became of the decisions: `lost` were acknowledged and are not in the log under their number.

    `unheard` are in the log though nobody was told; `faults` is what the check of the chain complains about.
    """

    acknowledged: int
    lost: tuple[str, ...]
    unheard: int
    entries: int
    faults: str


def kill_while_saving(log: str, saved: Saved, visitors: int, random: np.random.Generator) -> None:
    """Start the application on a log, have visitors save decisions, and kill it at a random moment."""
    with tempfile.TemporaryDirectory() as folder, app_server(Path(folder), environment={ADDRESS: log}) as address:
        asyncio.run(_save_until_killed(address, server_process(os.getpid()), saved, visitors, random))


def outcome(log: str, saved: Saved) -> Outcome:
    """Compare the log with what was acknowledged, and check its chain as an auditor does."""
    with DecisionLog(log) as opened:
        kept = {entry.record.reason: entry.id for entry in opened.entries(limit=10**6)}
    check = subprocess.run(
        [sys.executable, "-m", "decision_log", "--log", log, "check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    acknowledged = saved.acknowledged
    return Outcome(
        acknowledged=len(acknowledged),
        lost=tuple(reason for reason, number in acknowledged.items() if kept.get(reason) != number),
        unheard=len(kept) - len(acknowledged),
        entries=len(kept),
        faults=(check.stdout + check.stderr if check.returncode else ""),
    )


async def _save_until_killed(
    address: str, process: int, saved: Saved, visitors: int, random: np.random.Generator
) -> None:
    begun = asyncio.Event()
    saving = [asyncio.create_task(_save_again_and_again(address, saved, begun)) for _ in range(visitors)]
    waiting = asyncio.create_task(begun.wait())
    # Where saving fails before anything was saved, say why.
    await asyncio.wait([waiting, *saving], return_when=asyncio.FIRST_COMPLETED)
    if not begun.is_set():
        waiting.cancel()
        await asyncio.gather(*saving)
    await asyncio.sleep(random.uniform(0, LATEST_KILL))
    os.kill(process, signal.SIGKILL)
    for one in saving:
        # The server hangs up, once it is killed.
        with suppress(VisitError, OSError):
            await one


async def _save_again_and_again(address: str, saved: Saved, begun: asyncio.Event) -> None:
    async with Visit(address) as tab:
        await tab.go(page_name=PAGE)
        await tab.until(lambda: SECTION in tab.expanders and tab.is_at_rest, "the operating point")
        widget, fragment = tab.expanders[SECTION]
        await tab.set(WidgetState(id=widget, bool_value=True), fragment)
        for _ in count():
            await tab.until(lambda: SAVE in tab.buttons and not tab.is_running, "the form")
            reason, heard = uuid4().hex, len(tab.alerts)
            saved.numbers[reason] = None
            tab.fill(WidgetState(id=tab.fields[AUTHOR], string_value="A. Nalyst"))
            tab.fill(WidgetState(id=tab.fields[REASON], string_value=reason))
            finished = tab.runs_finished
            await tab.set(WidgetState(id=tab.buttons[SAVE], trigger_value=True), fragment, is_trigger=True)
            await tab.until(
                lambda before=heard: any(map(SAVED.search, tab.alerts[before:])),  # type: ignore[misc]
                "the acknowledgement",
            )
            saved.numbers[reason] = next(
                int(found[1]) for alert in tab.alerts[heard:] if (found := SAVED.search(alert))
            )
            begun.set()
            await tab.until(lambda before=finished: tab.runs_finished > before, "the end of the run")  # type: ignore[misc]


@contextmanager
def _logs() -> Iterator[dict[str, str]]:
    """Give the addresses of an empty log on each database that this machine has."""
    programs = programs_of_postgres()
    with tempfile.TemporaryDirectory() as folder:
        logs = {"SQLite": f"sqlite:///{folder}/decisions.db"}
        if programs is None:
            yield logs
            return
        with cluster(programs) as server:
            with create_engine(server, isolation_level="AUTOCOMMIT").connect() as connection:
                connection.execute(text("CREATE DATABASE kills"))
            yield logs | {"PostgreSQL": server.set(database="kills").render_as_string(hide_password=False)}


def main() -> None:
    """Kill the server again and again, and print what became of the decisions."""
    parser = argparse.ArgumentParser(prog="benchmarks.load.kills", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20, help="how often, on each database")
    parser.add_argument("--visitors", type=int, default=3, help="how many save at once")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    asked = parser.parse_args()
    print_setup("Kills of the server while decisions are saved", ("streamlit", "sqlalchemy"), "")
    rows = []
    with _logs() as logs:
        for name, log in logs.items():
            saved, random = Saved(), np.random.default_rng(asked.seed)
            for _ in range(asked.kills):
                kill_while_saving(log, saved, asked.visitors, random)
            found = outcome(log, saved)
            broken = found.faults or "none"
            rows.append((name, asked.kills, found.acknowledged, len(found.lost), found.unheard, broken))
    header = ("database", "kills", "acknowledged", "of these lost", "saved but not heard of", "faults of the chain")
    print_table("Decisions", header, rows)


if __name__ == "__main__":
    main()
