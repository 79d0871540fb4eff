"""Rerun Tables 2 and 3: `python -m experiments.natarajan [sets ...] [--draws 10] [--quick]`."""

import argparse
import os
import sys
from time import perf_counter

from experiments.natarajan.cells import Cell, cells_of
from experiments.natarajan.data import RECIPES, TABLE_ROWS, topics_with
from experiments.natarajan.results import (
    curves_in_markdown,
    in_markdown,
    small_sets_in_markdown,
    store_curves,
    store_set,
    store_small_sets,
)
from experiments.natarajan.runs import RanPart, loaded_set, parts_of, run_parts
from experiments.natarajan.studies import BATCHES, small_set_losses, strength_curves
from experiments.natarajan.studies import DRAWS as STRENGTH_DRAWS
from multiloss_core.errors import DataError

SHORTEST_FIRST = ("breast", "webpage", "spambase", "image", "scene", "letters", "reuters")
QUICK_SETS, QUICK_DRAWS = ("breast", "spambase", "webpage"), 3
PROCESSES = 2


def main() -> None:
    """Run the chosen sets, store each unless `--quick`, and print their tables."""
    asked = _arguments()
    keys = asked.sets or (QUICK_SETS if asked.quick else SHORTEST_FIRST)
    draws = min(asked.draws, QUICK_DRAWS) if asked.quick else asked.draws
    start = perf_counter()
    cells: list[Cell] = []
    for key in keys:
        ran = run_parts(parts_of([key], draws), processes=asked.processes, progress=_progress)
        cells += cells_of_rows(ran)
        if not asked.quick:
            store_set(cells_of_rows(ran), ran)
    print(in_markdown(cells))
    if not asked.sets and not asked.quick:
        curves = strength_curves(processes=asked.processes, progress=_progress)
        store_curves(curves, {"draws": STRENGTH_DRAWS})
        small = small_set_losses()
        store_small_sets(small, {"batches": BATCHES})
        print(f"\n{curves_in_markdown(curves)}\n\n{small_sets_in_markdown(small)}")
    print(f"\n{perf_counter() - start:.0f} s", file=sys.stderr)


def cells_of_rows(ran: list[RanPart]) -> list[Cell]:
    """Make the cells of every row whose set was run."""
    cells = []
    for row in TABLE_ROWS:
        here = [one for one in ran if one.part.key == row.key]
        if row.least > 1 and here:
            kept = set(topics_with(loaded_set(row.key), row.least).tolist())
            here = [one for one in here if one.part.column in kept]
        cells += cells_of(row, here) if here else []
    return cells


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments.natarajan", description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[*RECIPES, []], metavar="set", help=f"of {', '.join(RECIPES)}")
    parser.add_argument("--draws", type=int, default=10, help="of the split where none is published (default 10)")
    parser.add_argument("--quick", action="store_true", help=f"{', '.join(QUICK_SETS)} with {QUICK_DRAWS} draws")
    parser.add_argument("--processes", type=int, default=min(PROCESSES, os.cpu_count() or 1))
    return parser.parse_args()


def _progress(done: int, every: int, words: str) -> None:
    end = "\n" if done == every else ""
    print(f"\r\033[K{done} of {every}: {words}", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        main()
    except DataError as error:
        sys.exit(str(error))
