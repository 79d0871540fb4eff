"""Every URL parameter that the source reads or writes is listed, and no other."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

from ui.shared.choices import EVERY_PAGE, NAMES, PARAMETERS, UrlParameter, require_listed

ROOT = Path(__file__).parents[2]
LIST = ROOT / "ui" / "shared" / "choices.py"
SOURCES = sorted(file for folder in ("ui", "pages") for file in (ROOT / folder).rglob("*.py"))
NAMED_FIRST, NAMED_BY_KEY = ("UrlParameter", "numbers_parameter", "in_url"), ("ask_choice", "ask_number")
READ = ("get", "get_all", "pop")


def evaluated(node, module):
    """Evaluate a constant, a name of the module, or a call of its function; else None."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return getattr(module, node.id, None)
    if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "1" for part in node.values)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        return getattr(module, node.func.id)(1)
    return None


def names_in(file):
    """List (name or None, source) of all parameters that a module names in calls and subscripts."""
    relative = file.relative_to(ROOT).with_suffix("")
    module = None
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        found = named(node)
        if found:
            module = module or (import_module(".".join(relative.parts)) if relative.parts[0] == "ui" else ast)
        for one in found:
            yield evaluated(one, module), ast.unparse(one)


def named(node):
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "st.query_params":
        return [node.slice]
    if not isinstance(node, ast.Call):
        return []
    function = node.func.value if isinstance(node.func, ast.Subscript) else node.func
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    if name in NAMED_FIRST:
        return node.args[:1]
    if name in READ and ast.unparse(function.value) == "st.query_params":
        return node.args[:1]
    if name in NAMED_BY_KEY and "in_address" not in keywords:
        return [keywords["key"]]
    asked = keywords.get("query_params")
    return [key for key in asked.keys if key is not None] if isinstance(asked, ast.Dict) else []


def test_every_parameter_of_the_source_is_listed():
    found = [(file, *one) for file in SOURCES for one in names_in(file)]
    assert len(found) > 90
    for file, name, source in found:
        if name is not None:
            assert require_listed(name), (file, source)
    # Names known at run time alone are checked there; a widget bound by Streamlit is not.
    unknown = {source for file, name, source in found if name is None and file != LIST}
    listed = {"self.key", "f'{self.key}_file'", "column", "key", "_key('afford_alerts', analysis)", "name"}
    assert unknown <= listed | {"nodes_key", "f'{paper}_part'"}


def test_every_listed_parameter_is_in_the_source():
    texts = set()
    for file in SOURCES:
        if file != LIST:
            texts |= {node.value for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
                      if isinstance(node, ast.Constant) and isinstance(node.value, str)}  # fmt: skip
    gone = {name for name in NAMES if name not in texts and name.removesuffix("_") not in texts}
    assert gone <= {"data_file", "scored_data_file"}


def test_the_pages_of_the_list_are_those_of_the_application():
    assert set(PARAMETERS) - {EVERY_PAGE} == {file.stem for file in (ROOT / "pages").glob("*.py")}


@pytest.mark.parametrize("name", ["", "topk", "resolution", "goal_", "M", "data_files"])
def test_a_name_that_is_not_listed_is_refused(name):
    with pytest.raises(KeyError, match="not listed"):
        UrlParameter(name, str, str)


@pytest.mark.parametrize("name", ["m", "resolution_3", "graph_step_12", "afford_alerts_0a1b2c3d"])
def test_listed_names_are_taken(name):
    assert UrlParameter(name, str, str).name == name


def test_session_and_url_are_written_in_few_places():
    texts = {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in SOURCES if file != LIST}
    found = {name for name, text in texts.items() if "st.session_state" in text or "bind=" in text}
    assert found == {"ui/shared/page_setup.py", "ui/shared/session.py"}
