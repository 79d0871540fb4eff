import re
from pathlib import Path

from tests import message_types
from tests.browser_modules import assert_one_module, assert_short_and_checked, assert_tests_pass
from ui.operating_point.explorer.component import BROWSER
from ui.shared.browser_files import joined_modules

ROOT = Path(__file__).resolve().parents[2]
PRIVATE = re.compile(r"\._[a-z]\w*|\b(?:d2p|glplot|cameraParams|onrender|dataScale)\b")


def test_the_pure_parts_do_what_their_tests_say(node):
    files = sorted(Path(__file__).parent.glob("*.test.mjs"))
    assert len(files) == 5
    assert_tests_pass(node, files, at_least=40)


def test_the_joined_modules_are_one_module_without_imports(node, tmp_path):
    assert_one_module(node, BROWSER, tmp_path, given="data, parentElement, setStateValue, setTriggerValue")


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
    assert_short_and_checked(BROWSER)
