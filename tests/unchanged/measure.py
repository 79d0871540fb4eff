"""Figures of the app's samples and of public files, as plain values that JSON can keep.

`python -m tests.unchanged.measure --write` stores them anew in `figures/` and `exports/`; what is in `records/` was
written once and stays as it is. Everything that is measured is imported here, at the top, and nowhere else.
"""

import argparse
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from multiloss_core import (
    LOSSES,
    CountSurfaces,
    DataError,
    DecisionRecord,
    F,
    FractionalLinear,
    RatedDocuments,
    ScoredItems,
    UserLoss,
    analytic_path,
    benchmark_path,
    count_surfaces,
    exhaustive_search,
    expected_losses,
    f_beta_of_point,
    flagged,
    graph_path,
    mean_graph_path,
    multinomial_top_k,
    operating_point,
    operating_points,
    optimal_top_k,
    smooth_path,
)
from multiloss_core.decisions import (
    CurrentThresholds,
    ExpectedCounts,
    RecordedColumns,
    RecordedData,
    RecordedSettings,
    RecordedTarget,
    Wish,
    data_fingerprint,
    html_report,
    markdown_summary,
    python_function,
    recorded_thresholds,
    sql_where,
    thresholds_csv,
    thresholds_json,
)
from multiloss_core.generalisation import (
    bootstrap_points,
    bootstrap_thresholds,
    certify,
    cross_fit,
    rated_size,
    rating_plan,
)
from multiloss_core.inspection import (
    alerts_drift,
    borderline_documents,
    calendar,
    compare,
    compare_with_simpler_rules,
    contributions,
    daily_alerts,
    days_in_data,
    folded,
    precision_drift,
    segment_counts,
    segmentation,
    weekly_counts,
)
from multiloss_core.losses import (
    EARLY_STOP,
    NOT_MONOTONE,
    against_top_k,
    best_k,
    correlated_search,
    early_stop_k,
    factor_loadings,
    is_tp_monotone,
    is_tpr_tnr_monotone,
    items_at,
    joint_distribution,
    multinomial_losses,
    observed_loss,
    random_half,
    reliability,
    shortest_threshold,
    sigmoid_items,
    tuned_threshold,
)
from multiloss_core.tables import document_amounts, document_segments, document_times, frame_as_csv, guess_columns
from multiloss_core.thresholds import (
    ManualPoint,
    Payoffs,
    classifier_margins,
    money_at,
    money_weighted,
    point_as_csv,
    point_as_dict,
    point_as_json,
    read_thresholds,
    slice_documents,
)
from multiloss_core.thresholds.paths.smooth import path_of_fit, smooth_fit
from multiloss_core.thresholds.targets import (
    manual_point,
    point_for_alerts,
    point_for_precision,
    point_for_share,
    target_for_price,
    threshold_choices,
)
from ui.data.rated import sample
from ui.data.scored import scored_sample
from ui.shared.formatting import FRAUD

HERE = Path(__file__).resolve().parent
FIGURES, EXPORTS, RECORDS = HERE / "figures", HERE / "exports", HERE / "records"
RATED_FOLDER = HERE.parents[2] / "shared/data/rated"

DIGITS = 12
WIDTH = 160
TARGETS = np.arange(1, 100) / 100
SOME_TARGETS = np.arange(1, 10) / 10
RULES = ("any", "all")
METHODS = ("smooth", "graph", "mean graph", "analytic power", "analytic beta", "benchmark")
# Choices of the app for one to four classifiers: its first ones for one and two, the quickest for three and four.
RESOLUTIONS = {1: 300, 2: 100, 3: 30, 4: 16}
RESAMPLES, FEW_RESAMPLES = 99, 39
MOST_SHOWN = 25

Figures = dict[str, Any]


# What is measured, and on what.


@dataclass(frozen=True, eq=False)
class Data:
    """A source with the table that it was read from, and what the table says of each document (n,)."""

    source: RatedDocuments | CountSurfaces
    frame: pd.DataFrame
    amounts: np.ndarray | None = None
    times: np.ndarray | None = None
    segments: np.ndarray | None = None


@cache
def sample_data(name: str) -> Data:
    """A sample of the app, read with the columns that it suggests."""
    frame, choice = sample(name).frame, sample(name).first_choice
    if choice.is_counts:
        return Data(CountSurfaces.from_table(frame, rule=choice.rule), frame)
    source = RatedDocuments.from_frame(
        frame, list(choice.scores), choice.rating, positive=choice.only_positive, floors=list(choice.floors)
    )
    rows = source.rows
    return Data(
        source,
        frame,
        choice.amount and document_amounts(frame, choice.amount, rows),
        choice.time and document_times(frame, choice.time, rows),
        choice.segment and document_segments(frame, choice.segment, rows),
    )


@cache
def sample_fit(name: str) -> Any:
    """What the smooth path of a sample rests on."""
    return smooth_fit(sample_data(name).source)


@cache
def rated_file(stem: str) -> Data:
    """A public rated file, with the columns and floors that are told beside it."""
    told = json.loads((RATED_FOLDER / f"{stem}.json").read_text(encoding="utf-8"))
    frame = pd.read_csv(RATED_FOLDER / f"{stem}.csv")
    return Data(
        RatedDocuments.from_frame(frame, told["scores"], told["label"], positive=1, floors=told["rating_floors"]), frame
    )


