"""What the text of Robles et al. 2020 says of its Tables 1 and 2, beside what the tables give."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np

from experiments.printed.tables import PrintedRow, robles_rows

METHODS = ("Analytical", "Graph")
CLASSIFIERS = ("classifier 1", "classifier 2")
# Precision, recall and F1: "increased on average by 5.1%", "reduced by 1.6%", "increased by 1.5%".
CLAIMED = (0.051, -0.016, 0.015)
# "10 times faster than the graph approach; … the analytic method takes 60 seconds while the graph method takes 6".
CLAIMED_RATIO, ANALYTIC_SECONDS, GRAPH_SECONDS = 10.0, 60.0, 6.0


@dataclass(frozen=True)
class Gain:
    """The better method against the mean of its two classifiers, averaged over `pairs`: differences of shares."""

    pairs: int
    precision: float
    recall: float
    f1: float
    f1_better: int


@dataclass(frozen=True)
class Claims:
    """What the tables say: pairs in which a method flags nothing or everything, mean gains, and the running times."""

    pairs: int
    flags_nothing: dict[str, int]
    flags_everything: dict[str, int]
    defined: Gain
    proper: Gain

    @property
    def printed_times_agree(self) -> bool:
        """Whether the printed seconds have the printed ratio."""
        return GRAPH_SECONDS / ANALYTIC_SECONDS == CLAIMED_RATIO


@cache
def claims() -> Claims:
    """Compute them from the 68 rows.

    A pair counts as defined where some method and both classifiers have a printed F1; as proper where, besides, that
    method flags neither everything nor nothing. The better method has the larger printed F1, of equals the first.
    """
    pairs: dict[tuple[str, str], dict[str, PrintedRow]] = {}
    for row in robles_rows():
        pairs.setdefault((row.data_set, row.kind), {})[row.row] = row
    recalls = {name: [pair[name].recall for pair in pairs.values()] for name in METHODS}
    defined = [
        (best, means) for pair in pairs.values() if (best := _better(pair)) and (means := _mean_of_classifiers(pair))
    ]
    return Claims(
        pairs=len(pairs),
        flags_nothing={name: sum(recall == 0 for recall in found) for name, found in recalls.items()},
        flags_everything={name: sum(recall == 1 for recall in found) for name, found in recalls.items()},
        defined=_gain(defined),
        proper=_gain((best, means) for best, means in defined if 0 < best[1] < 1),
    )


def _better(pair: dict[str, PrintedRow]) -> tuple[float, ...] | None:
    found = [figures for name in METHODS if (figures := _figures(pair[name]))]
    return max(found, key=lambda figures: figures[2], default=None)


def _mean_of_classifiers(pair: dict[str, PrintedRow]) -> tuple[float, ...] | None:
    found = [_figures(pair[name]) for name in CLASSIFIERS]
    known = [figures for figures in found if figures]
    return tuple(np.mean(known, axis=0).tolist()) if len(known) == len(found) else None


def _figures(row: PrintedRow) -> tuple[float, float, float] | None:
    if row.precision is None or row.f1 is None:
        return None
    return row.precision, row.recall, row.f1


def _gain(pairs: Iterable[tuple[tuple[float, ...], tuple[float, ...]]]) -> Gain:
    differences = np.array([np.subtract(best, means) for best, means in pairs])
    precision, recall, f1 = differences.mean(axis=0).tolist()
    return Gain(len(differences), precision, recall, f1, int((differences[:, 2] > 0).sum()))
