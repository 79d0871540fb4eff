"""Format an operating point for all screens."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from multiloss_core import OperatingPoint, Unit
from multiloss_core.formatting import UNDEFINED, percent, price, rate, reached, score_name, share, shortened
from multiloss_core.generalisation import Interval, PointBootstrap
from multiloss_core.numerics import Floats, ratio
from multiloss_core.thresholds import FlaggedCounts, GoalPoint, ManualPoint, Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.costs import number_of
from ui.operating_point.state import DIGITS
from ui.shared.formatting import BOUND, COUNT, HIGH, LOW, SHARE, rounded_share, vocabulary

CAUGHT, FALSE_ALERTS, PRECISION = "Caught (TP)", "False alerts (FP)", "Precision"
# The rules that are on are counted where they are more.
MAX_RULES_NAMED = 3
UNDECIDED, OF_THEM_UNDECIDED = "Undecided", "of them undecided"
COUNT_KINDS = {
    "Alerts": COUNT,
    CAUGHT: COUNT,
    FALSE_ALERTS: COUNT,
    UNDECIDED: COUNT,
    PRECISION: SHARE,
    LOW: BOUND,
    HIGH: BOUND,
}
REACHABLE = "Can be kept when every score must agree"

Lines = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class UnitWords:
    """The labels of the numbers of a point counted in one unit."""

    caught: str
    false: str
    alerts: str
    precision: str
    false_per_catch: str
    kept: str
    question: str
    note: str


WORDS: dict[Unit, UnitWords] = {
    Unit.DOCUMENTS: UnitWords(
        caught=CAUGHT,
        false=FALSE_ALERTS,
        alerts="Alerts",
        precision=PRECISION,
        false_per_catch="False alerts per catch",
        kept="Rated positives kept",
        question="of the last alerts added, how many must be fraud?",
        note="Counted on the data that chose the point. The share kept is that of *rated* positives, not recall, "
        "which only an audit estimates.",
    ),
    Unit.MONEY: UnitWords(
        caught="Money caught (TP)",
        false="Money in false alerts (FP)",
        alerts="Money flagged",
        precision="Fraud in the money flagged",
        false_per_catch="In false alerts per 1 caught",
        kept="Rated fraud money kept",
        question="of the last money flagged, how much must be fraud?",
        note="Money is summed on the data that chose the point. The share kept is that of *rated* fraud money, not "
        "recall, which only an audit estimates.",
    ),
}


@dataclass(frozen=True)
class PointWords:
    """Thresholds, counts and rates with labels; a warning and an optional guarantee."""

    thresholds: Lines
    counts: Lines
    rates: Lines
    warning: tuple[str, str] | None
    guarantee: str | None


def point_words(analysis: Analysis, point: Point) -> PointWords:
    """Format all numbers of a point."""
    return words_of_points(analysis, [point])[0]


def words_of_points(analysis: Analysis, points: Sequence[Point]) -> list[PointWords]:
    """Format many points at once, as `point_words` does for one."""
    others, undecided = analysis.in_other_unit(points), analysis.undecided(points)
    # Many targets share the same thresholds.
    thresholds = {tuple(point.thresholds): point for point in points}
    deployable = {key: analysis.deployable(point) for key, point in thresholds.items()}
    return [
        _words(analysis, point, other, count, deployable[tuple(point.thresholds)])
        for point, other, count in zip(points, others, undecided, strict=True)
    ]


def price_words(marginal_precision: float, unit: Unit) -> str:
    """Format a marginal precision as the price of a catch."""
    if unit is Unit.DOCUMENTS:
        return price(marginal_precision, "fraud")
    false = (1 - marginal_precision) / marginal_precision
    if false >= 1:
        return f"{false:.3g} held up for each extra 1 of fraud stopped"
    return f"1 held up for each extra {1 / false:.3g} of fraud stopped"


def interval_words(
    analysis: Analysis, bootstrap: PointBootstrap | None, point: Point, shown_at: float
) -> dict[str, Any] | None:
    """Format the intervals expected on new data, to show beside the numbers of their point.

    `shown_at`: the position of the slider in percent.
    """
    if bootstrap is None:
        return None
    unit = analysis.settings.unit
    found, words, number = bootstrap.intervals().expected, WORDS[unit], unit.estimate
    decided = " decided" if analysis.has_undecided and unit is Unit.DOCUMENTS else ""
    lines = {
        words.caught: (found.tp, number),
        words.false: (found.fp, number),
        words.alerts: (found.alerts, number),
        words.precision: (found.precision, percent),
    }
    texts = {label: f"expected {between_words(interval, shown)}" for label, (interval, shown) in lines.items()}
    texts[words.alerts] += decided
    return {
        "percent": round(100 * float(bootstrap.targets[0]), DIGITS) if isinstance(point, OperatingPoint) else shown_at,
        "by_hand": not isinstance(point, OperatingPoint),
        "words": texts,
    }


def count_columns(
    tp: float, fp: float, interval: tuple[float, float], undecided: float | None = None
) -> dict[str, float]:
    """Return counts of documents and precision with its interval as `COUNT_KINDS` columns.

    Alerts include the `undecided` ones, which have a separate column if given.
    """
    decided = tp + fp
    counts = {"Alerts": decided + (undecided or 0.0), CAUGHT: tp, FALSE_ALERTS: fp}
    if undecided is not None:
        counts[UNDECIDED] = undecided
    return counts | {PRECISION: rounded_share(ratio(tp, decided), decided), LOW: interval[0], HIGH: interval[1]}


def place_words(point: Point) -> str:
    """Name the two targets of the slider on either side of a point between them."""
    if not isinstance(point, GoalPoint):
        return ""
    lower, higher = (f"{100 * target:.4g}\N{NO-BREAK SPACE}%" for target in point.between)
    return f"between the slider's {lower} and {higher}"


def between_words(interval: Interval, number: Callable[[float], str]) -> str:
    """Format an interval with `number` for its ends."""
    return UNDEFINED if math.isnan(interval.low) else f"{number(interval.low)} – {number(interval.high)}"


def beside(label: str) -> str:
    """Shorten the label of a number in the other unit: only the path's have TP and FP."""
    return label.removesuffix(" (TP)").removesuffix(" (FP)")


