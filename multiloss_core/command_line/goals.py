"""Find the point of a goal: a marginal precision, costs, alerts a day or a precision."""

import json
from dataclasses import dataclass
from pathlib import Path

from multiloss_core.datasets import RatedDataset
from multiloss_core.decisions import (
    ALERTS_PER_DAY,
    CAP_ON_ALERTS,
    COSTS,
    COSTS_IN_RECORD,
    DAYS_IN_DATA,
    PRECISION_FLOOR,
    PRECISION_PERCENT,
    GoalValue,
    RecordedTarget,
    target_of_point,
)
from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.thresholds import Payoffs, Point
from multiloss_core.thresholds.paths.operating_point import OperatingPoint, operating_point
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath
from multiloss_core.thresholds.targets import point_for_alerts, point_for_precision, threshold_choices

MAX_COSTS_BYTES = 10_000


@dataclass(frozen=True, kw_only=True)
class Goal:
    """A goal of the choice of thresholds; one of its fields is given.

    `marginal_precision` and `precision` are shares; `alerts_per_day` is a mean, undecided alerts included.
    """

    marginal_precision: float | None = None
    costs: Payoffs | None = None
    alerts_per_day: float | None = None
    precision: float | None = None

    def __post_init__(self) -> None:
        given = [name for name, value in vars(self).items() if value is not None]
        if len(given) != 1:
            raise DataError(
                "Give one goal: --marginal-precision, --costs, --alerts-per-day or --precision"
                + (f", not {len(given)} of them." if given else ".")
            )
        for name in ("marginal_precision", "precision"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1:
                raise DataError(f"The {name.replace('_', ' ')} must lie between 0 and 1, not at {value:g}.")
        if self.alerts_per_day is not None and not self.alerts_per_day > 0:
            raise DataError(f"The alerts a day must be above 0, not {self.alerts_per_day:g}.")

    @property
    def target(self) -> float | None:
        """The marginal precision that the goal comes to; None where it names none."""
        if self.costs is None:
            return self.marginal_precision
        if self.costs.recovered:
            raise DataError("A share recovered of the amount needs amounts: choose on the screen, or give a catch.")
        return self.costs.marginal_precision

    def point(
        self, path: ThresholdPath, dataset: RatedDataset, fit: SmoothFit | None
    ) -> tuple[Point, RecordedTarget | None]:
        """Find the best point of a path, and how the goal is recorded.

        A marginal precision alone is recorded as the target of the point: None.

        Raises DataError: no thresholds reach the goal, or the days of the data are not known.
        """
        if self.target is not None:
            point = operating_point(path, self.target)
            return point, None if self.costs is None else self._recorded(self.costs, point)
        choices = threshold_choices(path, dataset.source, fit=fit)
        if self.precision is not None:
            asked = GoalValue(PRECISION_PERCENT, 100 * self.precision)
            return point_for_precision(path, choices, self.precision), RecordedTarget(PRECISION_FLOOR, (asked,))
        days, alerts = dataset.equivalent_days, self.alerts_per_day or 0.0
        if days is None or dataset.days is None:
            raise DataError("Alerts a day need the days of the data; give their column with --time.")
        values = (GoalValue(ALERTS_PER_DAY, alerts), GoalValue(DAYS_IN_DATA, dataset.days))
        return point_for_alerts(path, choices, alerts * days), RecordedTarget(CAP_ON_ALERTS, values)

    @staticmethod
    def _recorded(costs: Payoffs, point: OperatingPoint) -> RecordedTarget:
        values = tuple(GoalValue(words, getattr(costs, name)) for name, words in COSTS_IN_RECORD.items())
        return RecordedTarget(COSTS, values, point.marginal_precision, target_of_point(point).status)


def read_costs(path: Path) -> Payoffs:
    """Read costs like {"review": 5, "catch": 100} from JSON. Raises DataError, OSError."""
    name, wanted = shortened(path.name), ", ".join(COSTS_IN_RECORD)
    if path.stat().st_size > MAX_COSTS_BYTES:
        raise DataError(f"'{name}' is too large for a file of costs; write {wanted} as JSON.")
    try:
        read = json.loads(path.read_bytes())
    except ValueError:
        raise DataError(f'\'{name}\' is no JSON; write {wanted} like {{"review": 5, "catch": 100}}.') from None
    if not isinstance(read, dict) or not read or set(read) - set(COSTS_IN_RECORD):
        raise DataError(f'\'{name}\' must be an object with {wanted} alone, like {{"review": 5, "catch": 100}}.')
    for key, value in read.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise DataError(f"'{key}' in '{name}' must be a plain number.")
    return Payoffs(**({"review": 0.0} | {key: float(value) for key, value in read.items()}))
