"""Each benchmark runs to its end in its shortest form, and prints a table with numbers."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from benchmarks import load
from benchmarks.stress import available_detectors
from tests.engines.spark_cluster import spark_home

ROOT = Path(__file__).parents[1]
MODULES = {
    file.stem
    for file in (ROOT / "benchmarks").glob("*.py")
    if '__name__ == "__main__"' in file.read_text(encoding="utf-8")
}
# The shortest arguments, and smaller constants of the module where these leave long parts.
SHORTEST = {
    "audit": ("--audits 2 --cases 'informative, 1 %'", {}),
    "batches": ("4", {"SIZES": (10,), "FITTED": 200, "TIMED": ((20, 50, 1e-9), (1, 4096, 1e-6))}),
    "caps": ("--samples 2 --positives 150", {"POPULATIONS": ("gauss2",), "GROWING_SAMPLES": 1}),
    "certificate": (
        "1",
        {
            "LARGE_SAMPLE": 5_000,
            "DRAWS_OF_BETTING": 5,
            "PLAIN": "module.PLAIN[:1]",
            "OTHER": "module.OTHER[:1]",
            "PLANS": "module.PLANS[:1]",
        },
    ),
    "classifiers": ("1", {"MODELS": "{'naive Bayes': module.MODELS['naive Bayes']}"}),
    "combined": ("--samples 2 --positives 30 --populations gauss2", {}),
    "coverage": ("--samples 2 --resamples 20 --processes 1 --populations gauss2 --positives 30", {}),
    "current_thresholds": (
        "--samples 2 --positives 30",
        {"NAMES": ("gauss2",), "TARGETS": (0.2,), "FACTORS": {"good": 0.15}},
    ),
    "cut_interval": ("1", {"POPULATIONS": "module.POPULATIONS[:1]", "CHOICES": ("F1",)}),
    "earlier_files": ("2", {"KINDS": ("stable",), "POSITIVES_OF_TRUTH": 500}),
    "engines": ("--rows 2e4 --large 0 --repetitions 1", {}),
    "journey": ("2000", {"PAGES": "{name: module.PAGES[name] for name in ('', 'rated_data')}"}),
    "drift": ("2", {"KINDS": ("break",), "POSITIVES": (30,), "POSITIVES_OF_TRUTH": 500}),
    "exports": ("5", {}),
    "load": ("--users 1 --seconds 1", {"OPENINGS_ALONE": 1, "ROUNDS": 1}),
    "real_halves": ("--splits 1 --processes 1 --tables tumour_detectors", {}),
    "regret": ("--samples 2 --processes 1 --kinds smooth --populations gauss2 --positives 30", {}),
    "scale": ("--rows 2e4 --workers 1", {}),
    "segments": (
        "--samples 2 --positives 150 --cases alike --populations 1",
        {"NEGATIVES_OF_TRUTH": 400_000, "POSITIVES_OF_TRUTH": 6_000},
    ),
    "slider": ("", {"PRESSES": 6, "WARM_UP": 1, "DRAGGED": 20}),
    "structure": ("", {}),
    "rules": ("--samples 2 --positives 40 --cases five", {"DOCUMENTS": 300_000}),
    "rows": ("1", {"tables": "lambda _of=module.tables: {'digits': _of()['digits']}"}),
    "watch": ("2", {"VARIATIONS": (0.2,)}),
    "thresholds": ("", {"documents_of": "lambda count, _of=module.documents_of: _of(min(count, 1_000))"}),
}
MARKS = {
    "journey": pytest.mark.browser,
    "slider": pytest.mark.browser,
    "scale": (
        pytest.mark.spark,
        pytest.mark.skipif(spark_home() is None, reason="PySpark is not installed."),
    ),
    "load": pytest.mark.skipif(not load.EXPORT.is_file(), reason="The folder shared/data is not beside the checkout."),
    "real_halves": pytest.mark.skipif(
        "tumour_detectors" not in available_detectors(), reason="The folder shared/data is not beside the checkout."
    ),
}
RUN = """
import sys
import benchmarks.{name} as module
sys.argv[:] = ["{name}", *{arguments!r}]
{changes}
module.main()
"""


def test_every_benchmark_has_a_short_form():
    assert set(SHORTEST) == MODULES


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", [pytest.param(name, marks=MARKS.get(name, ())) for name in SHORTEST])
def test_a_benchmark_runs_in_its_shortest_form(name):
    words, constants = SHORTEST[name]
    changes = "\n".join(
        f"assert hasattr(module, {constant!r}); module.{constant} = {value if isinstance(value, str) else repr(value)}"
        for constant, value in constants.items()
    )
    code = RUN.format(name=name, arguments=shlex.split(words), changes=changes)
    # Chromium opens a socket below this folder, whose path may have 107 bytes: pytest's own folders are too deep.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": folder},
            capture_output=True,
            text=True,
            check=False,
            timeout=580,
        )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^(\||.*:).*\d", done.stdout, re.MULTILINE), done.stdout
    assert "Traceback" not in done.stderr
