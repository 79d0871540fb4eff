"""Test hostile addresses and names: pages work, console and log stay clean."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote_plus, urlsplit

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from benchmarks.client import Client
from tests.app_server import app_server
from tests.browser.steps import PAGES, follow, losses, open_page, open_part, settle, upload
from tests.browser.test_pages import HARMLESS
from ui.shared.choices import EVERY_PAGE, PARAMETERS

VISITS_AT_ONCE = 3
STRIDE = 5
# What a figure cuts names to.
MAX_NAME = 21
# A name of Streamlit, and one of nothing.
FOREIGN = ("embed", "none")
HOSTILE = (
    "![i](http://e.example/t.png)",
    "[link](http://e.example/a)",
    "http://e.example/b",
    "<img src='http://e.example/c' onerror='alert(1)'>",
    "<b>bold</b> &lt;i&gt; %{x}",
    ":red[x] :material/bug_report: `code` **bold**",
    "$\\frac{1}{2}$ and $$x$$",
    "=HYPERLINK(1)",
    "\u202eturned\u2066",
)
# As they stand in an address: percent-encoded, or wrongly so.
VALUES = (
    *map(
        quote_plus,
        (
            "<script>alert(1)</script>",
            "<img src=//e.example/x onerror=alert(1)>",
            "javascript:alert(1)",
            "![i](http://e.example/t.png) [l](http://e.example) <b>b</b>",
            "$\\frac{1}{0}$ :material/delete: :red[x] :smile:",
            '=HYPERLINK("http://e.example")',
            "../../../../etc/passwd",
            "'; DROP TABLE decision_log_entries; --",
            "{{7*7}} ${7*7} %{x} #{7*7} {0.__class__}",
            "\u202eright\u2066 to left\u200b",
            "𝟘٣²Ⅷ",
            "nan",
            "-inf",
            "1e999",
            "-0",
            "-1",
            "0.1,0.2,never,,",
            "999999999999999999999999999999",
            "true",
            "[1, 2]",
            '{"a": null}',
            "x" * 300,
            "a\r\nSet-Cookie: a=b",
            "",
        ),
    ),
    "%00%01%1f",
    "%ED%A0%80%ED%B0%80",
    "%ff%fe%zz%",
    "a&{name}=b",
)


def addresses(first):
    """List every page with hostile values, and one page with hostile names of data."""
    asked = dict(PARAMETERS)
    everywhere = (*asked.pop(EVERY_PAGE), *FOREIGN)
    for page, own in (*asked.items(), ("operating_point", everywhere)):
        # Names that go on end in "_".
        names = (f"{name}{1 + 2 * (first % 2)}" if name.endswith("_") else name for name in own)
        yield page, query({name: VALUES[(first + STRIDE * i) % len(VALUES)] for i, name in enumerate(names)})


def query(values):
    return "&".join(f"{name}={value.replace('{name}', name)}" for name, value in values.items())


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def strangers_server(log):
    """Start a server of these tests only, whose log is checked."""
    with app_server(log) as address:
        yield address


def expect_quiet(log):
    """Check that the server logged its address and nothing else, except late polls for paths."""
    start = r"\s*You can now view your Streamlit app in your browser\.\s*URL: \S+\s*"
    late = r"\S+ \S+ The fragment with id \w+ does not exist anymore.*\s*"
    assert re.sub(f"{start}|{late}", "", (log / "output.txt").read_text()) == ""


def test_no_address_breaks_a_page(strangers_server, log):
    # A page of four choices or more meets every value, and each choice every fourth value.
    asked = [list(addresses(first)) for first in range(0, len(VALUES), 4)]
    assert sum(map(len, asked)) >= 50

    async def visit(limit, places):
        async with limit, Client(strangers_server) as tab:
            for page, words in places:
                finished = tab.runs_finished
                tab.headings.clear()
                await tab.go(page_name=page, query=words)
                await tab.until(
                    lambda before=finished: tab.runs_finished > before and not tab.is_running, f"{page}?{words}"
                )
                assert PAGES[page] in tab.headings, (page, words, tab.headings)

    async def visit_all():
        limit = asyncio.Semaphore(VISITS_AT_ONCE)
        async with asyncio.TaskGroup() as visits:
            for place, places in enumerate(asked):
                first = place % len(places)
                visits.create_task(visit(limit, [*places[first:], *places[:first]]))

    # In a thread: that of the tests has Playwright's loop.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, visit_all()).result()
    expect_quiet(log)


def watched(page):
    """Lists of what goes wrong on a page, and of whom it asks, filled as it goes."""
    complaints, hosts = [], set()
    page.on("pageerror", lambda error: complaints.append(f"page error: {error}"))
    page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
    page.on("websocket", lambda socket: hosts.add(urlsplit(socket.url).hostname))
    page.on(
        "console",
        lambda message: (
            complaints.append(message.text)
            if message.type == "error" and not HARMLESS.search(message.location["url"])
            else None
        ),
    )
    return complaints, hosts


def expect_text_alone(page):
    """No exception is shown, and nothing was made of words but words."""
    expect(page.get_by_test_id("stException")).to_have_count(0)
    made = "img[src*='e.example'], a[href*='e.example'], a[href^=javascript], img[onerror], [style*='e.example']"
    assert page.locator(made).count() == 0


def test_names_are_text_on_every_page(strangers_server, log, page):
    complaints, hosts = watched(page)
    generator = np.random.default_rng(3)
    is_fraud = generator.random(600) < 0.3
    score = [np.clip(generator.normal(0.4 + 0.3 * is_fraud, 0.2), 0, 1).round(3) for _ in range(3)]
    frame = pd.DataFrame(
        {
            **{
                f"{name} score": values
                for name, values in zip((HOSTILE[0], HOSTILE[3], HOSTILE[4]), score, strict=True)
            },
            HOSTILE[1]: generator.choice(HOSTILE, 600),
            HOSTILE[2]: generator.choice([f"{HOSTILE[5]} {i}" for i in range(9)], 600),
            "disposition": np.where(is_fraud, "fraud", "genuine"),
        }
    )

    def look(where):
        settle(page)
        expect_text_alone(page)
        # None of these pages has a formula of its own.
        assert page.locator(".katex").count() == 0, where
        assert complaints == [], where
        assert hosts - {None} == {"127.0.0.1"}

    open_page(page, f"{strangers_server}/rated_data?data=Login+alerts", PAGES["rated_data"])
    upload(page, f"![x](http:⁄⁄e.example⁄n.png) {HOSTILE[5].replace('/', '⁄')}.csv", frame.to_csv(index=False).encode())
    look("Rated data")
    open_part(page, "Other rating floors")
    expect(losses(page)).to_contain_text("600 rows: ")
    look("answered")
    page.get_by_test_id("stExpander").filter(has_text="not used").locator("summary").click()
    look("columns")
    confirm = page.get_by_role("button", name="These columns are right")
    if confirm.count():
        confirm.click()
        look("confirmed columns")
    follow(page, "Decision sheet", "Decision sheet")
    look("Decision sheet")
    follow(page, "Operating point", "Operating point")
    look("Operating point")
    # In charts as well, letter by letter.
    assert HOSTILE[0] in page.locator(".js-plotly-plot .xtitle").first.text_content()
    open_part(page, "Save this decision")
    page.get_by_label("Decided by").fill(f"{HOSTILE[3]} {HOSTILE[0]}"[:90])
    page.get_by_label("Why", exact=True).fill("\n".join(HOSTILE))
    # A click on a page that is being drawn again may be lost.
    settle(page)
    page.get_by_role("button", name="Save to the log").click()
    expect(page.get_by_text("Saved as number 1")).to_be_visible()
    look("a saved decision")
    follow(page, "Decisions", "Decisions")
    expect(page.get_by_role("heading", name="Decision 1", exact=True)).to_be_visible()
    look("Decisions")
    open_part(page, "Report, files and code")
    look("a report")
    expect_quiet(log)