@cache
def grouped_file() -> RatedDocuments:
    """The public file of two scores, in which the rows of one person belong together."""
    documents, frame = rated_file("bssr1_two_scores_rated").source, rated_file("bssr1_two_scores_rated").frame
    return RatedDocuments(
        documents.scores,
        documents.labels,
        names=documents.names,
        floors=documents.floors.tolist(),
        groups=frame["person"].to_numpy()[documents.rows],
    )


@cache
def weighted_sample() -> RatedDocuments:
    """Card alerts of which one in four negatives was rated: it stands for four."""
    documents = sample_data("Card alerts").source
    kept = documents.labels | (np.arange(len(documents.labels)) % 4 == 0)
    return RatedDocuments(
        documents.scores[kept],
        documents.labels[kept],
        np.where(documents.labels[kept], 1.0, 4.0),
        documents.names,
        documents.floors.tolist(),
    )


def path_of(source: RatedDocuments | CountSurfaces, rule: str, method: str, fit: Any = None) -> Any:
    """The path of a method, found as the app finds it, on a grid of one of its resolutions."""
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


def paths_of(source: RatedDocuments | CountSurfaces, rule: str, *, fit: Any, names: Iterable[str] = METHODS) -> Figures:
    """The paths of methods by name."""
    return {method: path_of(source, rule, method, fit) for method in names}


# Values as JSON keeps them.


def plain(value: Any) -> Any:
    """A value of NumPy or Python as JSON keeps it, numbers with twelve digits; infinite ones and NaN stay."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist()) if value.dtype.kind != "M" else plain(value.astype(str).tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float) and math.isfinite(value):
        rounded = float(f"{value:.{DIGITS}g}")
        return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded
    return value


def of(thing: Any, *names: str) -> Figures:
    """Some attributes of an object, plain."""
    return {name: plain(getattr(thing, name)) for name in names}


def thinned(values: Any) -> Figures:
    """A long array (n, ...) by its length, its sum and some of its rows."""
    array = np.asarray(values)
    some = np.unique(np.linspace(0, max(len(array) - 1, 0), MOST_SHOWN).astype(int))[: len(array)]
    numbers = array[np.isfinite(array)] if array.dtype.kind == "f" else array
    found = {"length": len(array), "some": plain(array[some])}
    return found | ({} if array.dtype.kind in "MOU" else {"sum": plain(numbers.sum())})


def as_text(value: Any, indent: int = 0) -> str:
    """JSON text with short lists and objects on one line each."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= WIDTH or not isinstance(value, list | dict):
        return line
    before = "\n" + " " * (indent + 1)
    if isinstance(value, list):
        return f"[{before}" + f",{before}".join(as_text(part, indent + 1) for part in value) + "\n" + " " * indent + "]"
    parts = (f"{json.dumps(key, ensure_ascii=False)}: {as_text(part, indent + 1)}" for key, part in value.items())
    return f"{{{before}" + f",{before}".join(parts) + "\n" + " " * indent + "}"


# Thresholds.

POINT = ("status", "tp", "fp", "step_precision", "step_alerts", "next_precision", "next_alerts")


def point_figures(point: Any) -> Figures:
    """A point, whatever its target."""
    thresholds = {"thresholds": plain(point.thresholds)}
    if isinstance(point, ManualPoint):
        # Nothing is known of the steps of a path.
        steps = {
            "step_precision": plain(math.nan),
            "step_alerts": 0.0,
            "next_precision": plain(math.nan),
            "next_alerts": 0.0,
        }
        return thresholds | of(point, *POINT[:3]) | steps
    return thresholds | of(point, *POINT)


def floor_figures(rated: Any) -> Figures:
    """The counts at the floors."""
    return {"rated_tp": plain(rated.tp), "rated_fp": plain(rated.fp)}


def path_figures(path: Any) -> Figures:
    """A path, and its operating points at 99 targets in percent: of neighbours that are equal only one is listed."""
    runs: list[Figures] = []
    points = operating_points(path, TARGETS)
    for percent, point in enumerate(points, 1):
        here = point_figures(point)
        # NaN is not equal to itself; as text it is.
        if runs and json.dumps(runs[-1] | {"percent": 0}) == json.dumps({"percent": 0} | here):
            runs[-1]["percent"][1] = percent
        else:
            runs.append({"percent": [percent, percent]} | here)
    rates = (
        "slope",
        "alerts",
        "precision",
        "fp_per_tp",
        "share_of_rated_positives",
        "estimated",
    )
    some = [
        {"f_beta": plain(f_beta_of_point(point))} | of(point, *rates) | floor_figures(point.rated)
        for point in points[9::10]
    ]
    return {
        **of(path, "method", "rule", "names", "monotone", "parameters", "area", "normalised_area"),
        "vertices": len(path.tp),
        "sums": plain([path.tp.sum(), path.fp.sum()]),
        "majorant": thinned(path.majorant.marginal_precisions),
        "rates": some,
        "points": runs,
    }


