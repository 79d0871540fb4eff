"""Figures of estimates for new data: intervals, held-out counts and guarantees."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from multiloss_core import RatedDocuments, analytic_path, operating_point, smooth_path
from multiloss_core.generalisation import bootstrap_points, bootstrap_thresholds, certify, cross_fit
from multiloss_core.thresholds.paths.smooth.fit import smooth_fit
from multiloss_core.thresholds.paths.smooth.path import path_of_fit
from tests.unchanged.sources import rated_file, sample_data, sample_fit, weighted_sample
from tests.unchanged.summary import Figures, of, plain, thinned
from tests.unchanged.thresholds import METHODS, RULES, path_figures, path_of, plan_figures

RESAMPLES, FEW_RESAMPLES = 99, 39
TENTHS = np.arange(1, 10) / 10
COUNTS = ("tp", "fp", "alerts", "precision")


def interval_figures(intervals: Any) -> Figures:
    """Measure the intervals at a point."""
    expected = {name: getattr(intervals.expected, name) for name in COUNTS}
    new = {f"new_{name}": getattr(intervals.new_period, name) for name in COUNTS}
    every = {**expected, **new, "marginal_precision": intervals.marginal_precision}
    return {
        **of(intervals, "target", "level", "thresholds", "thresholds_low", "thresholds_high"),
        **{f"sample_{name}": plain(getattr(intervals.in_sample, name)) for name in ("tp", "fp")},
        **{name: plain([interval.estimate, interval.low, interval.high]) for name, interval in every.items()},
    }


def bootstrap_figures(source: Any, rule: str, fit: Any = None, resamples: int = FEW_RESAMPLES) -> Figures:
    """Measure intervals of the smooth path with the choice included, and bands along it."""
    fit = smooth_fit(source) if fit is None else fit
    path, generator, targets = path_of_fit(source, fit, rule), np.random.default_rng(0), (0.1, 0.2, 0.5)
    *_, drawn = bootstrap_points(source, fit, path, targets, generator=generator, resamples=resamples)
    bands = drawn.bands()
    return {
        "points": [interval_figures(drawn.intervals(target)) for target in targets],
        "narrower": interval_figures(drawn.intervals(0.2, level=0.8)),
        "bands": of(bands, "targets", "tp", "fp", "precision", "marginal_precision"),
        "curve": {"fp": thinned(bands.curve_fp), "tp": thinned(bands.curve_tp.T)},
        "next_number": plain(generator.random()),
    }


def fixed_figures(documents: RatedDocuments, thresholds: Any, rule: str) -> Figures:
    """Measure intervals at thresholds that were not chosen."""
    generator = np.random.default_rng(0)
    found = bootstrap_thresholds(documents, thresholds, rule, generator=generator, resamples=RESAMPLES)
    return interval_figures(found.intervals())


def held_out_figures(documents: RatedDocuments, rule: str, names: Iterable[str], **options: Any) -> Figures:
    """Measure cross-fitted counts of some methods."""
    finders = {name: (lambda part, name=name: path_of(part, rule, name)) for name in names}
    shown = ("tp", "fp", "precision", "area", "plain_area", "in_sample_area", "folds")
    return {
        name: of(found, *shown)
        | {f"plain_{kind}": plain(getattr(found.plain, kind)) for kind in ("tp", "fp")}
        | {f"in_sample_{kind}": plain(getattr(found.in_sample, kind)) for kind in ("tp", "fp", "precision")}
        for name, found in cross_fit(documents, finders, TENTHS, **options).items()
    }


def guarantee_figures(documents: RatedDocuments, precision: float, rule: str, **options: Any) -> Figures:
    """Measure a guarantee, or why there is none."""
    found = certify(documents, precision, rule=rule, **options)
    shown = ("status", "precision", "confidence", "test", "thresholds", "lower_bound", "p_value", "largest")
    counts = {"tp": found.counts.tp, "fp": found.counts.fp, "tested_tp": found.tested.tp, "tested_fp": found.tested.fp}
    # Neither the area of the path nor places on it: rounding of a processor decides between equal steps.
    path = None if found.path is None else of(found.path, "method")
    return of(found, *shown, "more_ratings") | plain(counts) | {"path": path}


def evidence_figures() -> Figures:
    """Measure what new data will show, for samples."""
    card, login, claims = (sample_data(name).source for name in ("Card alerts", "Login alerts", "Insurance claims"))
    weighted, table, fit = weighted_sample(), sample_data("Count table").source, sample_fit("Card alerts")
    point, path = operating_point(path_of_fit(card, fit, "any"), 0.2), smooth_path(weighted)
    return {
        "bootstrap": {
            "card, any": bootstrap_figures(card, "any", fit, RESAMPLES),
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
            "card, any": guarantee_figures(card, 0.5, "any"),
            "card, all": guarantee_figures(card, 0.5, "all", seed=3),
            "login": guarantee_figures(login, 0.3, "any", confidence=0.9),
            "login, too much": guarantee_figures(login, 0.99, "any", confidence=0.99),
            "claims": guarantee_figures(claims, 0.3, "any", method=_power),
            "weighted": guarantee_figures(weighted, 0.2, "any"),
        },
        "plan": {f"{target:g}": plan_figures(weighted, operating_point(path, target), path) for target in TENTHS},
        "weighted": {"smooth": path_figures(path)},
    }


def _power(documents: RatedDocuments, *, rule: str) -> Any:
    return analytic_path(documents, family="power", rule=rule)


def file_evidence_figures() -> Figures:
    """Measure intervals on new data for two scores, with and without groups."""
    stem = "bssr1_two_scores_rated"
    alone, together = rated_file(stem).source, rated_file(stem, "person").source
    thresholds = operating_point(smooth_path(alone), 0.2).thresholds
    return {
        "bootstrap": bootstrap_figures(together, "any"),
        "fixed": fixed_figures(together, thresholds, "any"),
        "held out": {
            "alone": held_out_figures(alone, "any", ("smooth", "graph", "benchmark"), folds=2),
            "together": held_out_figures(together, "all", ("graph", "analytic power"), folds=2),
        },
        "guarantee": {
            "alone": guarantee_figures(alone, 0.9, "any"),
            "together": guarantee_figures(together, 0.5, "any"),
        },
        "smooth": path_figures(smooth_path(together, rule="all")),
    }
