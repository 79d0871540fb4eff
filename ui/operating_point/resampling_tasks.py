"""Resample chosen points and count held-out data in the background."""

from typing import Any

import numpy as np

from multiloss_core import OperatingPoint, operating_point
from multiloss_core.engines import CountedDataset, PathCounts
from multiloss_core.generalisation import PointBootstrap
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import SMOOTH, Point
from ui.data.engine_connections import known_along
from ui.operating_point.analysis import Analysis, documents_or_counts
from ui.operating_point.calculations import (
    SECONDS_OF_PATH,
    SECONDS_OF_POINT,
    PathEvidence,
    find_path_evidence,
    resample_point,
    resample_thresholds,
)
from ui.server.queue import Task
from ui.shared.choices import PERCENTS
from ui.shared.long_work import ask_task

SLIDER_TARGETS = PERCENTS / 100
SECONDS_OF_REST = 0.4
# Kinds of tasks.
POINT, PATH = "resamples of a point", "evidence along a path"


def uncounted_groups(analysis: Analysis, point: Point) -> Floats | None:
    """Return thresholds (m, k) at which an engine must count groups before resampling."""
    rated, thresholds = analysis.rated, _resampled_along(analysis, point)
    if not (isinstance(rated, CountedDataset) and rated.supports("group")):
        return None
    return thresholds if _counts_of_groups(analysis, thresholds) is None else None


def point_task(analysis: Analysis, point: Point) -> Task[PointBootstrap] | None:
    """Return resamples of a smooth-path point, chosen again, or of fixed thresholds.

    They begin at the first call, once the slider rests. None for fixed thresholds on a table of
    counts, and while groups must be counted.
    """
    if uncounted_groups(analysis, point) is not None:
        return None
    source, counts = analysis.dataset.source, _counts_of_groups(analysis, _resampled_along(analysis, point))
    key = analysis.dataset.key, analysis.settings
    options: dict[str, Any] = {"seconds": SECONDS_OF_POINT, "rest": SECONDS_OF_REST}
    if isinstance(point, OperatingPoint):
        target = point.marginal_precision
        chosen = (source, analysis.fit, analysis.path(SMOOTH.name), target, counts)
        return ask_task(POINT, (*key, target), resample_point, *chosen, **options)
    documents = documents_or_counts(source)
    if documents is None:
        return None
    fixed = (documents, point.thresholds, point.rule, counts)
    return ask_task(POINT, (*key, tuple(point.thresholds.tolist())), resample_thresholds, *fixed, **options)


def path_task(analysis: Analysis) -> Task[PathEvidence] | None:
    """Bands and held-out counts of an analysis; begun at the first call.

    None while groups have to be counted or paths to be found.
    """
    if not analysis.is_complete:
        return None
    path = analysis.path(SMOOTH.name)
    if uncounted_groups(analysis, operating_point(path, 0.5)) is not None:
        return None
    counts = _counts_of_groups(analysis, path.thresholds)
    search = analysis.settings.search(analysis.dataset.source)
    paths = {name: analysis.path(name) for name in analysis.found_methods}
    given = (search, analysis.fit, paths, SLIDER_TARGETS, counts)
    return ask_task(
        PATH, (analysis.dataset.key, analysis.settings), find_path_evidence, *given, seconds=SECONDS_OF_PATH
    )


def evidence_tasks(analysis: Analysis, point: Point) -> tuple[Task[PointBootstrap] | Task[PathEvidence], ...]:
    """Return the tasks about a point and about its analysis; begun at the first call."""
    return tuple(task for task in (point_task(analysis, point), path_task(analysis)) if task is not None)


def latest_evidence(analysis: Analysis, point: Point) -> tuple[PointBootstrap | None, PathEvidence | None]:
    """Return the latest results, complete or not."""
    of_point, of_path = point_task(analysis, point), path_task(analysis)
    return of_point.latest if of_point else None, of_path.latest if of_path else None


def finished_evidence(analysis: Analysis, point: Point) -> tuple[PointBootstrap | None, PathEvidence | None]:
    """Return the latest results for the charts; those of a point once they are complete."""
    bootstrap, path = latest_evidence(analysis, point)
    complete = bootstrap is not None and bootstrap.done == bootstrap.requested
    return (bootstrap if complete else None), path


def _resampled_along(analysis: Analysis, point: Point) -> Floats:
    """Return thresholds (m, k) of the smooth path, or of a point that was not chosen on it."""
    return analysis.path(SMOOTH.name).thresholds if isinstance(point, OperatingPoint) else point.thresholds[np.newaxis]


def _counts_of_groups(analysis: Analysis, thresholds: Floats) -> PathCounts | None:
    return known_along(analysis.rated, thresholds, analysis.settings.rule, "part")
