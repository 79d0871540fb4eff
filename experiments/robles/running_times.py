"""Measure running times on a table of 10,000 nodes, as in Robles et al. 2020."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import networkx as nx
import pandas as pd

from experiments.files import DataFile, checked_file
from multiloss_core import PATH_METHODS, CountSurfaces
from multiloss_core.thresholds import PathMethod, PathSearch, to_networkx

COUNTS_FILE = DataFile(
    "rated/bssr1_counts_grid.csv", "b7f0dadd380a9eb1a940d56cc9cb14b641822dacf0fe5994dbd6a4472c083a0f"
)
BELLMAN_FORD = "networkx Bellman-Ford"
TIMED = ("graph", "analytic power", "analytic beta", "benchmark", "smooth")
# Seconds that the text gives for n = 10,000 and k = 2.
PRINTED = {"graph": 6.0, "analytic power": 60.0}


@dataclass(frozen=True)
class RunningTime:
    """Median processor and wall seconds of a method; `printed` seconds of the paper, if any."""

    method: str
    processor: float
    wall: float
    printed: float | None


def count_grid(folder: Path | None = None) -> CountSurfaces:
    """Load TP and FP of two public matchers' scores on 100 x 100 thresholds."""
    return CountSurfaces.from_table(pd.read_csv(checked_file(COUNTS_FILE, folder)))


def running_times(surfaces: CountSurfaces, repetitions: int = 3) -> list[RunningTime]:
    """Time each method `repetitions` times after one warm-up; build the networkx graph before."""
    methods = {method.name: method for method in PATH_METHODS}
    graph, last = to_networkx(surfaces), tuple(length - 1 for length in surfaces.tp.shape)
    ways: dict[str, Callable[[], object]] = {
        # A new search each time: a search keeps what it has computed.
        **{name: partial(_search, methods[name], surfaces) for name in TIMED},
        BELLMAN_FORD: lambda: nx.bellman_ford_path(graph, (0, 0), last),
    }
    found = []
    for name, way in ways.items():
        way()
        processor, wall = zip(*(_timed(way) for _ in range(repetitions)), strict=True)
        found.append(RunningTime(name, median(processor), median(wall), PRINTED.get(name)))
    return found


def _search(method: PathMethod, surfaces: CountSurfaces) -> object:
    return method.find(PathSearch(surfaces, surfaces.rule))


def _timed(way: Callable[[], object]) -> tuple[float, float]:
    processor, wall = process_time(), perf_counter()
    way()
    return process_time() - processor, perf_counter() - wall
