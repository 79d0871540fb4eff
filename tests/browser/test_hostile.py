"""Hostile addresses, and names that want to be more than text: pages, console and the server's log stay clean."""

from urllib.parse import quote, urlsplit

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.app_server import app_server
from tests.browser.steps import PAGES, follow, metric, open_page, open_part, settle, upload

VALUES = (
    "<script>alert(1)</script>",
    "javascript:alert(1)",
    "../../../../etc/passwd",
    "'; DROP TABLE decision_log_entries; --",
    "{{7*7}}${7*7}%s%n{0.__class__}",
    "\u202eevil\u2066\u200b",
    "a\x00b",
    "nan",
    "-inf",
    "1e999",
    "-0",
    "9" * 400,
    "0x1F,١٢,½",
    ",".join(["0.5"] * 300),
    "true",
    "[1, 2]",
    '{"a": null}',
    "![i](http://evil.example/x)",
    ":red[x] :material/bug_report: $x^2$",
    "=1+1",
    "",
    " ",
    "\r\nSet-Cookie: a=b",
    "x" * 3000,
    "🕵" * 200,
    "None",
    "a&b=c#d",
    "%ff%fe",
    "0123456789ab",
)
# What stands in addresses of each page.
PARAMETERS = {
    "rated_data": ("data", "data_file", "to", "embed", "embed_options"),
    "decision_sheet": ("data", "afford", "afford_percent", "afford_review", "setting", "now", "wish_recovered"),
    "operating_point": (
        *("m", "method", "rule", "nodes", "count", "driver", "hand", "now", "pin", "against", "guaranteed", "present"),
        *("plain", "band", "block_by", "block_m", "block_cost", "reviews", "wish_days", "wish_held", "wish_review"),
        *("across", "up", "resolution_2", "new_data", "wish_name", "wish_currency", "data_file"),
    ),
    "decisions": ("decision", "compared_with", "decisions_for"),
    "optimal_cut": ("scored_data", "scored_data_file", "cut_loss", "cut_least", "cut_axes", "cut_all", "cut_part"),
    "top_k": (
        *("topk_loss", "topk_drawn", "topk_strength", "topk_typed", "topk_graph_steps", "topk_step", "topk_shown"),
        *("topk_guess", "topk_k", "topk_by_hand", "topk_broken", "topk_ties", "topk_early", "topk_draws", "plain"),
    ),
    "papers": ("small_loss", "paper_loss", "paper_method", "paper_set", "run_set", "strength_set", "robles_mode"),
}
ROUNDS = 4
NAMES = (
    "![i](http://evil.example/t.png)",
    "[link](http://evil.example/a)",
    "http://evil.example/b",
    "<img src='http://evil.example/c' onerror='alert(1)'>",
    "<b>bold</b> &lt;i&gt; %{x}",
    ":red[x] :material/bug_report: `code` **bold**",
    "$\\frac{1}{2}$ and $$x$$",
    "=HYPERLINK(1)",
    "\u202eturned\u2066",
)
MADE_OF_NAMES = "[src*='evil.example'], a[href*='evil.example'], [style*='evil.example'], .katex"


@pytest.fixture
def place(tmp_path):
    """A server of its own: its address, and what it wrote since it began to serve."""
    with app_server(tmp_path) as address:
        log = tmp_path / "output.txt"
        begun = log.stat().st_size
        yield address, lambda: log.read_bytes()[begun:].decode(errors="replace").strip()


@pytest.fixture
def watched(new_page):
    """A page, with what its console complained about and what it asked other servers for."""
    page, complaints = new_page(), []
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))

    def hear(line):
        # Streamlit looks for its server below the address of the page first.
        is_search = "/_stcore/" in line.location["url"] and "404" in line.text
        if line.type in ("error", "warning") and not is_search:
            complaints.append(f"{line.type}: {line.text} {line.location['url']}")

    page.on("console", hear)
    page.on(
        "request",
        lambda request: complaints.append(request.url) if urlsplit(request.url).hostname == "evil.example" else None,
    )
    page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
    return page, complaints


def addresses(rounds):
    """Every parameter of every page, with another value in each round."""
    turn = 0
    for page, names in PARAMETERS.items():
        for _ in range(rounds):
            said = []
            for name in names:
                said.append(f"{name}={quote(VALUES[turn % len(VALUES)], safe='')}")
                turn += 1
            # Twice the same parameter, one without a value, and broken escapes.
            yield page, "&".join([*said, said[0], names[-1], "%", "%zz=%e0%80"])


def test_no_address_breaks_a_page(place, watched):
    server, log = place
    page, complaints = watched
    tried = 0
    for name, query in addresses(ROUNDS):
        page.goto(f"{server}/{name}?{query}")
        expect(page.get_by_role("heading", name=PAGES[name], exact=True)).to_be_visible()
        settle(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        assert not complaints, query
        tried += query.count("=")
    assert tried > 200
    assert log() == ""


def test_names_are_text_on_every_page(place, watched):
    server, log = place
    page, complaints = watched
    generator = np.random.default_rng(3)
    is_fraud = generator.random(600) < 0.3
    score = [np.clip(generator.normal(0.4 + 0.3 * is_fraud, 0.2), 0, 1).round(3) for _ in range(3)]
    frame = pd.DataFrame(
        {
            **{f"{name} score": values for name, values in zip((NAMES[0], NAMES[3], NAMES[4]), score, strict=True)},
            NAMES[1]: generator.choice(NAMES, 600),
            NAMES[2]: generator.choice([f"{NAMES[5]} {i}" for i in range(9)], 600),
            "disposition": np.where(is_fraud, "fraud", "genuine"),
        }
    )

    def look(where):
        settle(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        made = page.locator(MADE_OF_NAMES).evaluate_all("found => found.map(one => one.outerHTML)")
        assert not made, where
        assert not complaints, where

    open_page(page, f"{server}/rated_data?data=Login+alerts", PAGES["rated_data"])
    upload(
        page, f"![x](http:⁄⁄evil.example⁄n.png) {NAMES[5].replace('/', '⁄')}.csv", frame.to_csv(index=False).encode()
    )
    expect(metric(page, "Rows read")).to_have_text("600")
    look("Rated data")
    page.get_by_text("Change what the columns mean").first.click()
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
    assert NAMES[0] in page.locator(".js-plotly-plot .xtitle").first.text_content()
    open_part(page, "Save this decision")
    page.get_by_label("Decided by").fill(f"{NAMES[3]} {NAMES[0]}"[:90])
    page.get_by_label("Why", exact=True).fill("\n".join(NAMES))
    page.get_by_role("button", name="Save to the log").click()
    expect(page.get_by_text("Saved in the decision log as number 1")).to_be_visible()
    look("a saved decision")
    follow(page, "Decisions", "Decisions")
    expect(page.get_by_role("heading", name="Decision 1", exact=True)).to_be_visible()
    look("Decisions")
    assert log() == ""
