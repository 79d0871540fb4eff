import ast
import dataclasses
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import multiloss_core

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "multiloss_core"


def imported(file):
    """Every module that a file imports, anywhere in it, as absolute dotted names."""
    package = list(file.relative_to(ROOT).with_suffix("").parts)[:-1]
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return found


def offenders(folder, forbidden):
    files = sorted(folder.rglob("*.py"))
    assert files, f"no modules in {folder}"
    return {
        f"{file.relative_to(ROOT)} imports {module}"
        for file in files
        for module in imported(file)
        if any(module == name or module.startswith(f"{name}.") for name in forbidden)
    }


@pytest.mark.parametrize(
    ("folder", "forbidden"),
    [
        ("multiloss_core", ["streamlit", "ui", "pages", "app", "sqlalchemy", "alembic", "decision_log"]),
        ("multiloss_core/thresholds", ["plotly", "multiloss_core.figures", "multiloss_core.losses"]),
        ("multiloss_core/losses", ["plotly", "multiloss_core.figures", "multiloss_core.thresholds"]),
        ("decision_log", ["streamlit", "ui", "pages", "app"]),
        ("ui", ["pages", "app"]),
    ],
)
def test_imports_point_one_way(folder, forbidden):
    assert offenders(ROOT / folder, forbidden) == set()


def test_the_check_sees_imports_of_every_kind(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    lines = ["import streamlit as st", "def f():\n    from plotly import express", "from ..losses import top_k"]
    (inner / "module.py").write_text("\n".join(lines))
    found = offenders(tmp_path, ["streamlit", "plotly", "outer.losses"])
    assert {line.split(" imports ")[1] for line in found} == {
        "streamlit",
        "plotly",
        "plotly.express",
        "outer.losses",
        "outer.losses.top_k",
    }


def test_the_library_works_without_streamlit():
    code = (
        "import sys; sys.modules['streamlit'] = None; import multiloss_core as m; "
        "d = m.RatedDocuments([[0.1], [0.9]], [0, 1]); "
        "print(m.operating_point(m.graph_path(m.count_surfaces(d, resolution=5)), 0.5).tp)"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "1.0"


def test_the_library_neither_draws_figures_nor_opens_a_database_when_imported():
    code = "import sys, multiloss_core; print([m for m in ('plotly', 'streamlit', 'sqlalchemy') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "[]", result.stderr


def test_every_file_in_pages_is_a_page_of_the_app_and_every_page_a_file():
    app = ast.parse((ROOT / "app.py").read_text(encoding="utf-8"))
    named = {
        node.value
        for node in ast.walk(app)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("pages/")
    }
    assert named == {f"pages/{file.relative_to(ROOT / 'pages').as_posix()}" for file in (ROOT / "pages").rglob("*.py")}


def test_public_names_are_listed_once_and_exist():
    assert len(set(multiloss_core.__all__)) == len(multiloss_core.__all__)
    assert [name for name in multiloss_core.__all__ if not hasattr(multiloss_core, name)] == []


@pytest.mark.parametrize("name", [n for n in multiloss_core.__all__ if callable(getattr(multiloss_core, n))])
def test_every_public_name_says_what_it_is(name):
    value = getattr(multiloss_core, name)
    documented = value if inspect.isclass(value) or inspect.isfunction(value) else type(value)
    text = documented.__dict__.get("__doc__") if inspect.isclass(documented) else documented.__doc__
    assert text, f"{name} has no docstring"
    if dataclasses.is_dataclass(documented):
        # A dataclass without a docstring gets its signature as one.
        assert not text.startswith(f"{documented.__name__}("), f"{name} has no docstring"


@pytest.mark.parametrize("file", sorted(CORE.rglob("*.py")), ids=lambda file: str(file.relative_to(CORE)))
def test_every_module_with_code_says_what_it_holds(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert not tree.body or ast.get_docstring(tree)