def source_figures(data: Data) -> Figures:
    """What was read."""
    source = data.source
    if isinstance(source, CountSurfaces):
        return of(source, "names", "floors", "rule") | {"shape": plain(source.tp.shape), "sums": _sums(source)}
    guess = guess_columns(data.frame)
    return {
        **of(source, "names", "floors", "notes"),
        **{"positives": plain(source.totals.tp), "negatives": plain(source.totals.fp)},
        "funnel": plain(source.funnel.steps),
        "guess": of(guess, "scores", "rating", "positive", "weight", "group", "amount", "time", "segment"),
        "suggested_floors": plain(RatedDocuments(source.scores, source.labels, names=source.names).floors),
    }


def _sums(surfaces: CountSurfaces) -> list[float]:
    return plain([surfaces.tp.sum(), surfaces.fp.sum(), *(axis.sum() for axis in surfaces.axes)])


def grid_figures(documents: RatedDocuments, rule: str) -> Figures:
    """Surfaces of each spacing with the best path through them, and a slice of more than two classifiers."""
    found = {}
    for spacing in ("positives", "quantile", "uniform"):
        nodes = RESOLUTIONS[len(documents.names)]
        surfaces = count_surfaces(documents, rule=rule, resolution=nodes, spacing=spacing)
        point = operating_point(graph_path(surfaces), 0.2)
        found[spacing] = {"shape": plain(surfaces.tp.shape), "sums": _sums(surfaces), "graph": point_figures(point)}
        if len(documents.names) > 2:
            sliced = slice_documents(documents, point.thresholds, (0, 2), rule=rule, spacing=spacing)
            found[spacing]["slice"] = {"shape": plain(sliced.tp.shape), "sums": _sums(sliced)}
    return found


SELECTION = ("tp", "fp", "alerts", "precision", "interval")


def selection_figures(selection: Any) -> Figures:
    """Some documents by their counts and their positions."""
    positions = selection.positions
    return of(selection, *SELECTION) | ({} if positions is None else {"positions": thinned(positions)})


def margins_figures(source: Any, point: Any) -> list[Figures]:
    """What moving one threshold alone would bring."""
    names = ("name", "added", "precision_added", "added_interval", "lost", "precision_lost", "lost_interval")
    return [of(margin, *names) for band in (None, 5.0) for margin in classifier_margins(source, point, band=band)]


def comparison_figures(source: Any, current: Any, proposed: Any, rule: str) -> Figures:
    """Two sets of thresholds beside each other."""
    found = compare(source, current, proposed, rule)
    counted = ("thresholds", "tp", "fp", "alerts", "precision", "complete")
    return {
        "current": of(found.current, *counted),
        "proposed": of(found.proposed, *counted),
        "added": selection_figures(found.added),
        "dropped": selection_figures(found.dropped),
        **{
            f"{name}_difference": plain(getattr(found.proposed, name) - getattr(found.current, name))
            for name in ("tp", "fp", "alerts", "precision")
        },
    }


def point_details(data: Data, path: Any, target: float) -> Figures:
    """Everything that the app tells of one point."""
    source, point = data.source, operating_point(path, target)
    rule, names = path.rule, path.names
    other = operating_point(path, 0.6).thresholds
    floors = source.floors
    by_hand = np.where(np.arange(len(names)) == 0, np.inf, floors) if rule == "any" else floors
    hand = manual_point(source, path, by_hand)
    found = {
        "point": point_figures(point),
        "margins": margins_figures(source, point),
        "with_floors": comparison_figures(source, floors, point.thresholds, rule),
        "with_other": comparison_figures(source, point.thresholds, other, rule),
        "by_hand": point_figures(hand) | of(hand, "marginal_precision"),
        "file": plain(point_as_dict(point, {"data": "a sample"})),
        "wishes": wishes_figures(source, path),
    }
    if isinstance(source, CountSurfaces):
        return found
    rounded = source.round_thresholds(point.thresholds)
    near = borderline_documents(source, point.thresholds, rule, most=20)
    sides = {"flagged": near.flagged, "not_flagged": near.not_flagged}
    csv = point_as_csv(point)
    return found | {
        "rounded": plain(rounded),
        "read_back": plain(read_thresholds(csv.encode(), "thresholds.csv", names, rule)),
        "contributions": [
            of(part, "classifiers", "flagged") | selection_figures(part.documents)
            for part in contributions(source, point.thresholds, rule)
        ],
        "near": {name: of(side, "positions", "deciding", "distances") for name, side in sides.items()},
        "simpler": [
            of(cut, "kind", "name", "thresholds", "tp", "fp", "tp_at_equal_fp", "tp_lost", "share_lost", "reaches")
            for cut in compare_with_simpler_rules(source, point)
        ],
        "plan": plan_figures(source, point, path),
    }


def plan_figures(documents: RatedDocuments, point: Any, path: Any) -> Figures:
    """What to rate next."""
    plan = rating_plan(documents, point, path)
    band = ("lower", "upper", "sampling_variance", "data_variance", "share_of_variance", "more", "share_removed")
    return {
        **of(plan, "advice", "sentence", "standard_error"),
        "size": size_figures(rated_size(documents, flagged(documents.scores, point.thresholds, point.rule))),
        "bands": [of(part, *band) | {"size": size_figures(part.size)} for part in plan.bands],
    }


