"""Test the client of the load benchmark against the library."""

import asyncio
import io
import json

import pandas as pd
import pytest

from benchmarks import load
from benchmarks.client import MAX_TEXTS, Client
from multiloss_core import RatedDocuments, operating_point, smooth_path
from tests.app_server import app_server
from ui.operating_point.explorer.component import BROWSER

PERCENT = 40.0
SCORES = ["face_C", "face_G", "finger_left", "finger_right"]


@pytest.mark.slow
@pytest.mark.skipif(not load.EXPORT.is_file(), reason="The folder shared/data/rated is not beside the checkout.")
def test_client_receives_point_of_its_own_file(tmp_path):
    findings, content = load.Findings(), load.export(1)

    async def run(address):
        async with Client(address) as tab:
            await load.upload_file(tab, content, "own.csv", findings)
            await load.open_point(tab, findings)
            await load.move(tab, PERCENT, findings)
            await load.open_section(tab, 0, findings)
            return tab.explorer

    with app_server(tmp_path) as address:
        explorer = asyncio.run(run(address))

    rated = pd.read_csv(io.BytesIO(content))
    documents = RatedDocuments(rated[SCORES].to_numpy(), rated["genuine"].to_numpy())
    point = operating_point(smooth_path(documents), PERCENT / 100)
    table = json.loads(explorer["table"])
    row = table["rows"][table["percents"].index(PERCENT)]
    assert explorer["subject"].startswith("own")
    # Unchanged texts are held since the opening; the browser has the same limit.
    assert f"export const MAX_TEXTS = {MAX_TEXTS}\n" in (BROWSER / "protocol.js").read_text()
    assert 0 < len(explorer["texts"]) < len(explorer["charts"]["space"]["traces"])
    assert explorer["percent"] == PERCENT
    assert explorer["thresholds"] == pytest.approx(point.thresholds)
    assert (row["tp"][-1], row["fp"][-1]) == pytest.approx((point.tp, point.fp))
    assert {name: len(waits) for name, waits in findings.seconds.items()} == dict.fromkeys(
        ("upload", "first opening", "script", "all paths", "slider", "section"), 1
    )
