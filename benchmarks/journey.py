"""Measure delays, layout shifts and clicks from an export to a decision, in Chromium.

Starts the application; opens each page by its address and by a click, and prints how much the layout shifts and how
many seconds pass until each thing is seen; then follows `ROUTE` with a simulated export, and prints
clicks, words on the screen and seconds of each step. Run: python -m benchmarks.journey [rows of the export]
"""

import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, FilePayload, Page, ViewportSize, sync_playwright

from benchmarks.reporting import print_setup, print_table
from tests.app_server import CHROMIUM_ARGUMENTS, app_server, chromium_executable

ROWS = 10_000
# Milliseconds that the browser is given to draw what came last.
DRAWING = 2_500
VIEWPORT: ViewportSize = {"width": 1280, "height": 800}
READY = "[data-testid=stApp][data-test-script-state=notRunning]"
FIGURE = ".explorer dd:not(.between), .st-key-answer h2"
# By address: the heading, and where the first figure stands; an empty log has none.
PAGES = {
    "": ("Choose one threshold per classifier when only high-scoring alerts were rated", ".st-key-landing_answer p"),
    "rated_data": ("Rated data", ".st-key-column_summary p"),
    "decision_sheet": ("Decision sheet", FIGURE),
    "operating_point": ("Operating point", FIGURE),
    "decisions": ("Decisions", None),
    "optimal_cut": ("Optimal cut", "[data-testid=stMain] h3"),
    "top_k": ("Top-k: sort, then cut", ".st-key-topk_answer p"),
    "papers": ("Papers", None),
}
# Milliseconds at which each element first appeared; shifts as web-vitals adds them up: the worst
# window of at most 5 s whose shifts are less than 1 s apart, without those that follow on what the user did.
WATCH = """
window.watch = (title, figure) => {
    const seen = window.seen = {}, since = window.since ?? 0
    const look = () => {
        const at = performance.now() - since
        if (document.querySelector('[data-testid=stApp]')) seen.framework ??= at
        const heading = [...document.querySelectorAll('h1')].find(one => one.innerText.trim() === title)
        if (!heading) return
        seen.heading ??= at
        if (figure && [...document.querySelectorAll(figure)].some(one => /\\d/.test(one.innerText))) seen.figure ??= at
        if (document.querySelector('.js-plotly-plot .main-svg, .js-plotly-plot canvas')) seen.chart ??= at
    }
    new MutationObserver(look).observe(document, {subtree: true, childList: true, characterData: true})
    look()
}
window.shifts = []
new PerformanceObserver(list => {
    for (const {value, startTime, hadRecentInput} of list.getEntries()) {
        if (!hadRecentInput) window.shifts.push([startTime, value])
    }
}).observe({type: 'layout-shift', buffered: true})
window.worst = () => {
    let most = 0, sum = 0, first = -Infinity, last = -Infinity
    for (const [at, value] of window.shifts) {
        if (at - last > 1000 || at - first > 5000) { sum = 0; first = at }
        last = at
        sum += value
        most = Math.max(most, sum)
    }
    return most
}
"""
# Words that are new in view and on the whole page: what was read before, with these or other numbers, is not read
# again; names of icons, numbers, code and the input of the user are not counted.
TO_READ = """() => {
    const read = window.read ??= [new Set(), new Set()], counts = [0, 0]
    const skipped = '[data-testid=stCode], textarea, style, script'
    const texts = document.createTreeWalker(document.querySelector('[data-testid=stMain]'), NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
        const parent = texts.currentNode.parentElement
        const line = texts.currentNode.textContent.trim().replace(/[\\d.,]+/g, '#')
        const words = line.split(/\\s+/).filter(word => /\\p{L}/u.test(word)).length
        if (!words || parent.closest(skipped) || !parent.checkVisibility({visibilityProperty: true})) continue
        if (getComputedStyle(parent).fontFamily.includes('Material')) continue
        const {top, bottom, width} = parent.getBoundingClientRect()
        const isInView = width > 1 && bottom > 0 && top < innerHeight
        for (const [i, counted] of [isInView, width > 1].entries()) {
            if (counted && !read[i].has(line)) { read[i].add(line); counts[i] += words }
        }
    }
    return counts
}"""