def size_figures(size: Any) -> Figures:
    """How much rated documents tell."""
    return of(size, "documents", "effective", "precision") | {"stands_for": plain(size.alerts)}


def wished_figures(point: Any) -> Figures:
    """A point that a wish came to."""
    return of(point, "thresholds", "tp", "fp", "marginal_precision", "share_of_rated_positives", "reachable_share")


def wishes_figures(source: Any, path: Any) -> Figures:
    """The targets and the vertices of a path that wishes come to."""
    alerts, choices = float(path.tp[0] + path.fp[0]), threshold_choices(path, source)
    asked = {
        "price": lambda: target_for_price(4.0),
        "alerts": lambda: wished_figures(point_for_alerts(path, choices, alerts / 10)),
        "few_alerts": lambda: wished_figures(point_for_alerts(path, choices, 0.5)),
        "precision": lambda: wished_figures(point_for_precision(path, choices, 0.6)),
        "share": lambda: wished_figures(point_for_share(path, choices, 0.5)),
        "payoffs": lambda: Payoffs(review=5.0, catch=25.0, annoyance=1.0).marginal_precision,
    }
    return {name: answered(ask) for name, ask in asked.items()}


def answered(ask: Callable[[], Any]) -> Any:
    """An answer, or that there is none."""
    try:
        return plain(ask())
    except DataError:
        return "refused"


def rule_figures(data: Data, rule: str, fit: Any, names: Iterable[str]) -> Figures:
    """The paths of a rule, and two of them in every detail at a target."""
    paths = paths_of(data.source, rule, fit=fit, names=names)
    return {
        "paths": {name: path_figures(path) for name, path in paths.items()},
        "details": {name: point_details(data, paths[name], 0.2) for name in ("smooth", "benchmark")},
    }


def rated_figures(
    data: Data, fit: Any = None, *, rules: Iterable[str] = RULES, names: Iterable[str] = METHODS
) -> Figures:
    """Rated documents under some rules, or a table of counts under its own."""
    source = data.source
    if isinstance(source, CountSurfaces):
        rules = (source.rule,)
    fit = smooth_fit(source) if fit is None else fit
    found = {"source": source_figures(data)} | {rule: rule_figures(data, rule, fit, names) for rule in rules}
    if isinstance(source, RatedDocuments):
        found["grids"] = grid_figures(source, "any")
    return found


def context_figures() -> Figures:
    """Card alerts by amounts, days, weeks and channels."""
    data = sample_data("Card alerts")
    # Without the documents that are not decided yet, which were not known to be alerts when these figures were stored.
    documents = data.source.part(np.arange(len(data.times)))
    days, segments = calendar(data.times), segmentation(data.segments)
    many = segmentation(
        np.char.add(data.segments.astype(str), (np.arange(len(data.segments)) % 7).astype(str)).astype(object)
    )
    found: Figures = {"days": plain(days_in_data(data.times)), "segments": plain(segments.names)}
    path = path_of_fit(documents, sample_fit("Card alerts"), "any")
    for rule in RULES:
        for name, thresholds in (
            ("floors", documents.floors),
            ("point", operating_point(path, 0.2).thresholds),
            ("one alone", np.array([operating_point(path, 0.5).thresholds[0], np.inf])),
        ):
            counted = segment_counts(documents, segments, thresholds, rule)
            parts = folded(segment_counts(documents, many, thresholds, rule), 4)
            caught, annoyed = money_at(documents, data.amounts, thresholds[np.newaxis], rule)
            found[f"{rule}, {name}"] = {
                "periods": period_figures(documents, days, thresholds, rule),
                "segments": [segment_figures(segment) for segment in counted],
                "folded": [segment_figures(segment) for segment in parts],
                "money": plain([caught, annoyed]),
            }
    money = money_weighted(documents, data.amounts)
    found["in money"] = {
        "sums": plain([*money.totals, len(money.labels)]),
        "notes": plain(money.notes),
    }
    fit = smooth_fit(money)
    for rule in RULES:
        paths = paths_of(money, rule, fit=fit)
        found[f"in money, {rule}"] = {
            "paths": {name: path_figures(path) for name, path in paths.items()},
            "margins": margins_figures(money, operating_point(paths["smooth"], 0.2)),
        }
    return found


def period_figures(documents: RatedDocuments, days: Any, thresholds: Any, rule: str) -> Figures:
    """Alerts per day, counts per week, and whether these drift."""
    daily, weekly = daily_alerts(documents, days, thresholds, rule), weekly_counts(documents, days, thresholds, rule)
    drift = ("weeks", "trend", "variation", "early", "late", "least_seen", "stands_out", "p_value", "verdict")
    return {
        "daily": of(daily, "mean", "median", "most_days", "busiest") | {"alerts": thinned(daily.alerts)},
        "weekly": of(weekly, "mondays", "complete", "tp", "fp", "alerts", "precision", "intervals", "squares"),
        "precision_drift": of(precision_drift(weekly), *drift),
        "alerts_drift": of(alerts_drift(weekly), *drift),
    }


