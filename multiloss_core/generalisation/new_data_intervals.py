"""Compute intervals and bands from bootstrap resamples of a chosen operating point."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.generalisation.marginal_interval import Interval, MarginalEvidence, marginal_band, marginal_interval
from multiloss_core.numerics.arrays import UNDEFINED, Floats
from multiloss_core.thresholds.data.counts import Counts

CONFIDENCE_LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class CountIntervals:
    """Intervals of TP, FP, alerts (weights) and precision, each at the same level by itself."""

    tp: Interval
    fp: Interval
    alerts: Interval
    precision: Interval

    @classmethod
    def of(cls, counts: Counts[Floats], level: float) -> Self:
        """Compute the intervals from the counts (b,) of resamples."""
        return cls(**{field.name: _interval(getattr(counts, field.name), level) for field in fields(cls)})


@dataclass(frozen=True, eq=False, kw_only=True)
class PointIntervals:
    """Intervals of thresholds (k,), chosen for a target, for new data of the same size.

    `in_sample` counts the data that chose the thresholds. `expected` are the expectations at these very thresholds,
    corrected for optimism: counts on the data that chose them are too good. `new_period` holds the counts of a single
    new period of the same size, which vary more. `marginal_precision` is the share of positives among the documents
    next to the thresholds, NaN with a reason if these are too few or the thresholds were fixed beforehand.
    `thresholds_low` and `thresholds_high` (k,) hold the thresholds of resamples; infinity is never. `level` of each
    interval in (0, 1).
    """

    target: float
    level: float
    thresholds: Floats
    in_sample: Counts[float]
    expected: CountIntervals
    new_period: CountIntervals
    marginal_precision: Interval
    thresholds_low: Floats
    thresholds_high: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class PathBands:
    """Pointwise bands along a path, each entry an interval of its own at `level`.

    By target (t,): expected `tp`, `fp`, `precision` and `marginal_precision`, arrays (3, t) of estimate, low, high, the
    last NaN with too few documents next to a point.
    Along the curve: expected TP (3, f) where the expected FP is `curve_fp` (f,).
    """

    level: float
    targets: Floats
    tp: Floats
    fp: Floats
    precision: Floats
    marginal_precision: Floats
    curve_fp: Floats
    curve_tp: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class PointBootstrap:
    """The resamples drawn so far, b of the `requested`, for t targets.

    `thresholds` (t, k) were chosen from the data, `resampled_thresholds` (b, t, k) from the resamples. `in_sample`
    (t,) counts the data; `expected` and `new_period` (b, t) are possible values of the expectations and of the counts
    of a new period. `marginal` describes the documents next to the thresholds, if these were chosen for a target.
    """

    requested: int
    targets: Floats
    thresholds: Floats
    in_sample: Counts[Floats]
    expected: Counts[Floats]
    new_period: Counts[Floats]
    marginal: MarginalEvidence | None
    resampled_thresholds: Floats

    @property
    def done(self) -> int:
        """Return the number of resamples so far."""
        return len(self.resampled_thresholds)

    def intervals(self, target: float | None = None, *, level: float = CONFIDENCE_LEVEL) -> PointIntervals:
        """Compute intervals at one of the targets; without one, at the only thresholds. O(b log b).

        Raises DataError: a target for which no thresholds were chosen, or a level outside (0, 1).
        """
        _require_level(level)
        i = 0 if target is None and len(self.targets) == 1 else self._position(target)
        expected, new_period = (Counts(drawn.tp[:, i], drawn.fp[:, i]) for drawn in (self.expected, self.new_period))
        low, high = _bounds(self.resampled_thresholds[:, i], level)
        return PointIntervals(
            target=float(self.targets[i]),
            level=level,
            thresholds=self.thresholds[i],
            in_sample=self.in_sample.at(i),
            expected=CountIntervals.of(expected, level),
            new_period=CountIntervals.of(new_period, level),
            marginal_precision=self._marginal_interval(i, level),
            thresholds_low=low,
            thresholds_high=high,
        )

    def bands(self, *, level: float = CONFIDENCE_LEVEL) -> PathBands:
        """Compute bands along the path over all targets.

        Raises DataError: a level outside (0, 1).
        """
        _require_level(level)
        curve_fp = np.linspace(0.0, float(np.median(self.expected.fp, axis=0).max()), 50)
        # FP rises from the strictest target to the loosest; without alerts TP is 0.
        curves = [
            np.interp(curve_fp, np.append(0.0, np.maximum.accumulate(fp[::-1])), np.append(0.0, tp[::-1]))
            for tp, fp in zip(*self.expected, strict=True)
        ]
        return PathBands(
            level=level,
            targets=self.targets,
            tp=_band(self.expected.tp, level),
            fp=_band(self.expected.fp, level),
            precision=_band(self.expected.precision, level),
            marginal_precision=np.full((3, len(self.targets)), UNDEFINED)
            if self.marginal is None
            else marginal_band(self.marginal, level),
            curve_fp=curve_fp,
            curve_tp=_band(np.array(curves), level),
        )

    def _marginal_interval(self, point: int, level: float) -> Interval:
        if self.marginal is None:
            reason = "thresholds that were not chosen for a target have no documents next to them."
            return Interval(estimate=UNDEFINED, low=UNDEFINED, high=UNDEFINED, reason=reason)
        return marginal_interval(self.marginal, point, level)

    def _position(self, target: float | None) -> int:
        near = np.flatnonzero(np.isclose(self.targets, UNDEFINED if target is None else target, rtol=0, atol=1e-9))
        if len(near) == 0:
            raise DataError(f"No thresholds were chosen for the target {target}; intervals need it from the start.")
        return int(near[0])


def _interval(values: Floats, level: float) -> Interval:
    estimate, low, high = map(float, _band(values[:, np.newaxis], level)[:, 0])
    return Interval(estimate=estimate, low=low, high=high)


def _band(values: Floats, level: float) -> Floats:
    """Compute median, low and high (3, t) of values (b, t); NaN if more than half are NaN."""
    result = np.full((3, values.shape[1]), UNDEFINED)
    for i, column in enumerate(values.T):
        known = column[~np.isnan(column)]
        if 2 * len(known) >= len(column):
            result[0, i] = np.median(known)
            result[1:, i] = np.concatenate(_bounds(known[:, np.newaxis], level))
    return result


def _bounds(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Find order statistics of values (b, k) on either side, which exist for infinity, too."""
    ordered, count = np.sort(values, axis=0), len(values)
    rank = max(int((count + 1) * (1 - level) / 2 + 1e-9), 1)
    return ordered[rank - 1], ordered[count - rank]


def _require_level(level: float) -> None:
    if not 0 < level < 1:
        raise DataError(f"The level of an interval must lie between 0 and 1, not at {level}.")
