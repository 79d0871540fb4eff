"""Find the point of a goal, such as a cap, or of manual thresholds."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError, require_type
from multiloss_core.numerics.arrays import Bools, Floats, rounding_tolerance
from multiloss_core.numerics.rounding import shortest_between
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces
from multiloss_core.thresholds.data.counts import Counts, checked_thresholds
from multiloss_core.thresholds.data.grid_counts import Axes
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.methods import SMOOTH
from multiloss_core.thresholds.paths.operating_point import GoalPoint, ManualPoint, Point, operating_point
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath
from multiloss_core.thresholds.targets.busy_days import DailyCap
from multiloss_core.thresholds.targets.threshold_choices import Candidates, ThresholdChoices, threshold_choices

MAX_ROUNDS = 12
# The thresholds besides the vertices of a path, or the data that have them.
Choices: TypeAlias = ThresholdChoices | RatedDocuments | CountSurfaces
# The share of catches, or of alerts, that other thresholds must gain on those of the path.
LEFT_TO_THE_PATH = 0.02
PointOffPath = TypeVar("PointOffPath", ManualPoint, GoalPoint)
# Computes the mask of allowed candidates from them, their TP (m,), counted or expected, and the TP of all rated.
Allowed = Callable[[Candidates, Floats, float], Bools]


def point_for_alerts(path: ThresholdPath, choices: Choices, most: float) -> Point:
    """Find the thresholds with the highest TP that flag at most `most` documents (weights).

    Undecided documents count against the cap.

    `choices` holds the thresholds besides the vertices of the path; for data they are those of its method. With a fit,
    expected TP are compared, as chance in the ratings moves them less than counts. TP is never below that of the best
    corner of the path's majorant. With a fit, thresholds between this corner and the next are preferred unless others
    gain 2 %, so that a looser goal flags all that a stricter one flags.

    Returns an `OperatingPoint` where that corner is best, else a `GoalPoint`.

    Raises DataError: all thresholds that flag something flag more.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import simulate_population, smooth_path
    >>> from multiloss_core.thresholds.targets import point_for_alerts
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> point = point_for_alerts(smooth_path(documents), documents, 120)
    >>> point.tp, point.alerts
    (81.0, 120.0)
    """
    require_type(most, (int, float, np.number), "a number of alerts")
    goal = _Goal(lambda given, _tp, _all: given.flagged <= most + rounding_tolerance(given.flagged))
    return _best_point(path, choices, goal, _too_few(most))


def point_for_busy_days(path: ThresholdPath, choices: Choices, cap: DailyCap) -> Point:
    """Find the highest-TP thresholds that keep a daily cap on the required share of days.

    As `point_for_alerts`. Thresholds that keep the cap by luck alone are excluded (`DailyCap.max_total`), except for
    the corner of the path.

    Raises DataError: all thresholds that flag something exceed the cap on more days, or a table of counts, without
    days.
    """
    choices = _choices(path, choices)
    if choices.source.documents is None:
        raise DataError("A table of counts has no days; use a cap on all alerts.")
    bound = cap.max_total(choices.all_weights(cap))
    goal = _Goal(
        lambda given, _tp, _all: np.ones(given.tp.shape, dtype=bool),
        cap=cap,
        besides=lambda given: given.flagged <= bound,
    )
    return _best_point(path, choices, goal, _too_few(cap.most))


def point_for_precision(path: ThresholdPath, choices: Choices, least: float) -> Point:
    """Find the thresholds with the highest TP and at least this precision, in (0, 1).

    As `point_for_alerts`. With a fit, the expected precision must reach the minimum, too; otherwise lucky thresholds
    would win. For the corner of the path its counts suffice.

    Raises DataError: a precision outside (0, 1), or one that no thresholds have.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import simulate_population, smooth_path
    >>> from multiloss_core.thresholds.targets import point_for_precision
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> point = point_for_precision(smooth_path(documents), documents, 0.6)
    >>> point.tp, point.alerts
    (92.0, 152.0)
    """
    require_type(least, (int, float, np.number), "a precision between 0 and 1")
    if not 0 < least < 1:
        raise DataError("The precision must lie between 0 % and 100 %.")
    goal = _Goal(lambda given, tp, _all: tp >= least * given.alerts * (1 - 1e-12))
    return _best_point(path, choices, goal, f"No thresholds here have a precision of {100 * least:g} %; lower it.")


def point_for_share(path: ThresholdPath, choices: Choices, least: float) -> Point:
    """Find the thresholds with fewest alerts that keep a share of all rated positives.

    As `point_for_precision`, for a share instead of a precision.

    Raises DataError: a share outside (0, 1], or above the maximum under the rule.
    """
    if not 0 < least <= 1:
        raise DataError("The share of rated positives to keep must be above 0 % and at most 100 %.")
    reachable = path.reachable.tp / path.totals.tp if path.totals.tp > 0 else 0.0
    why = " when every score must agree" if path.rule == "all" else ""
    refusal = f"At most {100 * reachable:.4g} % of the rated positives can be kept{why}; keep fewer."
    goal = _Goal(lambda _given, tp, everything: tp >= least * everything * (1 - 1e-12), fewest_alerts=True)
    return _best_point(path, choices, goal, refusal)


def place_on(path: ThresholdPath, alerts: float) -> tuple[float, tuple[float, float]]:
    """Find the marginal precision at a number of alerts, with neighbouring targets."""
    corners, precisions = path.majorant.vertices, path.majorant.marginal_precisions
    if not len(precisions):
        return 0.5, (0.5, 0.5)
    step = int(np.clip(np.searchsorted((path.tp + path.fp)[corners], alerts) - 1, 0, len(precisions) - 1))
    between = target_of_corner(path, step + 1), target_of_corner(path, step)
    return float(np.clip(precisions[step], 1e-6, 1 - 1e-6)), between


def point_off_path(
    kind: type[PointOffPath],
    path: ThresholdPath,
    counts: Counts[float],
    thresholds: Floats,
    place: tuple[float, tuple[float, float]],
) -> PointOffPath:
    """Make a point of thresholds (k,) beside the path; `place` is that of `place_on`."""
    marginal, between = place
    return kind(
        counts.tp,
        counts.fp,
        thresholds=thresholds,
        rule=path.rule,
        names=path.names,
        rated=path.totals,
        reachable=path.reachable,
        method=path.method,
        marginal_precision=marginal,
        between=between,
    )


def target_of_corner(path: ThresholdPath, corner: int) -> float:
    """Find the target of fewest digits in percent that leads to a vertex of the majorant."""
    precisions = path.majorant.marginal_precisions
    highest = float(precisions[corner - 1]) if corner else 1.0
    lowest = float(precisions[corner]) if corner < len(precisions) else 0.0
    return shortest_between(50 * (lowest + highest), 100 * lowest, min(100 * highest, 100 - 1e-6)) / 100


@dataclass(frozen=True)
class _Goal:
    """Allowed candidates; the best of them have the most TP, or the fewest alerts.

    `besides` restricts all candidates except the corner of the path.
    """

    allowed: Allowed
    fewest_alerts: bool = False
    cap: DailyCap | None = None
    besides: Callable[[Candidates], Bools] | None = None

    def met(self, candidates: Candidates, tp: Floats, everything: float) -> Bools:
        """Return the mask of allowed candidates with TP (m,) above 0, counted or expected."""
        met = (tp > 0) & self.allowed(candidates, tp, everything)
        if self.cap is not None and candidates.busy_days is not None:
            met &= candidates.busy_days <= self.cap.busy_allowed
        return met


@dataclass(frozen=True, eq=False)
class _Found:
    """The best thresholds (k,) so far; `merit` orders them: the objective, then the tie-breaker."""

    thresholds: Floats
    merit: tuple[float, float]

    def is_nearly(self, best: "_Found") -> bool:
        """Return whether this is as good as the best, or nearly so."""
        return self.merit[0] >= best.merit[0] - LEFT_TO_THE_PATH * abs(best.merit[0])


def _choices(path: ThresholdPath, choices: Choices) -> ThresholdChoices:
    """Find the thresholds besides the vertices of a path of data, as its method allows."""
    require_type(path, ThresholdPath, "a path, such as that of smooth_path")
    if isinstance(choices, ThresholdChoices):
        return choices
    require_type(choices, (RatedDocuments, CountSurfaces, RatedCounts), "the documents or surfaces of the path")
    fit = smooth_fit(choices) if path.method == SMOOTH.name else None
    return threshold_choices(path, choices, fit=fit)


def _best_point(path: ThresholdPath, known: Choices, goal: _Goal, refusal: str) -> Point:
    choices = _choices(path, known)
    along = choices.along(path, goal.cap)
    corner = _best_corner(path, along, goal)
    searches = [_Search(path, each, goal, along, corner) for each in choices.with_rules_fixed(path, corner)]
    found = _best_of_all(search.best_anywhere() for search in searches)
    if found is not None and choices.fit is not None:
        on_path = _best_of_all(search.best_on_path() for search in searches)
        found = on_path if on_path is not None and on_path.is_nearly(found) else found
    if found is None:
        if corner is None:
            raise DataError(refusal)
        return operating_point(path, target_of_corner(path, corner))
    counts = choices.source.counts_at(found.thresholds, path.rule)
    marginal, between = place_on(path, counts.alerts)
    if corner is not None:
        vertex = path.majorant.vertices[corner]
        same = counts.tp == path.tp[vertex] and counts.fp == path.fp[vertex]
        if same or np.array_equal(found.thresholds, path.thresholds[vertex]):
            return operating_point(path, target_of_corner(path, corner))
    return point_off_path(GoalPoint, path, counts, choices.settled(found.thresholds, marginal), (marginal, between))


def _best_corner(path: ThresholdPath, along: Candidates, goal: _Goal) -> int | None:
    """Find the best corner of the majorant by counts."""
    vertices = path.majorant.vertices
    met = goal.met(along, along.tp, path.totals.tp)[vertices]
    # No target includes a step without positives.
    met[1:] &= path.majorant.marginal_precisions > 0
    met[0] = False
    good = np.flatnonzero(met)
    return None if not good.size else int(good[0] if goal.fewest_alerts else good[-1])


@dataclass(frozen=True, eq=False)
class _Search:
    """Search candidates for a goal; `corner`, if any, is the best of the path that meets it."""

    path: ThresholdPath
    choices: ThresholdChoices
    goal: _Goal
    along: Candidates
    corner: int | None

    def best_anywhere(self) -> _Found | None:
        """Search the vertices, the first nodes, and finer ones around the best of these."""
        found, axes = self._best(self.along), self.choices.first_axes(self.goal.cap)
        return found if axes is None else self._refined(found, axes)

    def best_on_path(self) -> _Found | None:
        """Search between the corner and the next looser or, for fewest alerts, stricter one."""
        vertices = self.path.majorant.vertices
        here = 0 if self.corner is None else self.corner
        there = max(here - 1, 0) if self.goal.fewest_alerts else min(here + 1, len(vertices) - 1)
        lower, upper = (self.path.thresholds[vertices[corner]] for corner in (max(here, there), min(here, there)))
        axes = self.choices.axes_between(lower, upper, self.goal.cap)
        return None if axes is None else self._refined(None, axes, box=(lower, upper))

    def _refined(self, found: _Found | None, axes: Axes, box: tuple[Floats, Floats] | None = None) -> _Found | None:
        starts = [found, self._best(self.choices.at_nodes(axes, self.goal.cap), box)]
        for start in filter(None, starts):
            now, finer = start, axes
            for _ in range(MAX_ROUNDS):
                around = self.choices.finer_axes(finer, now.thresholds, self.goal.cap)
                if around is None:
                    break
                now = _better(now, self._best(self.choices.at_nodes(around, self.goal.cap), box))
                finer = tuple(np.union1d(one, other) for one, other in zip(finer, around, strict=True))
            found = _better(now, found)
        return found

    def _best(self, candidates: Candidates, box: tuple[Floats, Floats] | None = None) -> _Found | None:
        reference = (0.0, np.inf)
        if self.corner is not None:
            floor = int(self.path.majorant.vertices[self.corner])
            # Sums in another order differ by rounding.
            reference = float(self.along.tp[floor]) * (1 - 1e-12), float(self.along.flagged[floor]) * (1 + 1e-12)
        inside = None if box is None else candidates.between(*box)
        total = self.path.totals.tp
        return _best_of(candidates, self.goal, total, self.choices.expected_total, reference, inside)


def _best_of_all(found: Iterable[_Found | None]) -> _Found | None:
    return max(filter(None, found), key=lambda one: one.merit, default=None)


def _better(one: _Found, other: _Found | None) -> _Found:
    return other if other is not None and other.merit > one.merit else one


def _best_of(
    candidates: Candidates,
    goal: _Goal,
    total: float,
    expected_total: float | None,
    reference: tuple[float, float],
    inside: Bools | None,
) -> _Found | None:
    """Find the best candidates that meet the goal and are no worse than the corner's counts."""
    tp, flagged, expected = candidates.tp, candidates.flagged, candidates.expected_tp
    met = goal.met(candidates, tp, total)
    met &= flagged <= reference[1] if goal.fewest_alerts else tp >= reference[0]
    if goal.besides is not None:
        met &= goal.besides(candidates)
    if inside is not None:
        met &= inside
    wanted = tp
    if expected is not None and expected_total is not None:
        met &= goal.met(candidates, expected, expected_total)
        wanted = expected
    rows = np.flatnonzero(met)
    if not rows.size:
        return None
    first, second = (-flagged[rows], wanted[rows]) if goal.fewest_alerts else (wanted[rows], -flagged[rows])
    # Ties go to the last one, the strictest.
    best = int(np.lexsort((np.arange(rows.size), second, first))[-1])
    return _Found(candidates.thresholds_at(int(rows[best])), (float(first[best]), float(second[best])))


