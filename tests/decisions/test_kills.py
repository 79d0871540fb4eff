"""Kill the server while users save decisions; acknowledged decisions stay in the log."""

import asyncio
import os
import re
import signal
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.client import Client, ClientError
from decision_log import ADDRESS, DecisionLog
from tests.app_server import app_server

USERS = 3
PAGE, SAVE = "operating_point", "Save to the log"
# Of the same fragment as the form.
SECTION = "Compare with the current thresholds"
SAVED = re.compile(r"Saved as number (\d+)\.")
# Seconds after the first acknowledged decision.
LATEST_KILL = 1.5


def test_no_acknowledged_decision_is_lost_in_sqlite(tmp_path):
    assert_nothing_is_lost(f"sqlite:///{tmp_path / 'decisions.db'}", tmp_path, 0)


@pytest.mark.database
def test_no_acknowledged_decision_is_lost_in_postgresql(postgres_database, tmp_path):
    assert_nothing_is_lost(postgres_database, tmp_path, 1)


def assert_nothing_is_lost(log, folder, seed):
    saved = {}
    with app_server(folder, environment={ADDRESS: log}) as address:
        delay = np.random.default_rng(seed).uniform(0, LATEST_KILL)
        asyncio.run(save_until_killed(address, server_process(), saved, delay))
    with DecisionLog(log) as opened:
        kept = {entry.record.reason: entry.id for entry in opened.entries(limit=10**6)}
        assert not opened.audit().faults
    acknowledged = {reason: number for reason, number in saved.items() if number is not None}
    assert acknowledged
    assert {reason: kept.get(reason) for reason in acknowledged} == acknowledged
    # Each user had at most one unanswered request.
    assert 0 <= len(kept) - len(acknowledged) <= USERS


def server_process():
    """Find the server among the children of this process."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"server.py" in (folder / "cmdline").read_bytes().split(b"\0"):
                return int(folder.name)
    raise LookupError("no server was started")


async def save_until_killed(address, process, saved, delay):
    begun = asyncio.Event()
    users = [asyncio.create_task(save_repeatedly(address, saved, begun)) for _ in range(USERS)]
    waiting = asyncio.create_task(begun.wait())
    await asyncio.wait([waiting, *users], return_when=asyncio.FIRST_COMPLETED)
    if not begun.is_set():
        waiting.cancel()
        await asyncio.gather(*users)
    await asyncio.sleep(delay)
    os.kill(process, signal.SIGKILL)
    for user in users:
        # The killed server closes the connection.
        with suppress(ClientError, OSError):
            await user


async def save_repeatedly(address, saved, begun):
    """Save decisions; `saved` maps each reason to its acknowledged number, or None."""
    async with Client(address) as tab:
        await tab.go(page_name=PAGE)
        await tab.until(lambda: SECTION in tab.expanders and tab.is_at_rest, "the operating point")
        _, fragment = tab.expanders[SECTION]
        while True:
            await tab.until(lambda: SAVE in tab.buttons and not tab.is_running, "the form")
            reason, before, finished = uuid4().hex, len(tab.alerts), tab.runs_finished
            saved[reason] = None
            tab.fill(WidgetState(id=tab.fields["Decided by"], string_value="A. Nalyst"))
            tab.fill(WidgetState(id=tab.fields["Why"], string_value=reason))
            await tab.set(WidgetState(id=tab.buttons[SAVE], trigger_value=True), fragment, is_trigger=True)
            await tab.until(lambda before=before: any(map(SAVED.search, tab.alerts[before:])), "the acknowledgement")
            saved[reason] = next(int(found[1]) for alert in tab.alerts[before:] if (found := SAVED.search(alert)))
            begun.set()
            await tab.until(lambda finished=finished: tab.runs_finished > finished, "the end of the run")
