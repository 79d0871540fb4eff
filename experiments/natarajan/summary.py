"""What the cells say together: marks, wins of Proposed, the order of methods, and the rows against one another."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from experiments.natarajan.cells import Cell
from experiments.natarajan.table_rows import PRINTED_METHODS, TABLE_LOSSES

PROPOSED = PRINTED_METHODS[0]


@dataclass(frozen=True)
class Wins:
    """In how many of `rows` Proposed has a smaller loss than `method`: as printed, and here; `clearly` here by more
    than the paired interval, and `clearly_not` the other way round."""

    loss: str
    method: str
    rows: int
    printed: int
    ours: int
    clearly: int
    clearly_not: int


@dataclass(frozen=True)
class Summary:
    """`marks`: cells of each mark; `orders_as_printed` of `orders` pairs of methods within a row and loss."""

    marks: dict[str, int]
    wins: tuple[Wins, ...]
    orders: int
    orders_as_printed: int


def summary_of(cells: Sequence[Cell]) -> Summary:
    """Count over all printed cells."""
    printed = [cell for cell in cells if cell.printed is not None]
    by_place = {(cell.row, cell.loss, cell.method): cell for cell in printed}
    rows = list(dict.fromkeys(cell.row for cell in printed))
    pairs = [
        (by_place[row, loss.name, one], by_place[row, loss.name, other])
        for row in rows
        for loss in TABLE_LOSSES
        for one, other in combinations(PRINTED_METHODS, 2)
    ]
    return Summary(
        dict(Counter(str(cell.mark) for cell in printed)),
        tuple(_wins(by_place, rows, loss.name, method) for loss in TABLE_LOSSES for method in PRINTED_METHODS[1:]),
        len(pairs),
        sum(_sign(_printed(one) - _printed(other)) == _sign(one.ours - other.ours) for one, other in pairs),
    )


def _wins(by_place: dict[tuple[str, str, str], Cell], rows: Sequence[str], loss: str, method: str) -> Wins:
    others = [by_place[row, loss, method] for row in rows]
    proposed = [by_place[row, loss, PROPOSED] for row in rows]
    return Wins(
        loss,
        method,
        len(rows),
        sum(_printed(one) < _printed(other) for one, other in zip(proposed, others, strict=True)),
        sum(one.ours < other.ours for one, other in zip(proposed, others, strict=True)),
        sum(other.versus_proposed.low > 0 for other in others),
        sum(other.versus_proposed.high < 0 for other in others),
    )


def _printed(cell: Cell) -> float:
    assert cell.printed is not None
    return cell.printed


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)
