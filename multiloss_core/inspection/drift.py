"""Test for changes of weekly precision or alerts beyond chance."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc, chdtri, chndtrinc, ndtr, stdtr, stdtrit

from multiloss_core.inspection.periods import DailyAlerts, WeeklyCounts
from multiloss_core.numerics.arrays import UNDEFINED, Floats, Indices, ratio, sums

Verdict = Literal["too few", "steady", "drifts", "varies"]

SIGNIFICANCE_LEVEL = 0.05
MIN_WEEKS = 3
# Minimum excess of the share of undecided alerts in incomplete weeks.
MIN_INCOMPLETE = 0.05
# A fall of precision in the newest weeks: its level, and the largest share of the precision before.
LATE_LEVEL, MAX_LATE, MAX_NEWEST = 0.01, 0.75, 0.4
MAX_GROWTH = np.log(1_000.0)
# Thresholds are used after the data end: growth may go on, and a fall may end.
DAYS_AHEAD = 14
# Of each kind in a period: Cochran's rule of thumb for a chi-square test.
MIN_EXPECTED = 5.0
POWER = 0.8
# Minimum scatter of weeks around a trend, against division by zero.
ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class Drift:
    """Test results for weekly precision or number of alerts, over complete weeks.

    Two tests, each at half of the 5 % level, so that at most one of twenty steady series is called otherwise: `trend`
    is the p value that the value rises or falls, `variation` that it differs between weeks in any way. `early` and
    `late` are the value in the first and in the last third of the weeks; `least_seen`: difference between these from
    which one of the tests finds a steady change in four of five cases. `stands_out`: position in the `WeeklyCounts` of
    the week that differs most. All are NaN (`stands_out`: -1) with too few data.
    """

    weeks: int
    trend: float = UNDEFINED
    variation: float = UNDEFINED
    early: float = UNDEFINED
    late: float = UNDEFINED
    least_seen: float = UNDEFINED
    stands_out: int = -1

    @property
    def p_value(self) -> float:
        """Combine the p values of both tests (Bonferroni)."""
        return min(1.0, 2 * min(self.trend, self.variation)) if self.trend >= 0 else UNDEFINED

    @property
    def verdict(self) -> Verdict:
        """Return `drifts` for a trend, `varies` for other differences, else `steady`."""
        if np.isnan(self.trend):
            return "too few"
        if 2 * self.trend < SIGNIFICANCE_LEVEL:
            return "drifts"
        return "varies" if 2 * self.variation < SIGNIFICANCE_LEVEL else "steady"


@dataclass(frozen=True, eq=False, kw_only=True)
class _Estimates:
    """Values (w,) of weeks or periods, and their inverse variances (w,)."""

    values: Floats
    certainty: Floats

    @property
    def deviations(self) -> Floats:
        """Return the values less their mean."""
        return self.values - np.average(self.values, weights=self.certainty)

    @property
    def positions(self) -> Floats:
        """Return the number of each week, less the mean."""
        weeks = np.arange(len(self.values))
        return weeks - np.average(weeks, weights=self.certainty)


def precision_drift(weeks: WeeklyCounts, incomplete: int | None = None) -> Drift:
    """Test differences of precision between complete weeks (Cochran-Armitage and Pearson).

    Weeks from position `incomplete` on (see `incomplete_from`) are left out: early decisions are rarely representative.
    Weights and groups count as their effective number of independent alerts (see `WeeklyCounts.squares`), so that for
    alerts of weight 1 the tests are the usual ones. For Pearson's, neighbouring weeks are merged until each
    period would hold 5 true and 5 false positives. Time O(w).
    """
    numbers = np.flatnonzero(weeks.complete[:incomplete])
    tp, alerts, squares = weeks.tp[numbers], weeks.alerts[numbers], weeks.squares[:, numbers]
    size = _effective_alerts(alerts, squares)
    held = alerts > 0
    precision = ratio(float((size[held] * tp[held] / alerts[held]).sum()), float(size.sum()))
    period = _periods(size * min(precision, 1 - precision))
    if len(numbers) < MIN_WEEKS or period is None:
        return Drift(weeks=len(numbers))
    residuals = np.array([(1 - precision) ** 2, -2 * precision * (1 - precision), precision**2]) @ squares
    variance = float(residuals.sum() / _weight_squares(squares).sum())
    count = int(period[-1]) + 1
    period_tp, period_alerts = sums(period, tp, count), sums(period, alerts, count)
    period_size = _effective_alerts(period_alerts, np.stack([sums(period, part, count) for part in squares]))
    early, late = (ratio(float(tp[part].sum()), float(alerts[part].sum())) for part in _thirds(len(numbers)))
    by_week = _Estimates(values=np.where(held, ratio(tp, alerts), precision), certainty=size / variance)
    by_period = _Estimates(values=ratio(period_tp, period_alerts), certainty=period_size / variance)
    return _drift(numbers, by_week, by_period, early, late)


def alerts_drift(weeks: WeeklyCounts) -> Drift:
    """Test for differences of alerts between complete weeks beyond chance (Poisson).

    Undecided alerts count like all others. Weights and groups count as for `precision_drift`. For the test of
    variation, neighbouring weeks are merged until 5 alerts are expected in each period. Time O(w).
    """
    numbers = np.flatnonzero(weeks.complete)
    alerts, squares = weeks.all_alerts[numbers], weeks.all_squares[numbers]
    size = ratio(float(alerts.sum()) ** 2, float(squares.sum()))
    period = _periods(np.full(len(numbers), size / max(len(numbers), 1)))
    if len(numbers) < MIN_WEEKS or period is None:
        return Drift(weeks=len(numbers))
    certainty = np.full(len(numbers), 1 / squares.mean())
    count = int(period[-1]) + 1
    early, late = (float(alerts[part].mean()) for part in _thirds(len(numbers)))
    by_week = _Estimates(values=alerts, certainty=certainty)
    by_period = _Estimates(
        values=sums(period, alerts, count) / np.bincount(period), certainty=sums(period, certainty, count)
    )
    return _drift(numbers, by_week, by_period, early, late)


@dataclass(frozen=True, eq=False, kw_only=True)
class AlertTrend:
    """The alerts of each day (days,) for one on a day to come, where they follow a trend.

    Days to come are like the last one, with as many alerts more as a growth for two weeks brings.
    """

    levels: Floats

    @property
    def words(self) -> str:
        """Describe the trend."""
        growth = float(self.levels[-1] / self.levels[0]) - 1
        return f"Alerts {'rose' if growth > 0 else 'fell'} by {100 * abs(growth):.0f} % within these data"


def alert_trend(weeks: WeeklyCounts, days: DailyAlerts) -> AlertTrend | None:
    """Fit a steady growth to the alerts of days, if `alerts_drift` finds a trend; else None.

    The likeliest growth of Poisson numbers is that whose mean day is the mean day of the alerts. O(days).
    """
    if alerts_drift(weeks).verdict != "drifts":
        return None
    place = np.linspace(-1.0, 0.0, len(days.alerts))
    mean = np.average(place, weights=days.alerts)

    def excess(growth: float) -> float:
        return float(np.average(place, weights=np.exp(growth * place))) - mean

    least, most = (float(excess(bound)) for bound in (-MAX_GROWTH, MAX_GROWTH))
    growth = brentq(excess, -MAX_GROWTH, MAX_GROWTH) if least < 0 < most else np.sign(-least) * MAX_GROWTH
    reserve = abs(growth) * DAYS_AHEAD / max(len(place) - 1, 1)
    return AlertTrend(levels=np.exp(growth * place - reserve))


def incomplete_from(weeks: WeeklyCounts) -> int | None:
    """Find the position of the first week with incomplete decisions; None if there is none.

    There the share of undecided alerts jumps up: of all ways to cut the last weeks off, the one with the most
    significant difference of shares between both parts (one-sided test of two proportions, its level divided by the
    number of cuts, over effective numbers of documents). Differences below five percentage points barely change the
    precision and are ignored. Time O(w).
    """
    size = np.where(weeks.all_squares > 0, ratio(weeks.all_alerts**2, weeks.all_squares), 0.0)
    waiting = size * np.where(weeks.all_alerts > 0, ratio(weeks.undecided, weeks.all_alerts), 0.0)
    before, late = np.cumsum(size)[:-1], size[::-1].cumsum()[::-1][1:]
    share = (waiting.sum()) / max(float(size.sum()), 1.0)
    if not 0 < share < 1:
        return None
    before_share, late_share = ratio(np.cumsum(waiting)[:-1], before), ratio(waiting[::-1].cumsum()[::-1][1:], late)
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = (late_share - before_share) / np.sqrt(share * (1 - share) * (1 / before + 1 / late))
    matters = (before > 0) & (late > 0) & (late_share - before_share >= MIN_INCOMPLETE)
    surprise = np.where(matters, surprise, -np.inf)
    if not surprise.size or ndtr(-surprise.max()) > SIGNIFICANCE_LEVEL / surprise.size:
        return None
    return int(surprise.argmax()) + 1


def late_ratings_from(weeks: WeeklyCounts) -> int | None:
    """Find the first of the newest weeks whose positives may not be rated yet; else None.

    Chargebacks and complaints come weeks after an alert, so that precision falls in the newest weeks alone: of all ways
    to cut the last weeks off, the one with the most significant fall (one-sided test of two proportions over effective
    numbers of alerts, its level divided by the number of cuts), and again among the weeks before, as the fall is
    gradual. A fall that goes on for more than two thirds of the weeks is a trend, and so is one that leaves more than
    40 % of the precision to the newest weeks. Falls by less than a quarter are ignored. Time O(w^2).
    """
    size, found = _effective_alerts(weeks.alerts, weeks.squares), None
    positives = size * np.where(weeks.alerts > 0, ratio(weeks.tp, weeks.alerts), 0.0)
    while (cut := _fall(positives[:found], size[:found])) is not None:
        found = cut
    if found is None or 3 * found < len(size):
        return None
    newest = slice(-max(2, (len(size) - found) // 3), None)
    before, last = (ratio(float(positives[part].sum()), float(size[part].sum())) for part in (slice(found), newest))
    return found if last <= MAX_NEWEST * before else None


def _fall(positives: Floats, size: Floats) -> int | None:
    """Find the cut after which the share of positives is lower than before, beyond chance."""
    before, late = np.cumsum(size)[:-1], size[::-1].cumsum()[::-1][1:]
    share = ratio(float(positives.sum()), float(size.sum()))
    if not 0 < share < 1:
        return None
    before_share, late_share = ratio(np.cumsum(positives)[:-1], before), ratio(positives[::-1].cumsum()[::-1][1:], late)
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = (before_share - late_share) / np.sqrt(share * (1 - share) * (1 / before + 1 / late))
    surprise = np.where((before > 0) & (late > 0) & (late_share <= MAX_LATE * before_share), surprise, -np.inf)
    if not surprise.size or ndtr(-surprise.max()) > LATE_LEVEL / surprise.size:
        return None
    return int(surprise.argmax()) + 1


def _effective_alerts(alerts: Floats, squares: Floats) -> Floats:
    """Compute the effective number of independent alerts of each week; 0 where there are none."""
    return np.where(alerts > 0, ratio(alerts**2, _weight_squares(squares)), 0.0)


def _weight_squares(squares: Floats) -> Floats:
    """Compute sums of (TP + FP)^2."""
    return squares[0] + 2 * squares[1] + squares[2]


def _periods(expected: Floats) -> Indices | None:
    """Group weeks into periods (w,) with enough expected; a rest joins the last; or None."""
    result, period, held = np.zeros(len(expected), dtype=np.intp), 0, 0.0
    for week, here in enumerate(expected):
        result[week] = period
        held += here
        if held >= MIN_EXPECTED:
            period, held = period + 1, 0.0
    return np.minimum(result, period - 1) if period > 1 else None


def _thirds(weeks: int) -> tuple[slice, slice]:
    third = max(1, weeks // 3)
    return slice(0, third), slice(weeks - third, weeks)


def _drift(numbers: Indices, weeks: _Estimates, periods: _Estimates, early: float, late: float) -> Drift:
    """Run both tests; `numbers` (w,) are the positions of the weeks among all."""
    return Drift(
        weeks=len(numbers),
        trend=_trend_p_value(weeks),
        variation=_variation_p_value(periods),
        early=early,
        late=late,
        least_seen=_smallest_visible_change(weeks, len(periods.values)),
        stands_out=int(numbers[(weeks.certainty * weeks.deviations**2).argmax()]),
    )


def _trend_p_value(weeks: _Estimates) -> float:
    """Compute the two-sided p value of a slope over the weeks."""
    leverage, free = float((weeks.certainty * weeks.positions**2).sum()), len(weeks.values) - 2
    slope = float((weeks.certainty * weeks.positions * weeks.deviations).sum()) / leverage
    # Scatter of weeks beyond chance must not count as a trend.
    residuals = weeks.deviations - slope * weeks.positions
    erratic = max(float((weeks.certainty * residuals**2).sum()) / free, ROUNDING)
    by_chance, by_erratic = -abs(slope) * np.sqrt(leverage), -abs(slope) * np.sqrt(leverage / erratic)
    return float(max(2 * ndtr(by_chance), 2 * stdtr(free, by_erratic)))


def _variation_p_value(periods: _Estimates) -> float:
    """Compute the p value of the chi-square test that all periods have one value."""
    return float(chdtrc(len(periods.values) - 1, (periods.certainty * periods.deviations**2).sum()))


def _smallest_visible_change(weeks: _Estimates, periods: int) -> float:
    """Compute the difference of outer thirds from which a test finds a steady change."""
    leverage, count = float((weeks.certainty * weeks.positions**2).sum()), len(weeks.values)
    found = min(_trend_found(count - 2), _variation_found(periods - 1))
    return float((count - max(1, count // 3)) * np.sqrt(found / leverage))


def _trend_found(free: int) -> float:
    """Compute the squared slope over its standard error at which the trend is found."""
    return float(stdtrit(free, 1 - SIGNIFICANCE_LEVEL / 4) + stdtrit(free, POWER)) ** 2


def _variation_found(free: int) -> float:
    """Compute the expected sum of squares, beyond chance, at which variation is found."""
    return float(chndtrinc(chdtri(free, SIGNIFICANCE_LEVEL / 2), free, 1 - POWER))