def segment_figures(segment: Any) -> Figures:
    """A point in one segment."""
    return of(
        segment, "name", "documents", "positives", "tp", "fp", "size", "interval", "differs", "alerts", "precision"
    )


# What new data will show.

COUNTS = ("tp", "fp", "alerts", "precision")


def interval_figures(intervals: Any) -> Figures:
    """The intervals at a point."""
    expected, new = (
        {f"{prefix}{name}": getattr(intervals_of, name) for name in COUNTS}
        for prefix, intervals_of in (("", intervals.expected), ("new_", intervals.new_period))
    )
    every = {**expected, **new, "marginal_precision": intervals.marginal_precision}
    return {
        **of(intervals, "target", "level", "thresholds", "thresholds_low", "thresholds_high"),
        **{f"sample_{name}": plain(getattr(intervals.in_sample, name)) for name in ("tp", "fp")},
        **{name: plain([interval.estimate, interval.low, interval.high]) for name, interval in every.items()},
    }


def bootstrap_figures(source: Any, rule: str, fit: Any = None, resamples: int = FEW_RESAMPLES) -> Figures:
    """Intervals of the smooth path with the choice included, and bands along it."""
    fit = smooth_fit(source) if fit is None else fit
    path, generator = path_of_fit(source, fit, rule), np.random.default_rng(0)
    targets = (0.1, 0.2, 0.5)
    *_, drawn = bootstrap_points(source, fit, path, targets, generator=generator, resamples=resamples)
    bands = drawn.bands()
    return {
        "points": [interval_figures(drawn.intervals(target)) for target in targets],
        "narrower": interval_figures(drawn.intervals(0.2, level=0.8)),
        "bands": of(bands, "targets", *COUNTS[:2], "precision", "marginal_precision"),
        "curve": {"fp": thinned(bands.curve_fp), "tp": thinned(bands.curve_tp.T)},
        "next_number": plain(generator.random()),
    }


def fixed_figures(documents: RatedDocuments, thresholds: Any, rule: str) -> Figures:
    """Intervals at thresholds that were not chosen."""
    generator = np.random.default_rng(0)
    found = bootstrap_thresholds(documents, thresholds, rule, generator=generator, resamples=RESAMPLES)
    return interval_figures(found.intervals())


def held_out_figures(documents: RatedDocuments, rule: str, names: Iterable[str], **options: Any) -> Figures:
    """Cross-fitted counts of some methods."""
    finders = {name: (lambda part, name=name: path_of(part, rule, name)) for name in names}
    counts = cross_fit(documents, finders, SOME_TARGETS, **options)
    shown = ("area", "plain_area", "in_sample_area", "folds", "folds_counted", "folds_left_out")
    quantities = ("tp", "fp", "precision")
    return {
        name: of(found, *quantities, *shown)
        | {f"plain_{kind}": plain(getattr(found.plain, kind)) for kind in quantities[:2]}
        | {f"in_sample_{kind}": plain(getattr(found.in_sample, kind)) for kind in quantities}
        | {f"{kind}_optimism": plain(getattr(found.in_sample, kind) - getattr(found, kind)) for kind in quantities}
        | {"area_optimism": plain(found.in_sample_area - found.area)}
        for name, found in counts.items()
    }


def certificate_figures(documents: RatedDocuments, precision: float, rule: str, **options: Any) -> Figures:
    """A guarantee, or why there is none."""
    found = certify(documents, precision, rule=rule, **options)
    shown = (
        *("status", "precision", "confidence", "test", "thresholds"),
        *("lower_bound", "p_value", "largest", "tried", "more_ratings", "loosest", "strictest"),
    )
    path = None if found.path is None else of(found.path, "method", "area", "normalised_area")
    counts = {"tp": found.counts.tp, "fp": found.counts.fp, "tested_tp": found.tested.tp, "tested_fp": found.tested.fp}
    return of(found, *shown) | {name: plain(count) for name, count in counts.items()} | {"path": path}


def evidence_figures() -> Figures:
    """What new data will show, for samples."""
    card, login, claims = (sample_data(name).source for name in ("Card alerts", "Login alerts", "Insurance claims"))
    weighted, table = weighted_sample(), sample_data("Count table").source
    point = operating_point(path_of_fit(card, sample_fit("Card alerts"), "any"), 0.2)
    path = smooth_path(weighted)
    return {
        "bootstrap": {
            "card, any": bootstrap_figures(card, "any", sample_fit("Card alerts"), RESAMPLES),
            "login": bootstrap_figures(login, "any"),
            "weighted, all": bootstrap_figures(weighted, "all"),
            "table": bootstrap_figures(table, "any"),
        },
        "fixed": {rule: fixed_figures(card, point.thresholds, rule) for rule in RULES},
        "held out": {
            "card, any": held_out_figures(card, "any", ("smooth", "analytic power"), folds=2, seed=1),
            "login": held_out_figures(login, "any", METHODS),
            "weighted, all": held_out_figures(weighted, "all", ("graph", "benchmark"), folds=3),
        },
        "guarantee": {
            "card, any": certificate_figures(card, 0.5, "any"),
            "card, all": certificate_figures(card, 0.5, "all", seed=3),
            "login": certificate_figures(login, 0.3, "any", confidence=0.9),
            "login, too much": certificate_figures(login, 0.99, "any", confidence=0.99),
            "claims": certificate_figures(claims, 0.3, "any", method=_power),
            "weighted": certificate_figures(weighted, 0.2, "any"),
        },
        "plan": {f"{target:g}": plan_figures(weighted, operating_point(path, target), path) for target in SOME_TARGETS},
        "weighted": {"smooth": path_figures(path)},
    }


