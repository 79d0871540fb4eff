"""Let old documents count less where that predicts the newest ones better."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from multiloss_core.formatting import plural
from multiloss_core.numerics.arrays import Floats, Indices, sums
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

# Half-lives tried, as shares of the days of the older documents.
HALF_LIVES = (1.0, 0.5, 0.25, 0.125)
NEWEST_SHARE, MIN_POSITIVES, MIN_GROUPS = 0.2, 5, 10
MIN_STANDARD_ERRORS = 1.5
# From here on in weeks.
DAYS_IN_WORDS = 21


@dataclass(frozen=True, kw_only=True)
class AgeWeights:
    """Weights that fall by half with each `half_life` of age, in days.

    None where all documents count alike. `gain`: by how much the log likelihood of the newest fifth of the documents is
    larger under a fit to the others with these weights than with equal ones, and its standard error; 0 where none was
    tried.
    """

    half_life: float | None = None
    gain: float = 0.0
    standard_error: float = 0.0

    def weights(self, ages: Floats) -> Floats:
        """Return the weights of documents of these ages in days (n,), of mean 1."""
        if self.half_life is None:
            return np.ones(len(ages))
        faded = np.exp2(-ages / self.half_life)
        return np.asarray(faded / faded.mean())

    @property
    def words(self) -> str:
        """Say what counts less."""
        if self.half_life is None:
            return "Older alerts count as much as new ones"
        days = max(round(self.half_life), 1)
        span = plural(days, "day") if days < DAYS_IN_WORDS else plural(round(days / 7), "week")
        return f"Older alerts count less, half after {span}"


def choose_age_weights(
    documents: RatedDocuments, ages: Floats, slots: Indices, precision_of: Callable[[Floats], Floats]
) -> AgeWeights:
    """Choose the half-life under which a fit to older documents predicts the newest fifth best.

    Equal weights stay unless another half-life is better by 1.5 standard errors, of documents or of groups, as several
    are tried. `ages`: days (n,); `slots` (n,): the cell of each document; `precision_of`: a fit of the precision of
    cells (c,) to positives and negatives in them (2, c). O(n) for each of four half-lives.
    """
    boundary = float(np.quantile(ages, NEWEST_SHARE))
    newest = ages <= boundary
    span = float(ages.max()) - boundary
    labels = documents.labels
    if span <= 0 or min(labels[newest].sum(), labels[~newest].sum(), (~labels)[newest].sum()) < MIN_POSITIVES:
        return AgeWeights()
    count = int(slots.max()) + 1
    keys = (slots + count * ~labels)[~newest]

    def log_likelihoods(half_life: float) -> Floats:
        weights = documents.weights[~newest] * np.exp2((boundary - ages[~newest]) / half_life)
        # Effective numbers of documents, of which the model is made.
        unit = weights.sum() / np.square(weights).sum() * documents.weights.mean()
        counts = sums(keys, unit * weights, 2 * count).reshape(2, count)
        shares = precision_of(counts)[slots[newest]].clip(1e-9, 1 - 1e-9)
        return np.asarray(documents.weights[newest] * np.log(np.where(labels[newest], shares, 1 - shares)))

    equal = log_likelihoods(np.inf)
    found = AgeWeights()
    if documents.groups is None:
        groups = np.arange(equal.size)
    else:
        groups = np.unique(documents.groups[newest], return_inverse=True)[1]
    for share in HALF_LIVES:
        gains = sums(groups, log_likelihoods(share * span) - equal, int(groups.max()) + 1)
        gain, error = float(gains.sum()), float(np.sqrt(gains.size) * gains.std())
        if gains.size >= MIN_GROUPS and gain > max(found.gain, MIN_STANDARD_ERRORS * error):
            found = AgeWeights(half_life=share * span, gain=gain, standard_error=error)
    return found
