"""Let documents of earlier files count in the fit as far as files predict each other."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from multiloss_core.formatting import plural
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.thresholds.data.folds import document_folds
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

# Half-lives in files, and up to which loss they are taken: a smaller one is noise of a few dozen positives.
HALF_LIVES = ((6.5, 1.5), (20.0, 0.7), (np.inf, 0.0))
FOLDS, MIN_POSITIVES, LEAST_SHARE = 4, 5, 0.01


@dataclass(frozen=True, kw_only=True)
class EarlierWeights:
    """Weights of documents that fall by half with each `half_life` files of age.

    A half-life of 0 leaves earlier files out. `files`: how many there are. `loss`: by how much the log likelihood of a
    file falls for each step to more distant files that predict it, times the root of the sum of squares of the
    distances: its noise does not depend on their number.
    """

    half_life: float
    files: int
    loss: float = np.nan

    def weights(self, ages: Floats) -> Floats:
        """Return the weights of documents of these ages in files (n,); 1 in the newest one."""
        if self.half_life == 0:
            return np.asarray(ages == 0, dtype=np.float64)
        return np.asarray(np.exp2(-ages / self.half_life))

    @property
    def words(self) -> str:
        """Say what earlier files count."""
        files = plural(self.files, "earlier file", "count")
        if self.half_life == 0:
            return "Earlier files do not count, because fraud changes too much from file to file"
        return f"{files} as well, less by half for every {self.half_life:g} files of age"


def choose_earlier_weights(
    documents: RatedDocuments, ages: Floats, slots: Indices, precision_of: Callable[[Floats], Floats]
) -> EarlierWeights:
    """Choose a half-life by how much worse files are predicted by more distant ones.

    `ages` (n,): how many files a document is older than the newest one; `slots` (n,): its cell; `precision_of`: a fit
    of the precision of cells (c,) to positives and negatives in them (2, c). Each file predicts all others, and itself
    by folds; the log likelihood of each falls with their distance where fraud changes. Files with fewer than five
    positives have no say. O(n), and five fits for each file.
    """
    cells, files = int(slots.max()) + 1, int(ages.max()) + 1
    fold = document_folds(documents, FOLDS, whole_groups=documents.groups is not None and bool(documents.groups.any()))
    keys = ((ages.astype(np.intp) * FOLDS + fold) * 2 + ~documents.labels) * cells + slots
    counts = np.bincount(keys, documents.weights, files * FOLDS * 2 * cells).reshape(files, FOLDS, 2, cells)
    enough = np.flatnonzero(counts[:, :, 0].sum(axis=(1, 2)) >= MIN_POSITIVES)
    counts = counts[enough]
    likelihoods = np.empty((len(enough), len(enough)))
    for number, one in enumerate(counts):
        likelihoods[:, number] = _log_likelihoods(counts.sum(axis=1), precision_of(one.sum(axis=0)))
        likelihoods[number, number] = sum(
            _log_likelihoods(left_out, precision_of(one.sum(axis=0) - left_out)) for left_out in one
        )
    distances = np.abs(np.subtract.outer(enough, enough)).astype(np.float64)
    distances -= distances.mean(axis=1, keepdims=True)
    loss = -float((distances * likelihoods).sum() / np.sqrt(max(np.square(distances).sum(), 1e-9)))
    half_life = next(half_life for most, half_life in HALF_LIVES if loss <= most)
    return EarlierWeights(half_life=half_life, files=files - 1, loss=loss)


def _log_likelihoods(counts: Floats, shares: Floats) -> Floats:
    """Compute the log likelihood of positives and negatives (..., 2, c) under shares (c,)."""
    likely = shares.clip(LEAST_SHARE, 1 - LEAST_SHARE)
    return np.asarray(counts[..., 0, :] @ np.log(likely) + counts[..., 1, :] @ np.log1p(-likely))