def _words(
    analysis: Analysis, point: Point, other: FlaggedCounts | None, undecided: float, deployable: Floats
) -> PointWords:
    unit = analysis.settings.unit
    # The number of documents determines the digits of shares in both units.
    documents = other if other is not None and unit is Unit.MONEY else point
    words, number = WORDS[unit], number_of(analysis, unit)
    counts: Lines = ((words.caught, number(point.tp)), (words.false, number(point.fp)))
    rates: Lines = (
        *_alerts(analysis, unit, point, undecided),
        (words.precision, share(point.precision, documents.alerts)),
        (words.false_per_catch, rate(point.fp_per_tp)),
        (words.kept, _kept(unit, point, documents.rated.tp)),
        *_reachable(point),
        *_steps(unit, point),
    )
    if other is not None:
        more, number = WORDS[unit.other], number_of(analysis, unit.other)
        counts += (beside(more.caught), number(other.tp)), (beside(more.false), number(other.fp))
        rates += (
            *_alerts(analysis, unit.other, other, undecided),
            (more.precision, share(other.precision, documents.alerts)),
            (more.kept, _kept(unit.other, other, documents.rated.tp)),
        )
    return PointWords(
        thresholds=(
            *(
                (f"Threshold of {score_name(name)}", reached(name, value))
                for name, value in zip(analysis.surfaces.names, deployable, strict=False)
            ),
            *rules_on(analysis, deployable),
        ),
        counts=counts,
        rates=rates,
        warning=_warning(unit, point) or unused_scores(analysis, point, deployable),
        guarantee=_guarantee(analysis, point),
    )


def rules_on(analysis: Analysis, thresholds: Floats) -> Lines:
    """Name the alert rules that are on; their number where they are many."""
    rules = analysis.alert_rules
    if not rules:
        return ()
    on = [rule for rule, value in zip(rules, thresholds[-len(rules) :], strict=True) if math.isfinite(value)]
    words = ", ".join(map(shortened, on)) or "none"
    return ((f"Rules on, of {len(rules)}", words if len(on) <= MAX_RULES_NAMED else str(len(on))),)


