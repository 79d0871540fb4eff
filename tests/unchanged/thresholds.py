"""Figures of paths, operating points and what is shown beside a point."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from multiloss_core import (
    CountSurfaces,
    DataError,
    RatedDocuments,
    analytic_path,
    benchmark_path,
    count_surfaces,
    f_beta_of_point,
    flagged,
    graph_path,
    mean_graph_path,
    operating_point,
    operating_points,
    smooth_path,
)
from multiloss_core.generalisation import rated_size, rating_plan
from multiloss_core.inspection import (
    alerts_drift,
    borderline_documents,
    calendar,
    compare,
    daily_alerts,
    folded,
    precision_drift,
    segment_counts,
    segmentation,
    weekly_counts,
)
from multiloss_core.thresholds import Payoffs, classifier_margins, money_at, money_weighted, slice_documents
from multiloss_core.thresholds.paths.smooth.fit import smooth_fit
from multiloss_core.thresholds.paths.smooth.path import path_of_fit
from multiloss_core.thresholds.targets import (
    manual_point,
    point_for_alerts,
    point_for_precision,
    point_for_share,
    target_for_price,
    threshold_choices,
)
from tests.unchanged.sources import Data, sample_data, sample_fit
from tests.unchanged.summary import Figures, of, plain, thinned

TARGETS = np.arange(1, 100) / 100
RULES = ("any", "all")
METHODS = ("smooth", "graph", "mean graph", "analytic power", "analytic beta", "benchmark")
# The app's choices: its first for one and two classifiers, the quickest for three and four.
RESOLUTIONS = {1: 300, 2: 100, 3: 30, 4: 16}
POINT = ("thresholds", "status", "tp", "fp", "step_precision", "step_alerts", "next_precision", "next_alerts")
RATES = ("slope", "alerts", "precision", "fp_per_tp", "share_of_rated_positives", "estimated")
SELECTION = ("tp", "fp", "alerts", "precision", "interval")
DRIFT = ("weeks", "trend", "variation", "early", "late", "least_seen", "stands_out", "p_value", "verdict")


def path_of(source: RatedDocuments | CountSurfaces, rule: str, method: str, fit: Any = None) -> Any:
    """Find the path of a method as the app does, on a grid of one of its resolutions."""
    if method == "smooth":
        return smooth_path(source, rule=rule) if fit is None else path_of_fit(source, fit, rule)
    if method.startswith("analytic"):
        return analytic_path(source, family=method.removeprefix("analytic "), rule=rule)
    surfaces = source
    if documents := source if isinstance(source, RatedDocuments) else None:
        surfaces = count_surfaces(source, rule=rule, resolution=RESOLUTIONS[len(source.names)], spacing="positives")
    if method == "mean graph":
        return mean_graph_path(surfaces, np.random.default_rng(0), documents=documents)
    return graph_path(surfaces) if method == "graph" else benchmark_path(surfaces)


def path_figures(path: Any) -> Figures:
    """Measure a path at 99 targets."""
    points = operating_points(path, TARGETS)
    found = of(path, "method", "rule", "monotone", "parameters", "area", "normalised_area")
    # Processors round powers and fits differently in the last digit, which makes one vertex of two, or two of one.
    if path.method not in ("smooth", "analytic power"):
        found |= {"vertices": len(path.tp), "sums": plain([path.tp.sum(), path.fp.sum()])}
    return found | {
        "majorant": thinned(path.majorant.marginal_precisions),
        "rates": [{"f_beta": plain(f_beta_of_point(point))} | of(point, *RATES) for point in points[9::10]],
        "points": [of(point, *POINT) for point in points],
    }


def rated_figures(
    data: Data, fit: Any = None, *, rules: Iterable[str] = RULES, names: Iterable[str] = METHODS
) -> Figures:
    """Measure rated documents under some rules, or a table of counts under its own."""
    source = data.source
    fit = smooth_fit(source) if fit is None else fit
    found = {"source": source_figures(source)}
    for rule in rules if isinstance(source, RatedDocuments) else (source.rule,):
        paths = {method: path_of(source, rule, method, fit) for method in names}
        found[rule] = {
            "paths": {name: path_figures(path) for name, path in paths.items()},
            "details": {name: point_details(source, paths[name], 0.2) for name in ("smooth", "benchmark")},
        }
    return found


def source_figures(source: RatedDocuments | CountSurfaces) -> Figures:
    """Measure what was read, and surfaces of each spacing with the best path through them."""
    found = of(source, "names", "floors")
    if isinstance(source, CountSurfaces):
        return found | surface_figures(source)
    nodes = RESOLUTIONS[len(source.names)]
    found |= {"totals": plain([source.totals.tp, source.totals.fp]), "funnel": plain(source.funnel.steps)}
    found["suggested floors"] = plain(RatedDocuments(source.scores, source.labels, names=source.names).floors)
    for spacing in ("positives", "quantile", "uniform"):
        surfaces = count_surfaces(source, rule="any", resolution=nodes, spacing=spacing)
        point = operating_point(graph_path(surfaces), 0.2)
        found[spacing] = surface_figures(surfaces) | {"graph": of(point, *POINT)}
        if len(source.names) > 2:
            sliced = slice_documents(source, point.thresholds, (0, 2), rule="any", spacing=spacing)
            found[spacing]["slice"] = surface_figures(sliced)
    return found


def surface_figures(surfaces: CountSurfaces) -> Figures:
    sums = plain([surfaces.tp.sum(), surfaces.fp.sum(), *(axis.sum() for axis in surfaces.axes)])
    return {"shape": plain(surfaces.tp.shape), "sums": sums}


def point_details(source: RatedDocuments | CountSurfaces, path: Any, target: float) -> Figures:
    """Measure everything that the app shows beside one point."""
    point, rule = operating_point(path, target), path.rule
    other = operating_point(path, 0.6).thresholds
    by_hand = np.where(np.arange(len(path.names)) == 0, np.inf, source.floors) if rule == "any" else source.floors
    found = {
        "point": of(point, *POINT),
        "margins": margins_figures(source, point),
        "with_floors": comparison_figures(source, source.floors, point.thresholds, rule),
        "with_other": comparison_figures(source, point.thresholds, other, rule),
        "by_hand": of(manual_point(source, path, by_hand), "thresholds", "tp", "fp", "marginal_precision"),
        "goal_values": goal_figures(source, path),
    }
    if isinstance(source, CountSurfaces):
        return found
    near = borderline_documents(source, point.thresholds, rule, most=20)
    return found | {
        "rounded": plain(source.round_thresholds(point.thresholds)),
        "near": [of(side, "positions", "deciding", "distances") for side in (near.flagged, near.not_flagged)],
        "plan": plan_figures(source, point, path),
    }


def margins_figures(source: Any, point: Any) -> list[Figures]:
    """Measure what moving one threshold alone adds or loses."""
    names = ("added", "precision_added", "added_interval", "lost", "precision_lost", "lost_interval")
    return [of(margin, *names) for band in (None, 5.0) for margin in classifier_margins(source, point, band=band)]


def comparison_figures(source: Any, current: Any, proposed: Any, rule: str) -> Figures:
    """Compare two sets of thresholds."""
    found = compare(source, current, proposed, rule)
    counted = ("thresholds", "tp", "fp", "alerts", "precision", "complete")
    sides = {side: of(getattr(found, side), *counted) for side in ("current", "proposed")}
    return sides | {side: selection_figures(getattr(found, side)) for side in ("added", "dropped")}


def selection_figures(selection: Any) -> Figures:
    """Measure some documents by their counts and their positions."""
    positions = selection.positions
    return of(selection, *SELECTION) | ({} if positions is None else {"positions": thinned(positions)})


def plan_figures(documents: RatedDocuments, point: Any, path: Any) -> Figures:
    """Measure what to rate next."""
    plan, size = rating_plan(documents, point, path), ("documents", "effective", "precision")
    band = ("lower", "upper", "sampling_variance", "data_variance", "share_of_variance", "more", "share_removed")
    return {
        "size": of(rated_size(documents, flagged(documents.scores, point.thresholds, point.rule)), *size),
        "bands": [of(part, *band) | {"size": of(part.size, *size)} for part in plan.bands],
    }


def goal_figures(source: Any, path: Any) -> Figures:
    """Measure the points of a path that meet goals."""
    alerts, choices = float(path.tp[0] + path.fp[0]), threshold_choices(path, source)
    shown = ("thresholds", "tp", "fp", "marginal_precision", "share_of_rated_positives", "reachable_share")
    asked = {
        "price": lambda: target_for_price(4.0),
        "alerts": lambda: of(point_for_alerts(path, choices, alerts / 10), *shown),
        "few_alerts": lambda: of(point_for_alerts(path, choices, 0.5), *shown),
        "precision": lambda: of(point_for_precision(path, choices, 0.6), *shown),
        "share": lambda: of(point_for_share(path, choices, 0.5), *shown),
        "payoffs": lambda: Payoffs(review=5.0, catch=25.0, annoyance=1.0).marginal_precision,
    }
    return {name: answered(ask) for name, ask in asked.items()}


def answered(ask: Callable[[], Any]) -> Any:
    try:
        return plain(ask())
    except DataError:
        return "refused"


def context_figures() -> Figures:
    """Measure card alerts by amounts, days, weeks and channels."""
    data = sample_data("Card alerts")
    # Without undecided alerts, which these figures leave out.
    documents = data.source.part(np.arange(len(data.times)))
    days, segments = calendar(data.times), segmentation(data.segments)
    sevenths = (np.arange(len(data.segments)) % 7).astype(str)
    many = segmentation(np.char.add(data.segments.astype(str), sevenths).astype(object))
    found: Figures = {"days": plain(float(days.days)), "segments": plain(segments.names)}
    path = path_of_fit(documents, sample_fit("Card alerts"), "any")
    point, one = operating_point(path, 0.2).thresholds, operating_point(path, 0.5).thresholds[0]
    counted = ("documents", "positives", "tp", "fp", "size", "interval", "differs", "alerts", "precision")
    for rule in RULES:
        for name, thresholds in (("floors", documents.floors), ("point", point), ("one", np.array([one, np.inf]))):
            parts = folded(segment_counts(documents, many, thresholds, rule), 4)
            found[f"{rule}, {name}"] = {
                "periods": period_figures(documents, days, thresholds, rule),
                "segments": [of(part, *counted) for part in segment_counts(documents, segments, thresholds, rule)],
                "folded": [of(part, *counted) for part in parts],
                "money": plain(list(money_at(documents, data.amounts, thresholds[np.newaxis], rule))),
            }
    money = money_weighted(documents, data.amounts)
    for rule in RULES:
        paths = {method: path_of(money, rule, method, smooth_fit(money)) for method in METHODS}
        found[f"in money, {rule}"] = {
            "paths": {name: path_figures(path) for name, path in paths.items()},
            "margins": margins_figures(money, operating_point(paths["smooth"], 0.2)),
        }
    return found


def period_figures(documents: RatedDocuments, days: Any, thresholds: Any, rule: str) -> Figures:
    """Measure alerts per day, counts per week, and their drift."""
    daily, weekly = daily_alerts(documents, days, thresholds, rule), weekly_counts(documents, days, thresholds, rule)
    return {
        "daily": of(daily, "mean", "median", "most_days", "busiest") | {"alerts": thinned(daily.alerts)},
        "weekly": of(weekly, "mondays", "complete", "tp", "fp", "alerts", "precision", "intervals", "squares"),
        "precision_drift": of(precision_drift(weekly), *DRIFT),
        "alerts_drift": of(alerts_drift(weekly), *DRIFT),
    }
