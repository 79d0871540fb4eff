"""Renew the pictures of README from the running application: `python -m docs.pictures`."""

import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.app_server import CHROMIUM_ARGUMENTS, app_server, chromium_executable

FOLDER = Path(__file__).parent
SIZE = {"width": 1280, "height": 800}
STILLS = {
    "decision-sheet": "decision_sheet?afford_percent=25",
    "rated-data": "rated_data",
    "optimal-cut": "optimal_cut",
}
# Of the animation: presses of the slider's keys, width in pixels, milliseconds a frame, colours.
PRESSES, WIDTH, FRAME_MILLISECONDS, COLOURS = ["ArrowRight"] * 24 + ["ArrowLeft"] * 24, 960, 120, 200


def main() -> None:
    """Start the application, photograph its pages and record the slider."""
    with (
        tempfile.TemporaryDirectory() as folder,
        app_server(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium_executable(), args=CHROMIUM_ARGUMENTS)
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        for name, place in STILLS.items():
            page.goto(f"{address}/{place}")
            _wait_until_complete(page)
            page.screenshot(path=FOLDER / f"{name}.png")
        page.goto(f"{address}/operating_point")
        _wait_until_complete(page)
        _record(page)
        browser.close()


def _wait_until_complete(page: Page) -> None:
    page.locator(".stApp[data-test-script-state=notRunning]").wait_for()
    page.locator(".js-plotly-plot .plotly, [data-testid=stMetric], .st-key-answer h2, .st-key-decide").first.wait_for()
    page.wait_for_timeout(4000)


def _record(page: Page) -> None:
    """Record the operating point while the slider moves, two steps a frame."""
    slider = page.locator(".explorer input[type=range]")
    slider.focus()
    frames = []
    for i, key in enumerate(PRESSES):
        slider.press(key)
        if i % 2:
            page.wait_for_timeout(150)
            frames.append(_frame(page.screenshot()))
    frames[0].save(
        FOLDER / "multiloss.gif",
        save_all=True,
        append_images=frames[1:],
        duration=FRAME_MILLISECONDS,
        loop=0,
        optimize=True,
    )


def _frame(screenshot: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(screenshot)).convert("RGB")
    small = picture.resize((WIDTH, round(WIDTH * picture.height / picture.width)), Image.Resampling.LANCZOS)
    return small.quantize(COLOURS, dither=Image.Dither.NONE)


if __name__ == "__main__":
    main()
