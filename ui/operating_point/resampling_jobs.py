"""What chosen points do on data that did not choose them: resamples and held-out counts, found in the background."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from scipy.special import expit

from multiloss_core import PATH_METHODS, OperatingPoint, RatedCounts, RatedDocuments, ThresholdPath, operating_point
from multiloss_core.engines import PathCounts, group_parts_along
from multiloss_core.generalisation import (
    CrossFittedCounts,
    GroupParts,
    PathBands,
    PointBootstrap,
    bootstrap_points,
    bootstrap_thresholds,
    cross_fit_steps,
)
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import SMOOTH, PathMethod, Point, Rule
from ui.data.engines.along import known_along
from ui.operating_point.analysis import Analysis, Settings, documents_or_counts
from ui.shared.background_job import Job
from ui.shared.session import session
from ui.shared.url_params import PERCENTS

SLIDER_TARGETS = PERCENTS / 100
BAND_TARGETS = expit(np.linspace(-4.5, 3.5, 21))
SECONDS_OF_REST = 0.4
MAX_JOBS = 12

T = TypeVar("T")
PathFinder = Callable[[RatedDocuments | RatedCounts], ThresholdPath]
Key = tuple[str, Settings, float | tuple[float, ...] | None]


@dataclass(frozen=True, eq=False)
class PathEvidence:
    """Bands along the smooth path, and what every method does on documents that did not choose its thresholds.

    `share_done` in [0, 1]; what is not there yet is None, and held-out counts stay None for a table of counts.
    """

    share_done: float
    bands: PathBands | None = None
    held_out: Mapping[str, CrossFittedCounts] | None = None


def uncounted_groups(analysis: Analysis, point: Point) -> Floats | None:
    """Return the thresholds (m, k) along which groups must be counted in their source before a point is resampled."""
    counted_in, thresholds = analysis.rated.counted_in, _resampled_along(analysis, point)
    if counted_in is None or counted_in.columns.group is None:
        return None
    return thresholds if _counts_of_groups(analysis, thresholds) is None else None


def point_job(analysis: Analysis, point: Point) -> Job[PointBootstrap] | None:
    """Resamples for a point of the smooth path, chosen again, or for thresholds beside the slider, as they are.

    Begun at the first call, once the slider has come to rest. None for those on a table of counts, and while groups
    have still to be counted.
    """
    if uncounted_groups(analysis, point) is not None:
        return None
    counts = _counts_of_groups(analysis, _resampled_along(analysis, point))
    if isinstance(point, OperatingPoint):
        target = point.marginal_precision
        key: Key = (analysis.dataset.key, analysis.settings, target)
        return _job(key, lambda: _point_steps(analysis, target, counts), rest=SECONDS_OF_REST)
    documents = documents_or_counts(analysis.dataset.source)
    if documents is None:
        return None
    key = (analysis.dataset.key, analysis.settings, tuple(point.thresholds.tolist()))
    return _job(key, lambda: _fixed_steps(documents, point, counts), rest=SECONDS_OF_REST)


def path_job(analysis: Analysis) -> Job[PathEvidence] | None:
    """Bands and held-out counts of an analysis; begun at the first call. None while groups have to be counted."""
    path = analysis.path(SMOOTH.name)
    if uncounted_groups(analysis, operating_point(path, 0.5)) is not None:
        return None
    counts = _counts_of_groups(analysis, path.thresholds)
    return _job((analysis.dataset.key, analysis.settings, None), lambda: _path_steps(analysis, counts))


def jobs_of(analysis: Analysis, point: Point) -> tuple[Job[PointBootstrap] | Job[PathEvidence], ...]:
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


def _job(key: Key, steps: Callable[[], Iterator[T]], rest: float = 0.0) -> Job[T]:
    jobs = session().point.jobs
    if key not in jobs or jobs[key].cancelled:
        # One of each kind at a time; what is finished stays for a while.
        for other, job in jobs.items():
            if (other[2] is None) == (key[2] is None) and not job.finished:
                job.cancel()
        while len(jobs) >= MAX_JOBS:
            jobs.pop(next(iter(jobs)))
        jobs[key] = Job(steps, rest=rest)
    return jobs[key]


def _resampled_along(analysis: Analysis, point: Point) -> Floats:
    """Thresholds (m, k) of the smooth path, which resamples find again, or those of a point that was not chosen."""
    return analysis.path(SMOOTH.name).thresholds if isinstance(point, OperatingPoint) else point.thresholds[np.newaxis]


def _counts_of_groups(analysis: Analysis, thresholds: Floats) -> PathCounts | None:
    return known_along(analysis.rated, thresholds, analysis.settings.rule, "part")


def _parts(counts: PathCounts | None, thresholds: Floats, rule: Rule) -> GroupParts | None:
    return None if counts is None else group_parts_along(counts, thresholds, rule)


def _point_steps(analysis: Analysis, target: float, counts: PathCounts | None) -> Iterator[PointBootstrap]:
    source, path = analysis.dataset.source, analysis.path(SMOOTH.name)
    parts, generator = _parts(counts, path.thresholds, path.rule), np.random.default_rng(0)
    yield from bootstrap_points(source, analysis.fit, path, [target], generator=generator, parts=parts)


def _fixed_steps(
    documents: RatedDocuments | RatedCounts, point: Point, counts: PathCounts | None
) -> Iterator[PointBootstrap]:
    parts = _parts(counts, point.thresholds[np.newaxis], point.rule)
    yield bootstrap_thresholds(documents, point.thresholds, point.rule, generator=np.random.default_rng(0), parts=parts)


def _path_steps(analysis: Analysis, counts: PathCounts | None) -> Iterator[PathEvidence]:
    source, bands = analysis.dataset.source, None
    documents = documents_or_counts(source)
    whole = 1.0 if documents is None else 0.5
    path, generator = analysis.path(SMOOTH.name), np.random.default_rng(1)
    parts = _parts(counts, path.thresholds, path.rule)
    for bootstrap in bootstrap_points(source, analysis.fit, path, BAND_TARGETS, generator=generator, parts=parts):
        complete = bootstrap.done == bootstrap.requested
        bands = bootstrap.bands() if complete else None
        yield PathEvidence(whole * bootstrap.done / bootstrap.requested, bands)
    if documents is not None:
        for step in cross_fit_steps(documents, _known_on_all(analysis), SLIDER_TARGETS):
            done = step.done == step.total
            yield PathEvidence(whole + (1 - whole) * step.done / step.total, bands, step.counts if done else None)


def _known_on_all(analysis: Analysis) -> dict[str, PathFinder]:
    """Every method; on all documents its path is known."""
    # The methods are asked for one part of the documents after another: its surfaces are counted once.
    search = lru_cache(maxsize=1)(analysis.settings.search)

    def finder(method: PathMethod) -> PathFinder:
        def find(source: RatedDocuments | RatedCounts) -> ThresholdPath:
            known = source is analysis.dataset.source
            return analysis.path(method.name) if known else method.find(search(source))

        return find

    return {method.name: finder(method) for method in PATH_METHODS if method.works_on(analysis.dataset.source)}
