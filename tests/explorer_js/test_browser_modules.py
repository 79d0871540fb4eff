import re
import subprocess
from pathlib import Path

from tests import message_types
from ui.operating_point.explorer.component import BROWSER
from ui.shared.browser_files import joined_modules

ROOT = Path(__file__).resolve().parents[2]
PRIVATE = re.compile(r"\._[a-z]\w*|\b(?:d2p|glplot|cameraParams|onrender|dataScale)\b")


def test_the_pure_parts_do_what_their_tests_say(node):
    files = sorted(Path(__file__).parent.glob("*.test.mjs"))
    assert len(files) == 4
    ran = subprocess.run([node, "--test", *files], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert int(re.search(r"pass (\d+)", ran.stdout)[1]) >= 40


def test_the_joined_modules_are_one_module_without_imports(node, tmp_path):
    script = joined_modules(BROWSER)
    assert re.findall(r"^(?:import|export)\b.*", script, re.MULTILINE) == [
        "export default function ({ data, parentElement, setStateValue, setTriggerValue }) {"
    ]
    file = tmp_path / "explorer.mjs"
    file.write_text(script, encoding="utf-8")
    # Two names of the same spelling at the top level of two modules are an error of syntax.
    ran = subprocess.run([node, "--check", file], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_each_module_stands_after_those_it_imports():
    script = joined_modules(BROWSER)
    texts = {file.stem: file.read_text(encoding="utf-8") for file in BROWSER.glob("*.js")}
    place = {name: script.index(text.splitlines()[1]) for name, text in texts.items()}
    imports = [
        (name, other) for name, text in texts.items() for other in re.findall(r'^import .*"\./(.+)\.js"', text, re.M)
    ]
    assert len(imports) >= 8
    assert [pair for pair in imports if place[pair[0]] < place[pair[1]]] == []


def test_only_the_adapter_knows_of_the_private_fields_of_plotly():
    knowing = {file.name for file in BROWSER.glob("*.js") if PRIVATE.search(file.read_text(encoding="utf-8"))}
    assert knowing == {"plotly_adapter.js"}
    tests = (ROOT / "tests" / "browser").glob("*.py")
    assert [
        file.name for file in tests if re.search(r"\._full|\._scene|\._offset", file.read_text(encoding="utf-8"))
    ] == []


def test_lines_are_short_and_every_module_is_type_checked():
    message_types.write()
    for file in BROWSER.iterdir():
        lines = file.read_text(encoding="utf-8").splitlines()
        assert max(map(len, lines)) <= 120, file.name
        assert lines[0] == "// @ts-check" or file.suffix != ".js", file.name
