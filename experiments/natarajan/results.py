"""What is stored: the cells, loss against L2, small sets, and the scores that the terms of their sets allow."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from experiments.intervals import Interval
from experiments.natarajan.cells import RESAMPLES, Cell
from experiments.natarajan.l2_strength import StrengthCurve
from experiments.natarajan.markdown import curves_in_markdown, in_markdown, small_sets_in_markdown
from experiments.natarajan.runs import SEED, RanPart
from experiments.natarajan.small_sets import BatchLoss
from experiments.natarajan.summary import summary_of
from experiments.natarajan.table_rows import RECIPES, TABLE_ROWS
from experiments.sets.natarajan import LETTERS
from experiments.stored import RESULTS, read_results, store_results

TABLES, STRENGTH, SMALL_SETS, SCORES = (
    "natarajan", "natarajan_l2_strength", "natarajan_small_sets", "natarajan_scores",
)  # fmt: skip
MOST_SCORES = 2000
SCORE_DIGITS = 6
# CC BY 4.0 at UCI: the key, the class (a column), what is positive.
OPEN_SETS = (("spambase", 0, "ham"), ("breast", 0, "malignant"), ("letters", LETTERS.index("B"), "letter B"))


def store_set(cells: Sequence[Cell], ran: Sequence[RanPart], folder: Path = RESULTS) -> None:
    """Put the cells of a set, what was chosen for it and its scores in the place of those stored before, if any."""
    key = ran[0].part.key
    held = read_results(TABLES, folder) if (folder / f"{TABLES}.json").is_file() else {"cells": [], "chosen": []}
    everything = [one for one in map(_cell, held["cells"]) if one.key != key] + list(cells)
    everything.sort(key=lambda one: [row.name for row in TABLE_ROWS].index(one.row))
    summary = summary_of(everything)
    chosen = [one for one in held["chosen"] if one["key"] != key] + [chosen_of(ran)]
    figures = {"cells": [asdict(cell) for cell in everything], "summary": asdict(summary), "chosen": chosen}
    settings = {"seed": SEED, "bootstrap samples": RESAMPLES}
    store_results(TABLES, figures, settings, in_markdown(everything, chosen), folder)
    for score_set in scores_of(ran):
        store_results(f"{SCORES}_{key}", score_set, settings, folder=folder)


def store_curves(curves: Sequence[StrengthCurve], settings: dict[str, Any], folder: Path = RESULTS) -> None:
    """Store loss against L2."""
    figures = {"curves": [asdict(one) for one in curves]}
    store_results(STRENGTH, figures, settings, curves_in_markdown(curves), folder)


def store_small_sets(losses: Sequence[BatchLoss], settings: dict[str, Any], folder: Path = RESULTS) -> None:
    """Store the four ways on small batches."""
    figures = {"ways": [asdict(one) for one in losses]}
    store_results(SMALL_SETS, figures, settings, small_sets_in_markdown(losses), folder)


def chosen_of(ran: Sequence[RanPart]) -> dict[str, Any]:
    """Say what was chosen on training rows, how often a structured SVM was cut short, and the processor's seconds."""
    return {
        "key": ran[0].part.key,
        "set": RECIPES[ran[0].part.key].name,
        "draws": len({one.part.draw for one in ran}),
        "classes": len({one.part.column for one in ran}),
        "strengths": sorted({one.cuts.strength for one in ran}),
        "svm_strengths": sorted({float(value) for one in ran for value in one.svm_strengths}),
        "svm_fits": sum(one.svm_cut_short.size for one in ran),
        "svm_cut_short": sum(int(one.svm_cut_short.sum()) for one in ran),
        "svm_largest_gap": max(float(one.svm_gaps.max()) for one in ran),
        "cpu_seconds": round(sum(one.seconds for one in ran), 1),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
    }


def _cell(held: Mapping[str, Any]) -> Cell:
    kept = {**held, "interval": _interval(held["interval"]), "versus_proposed": _interval(held["versus_proposed"])}
    return Cell(**{**kept, "one_run": None if held["one_run"] is None else tuple(map(_number, held["one_run"]))})


def _interval(held: Mapping[str, float | None]) -> Interval:
    return Interval(**{end: _number(value) for end, value in held.items()})


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def scores_of(ran: Sequence[RanPart]) -> list[dict[str, Any]]:
    """Give the first test items of the first draw, at most 2,000, with probability and label."""
    found = []
    for key, column, positive in OPEN_SETS:
        for one in ran:
            if (one.part.key, one.part.column, one.part.draw) == (key, column, 0):
                found.append(
                    {
                        "set": RECIPES[key].name,
                        "positive": positive,
                        "probabilities": np.round(one.cuts.probabilities[:MOST_SCORES], SCORE_DIGITS),
                        "labels": one.labels[:MOST_SCORES].astype(int),
                    }
                )
    return found
