"""Compare the numbers in a session of the load benchmark with the library's."""

import asyncio
import io
import json

import pandas as pd
import pytest

from benchmarks.load import visitor
from benchmarks.load.wire import MAX_TEXTS, Visit
from multiloss_core import RatedDocuments, operating_point, smooth_path
from tests.app_server import app_server
from ui.operating_point.explorer.component import BROWSER

PERCENT = 40.0
SCORES = ["face_C", "face_G", "finger_left", "finger_right"]


@pytest.mark.slow
@pytest.mark.skipif(not visitor.EXPORT.is_file(), reason="The folder shared/data/rated is not beside the checkout.")
def test_session_shows_the_point_of_its_own_file(tmp_path):
    findings, content = visitor.Findings(), visitor.export(1)

    async def visit(address):
        async with Visit(address) as tab:
            await visitor.bring(tab, content, "hers.csv", findings)
            await visitor.open_point(tab, findings)
            await visitor.move(tab, PERCENT, findings)
            await visitor.open_section(tab, 0, findings)
            return tab.explorer

    with app_server(tmp_path) as address:
        explorer = asyncio.run(visit(address))

    rated = pd.read_csv(io.BytesIO(content))
    documents = RatedDocuments(rated[SCORES].to_numpy(), rated["genuine"].to_numpy())
    point = operating_point(smooth_path(documents), PERCENT / 100)
    table = json.loads(explorer["table"])
    row = table["rows"][table["percents"].index(PERCENT)]
    assert explorer["subject"].startswith("hers")
    # What stays while the slider moves was held since the opening; a browser holds as much.
    assert f"export const MAX_TEXTS = {MAX_TEXTS}\n" in (BROWSER / "protocol.js").read_text()
    assert 0 < len(explorer["texts"]) < len(explorer["charts"]["space"]["traces"])
    assert explorer["percent"] == PERCENT
    assert explorer["thresholds"] == pytest.approx(point.thresholds)
    assert (row["tp"][-1], row["fp"][-1]) == pytest.approx((point.tp, point.fp))
    assert {name: len(waits) for name, waits in findings.seconds.items()} == dict.fromkeys(
        ("upload", "first opening", "script", "all paths", "slider", "section"), 1
    )