def _too_few(most: float) -> str:
    return f"All thresholds that flag anything flag more than {most:,.6g}; allow more."


def target_for_price(false_per_catch: float) -> float:
    """Convert x false alerts per extra true positive into a marginal precision: 1 / (1 + x).

    Raises DataError: a price that is not positive.
    """
    if not 0 < false_per_catch < np.inf:
        raise DataError("The number of false alerts for an extra catch must be above 0.")
    return 1 / (1 + false_per_catch)


def manual_point(source: RatedData, path: ThresholdPath, thresholds: ArrayLike) -> ManualPoint:
    """Count manual thresholds (k,), infinity for never; on surfaces, those of the next node.

    The marginal precision is that of the path at as many alerts; that of the next step is unknown.

    Raises DataError: a threshold below its floor, without ratings, or a number of unusual size.
    """
    values = checked_thresholds(thresholds, path.names)
    for name, value, floor in zip(path.names, values, source.floors, strict=True):
        if value < floor:
            raise DataError(f"The threshold of '{name}' must be at least its floor, {floor:g}; enter a higher one.")
    counts = source.counts_at(values, path.rule)
    return point_off_path(ManualPoint, path, counts, values, place_on(path, counts.alerts))


def point_of_vertex(path: ThresholdPath, vertex: int) -> Point:
    """Make the point of a vertex: an operating point if some target has it, else a `GoalPoint`.

    Raises DataError: the path has no such vertex.
    """
    if not 0 <= vertex < len(path.tp):
        raise DataError(f"The path has vertices 0 to {len(path.tp) - 1}, but not {vertex}.")
    tp, fp = float(path.tp[vertex]), float(path.fp[vertex])
    corners = path.majorant.vertices
    same = np.flatnonzero((path.tp[corners] == tp) & (path.fp[corners] == fp))
    if same.size and len(corners) > 1 and 0 < (target := target_of_corner(path, int(same[0]))) < 1:
        return operating_point(path, target)
    return point_off_path(GoalPoint, path, Counts(tp, fp), path.thresholds[vertex], place_on(path, tp + fp))
