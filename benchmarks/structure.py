"""Measure the structure of checkouts: `python -m benchmarks.structure [checkouts]`."""

import ast
import importlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

import networkx as nx
import numpy as np
import pandas as pd
import streamlit
from streamlit.testing.v1 import AppTest

HERE = Path(__file__).resolve().parents[1]
PRODUCT = ("app.py", "server.py", "pages/", "ui/", "multiloss_core/", "decision_log/")
SUFFIXES = {".py", ".js", ".css", ".html", ".jinja"}
MAX_LINES, MIN_MODULES = 400, 4
ROWS, FILE = 2_400, "alerts.csv"


def main() -> None:
    """Print the table."""
    if sys.argv[1:2] == ["--run"]:
        sys.path[0] = str(Path.cwd())
        print(json.dumps({"road": _road_to_documents, "target": _change_of_target}[sys.argv[2]]()))
        return
    checkouts = [Path(argument).resolve() for argument in sys.argv[1:]] or [HERE]
    columns = [measured(checkout) for checkout in checkouts]
    print(f"| measure | {' | '.join(checkout.name for checkout in checkouts)} |\n|---|{'---|' * len(checkouts)}")
    print("\n".join(f"| {name} | {' | '.join(column[name] for column in columns)} |" for name in columns[0]))


def measured(checkout: Path) -> dict[str, str]:
    """Measure one checkout."""
    listed = subprocess.run(["git", "ls-files"], cwd=checkout, capture_output=True, text=True, check=True).stdout
    files = [name for name in listed.splitlines() if (checkout / name).is_file()]
    lines = {name: (checkout / name).read_bytes().count(b"\n") for name in files if Path(name).suffix in SUFFIXES}
    product = [name for name in lines if name.startswith(PRODUCT)]
    others = [name for name in lines if name.startswith(("experiments/", "benchmarks/"))]
    trees = {name: ast.parse((checkout / name).read_text("utf-8")) for name in product if name.endswith(".py")}
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    rooms = _rooms({name: tree for name, tree in trees.items() if name.startswith("ui/")})
    folders = Counter(Path(name).parent for name in (*trees, *others) if "/" in name)
    return {
        "product lines": f"{sum(lines[name] for name in product):,}",
        "lines of experiments and benchmarks": f"{sum(lines[name] for name in others):,}",
        "source files outside tests": f"{sum(not name.startswith('tests/') for name in lines):,}",
        "rooms / import arrows in ui": f"{len(rooms)} / {rooms.number_of_edges()}",
        "import cycle in ui": "no" if nx.is_directed_acyclic_graph(rooms) else "yes",
        "test lines": f"{sum(lines[name] for name in lines if name.startswith('tests/') and name.endswith('.py')):,}",
        "modules / functions from a CSV file to documents": _profiled(checkout, "road"),
        "modules / functions on a change of the target": _profiled(checkout, "target"),
        "functions of the product": f"{sum(isinstance(node, ast.FunctionDef) for node in nodes):,}",
        f"files over {MAX_LINES} lines": str(sum(lines[name] > MAX_LINES for name in (*product, *others))),
        f"folders with fewer than {MIN_MODULES} modules": str(sum(n < MIN_MODULES for n in folders.values())),
        "banned words and phrases": _last_line(checkout, HERE / "docs/prose.py", "--count").split()[0],
    }


def _rooms(trees: Mapping[str, ast.Module]) -> "nx.DiGraph[str]":
    """Collect the direct folders of ui and the imports between them."""
    rooms = {name.split("/")[1] for name in trees if name.count("/") > 1}
    graph: nx.DiGraph[str] = nx.empty_graph(rooms, nx.DiGraph)
    for name, tree in trees.items():
        for node in ast.walk(tree):
            aliases = node.names if isinstance(node, ast.Import | ast.ImportFrom) else ()
            names = [f"{getattr(node, 'module', '')}.{alias.name}".strip(".") for alias in aliases]
            ends = ((name.split("/")[1], found.split(".")[1]) for found in names if found.startswith("ui."))
            graph.add_edges_from((start, end) for start, end in ends if {start, end} <= rooms and start != end)
    return graph


def _profiled(checkout: Path, what: str) -> str:
    """Profile in a new process, so that modules come from the checkout."""
    found = json.loads(_last_line(checkout, Path(__file__).resolve(), "--run", what) or "[]")
    return " / ".join(map(str, found)) or "failed"


def _last_line(checkout: Path, *words: str | Path) -> str:
    done = subprocess.run([sys.executable, *words], cwd=checkout, capture_output=True, text=True, check=False)
    return "".join(done.stdout.splitlines()[-1:])


def _counted(act: Callable[[], object], folders: Sequence[str]) -> list[int]:
    """Count the modules and functions of these folders that an action runs, in all threads."""
    starts = tuple(str(Path.cwd() / folder) for folder in folders)
    met: set[tuple[str, str]] = set()

    def profile(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        # Modules, lambdas and comprehensions have names in angle brackets.
        if event == "call" and code.co_filename.startswith(starts) and not code.co_name.startswith("<"):
            met.add((code.co_filename, code.co_qualname))

    threading.setprofile(profile)
    sys.setprofile(profile)
    act()
    sys.setprofile(None)
    return [len({file for file, _ in met}), len(met)]


def _road_to_documents() -> list[int]:
    """Read a file with two scores in this process and build its documents."""
    generator = np.random.default_rng(0)
    fraud = generator.random(ROWS) < 0.1
    scores = generator.normal(np.where(fraud, 650, 300)[:, np.newaxis], 120, (ROWS, 2)).clip(0, 999).round(1)
    frame = pd.DataFrame({"model_a_score": scores[:, 0], "model_b_score": scores[:, 1]})
    frame["disposition"] = np.where(fraud, "fraud", "not fraud")
    text = frame[(scores >= 400).any(axis=1)].to_csv(index=False).encode()
    with suppress(ImportError):
        # The profile cannot see a reader in another process.
        importlib.import_module("multiloss_core.tables.reader_process.client")._is_possible = lambda: False
    return _counted(_reader(text), ("multiloss_core", "decision_log", "ui"))


def _reader(data: bytes) -> Callable[[], object]:
    """Find how this version turns a file into documents."""
    with suppress(ImportError):
        datasets, uploads = map(
            importlib.import_module, ("multiloss_core.datasets", "multiloss_core.engines.read_source")
        )
        return lambda: datasets.RatedDataset.of(source := uploads.read_rated_source(data, FILE), source.first_choice)
    # The caches of the earlier version work only in a session of Streamlit.
    streamlit.cache_resource = lambda **_: lambda function: function
    old = importlib.import_module("ui.data.rated_datasets")
    return lambda: old.build_dataset(source := old.read_upload(data, FILE), old.first_choice(source.frame))


def _change_of_target() -> list[int]:
    """Run the operating point with sample data, then run it again with another target."""
    os.environ["MULTILOSS_DECISION_LOG"] = f"sqlite:///{tempfile.mkdtemp()}/decisions.db"
    app = AppTest.from_file(str(Path.cwd() / "app.py"), default_timeout=300).switch_page("pages/operating_point.py")
    app.run()
    # A run reads the target from the URL at its start.
    app.query_params["m"] = "35"
    counted = _counted(app.run, ("ui", "pages", "multiloss_core"))
    return [] if app.exception else counted


if __name__ == "__main__":
    main()
