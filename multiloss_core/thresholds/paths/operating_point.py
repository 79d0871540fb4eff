"""Compute operating points (tangent points) of a path, with their counts."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError, require_type
from multiloss_core.formatting import as_html_table, count, percent, score_name, score_threshold
from multiloss_core.numerics.arrays import UNDEFINED, Bools, Floats, number_array, ratio, rounding_tolerance
from multiloss_core.thresholds.data.counts import Counts, Rule, flagged
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

Status = Literal["inside", "at_floor", "unreachable"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class FlaggedCounts(Counts[float]):
    """Thresholds (k,) under a rule, infinity for never, with counts of flagged documents.

    `rated` counts all rated documents; `reachable` those that the loosest thresholds flag: all under `any`, fewer under
    `all`, as a document below some floor is never flagged.
    """

    thresholds: Floats
    rule: Rule
    names: tuple[str, ...]
    rated: Counts[float]
    reachable: Counts[float]

    @property
    def share_of_rated_positives(self) -> float:
        """Divide TP by all rated positives. Not recall: documents below the floors were never rated."""
        return ratio(self.tp, self.rated.tp)

    @property
    def reachable_share(self) -> float:
        """Return the largest share of rated positives that thresholds of this rule can keep."""
        # Sums in another order differ by rounding.
        is_all = abs(self.rated.tp - self.reachable.tp) <= rounding_tolerance(np.array(self.rated.tp))
        return ratio(self.rated.tp if is_all else self.reachable.tp, self.rated.tp)

    def flags(self, scores: ArrayLike) -> Bools:
        """Compute the mask (n,) of flagged documents: a score (n, k) >= its threshold counts.

        Raises DataError: not k scores for each document.
        """
        table = np.asarray(scores, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(self.names):
            raise DataError(
                f"Scores must have {len(self.names)} columns, one for each classifier, not shape {table.shape}."
            )
        return flagged(table, self.thresholds, self.rule)

    def __repr__(self) -> str:
        thresholds = ", ".join(f"{name} >= {value:g}" for name, value in zip(self.names, self.thresholds, strict=True))
        return f"{type(self).__name__}({thresholds}; TP {self.tp:g}, FP {self.fp:g}, precision {self.precision:.4g})"

    def _repr_html_(self) -> str:
        named = zip(self.names, self.thresholds, strict=True)
        thresholds = {f"threshold of {score_name(name)}": score_threshold(name, value) for name, value in named}
        counts = {"TP": count(self.tp), "FP": count(self.fp), "precision": percent(self.precision)}
        return as_html_table("Operating point", thresholds | counts)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class _OfPath(FlaggedCounts):
    """A point related to a path: its marginal precision in (0, 1) and the method of the path."""

    marginal_precision: float
    method: str

    @property
    def slope(self) -> float:
        """Convert the marginal precision m to the slope dTP/dFP = m / (1 - m) of the paper."""
        return self.marginal_precision / (1 - self.marginal_precision)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class _OffPath(_OfPath):
    """Thresholds that are not the operating point of any target.

    `marginal_precision`: that of the path at as many alerts. `between`: the targets of its points with more and fewer.
    """

    between: tuple[float, float]
    status: ClassVar[Status] = "inside"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ManualPoint(_OffPath):
    """Manual thresholds."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class GoalPoint(_OffPath):
    """The best thresholds under a goal, such as a cap on alerts, beside the path."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OperatingPoint(_OfPath):
    """Thresholds (k,) of a path with exact counts at a target marginal precision in (0, 1).

    `status`: `inside` the path; `at_floor` when even documents at the floors reach the target, so that the best point
    lies below the rated scores; `unreachable` when no part of the path reaches it, so that nothing is flagged.
    `step_precision` and `step_alerts` describe the last step up to the point, `next_precision` and `next_alerts` the
    step after it (NaN and 0 if there is none). `estimated`: step precisions come from a smooth fit, not from counts.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import graph_path, count_surfaces, operating_point, simulate_population
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> point = operating_point(graph_path(count_surfaces(documents, resolution=20)), 0.2)
    >>> point.status, point.alerts, round(point.precision, 3)
    ('inside', 175.0, 0.549)
    """

    status: Status
    step_precision: float
    step_alerts: float
    next_precision: float
    next_alerts: float
    estimated: bool = False


Point: TypeAlias = OperatingPoint | ManualPoint | GoalPoint


def operating_point(path: ThresholdPath, marginal_precision: float) -> OperatingPoint:
    """Compute the operating point of a path at a target; see `operating_points`.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import operating_point, simulate_population, smooth_path
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> point = operating_point(smooth_path(documents), 0.2)
    >>> point.status, point.tp, point.fp
    ('inside', 92.0, 63.0)
    """
    return operating_points(path, [marginal_precision])[0]


def operating_points(path: ThresholdPath, marginal_precisions: Iterable[float]) -> list[OperatingPoint]:
    """Find the vertices that maximise TP - m / (1 - m) FP for target marginal precisions m.

    TP and FP are the counts, or those expected by a fit if the path has one. Each vertex is the tangent point of the
    path's concave majorant (Robles et al. 2020, Algorithm 1, on counts): always a real vertex, monotone in m. A step of
    marginal precision m is included. Ties go to the strictest vertex, but a point at the floor has the floors as
    thresholds. After the majorant, O(log m) each.

    Raises DataError: a target outside (0, 1).

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import operating_points, simulate_population, smooth_path
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> [point.tp for point in operating_points(smooth_path(documents), [0.1, 0.2, 0.5])]
    [97.0, 92.0, 72.0]
    """
    require_type(path, ThresholdPath, "a path, such as that of smooth_path")
    majorant = path.majorant
    vertices, precisions = majorant.vertices, majorant.marginal_precisions
    tp, fp = path.tp[vertices], path.fp[vertices]
    added = np.diff(tp + fp)
    require_type(marginal_precisions, Iterable, "several marginal precisions; operating_point takes one")
    targets = number_array([*marginal_precisions], "Marginal precisions")
    if targets.ndim != 1:
        raise DataError("Marginal precisions must be numbers between 0 and 1, one for each point.")
    outside = ~((targets > 0) & (targets < 1))
    if outside.any():
        raise DataError(f"The marginal precision must lie between 0 and 1, not at {targets[outside][0]}.")
    last, estimated, rated, reachable = len(precisions), path.smooth_tp is not None, path.totals, path.reachable
    # Where earlier files place a vertex, a step may add none of these documents.
    adding = np.flatnonzero(added > 0)
    points = []
    for target, steps in zip(targets.tolist(), np.searchsorted(-precisions, -targets, side="right"), strict=True):
        place = int(np.searchsorted(adding, steps))
        before, after = adding[:place][-1:], adding[place : place + 1]
        points.append(
            OperatingPoint(
                # At the floor return the floors: looser thresholds lose nothing there.
                thresholds=path.thresholds[0 if steps == last and steps else vertices[steps]],
                tp=float(tp[steps]),
                fp=float(fp[steps]),
                marginal_precision=target,
                status="unreachable" if steps == 0 else "at_floor" if steps == last else "inside",
                method=path.method,
                rule=path.rule,
                names=path.names,
                rated=rated,
                reachable=reachable,
                step_precision=float(precisions[before[0]]) if before.size else UNDEFINED,
                step_alerts=float(added[before].sum()),
                next_precision=float(precisions[after[0]]) if after.size else UNDEFINED,
                next_alerts=float(added[after].sum()),
                estimated=estimated,
            )
        )
    return points
