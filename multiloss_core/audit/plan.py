"""Allocate the ratings of an audit to strata for the narrowest interval of recall."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from multiloss_core.audit.expected_shares import ExpectedShares
from multiloss_core.audit.intervals import added_positives, rough_recall_widths
from multiloss_core.audit.strata import AuditStrata, checked_sample, checked_sizes
from multiloss_core.errors import DataError
from multiloss_core.inspection.periods import MIDDLE_QUANTILES
from multiloss_core.numerics.arrays import Floats, Indices

# Least ratings of a stratum, and share of the budget for the blocked one.
MIN_RATINGS, BLOCKED_SHARE = 20, 0.1
# Allocations tried: powers of the expected share, and largest weights of a document as multiples of N / n.
POWERS, WEIGHT_LIMITS = (0.3, 0.5, 0.75, 1.0), (1.05, 1.4, 2.0)
SIMULATED = 200
SEED, RANGE_SEED = 20_201, 20_202
# By it eight of ten audits of 14 populations lie in the range, also where fraud is unseen.
RANGE_SD = 1.5
TOLERANCE = 0.01


@dataclass(frozen=True, eq=False, kw_only=True)
class AuditPlan:
    """Ratings of each stratum (h,) and the expected width of recall's 95 % interval.

    `sizes`, `allocation` (h,): documents and ratings. `caught` and `known_missed`: rated positives that the thresholds
    flag and do not flag. `width`, `pessimistic_width`: mean widths over simulated audits with the expected and with
    the pessimistic shares, in units of recall. `draw`: the mark of the draw of the plan, if it is known.
    `counted_from`: how many documents of a random sample lie in the strata, if `sizes` are scaled up from them.
    """

    strata: AuditStrata
    sizes: Indices
    expected: ExpectedShares
    allocation: Indices
    caught: float
    known_missed: float
    width: float
    pessimistic_width: float
    draw: str = ""
    counted_from: int | None = None

    @property
    def budget(self) -> int:
        """The number of ratings."""
        return int(self.allocation.sum())

    @cached_property
    def width_range(self) -> tuple[float, float]:
        """The widths between which eight of ten simulated audits lie, rounded outwards to points.

        The log odds of the shares are drawn on the line through the expected (0) and the pessimistic ones (1), at a
        normal place around 1, which is the same in all strata.
        """
        places = np.random.default_rng(RANGE_SEED).normal(1.0, RANGE_SD, (SIMULATED, 1))
        expected, pessimistic = logit(self.expected.shares), logit(self.expected.pessimistic)
        widths = _simulated_widths(self, expit(expected + places * (pessimistic - expected)))
        low, high = 100 * np.quantile(widths, MIDDLE_QUANTILES)
        return float(np.floor(low)) / 100, float(np.ceil(high)) / 100

    @property
    def probabilities(self) -> Floats:
        """Inclusion probability of the documents of each stratum (h,); 0 for an empty one."""
        return np.asarray(self.allocation / np.maximum(self.sizes, 1))


def plan_audit(
    strata: AuditStrata,
    sizes: ArrayLike,
    expected: ExpectedShares,
    *,
    caught: float,
    known_missed: float = 0.0,
    budget: int | None = None,
    width: float | None = None,
    counted_from: int | None = None,
) -> AuditPlan:
    """Plan the audit of a budget of ratings, or of the smallest budget for a width of recall.

    `sizes` (h,) of the strata, counted, entered, or scaled up from the `counted_from` documents of a random sample that
    lie in them. `caught` and `known_missed` are the rated positives that the thresholds flag and do not flag, without
    blocked ones. A tenth of the budget goes to blocked documents, if there are any. The others are allocated in
    proportion to N p^power (Neyman 1934: 1/2), with at least 20 ratings in each stratum and a limit on the weight N / n
    of a document, so that fraud far below the floors cannot stay hidden. The power and the limit with the smallest mean
    of expected and pessimistic width are chosen by simulation with a fixed seed. The budget for a `width` is found by
    bisection to 1 %. Time: 12 allocations of 200 simulated audits each.

    Raises DataError: both or neither of budget and width, sizes that do not fit, nothing below the floors, a budget
    below the minimum or above the number of documents, or a width that no budget reaches.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core.audit import ExpectedShares, plan_audit, score_strata
    >>> scores = np.arange(10_000) / 10_000
    >>> strata = score_strata(scores, [0.99], count=3)
    >>> shares = np.array([0.01, 0.001, 0.0005])
    >>> plan = plan_audit(strata, strata.sizes(scores), ExpectedShares(shares, 2 * shares), caught=40, budget=500)
    >>> plan.budget, bool((plan.allocation >= 20).all())
    (500, True)
    """
    counts = checked_sizes(strata, sizes)
    if expected.shares.shape != counts.shape:
        raise DataError(f"There must be one expected share for each of {strata.count} strata.")
    if (budget is None) == (width is None):
        raise DataError("Give either a budget of ratings or a width of recall's interval.")
    if not (caught > 0 and np.isfinite(caught) and 0 <= known_missed < np.inf):
        raise DataError("An audit of recall needs at least one caught positive; choose lower thresholds.")
    if not counts[~strata.blocked].any():
        raise DataError("No document lies below the floors, so none is missed there; check the sizes of the strata.")
    least, most = int(np.minimum(MIN_RATINGS, counts).sum()), int(counts.sum())
    empty = AuditPlan(
        strata=strata,
        sizes=counts,
        expected=expected,
        allocation=np.zeros_like(counts),
        caught=float(caught),
        known_missed=float(known_missed),
        width=np.nan,
        pessimistic_width=np.nan,
        counted_from=checked_sample(counts, counted_from),
    )
    if budget is not None:
        if not least <= budget <= most:
            raise DataError(f"The budget must lie between {least:,} and {most:,} ratings, not at {budget:,}.")
        return _best(empty, int(budget))
    assert width is not None
    if not 0 < width < 1:
        raise DataError("The width of recall's interval must lie between 0 and 1.")
    low, high = least, most
    best = _best(empty, most)
    if best.width > width:
        raise DataError(f"No budget reaches a width of {width:g}; choose at least {best.width:.3f}.")
    while high - low > max(TOLERANCE * high, 1):
        # The budget may lie anywhere between tens and millions.
        middle = int(np.sqrt(float(low) * high)) if high > 4 * low else (low + high) // 2
        tried = _best(empty, middle)
        if tried.width <= width:
            high, best = middle, tried
        else:
            low = middle
    return best


def allocate(
    sizes: Indices, shares: Floats, budget: int, *, power: float = 0.5, minimum: Floats | Indices | int = 1
) -> Indices:
    """Divide a budget over strata (h,) in proportion to N p^power within limits; sums to it.

    At least `minimum` (or all) and at most all documents of a stratum; power 1/2 is Neyman's allocation of rare
    positives. Rounded down, and the rest given to the largest remainders. O(h^2).

    Raises DataError: a budget below the minima or above the documents.
    """
    least = np.minimum(minimum, sizes).astype(np.float64)
    if not least.sum() <= budget <= sizes.sum():
        raise DataError("The budget lies outside the minimum and the number of documents.")
    wanted = sizes * shares**power
    low, high = 0.0, 1e-12 + float((sizes / np.where(wanted > 0, wanted, 1.0)).max())
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if np.clip(middle * wanted, least, sizes).sum() >= budget else (middle, high)
    exact = np.clip(high * wanted, least, sizes)
    whole = np.maximum(np.floor(exact + 1e-9), least).astype(np.intp)
    while whole.sum() != budget:
        step = 1 if whole.sum() < budget else -1
        allowed = (whole < sizes) if step > 0 else (whole > least)
        whole[np.where(allowed, step * (exact - whole), -np.inf).argmax()] += step
    return whole


def expected_width(plan: AuditPlan, shares: Floats) -> float:
    """Simulate the mean width of recall's interval for shares of positives (h,). Fixed seed."""
    return float(_simulated_widths(plan, shares).mean())