def _power(documents: RatedDocuments, *, rule: str) -> Any:
    return analytic_path(documents, family="power", rule=rule)


def file_evidence_figures() -> Figures:
    """What new data will show, for the public file of two scores, with the rows of a person together and alone."""
    alone, together = rated_file("bssr1_two_scores_rated").source, grouped_file()
    thresholds = operating_point(smooth_path(alone), 0.2).thresholds
    return {
        "groups": int(together.groups.max()) + 1,
        "bootstrap": bootstrap_figures(together, "any"),
        "fixed": fixed_figures(together, thresholds, "any"),
        "held out": {
            "alone": held_out_figures(alone, "any", ("smooth", "graph", "benchmark"), folds=2),
            "together": held_out_figures(together, "all", ("graph", "analytic power"), folds=2),
        },
        "guarantee": {
            "alone": certificate_figures(alone, 0.9, "any"),
            "together": certificate_figures(together, 0.5, "any"),
        },
        "smooth": path_figures(smooth_path(together, rule="all")),
    }


# Losses and probabilities.


def vectors() -> dict[str, np.ndarray]:
    """Probabilities for the losses: few and many, with ties and certain ones, and rare."""
    generator = np.random.default_rng(17)
    return {
        "5": np.array([0.9, 0.61, 0.6, 0.33, 0.08]),
        "12": np.append(generator.random(10).round(2), [0.0, 1.0]),
        "300": generator.beta(0.4, 2.0, 300),
        "2000": expit(-3.0 + 1.9 * generator.standard_normal(2000)),
    }


def measured_losses() -> dict[str, Any]:
    """The losses of Table 1 and some of one's own."""
    own = FractionalLinear((1.0, -1.0, 0.5, 0.0), (1.0, 0.0, 0.5, 0.5), "own fraction")
    square = UserLoss(lambda u, v, p: (np.asarray(p) - u) ** 2 + 0.1 * (np.asarray(v) - u), "own square", (0.0, 1.1))
    return {**LOSSES, "F2": F(2.0), "F0.5": F(0.5), own.name: own, square.name: square}


LOSS_METHODS = ("auto", "exhaustive", "cubic", "quadratic", "near_linear", "windowed")
# Of many items, "auto" goes through the windows of the losses that need them; the others take too long here.
OF_MANY = ("auto", "quadratic", "near_linear")
MANY = 2000
TOLERANCE = 1e-6


def losses_figures() -> Figures:
    """Expected losses and best cuts of every loss by every method that takes it."""
    found: Figures = {}
    for size, probabilities in vectors().items():
        for name, loss in (measured_losses() if probabilities.size < MANY else LOSSES).items():
            found[f"{name} of {size}"] = {
                method: answered(lambda method=method, p=probabilities, loss=loss: loss_figures(p, loss, method))
                for method in (LOSS_METHODS if probabilities.size < MANY else OF_MANY)
            }
    return found


def loss_figures(probabilities: np.ndarray, loss: Any, method: str) -> Figures:
    """Expected losses of all cuts, and the best one."""
    curve = expected_losses(probabilities, loss, method=method, tolerance=TOLERANCE)
    figures = {"values": thinned(curve.values), "method": curve.method}
    if method in ("auto", "near_linear", "windowed"):
        figures["error_bound"] = plain(curve.error_bound)
    if probabilities.size < 100 or method == "auto":
        best = optimal_top_k(probabilities, loss, method=method, tolerance=TOLERANCE)
        figures |= of(best, "k", "cut", "expected_loss") | {"selected": thinned(np.flatnonzero(best.selected))}
    return figures


def theory_figures() -> Figures:
    """One label among many classes, and Theorem 1 with and without its assumptions."""
    found: Figures = {"multinomial": {}, "exhaustive": {}, "tied": {}, "early stop": {}, "not monotone": {}}
    losses = measured_losses()
    for size, probabilities in vectors().items():
        shares = probabilities / probabilities.sum()
        found["multinomial"][size] = {
            name: {"values": thinned(multinomial_losses(shares, loss))}
            | of(multinomial_top_k(shares, loss), "k", "cut", "expected_loss")
            for name, loss in losses.items()
        }
    items = sigmoid_items(np.random.default_rng(70), n=10, scale=1.0)
    found["items"] = of(items, "x", "w", "probabilities")
    found["exhaustive"] = {
        name: search_figures(exhaustive_search(items.probabilities, loss)) for name, loss in losses.items()
    }
    eight = sigmoid_items(np.random.default_rng(143), n=8, scale=1.0).probabilities
    for ties in ("ring", "rivals", "all"):
        for strength in (0.0, 0.5, 0.9, 1.0):
            loadings = factor_loadings(ties, 8, strength)
            found["tied"][f"{ties} {strength:g}"] = {
                "loadings": plain(loadings),
                "joint": thinned(np.ravel(joint_distribution(eight, loadings))),
                **{name: search_figures(correlated_search(eight, loadings, LOSSES[name])) for name in ("F1", "G-Mean")},
            }
    for name, example in EARLY_STOP.items():
        values = expected_losses(np.array(example.probabilities), example.loss).values
        found["early stop"][name] = {"k": early_stop_k(values), "values": thinned(values)}
    for name, example in NOT_MONOTONE.items():
        drawn = sigmoid_items(np.random.default_rng(example.draw), n=8, scale=1.0).probabilities
        found["not monotone"][name] = search_figures(exhaustive_search(drawn, example.loss))
    found["monotone"] = {name: [is_tp_monotone(loss, 8), is_tpr_tnr_monotone(loss, 8)] for name, loss in losses.items()}
    return found


