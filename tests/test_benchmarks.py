"""Each benchmark runs to its end in its shortest form, and prints a table with numbers."""

import importlib
import inspect
import os
import pickle
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import load, populations, stress
from tests.engines.spark_cluster import spark_home

ROOT = Path(__file__).parents[1]
MODULES = {
    file.stem
    for file in (ROOT / "benchmarks").glob("*.py")
    if '__name__ == "__main__"' in file.read_text(encoding="utf-8")
}


class InTurn:
    """A pool that pickles what it is given and runs it here, where constants are small."""

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def map(self, function, items, chunksize=1):
        return [_sent(_sent(function)(_sent(item))) for item in items]

    imap = map


def _sent(thing):
    return pickle.loads(pickle.dumps(thing))


EXECUTOR = {"ProcessPoolExecutor": InTurn}
POOL = {"get_context": lambda _: lambda _: SimpleNamespace(Pool=InTurn)}
# The shortest arguments, and smaller constants of the module where these leave long parts; a function makes them from
# the module's own.
SHORTEST = {
    "audit": ("--audits 2 --cases 'informative, 1 %'", {}),
    "batches": ("4", {"SIZES": (3,), "FITTED": 200, "TIMED": ((20, 50, 1e-9), (1, 4096, 1e-6))}),
    "caps": ("--samples 2 --positives 60", {"POPULATIONS": ("gauss2",), "GROWING_SAMPLES": 1, "GROWTHS": (0.65,)}),
    "certificate": (
        "1",
        EXECUTOR
        | {"LARGE_SAMPLE": 2_000, "DRAWS_OF_BETTING": 2}
        | {cases: lambda cases: cases[:1] for cases in ("PLAIN", "OTHER", "PLANS")},
    ),
    "classifiers": (
        "1",
        {
            "MODELS": lambda models: {"naive Bayes": models["naive Bayes"]},
            "tables": lambda tables: lambda: {"digit 8": tables()["digit 8"]},
        },
    ),
    "combined": ("--samples 2 --positives 30 --populations gauss2", {"POSITIVES": 2_000, "NEGATIVES": 10_000}),
    "coverage": ("--samples 2 --resamples 10 --populations gauss2 --positives 30", EXECUTOR),
    "current_thresholds": (
        "--samples 1 --positives 30",
        POOL | {"NAMES": ("gauss2",), "TARGETS": (0.2,), "FACTORS": {"good": 0.15}},
    ),
    "cut_interval": ("1", {"POPULATIONS": lambda known: known[:1], "CHOICES": ("F1",)}),
    "earlier_files": ("2", {"KINDS": ("stable",), "POSITIVES_OF_TRUTH": 500}),
    "engines": ("--rows 2e3 --large 0 --repetitions 1", {}),
    "journey": ("500", {"PAGES": lambda pages: {name: pages[name] for name in ("", "papers")}, "DRAWING": 100}),
    "drift": ("2", {"KINDS": ("break",), "POSITIVES": (30,), "POSITIVES_OF_TRUTH": 500}),
    "exports": ("5", {}),
    "limits": ("--rows 2e3", {"NODES": 20, "RULES": 2, "SEGMENTS": 2, "REPETITIONS": 1}),
    "load": (
        "--users 1 --seconds 1",
        {
            "OPENINGS_ALONE": 1,
            "ROUNDS": 1,
            "HURRIED": lambda pace: replace(pace, reading=(0.0, 0.1), thinking=(0.0, 0.1)),
        },
    ),
    "real_halves": ("--splits 1 --tables tumour_detectors", POOL | {"TARGETS": (0.2, 0.5)}),
    "regret": (
        "--samples 2 --kinds smooth --populations gauss2 --positives 30",
        POOL | {"TARGETS": (0.2,)},
    ),
    "scale": ("--rows 2e3 --workers 1", {}),
    "segments": (
        "--samples 1 --positives 60 --cases alike --populations 1",
        {"NEGATIVES_OF_TRUTH": 100_000, "POSITIVES_OF_TRUTH": 2_000, "TARGETS": (0.2,), "TIMED_DOCUMENTS": 200_000},
    ),
    "slider": ("", {"PRESSES": 3, "WARM_UP": 1, "DRAGGED": 12}),
    # A page under the profiler takes as long as all else of it.
    "structure": ("", {"_profiled": lambda of: lambda checkout, what: of(checkout, what) if what == "road" else "-"}),
    "rules": ("--samples 1 --positives 40 --cases five", {"DOCUMENTS": 100_000}),
    "rows": ("1", {"tables": lambda tables: lambda: {"digits": tables()["digits"]}}),
    "watch": ("2", {"VARIATIONS": (0.2,)}),
    "thresholds": (
        "",
        {
            "documents_of": lambda make: lambda count: make(min(count, 500)),
            "interleaved": lambda timed: lambda ways, **_: timed(ways, repetitions=1),
        },
    ),
}
# Of what several benchmarks share.
SMALL = {
    populations: {"RATED_POSITIVES": 1_500, "RATED_NEGATIVES": 6_000, "CHUNK": 100_000, "RANDOM_STARTS": 1},
    stress: {"TREES": 3},
}
# They drive a running app: one server and one process for all of them.
OF_THE_APP = ("load", "journey", "slider")
HAS_DATA = load.EXPORT.is_file()
NO_DATA = "The folder shared/data is not beside the checkout."
MARKS = {
    "scale": (pytest.mark.spark, pytest.mark.skipif(spark_home() is None, reason="PySpark is not installed.")),
    "real_halves": pytest.mark.skipif("tumour_detectors" not in stress.available_detectors(), reason=NO_DATA),
}
NEXT = "= next ="
IN_TURN = """
from contextlib import nullcontext
from pathlib import Path
from sys import argv
from tests.app_server import app_server
from tests.test_benchmarks import NEXT, run
with app_server(Path(argv[1])) as address:
    for name in argv[2:]:
        print(NEXT)
        run(name, app_server=lambda _: lambda _: nullcontext(address))
"""


