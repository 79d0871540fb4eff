"""Check the text of Robles et al. 2020 against its tables, and recover the counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from experiments.printed import PrintedRow, robles_rows

METHODS = ("Analytical", "Graph")
CLASSIFIERS = ("classifier 1", "classifier 2")
# Precision, recall and F1.
Figures = tuple[float, float, float]
# Precision, recall and F1: "increased on average by 5.1%", "reduced by 1.6%", "increased by 1.5%".
CLAIMED = (0.051, -0.016, 0.015)
# "10 times faster than the graph approach; … the analytic method takes 60 seconds while the graph method takes 6".
CLAIMED_RATIO, ANALYTIC_SECONDS, GRAPH_SECONDS = 10.0, 60.0, 6.0


@dataclass(frozen=True)
class Gain:
    """Mean gain of the better method over its two classifiers in `pairs`, as shares."""

    pairs: int
    precision: float
    recall: float
    f1: float
    f1_better: int


@dataclass(frozen=True)
class Claims:
    """Pairs in which a method flags nothing or everything, mean gains, and running times."""

    pairs: int
    flags_nothing: dict[str, int]
    flags_everything: dict[str, int]
    defined: Gain
    proper: Gain

    @property
    def printed_times_agree(self) -> bool:
        """Whether the printed seconds have the printed ratio."""
        return GRAPH_SECONDS / ANALYTIC_SECONDS == CLAIMED_RATIO


@dataclass(frozen=True)
class EnsemblePair:
    """Precision, recall and F1 of the better method, and the means of its two classifiers."""

    data_set: str
    kind: str
    ensemble: Figures
    classifiers: Figures


def ensemble_pairs(rows: Iterable[tuple[str, str, str, Figures | None]]) -> tuple[EnsemblePair, ...]:
    """Set the better method of each set and kind beside its classifiers, where both are defined.

    `rows`: set, kind, row of the tables, and precision, recall and F1 if all are defined. The better method has the
    larger F1, of equals the first.
    """
    table: dict[tuple[str, str], dict[str, Figures]] = {}
    for data_set, kind, row, figures in rows:
        if figures is not None:
            table.setdefault((data_set, kind), {})[row] = figures
    return tuple(
        EnsemblePair(
            *place,
            max((found[name] for name in METHODS if name in found), key=lambda figures: figures[2]),
            tuple(np.mean([found[name] for name in CLASSIFIERS], axis=0).tolist()),
        )
        for place, found in table.items()
        if set(CLASSIFIERS) <= set(found) and set(METHODS) & set(found)
    )


@cache
def printed_pairs() -> tuple[EnsemblePair, ...]:
    """Return the pairs of the 68 rows with a printed F1 of some method and both classifiers."""
    return ensemble_pairs((row.data_set, row.kind, row.row, _figures(row)) for row in robles_rows())


@cache
def claims() -> Claims:
    """Compute them from the 68 rows.

    `defined` covers `printed_pairs`; `proper` those whose better method flags neither everything nor nothing.
    """
    pairs: dict[tuple[str, str], dict[str, PrintedRow]] = {}
    for row in robles_rows():
        pairs.setdefault((row.data_set, row.kind), {})[row.row] = row
    recalls = {name: [pair[name].recall for pair in pairs.values()] for name in METHODS}
    return Claims(
        pairs=len(pairs),
        flags_nothing={name: sum(recall == 0 for recall in found) for name, found in recalls.items()},
        flags_everything={name: sum(recall == 1 for recall in found) for name, found in recalls.items()},
        defined=gain_of(printed_pairs()),
        proper=gain_of([pair for pair in printed_pairs() if 0 < pair.ensemble[1] < 1]),
    )


def _figures(row: PrintedRow) -> Figures | None:
    if row.precision is None or row.f1 is None:
        return None
    return row.precision, row.recall, row.f1


def gain_of(pairs: Sequence[EnsemblePair]) -> Gain:
    """Compute the mean gains of at least one pair."""
    differences = np.array([np.subtract(pair.ensemble, pair.classifiers) for pair in pairs])
    precision, recall, f1 = differences.mean(axis=0).tolist()
    return Gain(len(differences), precision, recall, f1, int((differences[:, 2] > 0).sum()))


# Standard deviations allowed for the positives of a held-out quarter.
SPREAD = 4.0
HELD_OUT_SHARE = 0.25
# Rows and positives of the public files.
POPULATIONS = {"CreditCards": (284_807, 492), "Bank": (41_188, 4_640), "IEEEFraud": (590_540, 20_663)}
FEW_DIGITS, MANY_DIGITS = 2, 4


@dataclass(frozen=True)
class HeldOut:
    """Numbers of held-out positives for which every printed recall is a rounded fraction."""

    data_set: str
    expected: float
    searched: tuple[int, int]
    solutions: tuple[int, ...]

    @property
    def unique(self) -> int | None:
        """The only solution, if there is one only."""
        return self.solutions[0] if len(self.solutions) == 1 else None


@dataclass(frozen=True)
class RecoveredCounts:
    """A printed row as counts: its only TP, and the range of FP that round to it.

    `fp_least` above `fp_most`: no whole number does.
    """

    printed: PrintedRow
    positives: int
    tp: int
    fp_least: int
    fp_most: int


@dataclass(frozen=True)
class WrongF1:
    """A printed F1 outside the range `follows` of its own precision and recall."""

    printed: PrintedRow
    follows: tuple[float, float]


@cache
def held_out(data_set: str) -> HeldOut:
    """Search the held-out positives of a set within four standard deviations.

    Raises KeyError for another set.
    """
    rows, positives = POPULATIONS[data_set]
    expected = positives * HELD_OUT_SHARE
    spread = SPREAD * np.sqrt(expected * (1 - HELD_OUT_SHARE) * (1 - positives / rows))
    searched = (int(expected - spread), int(expected + spread) + 1)
    candidates = np.arange(searched[0], searched[1] + 1)
    possible = np.ones(len(candidates), dtype=bool)
    for row in robles_rows():
        if row.data_set == data_set:
            nearest = np.round(row.recall * candidates) / candidates
            possible &= np.abs(nearest - row.recall) <= _half_digit(row.recall)
    return HeldOut(data_set, expected, searched, tuple(candidates[possible].tolist()))


@cache
def recovered_counts() -> tuple[RecoveredCounts, ...]:
    """List the counts of every row with a precision and known held-out positives."""
    found = []
    for row in robles_rows():
        positives = held_out(row.data_set).unique
        if positives is None or not row.precision or not row.recall:
            continue
        least, most = _whole_numbers_that_round_to(row.recall, positives)
        if least == most:
            half = _half_digit(row.precision)
            fp = least / (row.precision + half) - least, least / (row.precision - half) - least
            found.append(RecoveredCounts(row, positives, least, max(int(np.ceil(fp[0])), 0), int(np.floor(fp[1]))))
    return tuple(found)


@cache
def wrong_f1() -> tuple[WrongF1, ...]:
    """List the rows whose F1, or "-", does not follow from precision and recall."""
    found = []
    for row in robles_rows():
        if row.precision and row.recall:
            half = _half_digit(row.precision), _half_digit(row.recall)
            follows = (
                _f1(row.precision - half[0], row.recall - half[1]),
                _f1(row.precision + half[0], row.recall + half[1]),
            )
            if row.f1 is None or not follows[0] - _half_digit(row.f1) <= row.f1 <= follows[1] + _half_digit(row.f1):
                found.append(WrongF1(row, follows))
    return tuple(found)


def _whole_numbers_that_round_to(share: float, of: int) -> tuple[int, int]:
    half = _half_digit(share)
    return int(np.ceil((share - half) * of)), int(np.floor((share + half) * of))


def _half_digit(value: float) -> float:
    """Return half of the last of two or four digits; trailing zeros may be left out."""
    digits = FEW_DIGITS if round(value, FEW_DIGITS) == value else MANY_DIGITS
    return 0.5 * 10.0**-digits + 1e-9


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)
