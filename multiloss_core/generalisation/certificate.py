"""Certify a precision: thresholds whose precision is at least x with 95 % confidence."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.generalisation.certificate_parts import (
    CHOOSING_SHARE,
    Counted,
    Dealing,
    Test,
    deal_cells,
    deal_documents,
    shares_of,
)
from multiloss_core.numerics.arrays import Floats, Indices
from multiloss_core.numerics.proportion_tests import (
    betting_lower_bound,
    betting_p_value,
    documents_needed,
    enough_positives,
    exact_lower_bound,
    exact_p_value,
    rough_documents_needed,
)
from multiloss_core.thresholds.data.counts import Counts, Rule, require_rule
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.smooth.path import smooth_path
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

Status = Literal["certified", "not_certified", "too_few"]
# Futures drawn to choose where the tests start.
FUTURES = 400
# The simulation error of this number of futures.
AS_GOOD = 0.99
POWER = 0.8
# How many times the documents the test by betting needs, measured on binomial samples; only plans rest on it.
COST_OF_BETTING = 1.2
NOTHING = Counts(0.0, 0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Certificate:
    """The loosest thresholds (k,) with certified `precision` at this confidence.

    The certificate is about all documents flagged at `thresholds`, now and in future ones from the same source.
    It does not cover the precision of the documents added last.

    `status`: `certified`; `not_certified`, the tests do not say so for any thresholds; `too_few`, no path can be found
    on the third of the documents that chooses. `counts` are those on all documents, `tested` on the ones that decided.
    `lower_bound` is the lower confidence bound of the precision from these thresholds' own test; as the tests chose
    where to stop, only `precision` itself is certified. `p_value` is that of the thresholds, or of the first ones
    tried; `tried` counts the tests. Without a certificate `thresholds` is None, and the counts and bound are 0.

    `path` is the path of the third that chose, "guaranteed" by name, with its counts on all documents. Every vertex
    from `loosest` to `strictest` passed its test, and the certificate is about all of these at once: whichever of them
    is used.

    `test`: `exact` (binomial) for independent documents of equal weight, or `betting` for weights or groups, which
    holds for any number of groups, and however alike the documents of a group are, if no weight (or total weight of a
    group's flagged documents) can exceed `largest`, the largest seen at the thresholds; as its bets end where they
    suffice, its `p_value` is never far below 1 - confidence. `more_ratings`: how many further rated documents would
    give a certificate in 4 of 5 cases, no more than an order of magnitude if few are positive; None with a certificate,
    or where no thresholds on the path seem to have that precision.
    """

    status: Status
    precision: float
    confidence: float
    rule: Rule
    names: tuple[str, ...]
    test: Test
    thresholds: Floats | None = None
    counts: Counts[float] = NOTHING
    tested: Counts[float] = NOTHING
    lower_bound: float = 0.0
    p_value: float = 1.0
    largest: float = 0.0
    tried: int = 0
    more_ratings: int | None = None
    path: ThresholdPath | None = None
    loosest: int = 0
    strictest: int = 0

    def covers(self, thresholds: Floats) -> bool:
        """Return whether thresholds (k,) of the certificate's path are certified."""
        if self.path is None:
            return False
        loosest, strictest = self.path.thresholds[self.loosest], self.path.thresholds[self.strictest]
        return bool((thresholds >= loosest).all() and (thresholds <= strictest).all())


def certify(
    documents: RatedDocuments | RatedCounts,
    precision: float,
    *,
    confidence: float = 0.95,
    rule: Rule = "any",
    seed: int = 0,
    method: Callable[..., ThresholdPath] = smooth_path,
) -> Certificate:
    """Certify the loosest thresholds with at least `precision` at this confidence, or none.

    The documents are split at random, groups whole. A third gives a path, `method(third, rule=rule)`, and from it the
    order of the tests: from a start where simulated futures promise most, looser and looser. The other two thirds test
    "the precision here is below `precision`" along that order, each at level 1 - confidence, and stop at the first test
    that does not reject: fixed-sequence testing, wrong with a probability of at most 1 - confidence however many
    vertices are tried (Angelopoulos, Bates, Candès, Jordan, Lei 2021, "Learn then Test"). A split stratified by label
    would make the parts dependent and the tests invalid. To ask again with other seeds until one certifies voids the
    certificate. Besides one path (two without a certificate), O(n log n), and O(n) for each test by betting. Those of
    documents that were counted in cells are split at random in O(c).

    Raises DataError: a precision or confidence outside (0, 1), an unknown rule, a path whose thresholds fall, or
    documents of different weights of which only counts are known.
    """
    require_rule(rule)
    for name, value in (("precision", precision), ("confidence", confidence)):
        if not 0 < value < 1:
            raise DataError(f"The {name} must lie between 0 and 1, not at {value}.")
    level = 1 - confidence
    generator = np.random.default_rng(seed)
    if isinstance(documents, RatedCounts):
        dealing = deal_cells(documents, generator)
    else:
        dealing = deal_documents(documents, generator)
    test = dealing.test
    nothing = Certificate(
        status="too_few", precision=precision, confidence=confidence, rule=rule, names=documents.names, test=test
    )
    try:
        path = method(dealing.choosing(), rule=rule)
    except DataError:
        return nothing
    if not path.monotone:
        raise DataError(
            f"A certificate needs a path whose thresholds never fall, unlike '{path.method}'; choose another."
        )
    first, second, _ = dealing.parts(path)
    split = _Split(choosing=first, testing=second, test=test)
    order = split.order(_expected_precision(path), precision, level, generator)
    p_values = _p_values(split, order, precision, level)
    tried, passed = len(p_values), sum(p_value <= level for p_value in p_values)
    if not passed:
        more = _more_ratings(dealing, method(documents, rule=rule), precision, level)
        return replace(nothing, status="not_certified", p_value=p_values[0], tried=tried, more_ratings=more)
    vertex = order[passed - 1]
    along, tested = split.counts, split.testing.counts.at(vertex)
    return replace(
        nothing,
        status="certified",
        thresholds=path.thresholds[vertex],
        counts=along.at(vertex),
        tested=tested,
        lower_bound=split.lower_bound(vertex, confidence, precision),
        p_value=p_values[passed - 1],
        largest=split.largest(vertex) if test == "betting" else split.testing.unit,
        tried=tried,
        path=ThresholdPath(
            path.thresholds,
            np.minimum.accumulate(along.tp),
            np.minimum.accumulate(along.fp),
            method="guaranteed",
            rule=rule,
            names=documents.names,
            rated=documents.totals,
        ),
        loosest=vertex,
        strictest=order[0],
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Split:
    """The part that chooses the order of the tests, and the part that they are made on."""

    choosing: Counted
    testing: Counted
    test: Test

    @property
    def counts(self) -> Counts[Floats]:
        """TP and FP of all documents at each vertex, (m,)."""
        tp, alerts = self.choosing.tp + self.testing.tp, self.choosing.alerts + self.testing.alerts
        return Counts(tp, alerts - tp)

    def order(self, share: Floats, precision: float, level: float, generator: np.random.Generator) -> range:
        """Choose the vertices to test, fixed by the first part: from a start to the loosest.

        Stricter vertices than the start flag too few documents to be certified, looser ones are too near to the
        precision asked for. The start is the one from which the tests come furthest in futures drawn with the `share`
        (m,), the precision expected at each vertex: on average they keep the largest square root of the expected TP, a
        compromise between the mean TP and the chance to certify anything. Of starts as good as that, the strictest.
        """
        alerts = self.choosing.alerts
        # What a fit expects may rise along a path where its share of the counted alerts does.
        tp, fp = (np.maximum.accumulate((part * alerts)[::-1])[::-1] for part in (share, 1 - share))
        # One scale for all vertices, or the precision would change: the documents for each effective unit at the end.
        end = int(np.argmax(share > precision))
        scale = alerts[end] / self.choosing.effective[end]
        times = (1 - CHOOSING_SHARE) / CHOOSING_SHARE / _cost(self.test)
        positives, negatives = (_drawn_futures(counts / scale, times, generator) for counts in (tp, fp))
        passed = positives >= enough_positives(positives + negatives, precision, level)
        worth = np.sqrt(tp)
        kept, values = np.zeros(FUTURES), np.empty(len(share))
        for vertex in range(len(share)):
            further = np.where(kept > 0, kept, worth[vertex])
            kept = np.where(passed[:, vertex], further, 0.0)
            values[vertex] = kept.mean()
        return range(int(np.flatnonzero(values >= AS_GOOD * values.max())[-1]), -1, -1)

    def p_value(self, vertex: int, precision: float, level: float) -> float:
        """Compute the p-value of "precision is below `precision`" at a vertex, on the second part."""
        if self.test == "exact":
            return exact_p_value(*self.testing.counts_at(vertex), precision)
        earlier, units = (part.units_at(vertex) for part in (self.choosing, self.testing))
        return betting_p_value(*units, precision, self.largest(vertex), level, earlier)

    def lower_bound(self, vertex: int, confidence: float, precision: float) -> float:
        """Compute the lower confidence bound of precision at a certified vertex, on the second part."""
        if self.test == "exact":
            return exact_lower_bound(*self.testing.counts_at(vertex), confidence)
        earlier, units = (part.units_at(vertex) for part in (self.choosing, self.testing))
        return betting_lower_bound(*units, confidence, self.largest(vertex), earlier, precision)

    def largest(self, vertex: int) -> float:
        """Find the largest total weight of a unit's documents flagged at a vertex."""
        return float(max(part.units_at(vertex)[1].max(initial=0.0) for part in (self.choosing, self.testing)))


def _drawn_futures(counts: Floats, times: float, generator: np.random.Generator) -> Indices:
    """Draw future units flagged at each vertex (futures, m), for `times` the documents.

    Each step of the path has a rate of its own, known by its count (gamma posterior); half a unit at the strictest
    vertex makes that of every precision the one after Jeffreys.
    """
    steps = counts - np.append(counts[1:], 0.0)
    steps[-1] += 1 / 2
    rates = generator.gamma(steps, size=(FUTURES, len(steps)))
    return np.cumsum(generator.poisson(times * rates)[:, ::-1], axis=1)[:, ::-1]


def _p_values(split: _Split, order: range, precision: float, level: float) -> list[float]:
    """Compute the p-values of the tests in order, up to the first that does not reject."""
    found: list[float] = []
    for vertex in order:
        found.append(split.p_value(vertex, precision, level))
        if found[-1] > level:
            break
    return found


def _more_ratings(dealing: Dealing, path: ThresholdPath, precision: float, level: float) -> int | None:
    """Plan further ratings for a power of 80 % at the vertex that needs fewest.

    Only a plan: no document need be kept from it.
    """
    *_, whole = dealing.parts(path)
    share, effective = _expected_precision(path), whole.effective
    # As if two documents more had been flagged, of the precision at the floors: two positives of two prove nothing.
    share = (share * effective + 2 * share[0]) / (effective + 2)
    promising = np.flatnonzero((share > precision) & (effective >= 1))
    if not promising.size:
        return None
    rated = dealing.rated
    # Rated documents in all for each effective one flagged in the part that decides.
    scale = _cost(dealing.test) * rated / effective[promising] / (1 - CHOOSING_SHARE)
    best = int(np.argmin(scale * rough_documents_needed(share[promising], precision, level, POWER)))
    needed = documents_needed(float(share[promising[best]]), precision, level, POWER)
    return max(ceil(needed * float(scale[best])) - rated, 1)


def _expected_precision(path: ThresholdPath) -> Floats:
    """Estimate the precision at each vertex (m,) as the path's fit expects it, or as counted."""
    expected = path.tp if path.smooth_tp is None else path.smooth_tp
    return shares_of(expected, path.tp + path.fp).clip(0.0, 1.0)


def _cost(test: Test) -> float:
    return COST_OF_BETTING if test == "betting" else 1.0