def _alerts(analysis: Analysis, unit: Unit, point: FlaggedCounts, undecided: float) -> Lines:
    """Format the alerts, with the undecided documents among them if the data has any."""
    label = WORDS[unit].alerts
    if unit is Unit.MONEY or not analysis.has_undecided:
        return ((label, number_of(analysis, unit)(point.alerts)),)
    number = Unit.DOCUMENTS.number
    return (label, number(point.alerts + undecided)), (OF_THEM_UNDECIDED, number(undecided))


def _kept(unit: Unit, point: FlaggedCounts, positives: float) -> str:
    """Format the share kept with its base; the number of `positives` determines its digits."""
    return f"{share(point.share_of_rated_positives, positives)} of {unit.number(point.rated.tp)}"


def _reachable(point: FlaggedCounts) -> Lines:
    """Format the highest share that can be kept, if it is below 1."""
    if not point.reachable_share < 1:
        return ()
    return ((REACHABLE, f"at most {percent(point.reachable_share)}"),)


def _steps(unit: Unit, point: Point) -> Lines:
    """Format the share of fraud in the steps of the path on either side of a point on it."""
    if not isinstance(point, OperatingPoint):
        return ()
    estimate = " (estimate)" if point.estimated else ""
    steps = (
        ("last", " added", point.step_alerts, point.step_precision),
        ("next", "", point.next_alerts, point.next_precision),
    )
    return tuple(
        (f"Fraud in the {which} {unit.quantity(alerts)}{added}{estimate}", unit.precision(precision, alerts))
        for which, added, alerts, precision in steps
        if alerts
    )


def _guarantee(analysis: Analysis, point: Point) -> str | None:
    certificate = analysis.certificate
    # Manual thresholds may lie between vertices of the path without being on it; goals choose among its vertices.
    if (
        isinstance(point, ManualPoint)
        or certificate is None
        or certificate.path is None
        or point.method != certificate.path.method
    ):
        return None
    if point.status == "unreachable" or not certificate.covers(point.thresholds):
        return "This point is outside the guaranteed range marked on the slider."
    sure, least = (f"{100 * value:g}\N{NO-BREAK SPACE}%" for value in (certificate.confidence, certificate.precision))
    flagged = WORDS[analysis.settings.unit].alerts.lower()
    return f"With {sure} confidence, the share of fraud in the {flagged} at these thresholds is at least {least}."


def unused_scores(analysis: Analysis, point: Point, thresholds: Floats) -> tuple[str, str] | None:
    """Return a warning if some scores never flag at thresholds (k,); `all` needs each score."""
    names = [
        shortened(score_name(name))
        for name, value, most in zip(analysis.surfaces.names, thresholds, analysis.rated.highest_scores, strict=False)
        if math.isinf(value) or value > most
    ]
    if isinstance(point, ManualPoint) or point.rule == "all" or not 0 < len(names) < len(analysis.surfaces.names):
        return None
    several = len(names) > 1
    return (
        f"{' and '.join(names)} never {'flag' if several else 'flags'} here.",
        f"The alerts that {'they' if several else 'it'} would add contain less fraud than the target requires of the "
        "last alerts.",
    )


def _warning(unit: Unit, point: Point) -> tuple[str, str] | None:
    """Explain a point at an end of the path."""
    if not isinstance(point, OperatingPoint):
        return None
    target = f"{100 * point.marginal_precision:.3g}\N{NO-BREAK SPACE}%"
    holds, hold = ("is estimated to hold", "are estimated to hold") if point.estimated else ("holds", "hold")
    if point.status == "unreachable":
        return (
            f"No part of this path reaches {target}.",
            f"The best first step {holds} {unit.precision(point.next_precision, point.next_alerts)} fraud "
            f"({unit.quantity(point.next_alerts)}), so this target flags nothing. Lower the target.",
        )
    if point.status == "at_floor":
        return (
            "The point is at the floor.",
            f"Even the last {unit.quantity(point.step_alerts)} rated there {hold} "
            f"{unit.precision(point.step_precision, point.step_alerts)} fraud, no less than {target}: the best point "
            f"is below the floors. Rate {vocabulary().documents} there to find it.",
        )
    return None
