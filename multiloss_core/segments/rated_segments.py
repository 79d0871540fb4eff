"""Count rated documents by segment in the cells of a common fit, with folds held out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Floats, Indices, sums
from multiloss_core.tables.column_values import segment_names
from multiloss_core.thresholds.data.folds import document_folds
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.smooth.cells import ScoreCells
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit

FOLDS = 5
MAX_SEGMENTS = 50
# A segment with fewer rated positives or negatives is pooled with others of this kind.
MIN_OF_EACH_CLASS = 5
POOLED = "(other segments)"


@dataclass(frozen=True, eq=False, kw_only=True)
class RatedSegments:
    """Rated documents of s segments in the c cells of a common fit.

    `pair_segment` and `pair_cell` (p,) are the segment and the cell of each occupied pair. Rows (r,) are documents, or
    documents of one class and fold that share a pair: `row_pair`, `row_class` (1 for positives), `row_fold`, their sums
    of weights `row_weight` and of squared weights `row_square`, and `row_group` where documents have groups.
    `members` are the pooled names of each segment.
    """

    members: tuple[tuple[str, ...], ...]
    cells: ScoreCells
    pair_segment: Indices
    pair_cell: Indices
    row_pair: Indices
    row_class: Indices
    row_fold: Indices
    row_weight: Floats
    row_square: Floats
    row_group: Indices | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Name segments (s,) by their only member, or as the pool."""
        return tuple(part[0] if len(part) == 1 else POOLED for part in self.members)

    @property
    def folds(self) -> int:
        """Return the number of folds, at least 1."""
        return int(self.row_fold.max(initial=0)) + 1

    def table(self, values: Floats) -> Floats:
        """Sum values of rows (r,) by fold, class and pair: (f, 2, p), negatives first."""
        size = len(self.pair_cell)
        keys = (self.row_fold * 2 + self.row_class) * size + self.row_pair
        return sums(keys, values, self.folds * 2 * size).reshape(self.folds, 2, size)


def pooled(names: Sequence[str], counts: Floats) -> tuple[Indices, tuple[tuple[str, ...], ...]]:
    """Pool small segments: the new position (s,) of each, and the names in each new one.

    `counts` (s, 2) are rated negatives and positives. Largest first; the pool, if there is one, is last. More than
    `MAX_SEGMENTS` leave room for the pool.

    Raises DataError: fewer than two segments are left.
    """
    order = np.lexsort((np.array(names, dtype=str), -counts.sum(axis=1)))
    large = [int(s) for s in order if counts[s].min() >= MIN_OF_EACH_CLASS]
    if len(large) > MAX_SEGMENTS or (len(large) == MAX_SEGMENTS and len(large) < len(names)):
        large = large[: MAX_SEGMENTS - 1]
    small = [int(s) for s in order if int(s) not in set(large)]
    parts = [[s] for s in large] + ([small] if small else [])
    with_documents = [name for name, number in zip(names, counts.sum(axis=1), strict=True) if number > 0]
    if len(with_documents) < 2:
        raise DataError(
            f"All rated documents are in segment '{with_documents[0]}'; choose a column with at least two values."
        )
    if len(parts) < 2:
        raise DataError(
            f"No segment has at least {MIN_OF_EACH_CLASS} rated positives and {MIN_OF_EACH_CLASS} rated negatives; "
            "choose a column with fewer values, or rate more documents."
        )
    position = np.empty(len(names), dtype=np.intp)
    for number, part in enumerate(parts):
        position[part] = number
    return position, tuple(tuple(names[s] for s in part) for part in parts)


