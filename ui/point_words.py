"""An operating point in the words of the screen, the same wherever it is shown."""

from dataclasses import dataclass

from multiloss_core import OperatingPoint
from ui.analysis import Analysis
from ui.words import NEVER, count, plural, rate, share, threshold

CAUGHT, FALSE, PRECISION = "Caught (TP)", "False alerts (FP)", "Precision"
COUNTED = (
    "Counted on the data that chose the point. The share kept is of *rated* positives, not recall: fraud below the "
    "floors is unknown."
)

Lines = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PointWords:
    """Labels with their values: thresholds, the two counts and the rates; a warning as headline and explanation.

    `guarantee` says what is certain of the point, where anything is.
    """

    thresholds: Lines
    counts: Lines
    rates: Lines
    warning: tuple[str, str] | None
    guarantee: str | None


def point_words(analysis: Analysis, point: OperatingPoint) -> PointWords:
    """All that the screen says about a point."""
    return PointWords(
        thresholds=tuple(
            (f"Threshold of {name}", NEVER if threshold(value) == NEVER else f"≥ {threshold(value)}")
            for name, value in zip(point.names, analysis.deployable(point), strict=True)
        ),
        counts=((CAUGHT, count(point.tp)), (FALSE, count(point.fp))),
        rates=(
            ("Alerts", count(point.alerts)),
            (PRECISION, share(point.precision, point.alerts)),
            ("False alerts per catch", rate(point.fp_per_tp)),
            ("Rated positives kept", share(point.share_of_rated_positives, point.rated_tp)),
            *_steps(point),
        ),
        warning=_warning(point),
        guarantee=_guarantee(analysis, point),
    )


def _steps(point: OperatingPoint) -> Lines:
    """What the steps of the path on either side hold; of thresholds set by hand nothing is known."""
    if point.by_hand:
        return ()
    fraud = "Estimated fraud" if point.estimated else "Fraud"
    return (
        (
            f"{fraud} in the last {plural(point.step_alerts, 'alert')} added",
            share(point.step_precision, point.step_alerts),
        ),
        (f"{fraud} in the next {plural(point.next_alerts, 'alert')}", share(point.next_precision, point.next_alerts)),
    )


def _guarantee(analysis: Analysis, point: OperatingPoint) -> str | None:
    certificate = analysis.certificate
    if certificate is None or certificate.path is None or point.method != certificate.path.method:
        return None
    if point.status == "unreachable" or not certificate.covers(point.thresholds):
        return "Outside the guaranteed range, which is marked on the slider."
    sure, least = (f"{100 * value:g}\N{NO-BREAK SPACE}%" for value in (certificate.confidence, certificate.precision))
    return f"{sure} sure: at least {least} of what is flagged at these thresholds is fraud, now and from here on."


def _warning(point: OperatingPoint) -> tuple[str, str] | None:
    """When there is no point inside the path."""
    target = f"{100 * point.marginal_precision:.3g}\N{NO-BREAK SPACE}%"
    holds, hold = ("is estimated to hold", "are estimated to hold") if point.estimated else ("holds", "hold")
    if point.status == "unreachable":
        return (
            f"No part of this path reaches {target}.",
            f"The best step up from no alerts {holds} {share(point.next_precision, point.next_alerts)} fraud "
            f"({plural(point.next_alerts, 'alert')}), so at this target nothing is flagged. Lower the target.",
        )
    if point.status == "at_floor":
        return (
            "The point is at the floor.",
            f"Even the last {plural(point.step_alerts, 'alert')} rated there {hold} "
            f"{share(point.step_precision, point.step_alerts)} fraud, no less than {target}: the best point lies below "
            "what was rated. Rate documents below the floors to find it.",
        )
    return None
