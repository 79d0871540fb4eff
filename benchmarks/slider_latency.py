"""From a key press on the slider, and while it is dragged, to what the reader sees, in headless Chromium on this machine.

Starts the application; presses the right arrow key many times and prints the time to the changed number and to the
changed 2D chart; drags the slider and prints the time between two frames of the numbers and of each chart; tells whether
the 3D chart was left alone. Run: python -m benchmarks.slider_latency
"""

import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from itertools import pairwise

from playwright.sync_api import Page, sync_playwright

PRESSES = 24
WARM_UP = 4
DRAGGED = 120
CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
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
        observer.observe(document.querySelector('.explorer'), {subtree: true, childList: true, characterData: true, attributes: true});
        setTimeout(stop, 2000);
    }, {once: true, capture: true});
})
"""
# When each part of the explorer changed, told by the page itself.
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
    with sync_playwright() as playwright, tempfile.TemporaryFile() as log:
        port = _free_port()
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"),
                *(f"--server.port={port}", "--server.address=127.0.0.1", "--server.fileWatcherType=none"),
            ],
            stdout=log,
            stderr=log,
        )
        try:
            _wait(f"http://127.0.0.1:{port}/_stcore/script-health-check")
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
            page = browser.new_page(viewport={"width": 1280, "height": 1300})
            page.goto(f"http://127.0.0.1:{port}/operating_point")
            _report(page)
            browser.close()
        finally:
            server.terminate()
            server.wait()


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
    print("| what changed | presses | median, ms | fastest | slowest | target |")
    print("|---|---|---|---|---|---|")
    for name, target in (("number", 60), ("chart", 120)):
        seen = times[name]
        print(
            f"| {name} | {len(seen)} | {statistics.median(seen):.0f} | {min(seen):.0f} | {max(seen):.0f} | < {target} |"
        )
    print("\n| while dragging | frames | median interval, ms | nine of ten below | target |")
    print("|---|---|---|---|---|")
    for name, title in PARTS.items():
        seen = frames[name]
        tenth = statistics.quantiles(seen, n=10)[-1]
        print(f"| {title} | {len(seen)} | {statistics.median(seen):.0f} | {tenth:.0f} | < 50 |")
    print(f"\n3D chart neither resent nor remounted: {'yes' if kept else 'no'}")


def _drag(page: Page) -> dict[str, list[float]]:
    """Milliseconds between two changes of each part while the slider is dragged by the mouse."""
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


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait(address: str) -> None:
    for _ in range(120):
        try:
            with urllib.request.urlopen(address) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.25)
    raise RuntimeError(f"{address} does not answer")


if __name__ == "__main__":
    main()
