"""Each benchmark runs to its end in its shortest form, and prints a table with numbers."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "benchmarks"
MODULES = [file.stem for file in sorted(FOLDER.glob("*.py")) if "__main__" in file.read_text(encoding="utf-8")]
# The shortest arguments of each, and smaller constants where these leave long parts.
ARGUMENTS = {
    "audit": "--audits 2 --cases",
    "batches": "20",
    "caps": "--samples 1 --positives 150",
    "certificate": "10",
    "coverage": "--samples 2 --resamples 20 --processes 1 --populations gauss2 --positives 40",
    "current_thresholds": "--samples 1 --positives 30",
    "cut_interval": "1",
    "engines": "--rows 2e4 --large 0 --repetitions 1",
    "journey": "2000",
    "load": "--users 1 --seconds 1",
    "real_halves": "--splits 2 --processes 1 --tables",
    "regret": "--samples 2 --processes 1 --kinds plain --populations gauss2 --positives 30",
    "scale": "--rows 2e4 --workers 1",
    "segments": "--samples 2 --positives 150 --cases alike --populations 1",
    "slider": "",
    "structure": "",
    "thresholds": "",
}