def _simulated_widths(plan: AuditPlan, shares: Floats) -> Floats:
    """Simulate the widths of audits with shares (h,), or (r, h) one by one."""
    blocked = plan.strata.blocked
    below = ~blocked & (plan.sizes > 0)
    rated, sizes = plan.allocation[below], plan.sizes[below]
    generator = np.random.default_rng(SEED)
    positives = generator.binomial(rated, shares[..., below], (SIMULATED, len(rated)))
    added = added_positives(sizes, np.zeros(len(rated), dtype=bool))
    caught = plan.caught + shares[..., blocked] @ plan.sizes[blocked]
    return rough_recall_widths(sizes / rated, positives.astype(np.float64), added, caught, plan.known_missed)


def _best(plan: AuditPlan, budget: int) -> AuditPlan:
    sizes, blocked = plan.sizes, plan.strata.blocked
    least = np.minimum(MIN_RATINGS, sizes)
    below = ~blocked
    if blocked.any():
        here = int(np.clip(round(BLOCKED_SHARE * budget), least[blocked].sum(), sizes[blocked].sum()))
        here = min(max(here, budget - int(sizes[below].sum())), budget - int(least[below].sum()))
        least = np.where(blocked, here, least)
    rest = budget - int(least[blocked].sum())
    tried = []
    for limit in WEIGHT_LIMITS:
        # At the largest weight a stratum has this many ratings.
        floor = np.minimum(np.maximum(least, np.floor(sizes * rest / (limit * max(sizes[below].sum(), 1)))), sizes)
        floor = floor if floor[below].sum() <= rest else least
        for power in POWERS:
            allocation = least.astype(np.intp)
            allocation[below] = allocate(
                sizes[below], plan.expected.shares[below], rest, power=power, minimum=floor[below]
            )
            one = replace(plan, allocation=allocation)
            tried.append(
                replace(
                    one,
                    width=expected_width(one, plan.expected.shares),
                    pessimistic_width=expected_width(one, plan.expected.pessimistic),
                )
            )
    return min(tried, key=lambda one: one.width + one.pessimistic_width)
