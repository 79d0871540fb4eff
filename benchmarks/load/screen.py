"""The slider as somebody sees it who moves it in Chromium, while others visit the same server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Page, async_playwright

from benchmarks.load.visitor import Findings
from tests.app_server import CHROMIUM_ARGUMENTS, chromium_executable

ON_SCREEN = "slider on the screen"
SECONDS_BETWEEN_PRESSES = 0.7
# So far an end of the scale is from where the slider begins.
PRESSES_ONE_WAY = 10
READY = "[data-testid=stApp][data-test-script-state=notRunning]"
# The page itself tells how long it took from the key to the changed number: nothing of the driver's time is in it.
WATCH = """
() => {
    window.waits = [];
    const numbers = () => document.querySelector('.explorer .controls').innerText;
    document.addEventListener('keydown', () => {
        const before = numbers(), start = performance.now();
        const observer = new MutationObserver(() => {
            if (numbers() !== before) {
                observer.disconnect();
                window.waits.push((performance.now() - start) / 1000);
            }
        });
        const all = {subtree: true, childList: true, characterData: true, attributes: true};
        observer.observe(document.querySelector('.explorer'), all);
    }, {capture: true});
}
"""


@asynccontextmanager
async def watched_slider(address: str) -> AsyncIterator[Page]:
    """Open *Operating point* with its sample in Chromium, the slider in focus."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_executable(), args=CHROMIUM_ARGUMENTS)
        try:
            page = await browser.new_page(viewport={"width": 1280, "height": 900})
            await page.goto(f"{address}/operating_point")
            await page.get_by_role("slider").wait_for()
            await page.wait_for_selector(READY)
            await page.evaluate(WATCH)
            yield page
        finally:
            await browser.close()


async def press_until(page: Page, over: asyncio.Event, findings: Findings) -> None:
    """Move the slider by keys, to and fro, until it is over; add what the page says of its waits."""
    await page.evaluate("window.waits = []")
    presses = 0
    while not over.is_set():
        await page.get_by_role("slider").press("ArrowRight" if presses // PRESSES_ONE_WAY % 2 == 0 else "ArrowLeft")
        presses += 1
        await asyncio.sleep(SECONDS_BETWEEN_PRESSES)
    waits = await page.evaluate("window.waits")
    if len(waits) < presses:
        findings.errors.append(f"the screen: {presses - len(waits)} of {presses} keys changed no number")
    findings.seconds[ON_SCREEN].extend(waits)
