"""Store cells, studies and scores as JSON and Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from experiments.files import RESULTS, markdown_table, read_results, store_results
from experiments.intervals import Interval
from experiments.natarajan.cells import CANNOT_BE, RESAMPLES, Cell, Summary, summary_of
from experiments.natarajan.data import ADDED_METHODS, LETTERS, PRINTED_METHODS, RECIPES, TABLE_LOSSES, TABLE_ROWS
from experiments.natarajan.runs import SEED, RanPart
from experiments.natarajan.studies import BatchLoss, StrengthCurve

TABLES, STRENGTH, SMALL_SETS, SCORES = (
    "natarajan", "natarajan_l2_strength", "natarajan_small_sets", "natarajan_scores",
)  # fmt: skip
MAX_SCORES = 2000
SCORE_DIGITS = 6
# CC BY 4.0 at UCI: the key, the class (a column), what is positive.
OPEN_SETS = (("spambase", 0, "spam"), ("breast", 0, "malignant"), ("letters", LETTERS.index("B"), "letter B"))


def store_set(cells: Sequence[Cell], ran: Sequence[RanPart], folder: Path = RESULTS) -> None:
    """Replace the stored cells, choices and scores of a set."""
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
    """List choices made on training rows, structured SVMs cut short and processor seconds."""
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
    """Select the first test items of the first draw, at most 2,000, with probability and label."""
    found = []
    for key, column, positive in OPEN_SETS:
        for one in ran:
            if (one.part.key, one.part.column, one.part.draw) == (key, column, 0):
                found.append(
                    {
                        "set": RECIPES[key].name,
                        "positive": positive,
                        "probabilities": np.round(one.cuts.probabilities[:MAX_SCORES], SCORE_DIGITS),
                        "labels": one.labels[:MAX_SCORES].astype(int),
                    }
                )
    return found


INTRODUCTION = """
Each cell: printed / ours (95 % interval), ours minus printed, mark. The interval is over test items drawn again where
the split is published (REUTERS, LETTERS, SCENE), over draws of the split elsewhere. A cell agrees if the printed loss
lies within the interval, or where one further draw would lie. It cannot be if another printed cell contradicts it, or
if it lies below what the best cut of our rankings reaches with the test labels known. The floor is that cut's loss.

