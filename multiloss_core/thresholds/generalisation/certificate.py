"""A guarantee on request: thresholds whose precision is at least x with 95 % confidence."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Literal

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices, ratio
from multiloss_core.numerics.proportion_tests import (
    betting_lower_bound,
    betting_p_value,
    documents_needed,
    exact_lower_bound,
    exact_p_value,
    predicted_power,
    rough_documents_needed,
)
from multiloss_core.thresholds.data.flagging import Rule, require_rule, still_flagged, turning_points
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.smooth import smooth_path
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

Status = Literal["certified", "not_certified", "too_few"]
Test = Literal["exact", "betting"]

# Against 1/2 it certified 49 instead of 46 % of simulated samples and kept 46 instead of 43 % of the TP.
CHOOSING_SHARE = 1 / 3
POWER = 0.8
# How many times the documents the test by betting needs, measured on binomial samples; only plans rest on it.
COST_OF_BETTING = 2.1


@dataclass(frozen=True, eq=False)
class Certificate:
    """The loosest thresholds (k,) certified: with this confidence, of what they flag at least a share `precision` is positive.

    The guarantee is about all documents flagged at `thresholds`, now and in future ones from the same source. It says
    nothing about the precision of the documents added last.

    `status`: `certified`; `not_certified`, the tests do not say so for any thresholds; `too_few`, no path can be found on
    the third of the documents that chooses. `tested_tp` and `tested_fp` are the counts on the documents that decided,
    `tp` and `fp` those on all. `lower_bound` is the lower confidence bound of the precision from these thresholds' own test; as the tests
    chose where to stop, only `precision` itself is guaranteed. `p_value` is that of the thresholds, or of the first ones
    tried; `tried` counts the tests. Without a certificate `thresholds` is None, and the counts and bound are 0.

    `path` is the path of the third that chose, "guaranteed" by name, with its counts on all documents; every vertex from
    `loosest` to `strictest` passed its test, and the guarantee is about all of these at once: whichever of them is used.

    `test`: `exact` (binomial) for independent documents of equal weight, or `betting` for weights or groups, which holds if
    no weight (or total weight of a group's flagged documents) can exceed `largest`, the largest seen at the thresholds.
    `more_ratings`: how many further rated documents would give a certificate in 4 of 5 cases, no more than an order of
    magnitude if few are positive; None with a certificate, or where no thresholds on the path seem to have that precision.
    """

    status: Status
    precision: float
    confidence: float
    rule: Rule
    names: tuple[str, ...]
    test: Test
    thresholds: Floats | None = None
    tp: float = 0.0
    fp: float = 0.0
    tested_tp: float = 0.0
    tested_fp: float = 0.0
    lower_bound: float = 0.0
    p_value: float = 1.0
    largest: float = 0.0
    tried: int = 0
    more_ratings: int | None = None
    path: ThresholdPath | None = None
    loosest: int = 0
    strictest: int = 0

    def covers(self, thresholds: Floats) -> bool:
        """Whether thresholds (k,) of the certificate's path are among the certified ones."""
        if self.path is None:
            return False
        loosest, strictest = self.path.thresholds[self.loosest], self.path.thresholds[self.strictest]
        return bool((thresholds >= loosest).all() and (thresholds <= strictest).all())

    @property
    def observed_precision(self) -> float:
        """TP over alerts on the documents that decided; not a number without a certificate."""
        return ratio(self.tested_tp, self.tested_tp + self.tested_fp)


def certify(
    documents: RatedDocuments,
    precision: float,
    *,
    confidence: float = 0.95,
    rule: Rule = "any",
    seed: int = 0,
    method: Callable[..., ThresholdPath] = smooth_path,
) -> Certificate:
    """The loosest thresholds whose precision can be guaranteed to be at least `precision`, or none.

    The documents are split at random, groups whole. A third gives a path, `method(third, rule=rule)`, and from it the order
    of the tests: from the vertex where success is likeliest, looser and looser. The other two thirds test
    "the precision here is below `precision`" along that order, each at level 1 - confidence, and stops at the first test
    that does not reject: fixed-sequence testing, wrong with a probability of at most 1 - confidence however many vertices
    are tried (Angelopoulos, Bates, Candès, Jordan, Lei 2021, "Learn then Test"). The split does not look at the ratings:
    parts with equal shares of positives would share their luck, but the second may know nothing of the first. To ask again
    with other seeds until one certifies voids the guarantee. Beside one path (two without a certificate), O(n log n),
    and O(n) for each test by betting.

    Raises
    ------
    DataError : a precision or confidence outside (0, 1), an unknown rule, a path whose thresholds fall.
    """
    require_rule(rule)
    for name, value in (("precision", precision), ("confidence", confidence)):
        if not 0 < value < 1:
            raise DataError(f"The {name} must lie between 0 and 1, not at {value}.")
    level = 1 - confidence
    units = np.arange(len(documents.labels)) if documents.groups is None else documents.groups
    count = int(units.max()) + 1
    rank = np.random.default_rng(seed).permutation(count)[units]
    choosing = rank < round(CHOOSING_SHARE * count)
    alone = count == len(units) and documents.weights.min() == documents.weights.max()
    test: Test = "exact" if alone else "betting"
    try:
        path = method(documents.part(choosing), rule=rule)
    except DataError:
        return Certificate("too_few", precision, confidence, rule, documents.names, test)
    if not path.monotone:
        raise DataError(
            f"A guarantee needs a path whose thresholds never fall, unlike '{path.method}'; choose another."
        )
    turning = turning_points(documents.scores, path.thresholds, rule)
    first, second = (
        _Part(turning[rows], documents.labels[rows], documents.weights[rows], rank[rows], len(path.tp))
        for rows in (choosing, ~choosing)
    )
    passed, p_value, tried = None, 1.0, 0
    order = _order(first, _expected_precision(path), precision, level, test)
    for vertex in order:
        tried += 1
        here = _tested(first, second, vertex, precision, test)
        if tried == 1 or here <= level:
            p_value = here
        if here > level:
            break
        passed = vertex
    common = (precision, confidence, rule, documents.names, test)
    if passed is None:
        more = _more_ratings(documents, method(documents, rule=rule), precision, level, test)
        return Certificate("not_certified", *common, p_value=p_value, tried=tried, more_ratings=more)
    tested_tp, tested_alerts = float(second.tp[passed]), float(second.alerts[passed])
    tp = tested_tp + float(first.tp[passed])
    return Certificate(
        "certified",
        *common,
        thresholds=path.thresholds[passed],
        tp=tp,
        fp=tested_alerts + float(first.alerts[passed]) - tp,
        tested_tp=tested_tp,
        tested_fp=tested_alerts - tested_tp,
        lower_bound=_lower_bound(first, second, passed, confidence, test),
        p_value=p_value,
        largest=_largest(first, second, passed) if test == "betting" else float(second.weights[0]),
        tried=tried,
        path=ThresholdPath(
            path.thresholds,
            np.minimum.accumulate(first.tp + second.tp),
            np.minimum.accumulate(first.alerts + second.alerts - first.tp - second.tp),
            method="guaranteed",
            rule=rule,
            names=documents.names,
        ),
        loosest=passed,
        strictest=order[0],
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """One part, its documents (n,) with the first vertex that no longer flags each and the random rank of its unit."""

    turning: Indices
    labels: Bools
    weights: Floats
    rank: Indices
    vertices: int

    @cached_property
    def tp(self) -> Floats:
        """Weight of positives flagged at each vertex, (m,)."""
        return still_flagged(self.turning, self.weights * self.labels, self.vertices)

    @cached_property
    def alerts(self) -> Floats:
        """Weight of documents flagged at each vertex, (m,)."""
        return still_flagged(self.turning, self.weights, self.vertices)

    @cached_property
    def effective(self) -> Floats:
        """Effective numbers of units flagged at each vertex, (m,): (sum of their totals)^2 / sum of squares."""
        order = np.lexsort((-self.turning, self.rank))
        weights, rank = self.weights[order], self.rank[order]
        sums = np.cumsum(weights)
        starts = np.flatnonzero(np.diff(rank, prepend=-1))
        within = sums - np.repeat((sums - weights)[starts], np.diff(np.append(starts, len(rank))))
        squares = np.empty_like(weights)
        # What each document adds to the square of its unit's total as thresholds fall.
        squares[order] = weights * (2 * within - weights)
        return _shares(np.square(self.alerts), still_flagged(self.turning, squares, self.vertices))

    def counts_at(self, vertex: int) -> tuple[int, int]:
        """Numbers of positives and of documents flagged at a vertex, where all weights are equal."""
        return round(self.tp[vertex] / self.weights[0]), round(self.alerts[vertex] / self.weights[0])

    def units_at(self, vertex: int) -> tuple[Floats, Floats]:
        """Weights of positives and of documents flagged at a vertex, for each unit with any, in random order."""
        caught = self.turning > vertex
        weights, rank = self.weights[caught], self.rank[caught]
        totals = np.bincount(rank, weights).astype(np.float64)
        positives = np.bincount(rank, weights * self.labels[caught]).astype(np.float64)
        return positives[totals > 0], totals[totals > 0]


def _order(first: _Part, share: Floats, precision: float, level: float, test: Test) -> range:
    """The vertices to test, fixed by the first part: from the one where success is likeliest to the loosest.

    Stricter ones flag too few documents to be certified, looser ones are too near to the precision asked for.
    """
    effective = first.effective
    ahead = np.floor((1 - CHOOSING_SHARE) / CHOOSING_SHARE * effective / _cost(test))
    power = np.where(
        ahead >= 1, predicted_power(share * effective, (1 - share) * effective, ahead.clip(1), precision, level), 0.0
    )
    return range(int(np.argmax(power)), -1, -1)


def _tested(first: _Part, second: _Part, vertex: int, precision: float, test: Test) -> float:
    """The p-value of "the precision at this vertex is below `precision`" on the second part."""
    if test == "exact":
        return exact_p_value(*second.counts_at(vertex), precision)
    return betting_p_value(*second.units_at(vertex), precision, _largest(first, second, vertex))


def _lower_bound(first: _Part, second: _Part, vertex: int, confidence: float, test: Test) -> float:
    if test == "exact":
        return exact_lower_bound(*second.counts_at(vertex), confidence)
    return betting_lower_bound(*second.units_at(vertex), confidence, _largest(first, second, vertex))


def _largest(first: _Part, second: _Part, vertex: int) -> float:
    """The largest total weight of a unit's documents flagged at a vertex."""
    return float(max(part.units_at(vertex)[1].max(initial=0.0) for part in (first, second)))


def _more_ratings(
    documents: RatedDocuments, path: ThresholdPath, precision: float, level: float, test: Test
) -> int | None:
    """Further rated documents for a power of 80 % at the vertex that needs fewest, on a path through all documents.

    Only a plan, so that no document need be kept from it.
    """
    ranks = np.arange(len(documents.labels)) if documents.groups is None else documents.groups
    whole = _Part(
        turning_points(documents.scores, path.thresholds, path.rule),
        documents.labels,
        documents.weights,
        ranks,
        len(path.tp),
    )
    share, effective = _expected_precision(path), whole.effective
    # As if two documents more had been flagged, of the precision at the floors: two positives of two prove nothing.
    share = (share * effective + 2 * share[0]) / (effective + 2)
    promising = np.flatnonzero((share > precision) & (effective >= 1))
    if not promising.size:
        return None
    rated = len(documents.labels)
    # Rated documents in all for each effective one flagged in the part that decides.
    scale = _cost(test) * rated / effective[promising] / (1 - CHOOSING_SHARE)
    best = int(np.argmin(scale * rough_documents_needed(share[promising], precision, level, POWER)))
    needed = documents_needed(float(share[promising[best]]), precision, level, POWER)
    return max(ceil(needed * float(scale[best])) - rated, 1)


def _expected_precision(path: ThresholdPath) -> Floats:
    """The precision at each vertex (m,) as the path's fit expects it, or as counted."""
    expected = path.tp if path.smooth_tp is None else path.smooth_tp
    return _shares(expected, path.tp + path.fp).clip(0.0, 1.0)


def _cost(test: Test) -> float:
    return COST_OF_BETTING if test == "betting" else 1.0


def _shares(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part, dtype=np.float64), where=whole > 0)
