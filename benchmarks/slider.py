"""Measure the latency of the slider in headless Chromium: key presses and dragging.

Prints the time from a right-arrow key to the changed number and 2D chart, the time between two frames while dragging,
and whether the 3D chart stayed mounted. Run: python -m benchmarks.slider
"""

import statistics
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.reporting import print_header, print_row
from tests.app_server import CHROMIUM_ARGUMENTS, app_server, chromium_executable

PRESSES = 24
WARM_UP = 4
DRAGGED = 120
READY = "[data-testid=stApp][data-test-script-state=notRunning]"
# Looks when the page changes, not at every frame: asking for frames would keep the software renderer busy.
WATCH = """
() => new Promise(resolve => {
    const number = () => document.querySelector('.explorer .controls').innerText;
    const tangent = () => document.querySelector('.explorer [data-chart=plane] .marks').innerHTML;
    const before = [number(), tangent()];
    const found = {};
    document.activeElement.addEventListener('keydown', () => {
        const start = performance.now();
        const look = () => {
            const now = performance.now() - start;
            if (found.number === undefined && number() !== before[0]) found.number = now;
            if (found.chart === undefined && tangent() !== before[1]) found.chart = now;
            if (found.number !== undefined && found.chart !== undefined) stop();
        };
        const observer = new MutationObserver(look);
        const stop = () => { observer.disconnect(); requestAnimationFrame(() => resolve(found)); };
        const all = {subtree: true, childList: true, characterData: true, attributes: true};
        observer.observe(document.querySelector('.explorer'), all);
        setTimeout(stop, 2000);
    }, {once: true, capture: true});
})
"""
# Times of the changes of each part of the explorer, recorded by the page.
RECORD = """
() => {
    window.changes = [];
    const parts = {price: document.querySelector('.explorer .price')};
    for (const chart of document.querySelectorAll('.explorer .chart')) {
        const marks = chart.querySelector('.marks');
        if (marks?.querySelector('path, line')) parts[chart.dataset.chart] = marks;
    }
    for (const [name, part] of Object.entries(parts)) {
        new MutationObserver(() => window.changes.push([name, performance.now()]))
            .observe(part, {subtree: true, childList: true, characterData: true, attributes: true});
    }
}
"""
PARTS = {"price": "numbers", "space": "threshold space", "plane": "TP-FP plane", "tp": "TP surface", "fp": "FP surface"}


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        app_server(Path(folder)) as address,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium_executable(), args=CHROMIUM_ARGUMENTS) as browser,
    ):
        page = browser.new_page(viewport={"width": 1600, "height": 1300})
        page.goto(f"{address}/operating_point")
        _report(page)


def _report(page: Page) -> None:
    page.wait_for_selector(READY, timeout=60_000)
    page.wait_for_selector("[data-chart=fp] .gl-container canvas", timeout=60_000)
    page.wait_for_timeout(2000)
    page.evaluate("document.querySelector('[data-chart=tp] .js-plotly-plot').untouched = true")
    page.get_by_role("slider").focus()
    times: dict[str, list[float]] = {"number": [], "chart": []}
    for press in range(PRESSES):
        watching = page.evaluate_handle(f"() => {{ window.result = ({WATCH})(); return 1; }}")
        page.keyboard.press("ArrowRight")
        found = page.evaluate("() => window.result")
        watching.dispose()
        page.wait_for_selector(READY)
        page.wait_for_timeout(250)
        if press >= WARM_UP:
            for name, seen in times.items():
                if name in found:
                    seen.append(found[name])
    frames = _drag(page)
    kept = page.evaluate("document.querySelector('[data-chart=tp] .js-plotly-plot').untouched === true")
    print(f"Slider key press to screen, Chromium {page.context.browser.version}, {time.strftime('%Y-%m-%d')}\n")
    print_header("what changed", "presses", "median, ms", "fastest", "slowest", "target")
    for name, target in (("number", 60), ("chart", 120)):
        seen = times[name]
        figures = (f"{figure:.0f}" for figure in (statistics.median(seen), min(seen), max(seen)))
        print_row(name, len(seen), *figures, f"< {target}")
    print()
    print_header("while dragging", "frames", "median interval, ms", "nine of ten below", "target")
    for name, title in PARTS.items():
        seen = frames[name]
        tenth = statistics.quantiles(seen, n=10)[-1]
        print_row(title, len(seen), f"{statistics.median(seen):.0f}", f"{tenth:.0f}", "< 50")
    print(f"\n3D chart neither resent nor remounted: {'yes' if kept else 'no'}")


def _drag(page: Page) -> dict[str, list[float]]:
    """Find the milliseconds between two changes of each part while dragging."""
    page.evaluate(RECORD)
    box = page.get_by_role("slider").bounding_box()
    assert box is not None
    left, middle = box["x"] + 0.15 * box["width"], box["y"] + box["height"] / 2
    page.mouse.move(left, middle)
    page.mouse.down()
    for step in range(DRAGGED):
        page.mouse.move(left + 0.7 * box["width"] * step / DRAGGED, middle)
    page.mouse.up()
    page.wait_for_selector(READY)
    times: dict[str, list[float]] = {name: [] for name in PARTS}
    for name, moment in page.evaluate("window.changes"):
        times[name].append(moment)
    return {name: [later - earlier for earlier, later in pairwise(moments)][:-1] for name, moments in times.items()}


if __name__ == "__main__":
    main()
