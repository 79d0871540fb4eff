"""Resample chosen points and count held-out data in the background."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from multiloss_core import OperatingPoint, operating_point
from multiloss_core.engines import CountedDataset, PathCounts
from multiloss_core.generalisation import PointBootstrap
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import SMOOTH, Point
from ui.data.sources import known_along
from ui.operating_point.analysis import Analysis, documents_or_counts
from ui.operating_point.calculations import (
    SECONDS_OF_PATH,
    SECONDS_OF_POINT,
    PathEvidence,
    find_path_evidence,
    resample_point,
    resample_thresholds,
)
from ui.operating_point.path_tasks import Settings
from ui.server.queue import Task
from ui.shared.long_work import begin
from ui.shared.session import session
from ui.shared.url_params import PERCENTS

SLIDER_TARGETS = PERCENTS / 100
SECONDS_OF_REST = 0.4
MAX_JOBS = 12

T = TypeVar("T")
Key = tuple[str, Settings, float | tuple[float, ...] | None]


def uncounted_groups(analysis: Analysis, point: Point) -> Floats | None:
    """Return thresholds (m, k) at which an engine must count groups before resampling."""
    rated, thresholds = analysis.rated, _resampled_along(analysis, point)
    if not (isinstance(rated, CountedDataset) and rated.supports("group")):
        return None
    return thresholds if _counts_of_groups(analysis, thresholds) is None else None


def point_job(analysis: Analysis, point: Point) -> Task[PointBootstrap] | None:
    """Return resamples of a smooth-path point, chosen again, or of fixed thresholds.

    They begin at the first call, once the slider rests. None for fixed thresholds on a table of
    counts, and while groups must be counted.
    """
    if uncounted_groups(analysis, point) is not None:
        return None
    counts = _counts_of_groups(analysis, _resampled_along(analysis, point))
    if isinstance(point, OperatingPoint):
        target = point.marginal_precision
        key: Key = (analysis.dataset.key, analysis.settings, target)
        chosen = (analysis.dataset.source, analysis.fit, analysis.path(SMOOTH.name), target, counts)
        return _job(key, lambda: begin(resample_point, *chosen, seconds=SECONDS_OF_POINT, rest=SECONDS_OF_REST))
    documents = documents_or_counts(analysis.dataset.source)
    if documents is None:
        return None
    key = (analysis.dataset.key, analysis.settings, tuple(point.thresholds.tolist()))
    fixed = (documents, point.thresholds, point.rule, counts)
    return _job(key, lambda: begin(resample_thresholds, *fixed, seconds=SECONDS_OF_POINT, rest=SECONDS_OF_REST))


def path_job(analysis: Analysis) -> Task[PathEvidence] | None:
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
    key: Key = (analysis.dataset.key, analysis.settings, None)
    known = (search, analysis.fit, paths, SLIDER_TARGETS, counts)
    return _job(key, lambda: begin(find_path_evidence, *known, seconds=SECONDS_OF_PATH))


def jobs_of(analysis: Analysis, point: Point) -> tuple[Task[PointBootstrap] | Task[PathEvidence], ...]:
    """Return the jobs about a point and about its analysis; begun at the first call."""
    resampling, others = point_job(analysis, point), path_job(analysis)
    return (*(() if resampling is None else (resampling,)), *(() if others is None else (others,)))


def latest_evidence(analysis: Analysis, point: Point) -> tuple[PointBootstrap | None, PathEvidence | None]:
    """Return what is known by now, complete or not."""
    resampling, others = point_job(analysis, point), path_job(analysis)
    return None if resampling is None else resampling.latest, None if others is None else others.latest


def finished_evidence(analysis: Analysis, point: Point) -> tuple[PointBootstrap | None, PathEvidence | None]:
    """Return what is known by now, for the charts."""
    bootstrap, path = latest_evidence(analysis, point)
    complete = bootstrap is not None and bootstrap.done == bootstrap.requested
    return (bootstrap if complete else None), path


def _job(key: Key, start: Callable[[], Task[T]]) -> Task[T]:
    jobs = session().point.jobs
    if key not in jobs or jobs[key].cancelled:
        # One of each kind at a time; what is finished stays for a while.
        for other, job in jobs.items():
            if (other[2] is None) == (key[2] is None) and not job.finished:
                job.cancel()
        while len(jobs) >= MAX_JOBS:
            jobs.pop(next(iter(jobs)))
        jobs[key] = start()
    return jobs[key]


def _resampled_along(analysis: Analysis, point: Point) -> Floats:
    """Return thresholds (m, k) of the smooth path, or of a point that was not chosen on it."""
    return analysis.path(SMOOTH.name).thresholds if isinstance(point, OperatingPoint) else point.thresholds[np.newaxis]


def _counts_of_groups(analysis: Analysis, thresholds: Floats) -> PathCounts | None:
    return known_along(analysis.rated, thresholds, analysis.settings.rule, "part")
