"""Draw bootstrap resamples of rated documents as counts in cells."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from multiloss_core.numerics.arrays import Floats, Indices, sums
from multiloss_core.thresholds.data.group_variation import GroupParts
from multiloss_core.thresholds.data.rated_counts import CellCounts, RatedCounts
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit

FOLDS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class CellSample:
    """Rated documents as weights in c cells, with functions to draw them anew.

    `positives` and `negatives` (c,) are weights. `draw(generator, count)` gives resamples (count, 2, c), positives
    first, each of the same number of documents. `split(generator)` deals the documents, groups whole, to folds
    (f, 2, c); there is none for a table of counts or a single group.
    """

    positives: Floats
    negatives: Floats
    draw: Callable[[np.random.Generator, int], Floats]
    split: Callable[[np.random.Generator], Floats] | None = None

    @property
    def size(self) -> float:
        """Return the total weight."""
        return float(self.positives.sum() + self.negatives.sum())


def resamples_of(source: RatedData, fit: SmoothFit, parts: GroupParts | None = None) -> CellSample:
    """Make the sample of the data of a fit in its cells; `parts`: see `cell_sample_of_cells`."""
    if source.documents is not None:
        return cell_sample(source.documents, fit.cells.slots, len(fit.totals))
    if isinstance(source, RatedCounts):
        cells = source.counted.cells
        return cell_sample_of_cells(source.counted, parts, None if parts is None else parts.steps(source.axes, cells))
    # A table of counts, each of single documents.
    negatives = fit.totals - fit.positives
    draw = _draw_documents(np.concatenate([fit.positives, negatives]), 1.0)
    return CellSample(positives=fit.positives, negatives=negatives, draw=draw)


def cell_sample(documents: RatedDocuments, slots: Indices, cells: int) -> CellSample:
    """Sort documents into cells `slots` (n,), numbered 0..cells - 1, for resampling.

    - With groups whole groups are drawn with replacement, as sums of rows of a sparse table of groups by cells: O(n)
      for each resample.
    - With equal weights the counts are multinomial: exactly the bootstrap of documents, O(cells).
    - With other weights every cell is a Poisson number of documents of the cell's effective weight, W2 / W (W the sum
      of its weights, W2 that of their squares), with mean W. Drawing every document a Poisson(1) number of times gives
      the cell the mean W and the variance W2; so does this. They differ in skewness only, and only where weights differ
      within a cell. O(cells).

    Resamples of groups or of weights are scaled to the number of documents, effective ones where weights differ:
    intervals are for new data of the same size. The total weight varies, as frauds may weigh more. A split is O(n).
    """
    keys = slots + cells * ~documents.labels
    counts, squares = (sums(keys, one, 2 * cells) for one in (documents.weights, np.square(documents.weights)))
    if documents.groups is not None:
        draw = _draw_groups(documents.groups, keys, documents.weights, 2 * cells)
    elif (documents.weights == documents.weights[0]).all():
        draw = _draw_documents(counts, float(documents.weights[0]))
    else:
        draw = _draw_weights(counts, squares)
    split = _split(documents.groups, keys, documents.weights, 2 * cells)
    return CellSample(positives=counts[:cells], negatives=counts[cells:], draw=draw, split=split)


def cell_sample_of_cells(
    counted: CellCounts, parts: GroupParts | None = None, steps: Indices | None = None
) -> CellSample:
    """Make the sample of documents counted in cells, like `cell_sample`.

    With `parts` of groups, counted along a path, and the `steps` (c,) of the cells there, the number of documents of
    each step and class in a resample comes from whole parts drawn with replacement, their cells from documents drawn
    one by one: O(c) for each resample. A split is O(c): it deals numbers of documents of each cell to the folds, so
    that groups do not stay whole.
    """
    negatives, positives = counted.weights.T
    counts, squares = (table[:, ::-1].T.ravel() for table in (counted.weights, counted.squares))
    unit = counted.equal_weight
    draw = _draw_weights(counts, squares) if unit is None else _draw_documents(counts, unit)
    if parts is not None and steps is not None:
        draw = _draw_parts(parts, np.concatenate([2 * steps, 2 * steps + 1]), counts, draw)

    def split(generator: np.random.Generator) -> Floats:
        return np.array([part.weights[:, ::-1].T for part in counted.dealt(FOLDS, generator)])

    return CellSample(
        positives=positives, negatives=negatives, draw=draw, split=split if counted.documents.sum() >= FOLDS else None
    )


def _draw_documents(counts: Floats, weight: float) -> Callable[[np.random.Generator, int], Floats]:
    size, shares = round(float(counts.sum()) / weight), counts / counts.sum()

    def draw(generator: np.random.Generator, count: int) -> Floats:
        return weight * generator.multinomial(size, shares, count).reshape(count, 2, -1).astype(np.float64)

    return draw


def _draw_weights(counts: Floats, squares: Floats) -> Callable[[np.random.Generator, int], Floats]:
    units = np.divide(squares, counts, out=np.ones_like(counts), where=counts > 0)

    def draw(generator: np.random.Generator, count: int) -> Floats:
        numbers = generator.poisson(counts / units, (count, len(counts))).astype(np.float64)
        return (units * _of_total(numbers, float((counts / units).sum()))).reshape(count, 2, -1)

    return draw


def _draw_groups(
    groups: Indices, keys: Indices, weights: Floats, columns: int
) -> Callable[[np.random.Generator, int], Floats]:
    number, sizes = int(groups.max()) + 1, np.bincount(groups)
    table = csr_array((weights, (groups, keys)), shape=(number, columns))

    # Draw one resample at a time: a table of groups by resamples could be large.
    def once(generator: np.random.Generator) -> Floats:
        times = np.bincount(generator.integers(0, number, number), minlength=number)
        return np.asarray(times @ table * (len(groups) / (times @ sizes)), dtype=np.float64)

    def draw(generator: np.random.Generator, count: int) -> Floats:
        return np.array([once(generator) for _ in range(count)]).reshape(count, 2, -1)

    return draw


def _draw_parts(
    parts: GroupParts, keys: Indices, counts: Floats, draw_one_by_one: Callable[[np.random.Generator, int], Floats]
) -> Callable[[np.random.Generator, int], Floats]:
    """Draw parts of groups; `keys` (2c,): step and class of each cell, positives first."""
    number = len(parts.weights)
    table = parts.weights[:, :, ::-1].reshape(number, -1)
    kinds = table.shape[1]
    here, there = sums(keys, counts, kinds), table.sum(axis=0)
    # A growing table may differ between two counts.
    table = table * np.divide(here, there, out=np.zeros_like(here), where=there > 0)
    of_kind = csr_array((np.ones(len(keys)), (np.arange(len(keys)), keys)), shape=(len(keys), kinds))

    def draw(generator: np.random.Generator, count: int) -> Floats:
        times = generator.multinomial(number, np.full(number, 1 / number), count)
        wanted = times @ table
        found = draw_one_by_one(generator, count).reshape(count, -1)
        own = np.asarray(found @ of_kind)
        drawn = found * np.divide(wanted, own, out=np.zeros_like(wanted), where=own > 0)[:, keys]
        # Steps with wanted but undrawn documents take the cells of the data.
        missing = np.divide(wanted, here, out=np.zeros_like(wanted), where=(own <= 0) & (here > 0))
        drawn += missing[:, keys] * counts
        return _of_total(drawn, float(counts.sum())).reshape(count, 2, -1)

    return draw


def _split(
    groups: Indices | None, keys: Indices, weights: Floats, columns: int
) -> Callable[[np.random.Generator], Floats] | None:
    number = len(keys) if groups is None else int(groups.max()) + 1
    parts = min(FOLDS, number)
    # Make folds independent of the order of documents.
    members = np.argsort(np.lexsort((weights, keys))) if groups is None else groups

    def split(generator: np.random.Generator) -> Floats:
        of_documents = (generator.permutation(number) % parts)[members]
        return sums(of_documents * columns + keys, weights, parts * columns).reshape(parts, 2, -1)

    return split if parts > 1 else None


def _of_total(drawn: Floats, total: float) -> Floats:
    sums = drawn.sum(axis=1, keepdims=True)
    return np.asarray(drawn * np.divide(total, sums, out=np.ones_like(sums), where=sums > 0))