class Step(NamedTuple):
    """An action of the user, the selector of its result, and its clicks and typed words."""

    words: str
    act: Callable[[Page], object]
    until: str
    clicks: int
    typed: int = 0


def _sign(page: Page) -> None:
    page.get_by_label("Decided by").fill("A. Nalyst")
    page.get_by_label("Why", exact=True).fill("Two reviewers from Monday on")


def _link(name: str) -> Callable[[Page], object]:
    return lambda page: page.get_by_role("link", name=name, exact=True).first.click()


ROUTE = (
    Step("drop the export on *Rated data*", lambda page: None, ".st-key-decide a", 1),
    Step("*Decide*", _link("Decide"), ".st-key-answer h2", 1),
    Step(
        "open *Save this decision*",
        lambda page: page.get_by_text("Save this decision", exact=True).click(),
        "[data-testid=stTextArea]",
        1,
    ),
    Step("enter name and reason", _sign, "[data-testid=stTextArea]", 2, 7),
    Step(
        "*Save to the log*",
        lambda page: page.get_by_role("button", name="Save to the log").click(),
        "text=Saved as number",
        1,
    ),
)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with (
        tempfile.TemporaryDirectory() as folder,
        app_server(Path(folder)) as address,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium_executable(), args=CHROMIUM_ARGUMENTS) as browser,
    ):
        print_setup("A journey", ("streamlit", "plotly"), f", Chromium {browser.version}")
        # The first session waits for imports and the counts of the samples.
        for name in PAGES:
            _opened(browser, f"{address}/{name}", name)
        header = (
            "page",
            "layout shift",
            "framework, s",
            "heading, s",
            "first figure, s",
            "first chart, s",
            "at rest, s",
        )
        print_table("By address", header, (_opened(browser, f"{address}/{name}", name) for name in PAGES))
        print_table("By a click in the menu", header, _clicked(browser, address))
        steps = ("step", "clicks", "words typed", "words to read in view", "on the whole page", "seconds")
        print_table(f"From an export of {rows:,} rows to a decision", steps, _journey(browser, address, rows))


def _page(browser: Browser) -> Page:
    page = browser.new_context(viewport=VIEWPORT).new_page()
    page.set_default_timeout(120_000)
    page.add_init_script(WATCH)
    return page


def _opened(browser: Browser, address: str, name: str) -> list[str]:
    page = _page(browser)
    title, figure = PAGES[name]
    page.add_init_script(f"window.watch({title!r}, {figure!r})".replace("None", "null"))
    start = time.perf_counter()
    page.goto(address)
    found = _figures(page, name, start)
    page.context.close()
    return found


def _clicked(browser: Browser, address: str) -> list[list[str]]:
    page = _page(browser)
    page.goto(f"{address}/top_k")
    page.wait_for_selector(READY)
    # As before every other click: its charts are drawn.
    page.wait_for_timeout(DRAWING)
    found = []
    for name, (title, figure) in list(PAGES.items())[1:]:
        page.evaluate("window.shifts = []; window.since = performance.now()")
        page.evaluate("([title, figure]) => window.watch(title, figure)", [title, figure])
        start = time.perf_counter()
        page.get_by_role("link", name=title.split(":")[0], exact=True).first.click()
        found.append(_figures(page, name, start))
    page.context.close()
    return found


