import ast
import dataclasses
import importlib
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import multiloss_core

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "multiloss_core"
MAX_NAMES_AT_THE_TOP = 46
MAX_NAME = 60


def lint_imports(folder, *arguments):
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_imports_point_one_way_and_in_no_circle():
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


UPWARDS = [
    ("multiloss_core.thresholds.data.folds", "from ..paths import graph", "multiloss_core.thresholds.paths.graph"),
    ("multiloss_core.thresholds.paths.graph", "def f():\n    from plotly import express", "plotly"),
    ("multiloss_core.losses.top_k", "from multiloss_core.thresholds import data", "multiloss_core.thresholds.data"),
    ("multiloss_core.tables.reading.read_file", "import multiloss_core.figures.theme", "multiloss_core.figures.theme"),
    ("multiloss_core.errors", "def f():\n    import streamlit as st", "streamlit"),
    ("multiloss_core.errors", "import sqlalchemy.orm", "sqlalchemy"),
    ("multiloss_core.numerics.arrays", "import decision_log", "decision_log"),
    ("decision_log.store", "from streamlit import cache_data", "streamlit"),
    ("decision_log.tables", "from ui.shared import formatting", "ui.shared.formatting"),
    ("experiments.files", "from experiments.natarajan import cells", "experiments.natarajan.cells"),
    ("multiloss_core.errors", "import experiments.files", "experiments.files"),
    ("ui.shared.formatting", "from ui.data import uploader", "ui.data.uploader"),
    ("ui.shared.choices", "import pages.top_k", "pages"),
    ("ui.shared.choices", "import app", "app"),
    ("ui.top_k.checks", "from ui.records import record_text", "ui.records"),
]


def test_the_contracts_see_imports_of_every_kind(tmp_path):
    for package in ("multiloss_core", "experiments", "decision_log", "ui"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for module, line, _ in UPWARDS:
        with (tmp_path / f"{module.replace('.', '/')}.py").open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")
    result = lint_imports(tmp_path)
    assert re.search("Contracts: 0 kept, [0-9]+ broken", result.stdout), result.stdout
    text = " ".join(result.stdout.split())
    assert [arrow for module, _, found in UPWARDS if (arrow := f"{module} -> {found} (l.") not in text] == []


def test_names_of_tests_are_short():
    tests = ROOT / "tests"
    names = [
        f"{file.relative_to(tests).as_posix()}::{name}"
        for file in tests.rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)", file.read_text(encoding="utf-8"))
        if len(name) > MAX_NAME
    ]
    assert names == []


OF_EXTRAS = (
    "streamlit",
    "pyarrow",
    "python_calamine",
    "pebble",
    "pydantic",
    "plotly",
    "matplotlib",
    "jinja2",
    "duckdb",
)
LIGHT = ("combined", "segments", "sources", "audit", "generalisation", "inspection", "losses", "numerics", "thresholds")


@pytest.mark.slow
def test_the_library_works_without_its_extras():
    code = f"""
import importlib, sys
sys.modules.update(dict.fromkeys({OF_EXTRAS}))
import numpy as np
import multiloss_core as m
documents = m.simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
for path in (m.graph_path(m.count_surfaces(documents, resolution=20)), m.smooth_path(documents)):
    print(m.operating_point(path, 0.2).status)
for name in {LIGHT}:
    package = importlib.import_module(f"multiloss_core.{{name}}")
    for public in package.__all__:
        getattr(package, public)
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["inside", "inside"]


@pytest.mark.slow
def test_import_loads_neither_figures_nor_database():
    unwanted = ("plotly", "matplotlib", "streamlit", "sqlalchemy", "networkx")
    code = f"import sys, multiloss_core; print([m for m in {unwanted} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "[]", result.stderr


def test_files_in_pages_are_pages_of_app():
    app = ast.parse((ROOT / "ui" / "navigation.py").read_text(encoding="utf-8"))
    named = {
        node.value
        for node in ast.walk(app)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("pages/")
    }
    assert named == {f"pages/{file.relative_to(ROOT / 'pages').as_posix()}" for file in (ROOT / "pages").rglob("*.py")}


PUBLIC = {
    name: importlib.import_module(name)
    for name in (
        "multiloss_core",
        *(
            f"multiloss_core.{part}"
            for part in (
                *("tables", "thresholds", "thresholds.targets", "generalisation", "inspection"),
                *(
                    "losses",
                    "decisions",
                    "figures",
                    "model_change",
                    "numerics",
                    "engines",
                    "datasets",
                    "sources",
                    "segments",
                    "audit",
                    "combined",
                ),
            )
        ),
    )
}
# Small modules, public as they are.
WHOLE = (
    "multiloss_core.errors",
    "multiloss_core.formatting",
    "multiloss_core.sql_dialects",
    "multiloss_core.workers",
    # Each needs an extra that the library does without.
    "multiloss_core.engines.backends.database_engine",
    "multiloss_core.engines.backends.spark_engine",
)


def test_public_names_are_listed_once_and_exist():
    names = [(module, name) for module, content in PUBLIC.items() for name in content.__all__]
    assert len({name for _, name in names}) == len(names)
    assert [(module, name) for module, name in names if not hasattr(PUBLIC[module], name)] == []
    assert len(multiloss_core.__all__) <= MAX_NAMES_AT_THE_TOP


def test_the_application_imports_public_names_alone():
    files = [ROOT / "app.py", *(file for folder in ("ui", "pages") for file in (ROOT / folder).rglob("*.py"))]
    imported = [
        (str(file.relative_to(ROOT)), node.module, alias.name)
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "multiloss_core"
        for alias in node.names
    ]
    assert imported
    hidden = [
        found
        for found in imported
        if found[1] not in WHOLE
        and ".".join(found[1:]) not in PUBLIC
        and (found[1] not in PUBLIC or found[2] not in PUBLIC[found[1]].__all__)
    ]
    assert hidden == []


def test_every_public_name_has_a_docstring():
    silent = []
    for module, content in PUBLIC.items():
        for name in content.__all__:
            value = getattr(content, name)
            documented = value if inspect.isclass(value) or inspect.isfunction(value) else type(value)
            text = documented.__dict__.get("__doc__") if inspect.isclass(documented) else documented.__doc__
            # A dataclass without a docstring gets its signature as one.
            generated = dataclasses.is_dataclass(documented) and (text or "").startswith(f"{documented.__name__}(")
            if documented.__module__.startswith("multiloss_core") and (not text or generated):
                silent.append(f"{module}.{name}")
    assert silent == []


def test_every_module_has_a_docstring():
    trees = {str(file.relative_to(CORE)): ast.parse(file.read_text(encoding="utf-8")) for file in CORE.rglob("*.py")}
    assert [name for name, tree in trees.items() if tree.body and not ast.get_docstring(tree)] == []
