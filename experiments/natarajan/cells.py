"""Compare each cell of the tables with the printed one, and count the marks."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from experiments.intervals import DIFFERENCE, SHARE, Interval, percentile_interval, resampled_shares, t_interval
from experiments.natarajan.data import CUTS_OF_ONE_RANKING, METHODS, PRINTED_METHODS, RECIPES, TABLE_LOSSES, TableRow
from experiments.natarajan.predictions import RankingCuts
from experiments.natarajan.runs import RanPart
from experiments.printed import ROUNDING, printed_by_cell
from experiments.printed.natarajan import contradiction
from multiloss_core.losses import Loss, observed_loss
from multiloss_core.numerics.arrays import Bools, Floats

RESAMPLES = 1000
AGREES, DIFFERS, CANNOT_BE = "agrees", "differs", "cannot be"


@dataclass(frozen=True)
class Cell:
    """One loss of one method on one row.

    `printed`: the paper's, None for a method that it lacks; `ours` with `interval`, 95 %: of the mean over draws, or
    over test items drawn again where the split is published; `one_run`: where one further draw would lie, None for a
    published split. `floor`: the least loss of any cut of the ranking, the test labels known; `lowest_floor`: the least
    such at any L2 strength; `floor_low`: the lower end of its interval. `versus_proposed`: ours minus that of Proposed,
    paired. `mark` and its `reason`, None for a method that the paper lacks.
    """

    row: str
    key: str
    least: int
    loss: str
    method: str
    printed: float | None
    ours: float
    interval: Interval
    one_run: tuple[float, float] | None
    floor: float
    lowest_floor: float
    floor_low: float
    versus_proposed: Interval
    mark: str | None = None
    reason: str | None = None


def cells_of(row: TableRow, ran: Sequence[RanPart]) -> list[Cell]:
    """Make the cells of a row from its parts: its classes on a published split, or its draws."""
    published = len({one.part.draw for one in ran}) == 1 and len(ran) > 1
    of_losses = [_of_classes(row, at, ran) if published else _of_draws(row, at, ran) for at in range(len(TABLE_LOSSES))]
    return [marked(cell) for cells in of_losses for cell in cells]


def marked(cell: Cell) -> Cell:
    """Mark a cell by what can be worked out, and say why.

    "cannot be": contradicted by another printed cell, or below what any cut of the ranking reaches, by more than its
    interval and at every L2 strength tried, where the features are the paper's. "agrees": within our interval, or where
    one further draw would lie, as the paper does not say how many draws it took. Else "differs".
    """
    if cell.printed is None:
        return cell
    recipe = RECIPES[cell.key]
    below = cell.method in CUTS_OF_ONE_RANKING and cell.printed + ROUNDING < cell.floor_low
    under = f"Below {cell.floor_low:.3f}, what the best cut of our rankings reaches with the test labels known"
    doubt = "" if recipe.same_features else "; the features may differ"
    mark, reason = DIFFERS, f"{under}{doubt}." if below else "Outside our interval."
    if contradicted := contradiction(recipe.name, cell.least, cell.loss, cell.method):
        mark, reason = CANNOT_BE, f"{contradicted} {reason}" if below else contradicted
    elif below and recipe.same_features:
        mark = CANNOT_BE
    elif _within(cell.printed, (cell.interval.low, cell.interval.high)):
        mark, reason = AGREES, "Within our interval."
    elif cell.one_run is not None and _within(cell.printed, cell.one_run):
        mark, reason = AGREES, "Where one further draw would lie."
    return replace(cell, mark=mark, reason=reason)


def losses_of(ran: Sequence[RanPart], at: int) -> Floats:
    """Compute the test losses (parts, methods) under one loss of the tables."""
    return np.array([losses_of_cuts(one.cuts, one.labels, at) for one in ran])


def losses_of_cuts(cuts: RankingCuts, labels: Bools, at: int) -> Floats:
    """Compute the test losses (methods,) of one class under one loss of the tables."""
    return np.array([observed_loss(flagged, labels, TABLE_LOSSES[at]) for flagged in cuts.flagged[at]])


def _of_draws(row: TableRow, at: int, ran: Sequence[RanPart]) -> list[Cell]:
    losses = losses_of(ran, at)
    floors = np.array([[one.cuts.floors[at], one.cuts.floors_of_strengths[at]] for one in ran])
    # A printed figure may be of one draw.
    floor_low = _one_run(floors[:, 1])[0]
    intervals = [
        (t_interval(loss, SHARE), _one_run(loss), t_interval(loss - losses[:, 0], DIFFERENCE)) for loss in losses.T
    ]
    return _cells(row, at, intervals, floors.mean(axis=0), floor_low)


def _of_classes(row: TableRow, at: int, ran: Sequence[RanPart]) -> list[Cell]:
    means = losses_of(ran, at).mean(axis=0)
    flagged = np.stack([np.vstack([one.cuts.flagged[at], one.cuts.best[at]]) for one in ran])
    resampled = resampled_means(flagged, np.stack([one.labels for one in ran]), TABLE_LOSSES[at])
    floors = np.mean([[one.cuts.floors[at], one.cuts.floors_of_strengths[at]] for one in ran], axis=0)
    # The interval of the best cut at the strength chosen, moved to the best strength.
    floor_low = percentile_interval(floors[0], resampled[:, -1]).low - (floors[0] - floors[1])
    intervals = [
        (
            percentile_interval(float(mean), drawn),
            None,
            percentile_interval(float(mean - means[0]), drawn - resampled[:, 0]),
        )
        for mean, drawn in zip(means, resampled.T[:-1], strict=True)
    ]
    return _cells(row, at, intervals, floors, floor_low)


def _cells(
    row: TableRow,
    at: int,
    intervals: Sequence[tuple[Interval, tuple[float, float] | None, Interval]],
    floors: Floats,
    floor_low: float,
) -> list[Cell]:
    """Make the cells of all methods from their interval, one run and interval against Proposed."""
    loss, (floor, lowest) = TABLE_LOSSES[at].name, map(float, floors)
    cells = []
    for method, (interval, one_run, versus_proposed) in zip(METHODS, intervals, strict=True):
        printed = printed_by_cell().get((RECIPES[row.key].name, row.least, loss, method))
        place = (row.name, row.key, row.least, loss, method, printed, interval.mean)
        cells.append(Cell(*place, interval, one_run, floor, lowest, floor_low, versus_proposed))
    return cells


def resampled_means(flagged: Bools, labels: Bools, loss: Loss, resamples: int = RESAMPLES) -> Floats:
    """Compute bootstrap mean losses over classes (resamples, m) of m predictions.

    `flagged` (classes, m, n), `labels` (classes, n). A class without a positive among the items drawn is left out of
    that draw's mean, as the tables leave out topics without one.
    """
    classes, m, n = flagged.shape
    columns = flagged.reshape(classes * m, n).T
    shares = resampled_shares(
        columns, np.repeat(labels, m, axis=0).T, draws=resamples, generator=np.random.default_rng(0)
    )
    losses = np.asarray(loss(shares.u, shares.v, shares.p)).reshape(-1, classes, m)
    present = shares.p.reshape(-1, classes, m) > 0
    return np.asarray(np.sum(losses * present, axis=1) / np.maximum(present.sum(axis=1), 1))


def _within(value: float, ends: tuple[float, float]) -> bool:
    return ends[0] - ROUNDING <= value <= ends[1] + ROUNDING


def _one_run(values: Floats) -> tuple[float, float]:
    """Find where one further draw would lie, 95 %: wider than the interval of the mean."""
    found = t_interval(values, SHARE, further=1)
    return found.low, found.high


PROPOSED = PRINTED_METHODS[0]


@dataclass(frozen=True)
class Wins:
    """Numbers of `rows` in which Proposed has less loss; `clearly`: beyond the paired interval."""

    loss: str
    method: str
    rows: int
    printed: int
    ours: int
    clearly: int
    clearly_not: int


@dataclass(frozen=True)
class Summary:
    """Counts of cells by `marks`; `orders_as_printed` of `orders` pairs of methods."""

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