def search_figures(search: Any) -> Figures:
    """The best of all predictions beside the best top-k one."""
    beside = against_top_k(search)
    return {
        **of(search, "best", "expected_loss", "is_top_k", "top_k_values"),
        "values": thinned(search.values),
        "beside": of(beside, "best_loss", "top_k", "top_k_loss", "lost"),
    }


def cuts_figures() -> Figures:
    """Ways to cut the samples of scored items under each loss, and how far their probabilities can be believed."""
    found: Figures = {}
    for title in SCORED_SAMPLES:
        items = ScoredItems.from_frame(
            scored_sample(title).frame, probability="probability", label="outcome", positive="fraud"
        )
        probabilities, labels = items.known_probabilities, items.known_labels
        half = random_half(labels.size, np.random.default_rng(0))
        found[title] = {
            "items": plain([probabilities.size, probabilities.sum(), labels.sum(), half.sum(), labels[half].sum()]),
            "reliability": reliability_figures(reliability(probabilities, labels)),
            "seven groups": reliability_figures(reliability(probabilities, labels, groups=7)),
            "losses": {
                name: cut_figures(probabilities, labels, half, loss)
                for name, loss in {**LOSSES, "F2": F(2.0), "F0.5": F(0.5)}.items()
            },
        }
    return found


def cut_figures(probabilities: np.ndarray, labels: np.ndarray, half: np.ndarray, loss: Any) -> Figures:
    """The best cut beside a threshold of a half and a tuned one."""
    curve = expected_losses(probabilities, loss, tolerance=TOLERANCE).values
    k = best_k(curve)
    cut = float(np.sort(probabilities)[::-1][k - 1]) if k else math.nan
    tuned = tuned_threshold(probabilities[half], labels[half], loss)
    found: Figures = {
        "best": plain([k, cut, float(curve[k])]),
        "tuned": of(tuned, "threshold", "observed_loss", "items"),
    }
    for name, threshold in (("best", cut), ("half", 0.5), ("tuned", tuned.threshold)):
        k = items_at(probabilities, threshold)
        found[f"at {name}"] = {
            "k": k,
            "expected": plain(float(curve[k])),
            "observed": plain(observed_loss((probabilities >= threshold)[~half], labels[~half], loss)),
            "shortest": plain(shortest_threshold(probabilities, threshold)) if math.isfinite(threshold) else None,
        }
    return found


def reliability_figures(found: Any) -> Figures:
    """What probabilities promise against what was observed."""
    arrays = of(found, "promised", "observed", "low", "high", "items", "positives", "spread")
    return arrays | of(found, "expected_positives", "observed_positives", "outside", "is_doubtful")


# Files for other systems, and decisions.

RECORD_ID, CREATED = "5f0c8a52-3f0d-4f2f-9a5b-2f7f4f4f0a11", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
COLUMNS = RecordedColumns(
    ("transaction model", "account model"), (0.25, 0.5), "rating", "fraud", "weight", "customer", True
)


def files_figures() -> Figures:
    """What is taken away of a point, a decision made from it, and the fingerprints that decisions are known by."""
    data = sample_data("Card alerts")
    documents, fit = data.source, sample_fit("Card alerts")
    path = path_of_fit(documents, fit, "any")
    point = operating_point(path, 0.2)
    *_, drawn = bootstrap_points(documents, fit, path, [0.2], generator=np.random.default_rng(0), resamples=RESAMPLES)
    columns = RecordedColumns(documents.names, tuple(documents.floors.tolist()), "rating", "fraud")
    fingerprint = sample("Card alerts").fingerprint
    wishes = (Wish("cost of a review in EUR", 5.0), Wish("value of a catch in EUR", 25.0))
    record = DecisionRecord(
        record_id=RECORD_ID,
        created=CREATED,
        author="A. Nalyst",
        reason="Fewer false alerts.",
        data=RecordedData("Card alerts", data_fingerprint(fingerprint, columns), documents.funnel),
        columns=columns,
        settings=RecordedSettings("any", "smooth", "positives", 100),
        target=RecordedTarget("costs", wishes, point.marginal_precision, point.status),
        thresholds=recorded_thresholds(documents.round_thresholds(point.thresholds)),
        expected=ExpectedCounts.of(point.tp, point.fp, drawn.intervals(0.2)),
        current=CurrentThresholds((0.5, None), 320.0, 1500.0),
    )
    table = pd.DataFrame({"=name": ["a", "-b", 'c "d"'], "number": [1.5, -2.0, 1e-9], "none": [None, "x", "y, z"]})
    unreachable = operating_point(smooth_path(documents, rule="all"), 0.99)
    return {
        "point": json.loads(point_as_json(point, {"data": "Card alerts"})),
        "csv": point_as_csv(point),
        "unreachable": json.loads(point_as_json(unreachable)),
        "unreachable csv": point_as_csv(unreachable),
        "decision": json.loads(record.to_json()),
        "table": frame_as_csv(table),
        "columns": data_fingerprint("ab" * 32, COLUMNS),
        "first row": plain(documents.scores[0]),
    }


