"""Find the best thresholds under a wish: a cap on alerts, a floor on precision, a share of positives to keep."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, rounding_tolerance
from multiloss_core.numerics.rounding import shortest_between
from multiloss_core.thresholds.data.counts import Counts
from multiloss_core.thresholds.paths.operating_point import ManualPoint, Point, WishedPoint, operating_point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath
from multiloss_core.thresholds.targets.busy_days import DailyCap
from multiloss_core.thresholds.targets.threshold_choices import Candidates, ThresholdChoices

MAX_ROUNDS = 12
Beside = TypeVar("Beside", ManualPoint, WishedPoint)
# Says of candidates, their TP (m,), counted or expected, and the TP of all that was rated, which are allowed.
Allowed = Callable[[Candidates, Floats, float], Bools]


def point_for_alerts(path: ThresholdPath, choices: ThresholdChoices, most: float) -> Point:
    """Find the thresholds that catch most among those that flag something and at most so many documents (weights).

    Documents that nobody has decided yet are flagged like others, so they count against the cap.

    `choices` says which thresholds there are besides the vertices of the path, and by what they are chosen. Where a fit
    chooses, the catches that it expects are compared, which chance in the ratings moves less than counts. The point
    never catches fewer of these documents than the best corner of the path's majorant, which the slider would choose.

    Returns an `OperatingPoint` where that corner is best, else a `WishedPoint`.

    Raises
    ------
    DataError : whatever flags something flags more.
    """
    wish = _Wish(lambda given, _tp, _all: given.flagged <= most + rounding_tolerance(given.flagged))
    return _best_point(path, choices, wish, _too_few(most))


def point_for_busy_days(path: ThresholdPath, choices: ThresholdChoices, cap: DailyCap) -> Point:
    """Find the thresholds that catch most among those that keep a cap on as large a share of the days as it says.

    As `point_for_alerts`, but days with more alerts than the cap may be as few as the cap says. Thresholds that keep it
    by luck alone are left out (`DailyCap.most_in_all`), but for the corner of the path.

    Raises
    ------
    DataError : whatever flags something exceeds the cap on more days, or a table of counts, which tells no days.
    """
    if choices.source.documents is None:
        raise DataError("A table of counts tells no days; ask for alerts in all.")
    bound = cap.most_in_all(choices.all_weights(cap))
    wish = _Wish(
        lambda given, _tp, _all: np.ones(given.tp.shape, dtype=bool),
        cap=cap,
        besides=lambda given: given.flagged <= bound,
    )
    return _best_point(path, choices, wish, _too_few(cap.most))


def point_for_precision(path: ThresholdPath, choices: ThresholdChoices, least: float) -> Point:
    """Find the thresholds that catch most among those with at least this precision, in (0, 1).

    As `point_for_alerts`. Where a fit chooses, what it expects has at least this precision, too: else those thresholds
    would win whose precision luck has lifted over the floor. Only the corner of the path needs no more than its counts.

    Raises
    ------
    DataError : a precision outside (0, 1), or one that no thresholds have.
    """
    if not 0 < least < 1:
        raise DataError("The precision must lie between 0 % and 100 %.")
    wish = _Wish(lambda given, tp, _all: tp >= least * given.alerts * (1 - 1e-12))
    return _best_point(path, choices, wish, f"No thresholds here have a precision of {100 * least:g} %; lower it.")


def point_for_share(path: ThresholdPath, choices: ThresholdChoices, least: float) -> Point:
    """Find the thresholds with fewest alerts among those that keep this share, in (0, 1], of all rated positives.

    As `point_for_precision`, with the share in the place of the precision.

    Raises
    ------
    DataError : a share outside (0, 1], or more than the rule can reach.
    """
    if not 0 < least <= 1:
        raise DataError("The share of rated positives to keep must be above 0 % and at most 100 %.")
    reachable = path.reachable.tp / path.totals.tp if path.totals.tp > 0 else 0.0
    why = " when every score must agree" if path.rule == "all" else ""
    refusal = f"At most {100 * reachable:.4g} % of the rated positives can be kept{why}; keep fewer."
    wish = _Wish(lambda _given, tp, everything: tp >= least * everything * (1 - 1e-12), fewest_alerts=True)
    return _best_point(path, choices, wish, refusal)


def place_on(path: ThresholdPath, alerts: float) -> tuple[float, tuple[float, float]]:
    """Find the marginal precision of a path where it flags as many, and a lower and a higher target on either side."""
    corners, precisions = path.majorant.vertices, path.majorant.marginal_precisions
    if not len(precisions):
        return 0.5, (0.5, 0.5)
    step = int(np.clip(np.searchsorted((path.tp + path.fp)[corners], alerts) - 1, 0, len(precisions) - 1))
    between = target_of_corner(path, step + 1), target_of_corner(path, step)
    return float(np.clip(precisions[step], 1e-6, 1 - 1e-6)), between


def point_beside(
    kind: type[Beside],
    path: ThresholdPath,
    counts: Counts[float],
    thresholds: Floats,
    place: tuple[float, tuple[float, float]],
) -> Beside:
    """Make a point of thresholds (k,) that no target of a path leads to; `place` is that of `place_on`."""
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
    """Find the target of fewest digits in percent whose operating point is a vertex of the majorant."""
    precisions = path.majorant.marginal_precisions
    highest = float(precisions[corner - 1]) if corner else 1.0
    lowest = float(precisions[corner]) if corner < len(precisions) else 0.0
    return shortest_between(50 * (lowest + highest), 100 * lowest, min(100 * highest, 100 - 1e-6)) / 100


@dataclass(frozen=True)
class _Wish:
    """What is allowed; of that the most TP is wanted, or the fewest alerts.

    `besides` is asked of all candidates but the corner of the path.
    """

    allowed: Allowed
    fewest_alerts: bool = False
    cap: DailyCap | None = None
    besides: Callable[[Candidates], Bools] | None = None

    def met(self, candidates: Candidates, tp: Floats, everything: float) -> Bools:
        """Which candidates are allowed at TP (m,), counted or expected, that flag anything of use."""
        met = (tp > 0) & self.allowed(candidates, tp, everything)
        if self.cap is not None and candidates.busy_days is not None:
            met &= candidates.busy_days <= self.cap.busy_allowed
        return met


@dataclass(frozen=True, eq=False)
class _Found:
    """The best thresholds (k,) so far; `merit` compares them: what is wanted, then what is next to it."""

    thresholds: Floats
    merit: tuple[float, float]


def _best_point(path: ThresholdPath, choices: ThresholdChoices, wish: _Wish, refusal: str) -> Point:
    along = choices.along(path, wish.cap)
    corner = _best_corner(path, along, wish)
    found = _best_thresholds(path, choices, wish, along, corner)
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
    return point_beside(WishedPoint, path, counts, choices.settled(found.thresholds, marginal), (marginal, between))


def _best_corner(path: ThresholdPath, along: Candidates, wish: _Wish) -> int | None:
    """Find the corner of the majorant that the slider would stop at: by counts, as the wish is said of counts."""
    vertices = path.majorant.vertices
    met = wish.met(along, along.tp, path.totals.tp)[vertices]
    # No target is so low that a step without any positive is taken.
    met[1:] &= path.majorant.marginal_precisions > 0
    met[0] = False
    good = np.flatnonzero(met)
    return None if not good.size else int(good[0] if wish.fewest_alerts else good[-1])


def _best_thresholds(
    path: ThresholdPath, choices: ThresholdChoices, wish: _Wish, along: Candidates, corner: int | None
) -> _Found | None:
    """Search the vertices of the path, the nodes to begin with, and ever finer ones around the best of these."""
    floor = None if corner is None else int(path.majorant.vertices[corner])
    reference = (0.0, np.inf)
    if floor is not None:
        # Sums of weights in another order differ by rounding.
        reference = float(along.tp[floor]) * (1 - 1e-12), float(along.flagged[floor]) * (1 + 1e-12)

    def best(candidates: Candidates) -> _Found | None:
        return _best_of(candidates, wish, path.totals.tp, choices.expected_total, reference)

    found, axes = best(along), choices.first_axes(wish.cap)
    if axes is None:
        return found
    starts = [start for start in (found, best(choices.at_nodes(axes, wish.cap))) if start is not None]
    for start in starts:
        now, finer = start, axes
        for _ in range(MAX_ROUNDS):
            around = choices.finer_axes(finer, now.thresholds, wish.cap)
            if around is None:
                break
            now = _better(now, best(choices.at_nodes(around, wish.cap)))
            finer = tuple(np.union1d(one, other) for one, other in zip(finer, around, strict=True))
        found = _better(now, found)
    return found


def _better(one: _Found, other: _Found | None) -> _Found:
    return other if other is not None and other.merit > one.merit else one


def _best_of(
    candidates: Candidates, wish: _Wish, total: float, expected_total: float | None, reference: tuple[float, float]
) -> _Found | None:
    """Find the best of the candidates that meet the wish, and are no worse on these data than the corner's counts."""
    tp, flagged, expected = candidates.tp, candidates.flagged, candidates.expected_tp
    met = wish.met(candidates, tp, total)
    met &= flagged <= reference[1] if wish.fewest_alerts else tp >= reference[0]
    if wish.besides is not None:
        met &= wish.besides(candidates)
    wanted = tp
    if expected is not None and expected_total is not None:
        met &= wish.met(candidates, expected, expected_total)
        wanted = expected
    rows = np.flatnonzero(met)
    if not rows.size:
        return None
    first, second = (-flagged[rows], wanted[rows]) if wish.fewest_alerts else (wanted[rows], -flagged[rows])
    # Of equally good ones the last, which is the strictest.
    best = int(np.lexsort((np.arange(rows.size), second, first))[-1])
    return _Found(candidates.thresholds_at(int(rows[best])), (float(first[best]), float(second[best])))


def _too_few(most: float) -> str:
    return f"Whatever thresholds flag anything here flag more than {most:,.6g}; allow more."