def test_every_benchmark_has_a_short_form():
    assert set(SHORTEST) == MODULES


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=MARKS.get(name, ())) for name in sorted(SHORTEST.keys() - OF_THE_APP)]
)
def test_a_benchmark_runs_in_its_shortest_form(name, capfd):
    run(name)
    assert_table(*capfd.readouterr())


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.timeout(600)
def test_benchmarks_of_the_app_run_in_their_shortest_forms():
    names = OF_THE_APP if HAS_DATA else OF_THE_APP[1:]
    # Chromium opens a socket below this folder, whose path may have 107 bytes: pytest's own folders are too deep.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        done = subprocess.run(
            [sys.executable, "-c", IN_TURN, folder, *names],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": folder},
            capture_output=True,
            text=True,
            check=False,
            timeout=580,
        )
    assert done.returncode == 0, done.stderr
    _, *parts = done.stdout.split(NEXT)
    assert len(parts) == len(names)
    for part in parts:
        assert_table(part, done.stderr)


def assert_table(written, errors):
    assert re.search(r"^(\||.*:).*\d", written, re.MULTILINE), written
    assert "Traceback" not in errors


def run(name, **others):
    """Run a benchmark here in its shortest form, with other constants as well."""
    words, constants = SHORTEST[name]
    module = importlib.import_module(f"benchmarks.{name}")
    given, sys.argv[:] = sys.argv[:], [name, *shlex.split(words)]
    populations.population.cache_clear()
    stress.real_scores.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        for place, values in {**SMALL, module: constants | others}.items():
            for constant, value in values.items():
                patch.setattr(place, constant, value(getattr(place, constant)) if inspect.isfunction(value) else value)
        try:
            module.main()
        finally:
            sys.argv[:] = given
