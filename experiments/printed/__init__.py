"""Read the printed tables of Natarajan et al. 2016 and Robles et al. 2020."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).resolve().parent
METHODS = ("Proposed", "Baseline", "Tuning", "S-SVM")
LOSS_NAMES = ("F1", "Jaccard", "AM", "G-TP/PR")
# Half of the last printed digit of Tables 2 and 3.
ROUNDING = 0.00005


@dataclass(frozen=True)
class PrintedLoss:
    """One of the 160 losses of Natarajan et al.; `least` is T of REUTERS, 1 elsewhere."""

    table: int
    data_set: str
    least: int
    loss: str
    method: str
    value: float


@dataclass(frozen=True)
class PrintedRow:
    """One of the 68 rows of Robles et al.; None where "-" is printed."""

    data_set: str
    kind: str
    row: str
    precision: float | None
    recall: float
    f1: float | None


@cache
def natarajan_losses() -> tuple[PrintedLoss, ...]:
    """Read the 160 losses in the order of the tables."""
    frame = pd.read_csv(FOLDER / "natarajan_2016_tables_2_and_3.csv")
    return tuple(
        PrintedLoss(int(table), str(data_set), int(least), str(loss), str(method), float(value))
        for table, data_set, least, loss, method, value in frame.itertuples(index=False)
    )


@cache
def printed_by_cell() -> dict[tuple[str, int, str, str], float]:
    """Index the 160 losses by (data set, T, loss, method)."""
    return {(one.data_set, one.least, one.loss, one.method): one.value for one in natarajan_losses()}


@cache
def robles_rows() -> tuple[PrintedRow, ...]:
    """Read the 68 rows in the order of the tables."""
    frame = pd.read_csv(FOLDER / "robles_2020_tables_1_and_2.csv")
    return tuple(
        PrintedRow(str(data_set), str(kind), str(row), _number(precision), float(recall), _number(f1))
        for data_set, kind, row, precision, recall, f1 in frame.itertuples(index=False)
    )


def row_title(data_set: str, least: int) -> str:
    """Name a row of Tables 2 and 3: REUTERS with its T."""
    return f"{data_set}, T = {least}" if data_set == "REUTERS" else data_set


def _number(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
