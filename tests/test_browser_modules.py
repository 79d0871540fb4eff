"""What holds for the browser modules of every component."""

import re
import subprocess
from pathlib import Path

from ui.shared.browser_files import joined_modules

ROOT = Path(__file__).resolve().parents[1]


def assert_tests_pass(node, files, *, at_least):
    """Run the modules' own tests in Node."""
    ran = subprocess.run([node, "--test", *files], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert int(re.search(r"pass (\d+)", ran.stdout)[1]) >= at_least


def assert_one_module(node, browser, tmp_path, *, given):
    """Join the modules of a folder: what is left exports the entry, which is `given` so much, and imports nothing."""
    script = joined_modules(browser)
    assert re.findall(r"^(?:import|export)\b.*", script, re.MULTILINE) == [
        f"export default function ({{ {given} }}) {{"
    ]
    file = tmp_path / "joined.mjs"
    file.write_text(script, encoding="utf-8")
    # Two names of the same spelling at the top level of two modules are an error of syntax.
    ran = subprocess.run([node, "--check", file], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def assert_short_and_checked(browser):
    """Every line is short, and every module asks for its types to be checked."""
    for file in browser.iterdir():
        lines = file.read_text(encoding="utf-8").splitlines()
        assert max(map(len, lines)) <= 120, file.name
        assert lines[0] == "// @ts-check" or file.suffix != ".js", file.name
