"""Test the browser modules of every component in Node."""

import re
import subprocess
from pathlib import Path

import pytest

from tests import message_types
from ui.operating_point.explorer.component import BROWSER as EXPLORER
from ui.shared.browser_files import joined_modules
from ui.top_k.bars import BROWSER as BARS

TESTS = Path(__file__).parent / "browser_modules"
# What the entry of each component is given.
GIVEN = {
    BARS: "data, parentElement, setStateValue",
    EXPLORER: "data, parentElement, setStateValue, setTriggerValue",
}
PRIVATE = re.compile(r"\._[a-z]\w*|\b(?:d2p|glplot|cameraParams|onrender|dataScale)\b")
components = pytest.mark.parametrize("browser", GIVEN, ids=lambda browser: browser.parent.name)


@pytest.mark.slow
def test_own_tests_of_modules_pass(node):
    ran = subprocess.run([node, "--test", *sorted(TESTS.rglob("*.mjs"))], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert int(re.search(r"pass (\d+)", ran.stdout)[1]) >= 57


@components
def test_module_stands_after_those_it_imports(browser):
    script = joined_modules(browser)
    texts = {file.stem: file.read_text(encoding="utf-8") for file in browser.glob("*.js")}
    place = {name: script.index(text.splitlines()[1]) for name, text in texts.items()}
    imports = [
        (name, other) for name, text in texts.items() for other in re.findall(r'^import .*"\./(.+)\.js"', text, re.M)
    ]
    assert imports
    assert [pair for pair in imports if place[pair[0]] < place[pair[1]]] == []


def test_only_adapter_uses_private_fields_of_plotly():
    users = {file.name for file in EXPLORER.glob("*.js") if PRIVATE.search(file.read_text(encoding="utf-8"))}
    assert users == {"plotly_adapter.js"}


def test_both_sides_have_the_same_contract():
    messages = message_types.bars
    rules = (Path(messages.__file__).parent / "browser" / "rules.js").read_text(encoding="utf-8")
    assert f"export const CONTRACT = {messages.CONTRACT}\n" in rules
    assert "export interface " in message_types.text(messages)