def _figures(page: Page, name: str, start: float) -> list[str]:
    """Wait until a page is at rest; return its shift and the seconds of each element."""
    title, figure = PAGES[name]
    page.get_by_role("heading", name=title, exact=True).wait_for()
    if figure is not None:
        page.wait_for_function("window.seen.figure !== undefined")
    page.wait_for_selector(READY)
    at_rest = time.perf_counter() - start
    # What is drawn after the script may shift the page as well.
    page.wait_for_timeout(DRAWING)
    seen = page.evaluate("window.seen")
    shown = [seen.get(part) for part in ("framework", "heading", "figure", "chart")]
    cells = ["-" if moment is None else f"{moment / 1000:.2f}" for moment in shown]
    return [title, f"{page.evaluate('window.worst()'):.3f}", *cells, f"{at_rest:.2f}"]


def _journey(browser: Browser, address: str, rows: int) -> list[list[object]]:
    page = _page(browser)
    page.goto(f"{address}/rated_data")
    page.wait_for_selector(READY)
    # The sample's charts are drawn while the user selects the file.
    page.wait_for_timeout(2 * DRAWING)
    export: FilePayload = {"name": "alerts.csv", "mimeType": "text/csv", "buffer": raw_export(rows)}
    found: list[list[object]] = [["open the program", 0, 0, *page.evaluate(TO_READ), "-"]]
    for i, step in enumerate(ROUTE):
        start = time.perf_counter()
        if i == 0:
            page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(export)
            # How many of its rows are used: the first numbers of the file.
            page.get_by_text(re.compile(rf"^{rows:,} rows: ")).first.wait_for()
        else:
            step.act(page)
        page.locator(step.until).first.wait_for()
        seconds = time.perf_counter() - start
        page.wait_for_selector(READY)
        # The browser draws what came last.
        page.wait_for_timeout(DRAWING)
        in_view, on_page = page.evaluate(TO_READ)
        found.append([step.words, step.clicks, step.typed, in_view, on_page, f"{seconds:.2f}"])
    sums = [sum(int(str(line[column])) for line in found) for column in range(1, 5)]
    page.context.close()
    return [*found, ["**all**", *sums, f"{sum(float(str(line[-1])) for line in found[1:]):.2f}"]]


def raw_export(rows: int) -> bytes:
    """Simulate an export of half a year with four dispositions, many recent ones pending."""
    generator = np.random.default_rng(7)
    documents = 20 * rows
    fraud = generator.random(documents) < 0.012
    model = np.clip(generator.normal(np.where(fraud, 650, 300), 160), 0, 999).astype(int)
    rule = np.clip(generator.normal(np.where(fraud, 45, 15), 13), 0, 100).round(1)
    kept = np.flatnonzero((model >= 600) | (rule >= 42))[:rows]
    if len(kept) < rows:
        raise ValueError(f"Only {len(kept):,} of {rows:,} rows could be made.")
    day = np.sort(generator.integers(0, 182, rows))
    disposition = np.where(fraud[kept], "Confirmed fraud", "Genuine").astype(object)
    disposition[generator.random(rows) < 0.02] = "Suspected fraud"
    disposition[(day >= 168) & (generator.random(rows) < 0.45)] = "Pending"
    times = pd.Timestamp("2026-04-01") + pd.to_timedelta(day * 86_400 + generator.integers(0, 86_400, rows), unit="s")
    frame = pd.DataFrame(
        {
            "case_id": [f"{number:08d}" for number in range(41, 41 + rows)],
            "created_at": times.floor("min"),
            "country": generator.choice(["DE", "FR", "NA", "ES"], rows),
            "channel": generator.choice(["app", "web", "branch"], rows),
            "merchant_category": generator.integers(4000, 5999, rows),
            "amount": generator.lognormal(4, 1, rows).round(2),
            "currency": "EUR",
            "model_a_score": model[kept],
            "rule_score": rule[kept],
            "disposition": disposition,
            "reviewer": generator.choice(["KM", "JS", "TL"], rows),
            "review_minutes": generator.integers(1, 40, rows),
        }
    )
    return frame.to_csv(index=False).encode()


if __name__ == "__main__":
    main()
