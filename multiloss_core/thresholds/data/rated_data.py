"""Describe what rated documents and a ready table of counts have in common."""

from typing import Protocol

from numpy.typing import ArrayLike

from multiloss_core.numerics.arrays import Floats
from multiloss_core.thresholds.data.counts import Counts, Rule
from multiloss_core.thresholds.data.rated_documents import RatedDocuments


class RatedData(Protocol):
    """Count rated data of k classifiers at thresholds: `RatedDocuments` or `CountSurfaces`.

    `documents` is None where only counts are known, which then carry a rule of their own.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers (k,)."""

    @property
    def alert_rules(self) -> int:
        """The number of the last classifiers that are alert rules: on at 1, off at infinity."""

    @property
    def score_count(self) -> int:
        """The number of the first classifiers, which are scores."""

    @property
    def floors(self) -> Floats:
        """The lowest thresholds (k,): below them nothing was rated."""

    @property
    def documents(self) -> RatedDocuments | None:
        """The documents, where they are known."""

    @property
    def totals(self) -> Counts[float]:
        """Weight of the rated positives and negatives, whatever the rule."""

    def counts_at(self, thresholds: ArrayLike, rule: Rule = ...) -> Counts[float]:
        """TP and FP at thresholds (k,), infinity for never."""

    def counts_along(self, thresholds: Floats, rule: Rule = ...) -> Counts[Floats]:
        """TP and FP (m,) at each row of thresholds (m, k)."""

    def counted_thresholds(self, thresholds: Floats) -> Floats:
        """Return the thresholds (k,) that `counts_at` uses: nodes, where only these are known."""

    def round_thresholds(self, thresholds: ArrayLike) -> Floats:
        """Thresholds (k,) in the fewest digits that flag the same documents."""