The paper leaves open the strength of L2, the scaling, the share of the tuning split, C and scaling of the structured
SVM, the positive classes of SPAMBASE and IMAGE, and the number of draws. Here: features standardised (REUTERS: log
counts, idf, unit length; WEB PAGE as they are), an intercept, L2 by 5-fold cross-validated log loss of the training
rows, half of them for tuning, C of the structured SVM by a held-out third of them, a constant feature, k from 1 on, and
a rate over nothing is 1. Spam is the positive class of SPAMBASE; brickface, foliage, path and sky that of IMAGE. The
words of REUTERS are not the paper's, and those 18 measures of IMAGE may not be.
"""


def in_markdown(cells: Sequence[Cell], chosen: Sequence[Mapping[str, Any]] = ()) -> str:
    """Write all tables of these cells, the counts, and what was chosen on training rows."""
    parts = [f"# Natarajan et al. 2016, Tables 2 and 3, run again\n{INTRODUCTION}", tables_in_markdown(cells)]
    return "\n\n".join([*parts, summary_in_markdown(summary_of(cells), cells), _chosen(chosen)]).strip()


def _chosen(chosen: Sequence[Mapping[str, Any]]) -> str:
    head = ("set", "draws", "classes", "C = 1 / L2", "C of the S-SVM", "S-SVM fits", "cut short", "processor seconds")
    names = ("set", "draws", "classes", "strengths", "svm_strengths", "svm_fits", "svm_cut_short", "cpu_seconds")
    rows = [[_listed(one[name]) for name in names] for one in chosen]
    return "\n".join(["## What was chosen on training rows", "", markdown_table(head, rows)]) if chosen else ""


def _listed(value: Any) -> str:
    return ", ".join(f"{one:g}" for one in value) if isinstance(value, list) else str(value)


def tables_in_markdown(cells: Sequence[Cell]) -> str:
    """Write one section for each loss: the printed methods, then what was added, with the floor."""
    return "\n\n".join(_section(loss.name, [cell for cell in cells if cell.loss == loss.name]) for loss in TABLE_LOSSES)


def summary_in_markdown(summary: Summary, cells: Sequence[Cell]) -> str:
    """Write the counts, and the cells that cannot be with the reason."""
    marks = ", ".join(f"{count} {mark}" for mark, count in sorted(summary.marks.items()))
    wins = [(one.loss, one.method, one.printed, one.ours, one.clearly, one.clearly_not) for one in summary.wins]
    reasons = [
        f"- {cell.row}, {cell.loss}, {cell.method}, printed {_loss(cell.printed)}: {cell.reason}"
        for cell in cells
        if cell.mark == CANNOT_BE
    ]
    return "\n".join(
        [
            "## Together",
            "",
            f"Of {sum(summary.marks.values())} printed cells: {marks}. {summary.orders_as_printed} of {summary.orders} "
            "pairs of methods within a row and loss are ordered as printed.",
            "",
            markdown_table(
                ("loss", "Proposed better than", "rows, printed", "rows, ours", "clearly", "clearly not"), wins
            ),
            "",
            "Clearly: the paired 95 % interval of the difference leaves out 0.",
            "",
            "### Cells that cannot be",
            "",
            *reasons,
        ]
    )


def curves_in_markdown(curves: Sequence[StrengthCurve]) -> str:
    """Write loss against strength of L2, F1 and AM."""
    rows = [
        (RECIPES[one.key].name, one.loss, one.method, *(f"{loss:.3f}" for loss in one.losses))
        for one in curves
        if one.loss in {"F1", "AM"}
    ]
    head = ("set", "loss", "method", *(f"C = {strength:.2g}" for strength in curves[0].strengths))
    return "\n".join(["# Loss against the strength of L2 (C = 1 / strength)", "", markdown_table(head, rows)])


def small_sets_in_markdown(losses: Sequence[BatchLoss]) -> str:
    """Write the four ways on small batches."""
    rows = [(one.loss, one.size, one.way, f"{one.interval.mean:.3f}", _signed_interval(one)) for one in losses]
    head = ("loss", "items", "way", "mean loss", "above the optimal k (95 %)")
    return "\n".join(["# Small sets: batches of test items of letter B", "", markdown_table(head, rows)])


def _section(loss: str, cells: Sequence[Cell]) -> str:
    rows = list(dict.fromkeys(cell.row for cell in cells))
    place = {(cell.row, cell.method): cell for cell in cells}
    printed = [(row, *(_compared(place[row, method]) for method in PRINTED_METHODS)) for row in rows]
    shown = ("Proposed", *ADDED_METHODS)
    added = [
        (row, *(_ours(place[row, method]) for method in shown), _loss(place[row, "Proposed"].floor)) for row in rows
    ]
    return "\n".join(
        [
            f"## {loss}",
            "",
            markdown_table(("row", *PRINTED_METHODS), printed),
            "",
            markdown_table(("row, ours", *shown, "floor"), added),
        ]
    )


def _compared(cell: Cell) -> str:
    assert cell.printed is not None
    mark = f"**{cell.mark}**" if cell.mark == CANNOT_BE else cell.mark
    return f"{_loss(cell.printed)} / {_ours(cell)}, {cell.ours - cell.printed:+.3f}, {mark}"


def _ours(cell: Cell) -> str:
    return f"{_loss(cell.ours)} ({_loss(cell.interval.low)}–{_loss(cell.interval.high)})"


def _signed_interval(one: BatchLoss) -> str:
    difference = one.versus_optimal_k
    return f"{difference.mean:+.3f} ({difference.low:+.3f} to {difference.high:+.3f})"


def _loss(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