def app_samples_figures() -> Figures:
    """The samples as the app offers them, with the fingerprints by which decisions know their data again."""
    found: Figures = {}
    for name in SAMPLES:
        source = sample(name)
        choice = source.first_choice
        found[name] = {
            **table_figures(source),
            **of(choice, "is_counts", "scores", "rating", "weight", "floors", "leave_out_unusable"),
            "positive": choice.only_positive,
            **of(choice, "rule", "group", "amount", "time", "segment"),
        }
    for name in SCORED_SAMPLES:
        source = scored_sample(name)
        found[name] = table_figures(source) | of(source.first_choice, "probability", "label", "positive")
    return found


def table_figures(source: Any) -> Figures:
    """A table that the app offers."""
    frame = source.frame
    return {
        **of(source, "name", "fingerprint"),
        "rows": len(frame),
        "columns": plain(list(map(str, frame.columns))),
        "sums": {str(name): plain(float(frame[name].sum())) for name in frame.select_dtypes("number").columns},
    }


def exports_of(record: DecisionRecord) -> dict[str, str]:
    """The files of a decision by name."""
    return {
        "thresholds.json": thresholds_json(record),
        "thresholds.csv": thresholds_csv(record),
        "where.sql": sql_where(record),
        # Not a module of the tests.
        "function.py.txt": python_function(record),
        "summary.md": markdown_summary(record, FRAUD),
        "report.html": html_report(record, vocabulary=FRAUD),
    }


def read_record(text: str) -> DecisionRecord:
    """A stored decision opened."""
    return DecisionRecord.from_json(text)


SAMPLES = ("Card alerts", "Login alerts", "Marketplace listings", "Insurance claims", "Count table")
SCORED_SAMPLES = ("Calibrated alerts", "Overconfident alerts")
FROM_SAMPLES: dict[str, Callable[[], Figures]] = {
    "card_alerts": lambda: rated_figures(sample_data("Card alerts"), sample_fit("Card alerts")),
    "login_alerts": lambda: rated_figures(sample_data("Login alerts"), rules=("any",)),
    "marketplace_listings": lambda: rated_figures(sample_data("Marketplace listings")),
    # What takes longest with four classifiers is measured on the public file of four scores.
    "insurance_claims": lambda: rated_figures(
        sample_data("Insurance claims"), rules=("any",), names=[name for name in METHODS if name != "analytic beta"]
    ),
    "count_table": lambda: rated_figures(sample_data("Count table")),
    "context": context_figures,
    "evidence": evidence_figures,
    "losses": losses_figures,
    "theory": theory_figures,
    "cuts": cuts_figures,
    "files": files_figures,
    "app_samples": app_samples_figures,
}
FROM_FILES: dict[str, Callable[[], Figures]] = {
    "two_scores": lambda: rated_figures(rated_file("bssr1_two_scores_rated")),
    "four_scores": lambda: rated_figures(rated_file("bssr1_four_scores_rated")),
    "counts_grid": lambda: rated_figures(counts_grid()),
    "file_evidence": file_evidence_figures,
}


def counts_grid() -> Data:
    """The public table of counts."""
    frame = pd.read_csv(RATED_FOLDER / "bssr1_counts_grid.csv")
    return Data(CountSurfaces.from_table(frame), frame)


def stored_records() -> dict[str, str]:
    """The text of each stored decision by name."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(RECORDS.glob("*.json"))}


def write(names: Iterable[str]) -> None:
    """Store the figures of these names anew, and the files of the stored decisions."""
    FIGURES.mkdir(exist_ok=True)
    for name in names:
        text = as_text((FROM_SAMPLES | FROM_FILES)[name]())
        (FIGURES / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
        print(f"{name}: {len(text):,} characters, SHA-256 {hashlib.sha256(text.encode()).hexdigest()[:12]}")
    for name, text in stored_records().items():
        folder = EXPORTS / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in exports_of(read_record(text)).items():
            (folder / file).write_bytes(content.encode())


def main() -> None:
    """Store all figures anew, or some by name; without `--write` only say which there are."""
    parser = argparse.ArgumentParser(description="Figures of the app's samples and of public files.")
    parser.add_argument("--write", action="store_true", help="store what is measured now")
    known = [*FROM_SAMPLES, *(FROM_FILES if RATED_FOLDER.is_dir() else ())]
    parser.add_argument("names", nargs="*", help=f"some of: {', '.join(known)}")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(known):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if arguments.write:
        write(arguments.names or known)
    else:
        print("\n".join(known))


if __name__ == "__main__":
    main()