def segments_of_documents(
    documents: RatedDocuments, fit: SmoothFit, segments: ArrayLike, undecided: ArrayLike | None = None
) -> tuple[RatedSegments, Indices]:
    """Count documents in the cells of a fit, and find the segments of alerts. O(n log n).

    `segments` (n,) and `undecided` (u,) are names; blanks become "(blank)". Names that only undecided alerts have
    join the pool.

    Raises DataError: not one column of names, one for each document and alert, or fewer than two segments are left
    after pooling.
    """
    count = len(documents.labels)
    given = _cells_of_column(segments, count, "documents")
    if undecided is not None:
        alerts = _cells_of_column(undecided, len(documents.undecided), "undecided alerts")
        given = np.concatenate([given, alerts])
    code, names = segment_names(pd.Series(given))
    labels = documents.labels.astype(np.intp)
    position, members = pooled(names, sums(2 * code[:count] + labels, np.ones(count), 2 * len(names)).reshape(-1, 2))
    of_segment = position[code]
    many = documents.groups is not None and int(documents.groups.max()) > 0
    cells = len(fit.totals)
    pairs, row_pair = np.unique(of_segment[:count] * cells + fit.cells.slots, return_inverse=True)
    rated = RatedSegments(
        members=members,
        cells=fit.cells,
        pair_segment=pairs // cells,
        pair_cell=pairs % cells,
        row_pair=row_pair,
        row_class=labels,
        row_fold=document_folds(documents, FOLDS, whole_groups=many),
        row_weight=documents.weights,
        row_square=np.square(documents.weights),
        row_group=documents.groups if many else None,
    )
    return rated, of_segment[count:]


def _cells_of_column(values: ArrayLike, needed: int, kind: str) -> NDArray[np.object_]:
    column = np.asarray(values, dtype=object)
    if column.ndim != 1:
        raise DataError(f"Segments must be one column of names, not of shape {column.shape}.")
    if len(column) != needed:
        raise DataError(f"Give one segment for each of {needed:,} {kind}, not {len(column):,}.")
    return column


def segments_of_counts(source: RatedCounts, fit: SmoothFit, segments: Mapping[str, RatedCounts]) -> RatedSegments:
    """Count documents that a database counted by segment in the cells of a fit. O(f p log p).

    Documents are dealt to the folds at random, with a fixed seed.

    Raises DataError: a segment on another grid or with documents that the source lacks, or fewer than two segments left
    after pooling.
    """
    names = tuple(segments)
    if not names:
        raise DataError("There is no segment; count the documents of each one on the grid of all.")
    counted = [segments[name].counted for name in names]
    position, members = pooled(names, np.array([one.documents.sum(axis=0) for one in counted], dtype=np.float64))
    if sum(int(one.documents.sum()) for one in counted) != int(source.counted.documents.sum()):
        raise DataError("The segments do not add up to all documents; count each document in exactly one segment.")
    generator = np.random.default_rng(0)
    rows = [
        (np.full(cells.size, at), cells, np.full(cells.size, kind), np.full(cells.size, fold), *part)
        for name, one, at in zip(names, counted, position, strict=True)
        for cells in [_cells_in(source, segments[name], name)]
        for fold, dealt in enumerate(one.dealt(FOLDS, generator))
        for kind in (0, 1)
        for part in [(dealt.weights[:, kind], dealt.squares[:, kind])]
    ]
    segment, cell, kind, fold, weight, square = (np.concatenate(column) for column in zip(*rows, strict=True))
    kept = weight > 0
    pairs, row_pair = np.unique((segment * len(fit.totals) + cell)[kept], return_inverse=True)
    return RatedSegments(
        members=members,
        cells=fit.cells,
        pair_segment=pairs // len(fit.totals),
        pair_cell=pairs % len(fit.totals),
        row_pair=row_pair,
        row_class=kind[kept],
        row_fold=fold[kept],
        row_weight=weight[kept],
        row_square=square[kept],
    )


def _cells_in(source: RatedCounts, segment: RatedCounts, name: str) -> Indices:
    """Find the positions of the cells of a segment among those of all documents."""
    same = len(source.axes) == len(segment.axes) and all(map(np.array_equal, source.axes, segment.axes))
    places = {tuple(cell): at for at, cell in enumerate(source.counted.cells.tolist())} if same else {}
    try:
        return np.array([places[tuple(cell)] for cell in segment.counted.cells.tolist()], dtype=np.intp)
    except KeyError:
        raise DataError(
            f"Segment '{name}' was not counted on the grid of all documents; count both with the same axes."
        ) from None
