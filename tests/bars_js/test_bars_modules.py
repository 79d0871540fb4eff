import re
import subprocess
from pathlib import Path

from tests import message_types
from ui.shared.browser_files import joined_modules
from ui.top_k.probability_bars import messages
from ui.top_k.probability_bars.component import BROWSER

ROOT = Path(__file__).resolve().parents[2]


def test_the_pure_parts_do_what_their_tests_say(node):
    file = Path(__file__).with_name("rules.test.mjs")
    ran = subprocess.run([node, "--test", file], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert int(re.search(r"pass (\d+)", ran.stdout)[1]) >= 6


def test_the_joined_modules_are_one_module_without_imports(node, tmp_path):
    script = joined_modules(BROWSER)
    assert re.findall(r"^(?:import|export)\b.*", script, re.MULTILINE) == [
        "export default function ({ data, parentElement, setStateValue }) {"
    ]
    file = tmp_path / "bars.mjs"
    file.write_text(script, encoding="utf-8")
    ran = subprocess.run([node, "--check", file], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_both_sides_know_the_same_contract():
    assert f"export const CONTRACT = {messages.CONTRACT}\n" in (BROWSER / "rules.js").read_text(encoding="utf-8")
    assert "export interface Events {\n  moved: [number, number[]]\n}" in message_types.text(messages)


def test_lines_are_short_and_every_module_is_type_checked():
    for file in BROWSER.iterdir():
        lines = file.read_text(encoding="utf-8").splitlines()
        assert max(map(len, lines)) <= 120, file.name
        assert lines[0] == "// @ts-check" or file.suffix != ".js" or file.name.endswith(".d.ts"), file.name
