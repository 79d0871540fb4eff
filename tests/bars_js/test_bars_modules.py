from pathlib import Path

from tests import message_types
from tests.browser_modules import assert_one_module, assert_short_and_checked, assert_tests_pass
from ui.top_k import bars
from ui.top_k.bars import BROWSER


def test_the_pure_parts_do_what_their_tests_say(node):
    assert_tests_pass(node, [Path(__file__).with_name("rules.test.mjs")], at_least=6)


def test_the_joined_modules_are_one_module_without_imports(node, tmp_path):
    assert_one_module(node, BROWSER, tmp_path, given="data, parentElement, setStateValue")


def test_both_sides_know_the_same_contract():
    assert f"export const CONTRACT = {bars.CONTRACT}\n" in (BROWSER / "rules.js").read_text(encoding="utf-8")
    assert "export interface Events {\n  moved: [number, number[]]\n}" in message_types.text(bars)


def test_lines_are_short_and_every_module_is_type_checked():
    assert_short_and_checked(BROWSER)
