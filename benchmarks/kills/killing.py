"""Decisions are saved by visitors, the server is killed meanwhile, and the log is looked at."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import numpy as np
from sqlalchemy import create_engine, text
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.load.memory import server_process
from benchmarks.load.wire import Visit, VisitError
from decision_log import DecisionLog
from multiloss_core import DecisionRecord
from tests.app_server import ROOT, app_server

VISITORS = 2
# A decision is saved in about half of it.
MOST_SECONDS_TO_THE_KILL = 0.7
SECONDS_TO_CHECK = 60
ACKNOWLEDGED = re.compile(r"Saved in the decision log as number (\d+)\.")
QUERY = "data=Login+alerts"
PART = "Save this decision"
HALF_ENTRIES = """
    SELECT count(*) FROM decision_log_entries AS entry
    FULL JOIN decision_log_events AS event ON event.entry_id = entry.id AND event.action = 'recorded'
    WHERE entry.id IS NULL OR event.number IS NULL
"""


@dataclass
class Kills:
    """What visitors of one log asked for and were told, by the reasons of their decisions, and what went wrong."""

    asked: set[str] = field(default_factory=set)
    acknowledged: dict[str, int] = field(default_factory=dict)
    kills: int = 0
    kept: int = 0
    lost: int = 0
    faults: list[str] = field(default_factory=list)


def kill_and_look(folder: Path, log: str, random: np.random.Generator, kills: Kills) -> None:
    """Start the server on a log, kill it while decisions are saved, and look at what is in the log."""
    with app_server(folder, environment={"MULTILOSS_DECISION_LOG": log}) as address:
        server = server_process(os.getpid())
        asyncio.run(_save_until_killed(address, server, random, kills))
    kills.faults.extend(f"after kill {kills.kills}: {fault}" for fault in look(log, kills))


async def _save_until_killed(address: str, server: int, random: np.random.Generator, kills: Kills) -> None:
    saved = asyncio.Event()
    async with asyncio.TaskGroup() as visits:
        for visitor in range(VISITORS):
            visits.create_task(_save(address, f"kill {kills.kills + 1}, visitor {visitor}", kills, saved))
        try:
            async with asyncio.timeout(SECONDS_TO_CHECK):
                await saved.wait()
            await asyncio.sleep(random.uniform(0, MOST_SECONDS_TO_THE_KILL))
        finally:
            os.kill(server, signal.SIGKILL)
            kills.kills += 1


async def _save(address: str, whose: str, kills: Kills, saved: asyncio.Event) -> None:
    """Save one decision after another until the server is gone."""
    killed = kills.kills
    try:
        async with Visit(address) as tab:
            await _open_part(tab)
            for number in count(1):
                await _decide(tab, f"{whose}, decision {number}", kills)
                saved.set()
                await tab.until(lambda: not tab.is_running, "the end of the run")
    except (VisitError, OSError) as error:
        if kills.kills == killed:
            kills.faults.append(f"{whose}: {error}")


async def _open_part(tab: Visit) -> None:
    await tab.go(page_name="operating_point", query=QUERY)
    await tab.until(lambda: PART in tab.expanders and tab.is_at_rest, "the operating point")
    widget, fragment = tab.expanders[PART]
    await tab.set(WidgetState(id=widget, bool_value=True), fragment=fragment)
    await tab.until(lambda: "Save to the log" in tab.buttons and tab.is_at_rest, "the part to save")


async def _decide(tab: Visit, reason: str, kills: Kills) -> None:
    """Save a decision; what the screen says of it counts, also where it was the last thing that came."""
    _, fragment = tab.expanders[PART]
    tab.alert = ""
    kills.asked.add(reason)
    try:
        await tab.set(
            WidgetState(id=tab.inputs["Decided by"], string_value="A. Nalyst"),
            WidgetState(id=tab.inputs["Why"], string_value=reason),
            WidgetState(id=tab.buttons["Save to the log"], trigger_value=True),
            fragment=fragment,
            is_trigger=True,
        )
        await tab.until(lambda: tab.alert, "the answer")
    finally:
        if told := ACKNOWLEDGED.search(tab.alert):
            kills.acknowledged[reason] = int(told[1])
    if not told:
        raise VisitError(f"'{reason}' was not saved: {tab.alert}")


def look(log: str, kills: Kills) -> Iterator[str]:
    """Tell what is wrong with the log: by its own audit, by its rows, and by what the screens had acknowledged."""
    with DecisionLog(log) as opened:
        yield from opened.audit().faults
    engine = create_engine(log)
    with engine.connect() as connection:
        if halves := connection.execute(text(HALF_ENTRIES)).scalar_one():
            yield f"{halves} entries without their event, or events without their entry"
        rows = connection.execute(text("SELECT id, record FROM decision_log_entries")).all()
    engine.dispose()
    kept = {row.id: DecisionRecord.from_json(row.record).reason for row in rows}
    lost = [(reason, number) for reason, number in kills.acknowledged.items() if kept.get(number) != reason]
    yield from (f"'{reason}' was acknowledged as number {number}, and is not there" for reason, number in lost)
    if len(set(kept.values())) < len(kept) or not kills.asked.issuperset(kept.values()):
        yield "the log holds what nobody asked for, or the same decision twice"
    kills.kept, kills.lost = len(kept), len(lost)


def check(log: str) -> str:
    """Ask the program for auditors; return what it prints, where it finds faults."""
    command = [sys.executable, "-m", "decision_log", "--log", log, "check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS_TO_CHECK, check=False)
    return f"{done.stdout}{done.stderr}" if done.returncode else ""
