"""Rerun the tables: `python -m experiments.robles [sets …] [kinds …] [--draws n] [--quick]`."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd

from experiments.files import RESULTS, store_results
from experiments.robles.comparison import compared, measured, results_markdown, times_table
from experiments.robles.data import ROBLES_SETS
from experiments.robles.draws import KINDS, MARGINAL_PRECISION, NODES, RATED_SHARE, Task, rated_of_draw, run_tasks
from experiments.robles.running_times import count_grid, running_times

DRAWS = {"bank": 3, "mammography": 5, "creditcard": 5}
QUICK_KINDS = ("Decision Tree", "Linear SVM", "Naive Bayes")
# The longest task comes first, so that the two processes end together; then quick kinds, so that a run that is ended
# early has them all.
LONGEST = ("bank", "Random Forest")
QUICK_FIRST = ("Naive Bayes", "Linear SVM", "Decision Tree", "boosting", "k-nearest neighbors", "Random Forest")
SHOWN_KIND, SHOWN_ROWS = "boosting", 2000


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, store the results unless `--quick` or a part was asked for, and print them."""
    asked = _arguments(arguments)
    start = perf_counter()
    times = running_times(count_grid())
    print(times_table(times), flush=True)
    outcomes = run_tasks(asked.tasks)
    rows = measured(outcomes)
    cells = compared(rows)
    text = results_markdown(rows, cells, times)
    if asked.whole:
        settings = {
            "draws": "; ".join(f"{name} {max(row.draws for row in rows if row.data_set == name)}" for name in DRAWS),
            "marginal precision": MARGINAL_PRECISION,
            "nodes": NODES,
            "rated share": "; ".join(f"{name} {share:g}" for name, share in RATED_SHARE.items()),
        }
        figures = {
            "times": [asdict(one) for one in times],
            "measured": [asdict(one) for one in rows],
            "compared": [asdict(one) for one in cells],
            "rated": _store_rated(),
        }
        path = store_results("robles", figures, settings, text)
        print(f"Stored in {path.parent.name}/{path.name}.", flush=True)
    else:
        print(text)
    print(f"{perf_counter() - start:.0f} s.")


class _Asked(argparse.Namespace):
    sets: list[str]
    kinds: list[str]
    tasks: list[Task]
    whole: bool


def _arguments(arguments: Sequence[str] | None) -> _Asked:
    parser = argparse.ArgumentParser(prog="python -m experiments.robles", description=__doc__)
    kinds = [kind.name for kind in KINDS]
    parser.add_argument("names", nargs="*", metavar="set or kind", help=f"{', '.join(ROBLES_SETS)}; {', '.join(kinds)}")
    parser.add_argument("--draws", type=int, help="draws of each set")
    parser.add_argument("--quick", action="store_true", help="two quick sets, three kinds, one draw; nothing is stored")
    found = parser.parse_args(arguments)
    for name in found.names:
        if name not in (*ROBLES_SETS, *kinds):
            parser.error(f"'{name}' is neither a set ({', '.join(ROBLES_SETS)}) nor a kind ({', '.join(kinds)})")
    sets = [name for name in ROBLES_SETS if name in found.names] or list(ROBLES_SETS)
    chosen = [name for name in QUICK_FIRST if name in found.names] or list(QUICK_FIRST)
    if found.quick:
        chosen = [name for name in chosen if name in QUICK_KINDS] or chosen
    draws = {name: found.draws or (1 if found.quick else DRAWS[name]) for name in sets}
    tasks = [
        (name, kind, draw)
        for draw in range(max(draws.values()))
        for name, kind in sorted(product(sets, chosen), key=lambda pair: (pair != LONGEST, chosen.index(pair[1])))
        if draw < draws[name]
    ]
    return _Asked(tasks=tasks, whole=not (found.names or found.quick or found.draws))


def _store_rated(folder: Path = RESULTS) -> dict[str, object]:
    """Write some rated rows of one draw of bank marketing (CC BY 4.0), scores and rating."""
    rated = rated_of_draw("bank", SHOWN_KIND, 0)
    some = np.sort(np.random.default_rng(0).permutation(len(rated.ratings))[:SHOWN_ROWS])
    folder.mkdir(parents=True, exist_ok=True)
    shown = pd.DataFrame(rated.scores[some], columns=["score 1", "score 2"])
    shown["deposit"] = rated.ratings[some].astype(int)
    shown.to_csv(folder / "robles_bank_rated.csv", index=False, float_format="%.6f", lineterminator="\n")
    return {
        "file": "robles_bank_rated.csv",
        "source": "bank marketing (Moro, Cortez, Rita 2014), CC BY 4.0",
        "kind": SHOWN_KIND,
        "draw": 0,
        "floors": rated.floors,
        "rated": len(rated.ratings),
    }


if __name__ == "__main__":
    main()
