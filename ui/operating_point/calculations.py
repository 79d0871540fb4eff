"""Calculate paths, resamples, held-out counts and certificates in worker processes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from multiloss_core import PATH_METHODS, CountSurfaces, RatedCounts, RatedDocuments, ThresholdPath
from multiloss_core.engines import PathCounts, group_parts_along
from multiloss_core.generalisation import (
    Certificate,
    CrossFittedCounts,
    PathBands,
    PointBootstrap,
    bootstrap_points,
    bootstrap_thresholds,
    certify,
    cross_fit_steps,
)
from multiloss_core.numerics import Floats
from multiloss_core.segments import SegmentPaths, segment_paths
from multiloss_core.thresholds import GRAPH, SMOOTH, GroupParts, PathMethod, PathSearch, Rule, SmoothFit

BAND_TARGETS = expit(np.linspace(-4.5, 3.5, 21))
# What each takes for some 20,000 documents with four scores, in seconds of one processor: for their order only.
SECONDS_OF_METHODS = {GRAPH.name: 0.1, SMOOTH.name: 0.5, "analytic power": 0.1, "benchmark": 0.1, "mean graph": 0.7}
# Seconds by which requested calculations overtake those started in advance.
SECONDS_BEHIND = 20.0
SECONDS_OF_OTHER_METHODS, SECONDS_OF_CERTIFICATE, SECONDS_OF_POINT, SECONDS_OF_PATH = 0.5, 0.5, 1.5, 10.0
SECONDS_OF_SEGMENTS, SECONDS_OF_FORMS = 3.0, 3.0

Source = RatedDocuments | RatedCounts
PathFinder = Callable[[Source], ThresholdPath]


@dataclass(frozen=True, eq=False)
class FoundPath:
    """A method's path with the inputs of its search: smooth `fit` or graph `surfaces`."""

    path: ThresholdPath
    fit: SmoothFit | None = None
    surfaces: CountSurfaces | None = None


@dataclass(frozen=True, eq=False)
class PathEvidence:
    """Bands along the smooth path, and held-out counts of every method.

    `share_done` in [0, 1]; missing results are None, and held-out counts stay None for a table of counts.
    """

    share_done: float
    bands: PathBands | None = None
    held_out: Mapping[str, CrossFittedCounts] | None = None


def find_path(search: PathSearch, name: str) -> FoundPath:
    """Find the path of the method of a name."""
    method = next(method for method in PATH_METHODS if method.name == name)
    path = method.find(search)
    return FoundPath(
        path, fit=search.fit if name == SMOOTH.name else None, surfaces=search.surfaces if name == GRAPH.name else None
    )


def find_segment_paths(
    source: Source,
    segments: "NDArray[np.object_] | Mapping[str, RatedCounts]",
    undecided: "NDArray[np.object_] | None",
    rule: Rule,
) -> Iterator[SegmentPaths]:
    """Find paths for each segment, then decide on held-out documents whether they pay."""
    paths = segment_paths(source, segments, rule=rule, undecided=undecided, hold_out=False)
    yield paths
    yield paths.held_out()


def find_certificate(documents: Source, precision: float, confidence: float, rule: Rule) -> Certificate:
    """Find a certificate. Raises DataError where nothing can be guaranteed."""
    return certify(documents, precision, confidence=confidence, rule=rule)


def resample_point(
    source: Source | CountSurfaces, fit: SmoothFit, path: ThresholdPath, target: float, counts: PathCounts | None
) -> Iterator[PointBootstrap]:
    """Resample the point of a target on the smooth path, which is chosen again each time."""
    parts = _parts(counts, path.thresholds, path.rule)
    yield from bootstrap_points(source, fit, path, [target], generator=np.random.default_rng(0), parts=parts)


def resample_thresholds(documents: Source, thresholds: Floats, rule: Rule, counts: PathCounts | None) -> PointBootstrap:
    """Resample thresholds (k,) as they are."""
    parts = _parts(counts, thresholds[np.newaxis], rule)
    return bootstrap_thresholds(documents, thresholds, rule, generator=np.random.default_rng(0), parts=parts)


def find_path_evidence(
    search: PathSearch, fit: SmoothFit, paths: Mapping[str, ThresholdPath], targets: Floats, counts: PathCounts | None
) -> Iterator[PathEvidence]:
    """Find bands along the smooth path, then held-out counts of all paths at targets (m,)."""
    source, bands = search.source, None
    documents = source if isinstance(source, RatedDocuments | RatedCounts) else None
    whole = 1.0 if documents is None else 0.5
    path, generator = paths[SMOOTH.name], np.random.default_rng(1)
    parts = _parts(counts, path.thresholds, path.rule)
    for bootstrap in bootstrap_points(source, fit, path, BAND_TARGETS, generator=generator, parts=parts):
        complete = bootstrap.done == bootstrap.requested
        bands = bootstrap.bands() if complete else None
        yield PathEvidence(whole * bootstrap.done / bootstrap.requested, bands)
    if documents is not None:
        for step in cross_fit_steps(documents, _known_on_all(search, paths), targets):
            done = step.done == step.total
            yield PathEvidence(whole + (1 - whole) * step.done / step.total, bands, step.counts if done else None)


def _parts(counts: PathCounts | None, thresholds: Floats, rule: Rule) -> GroupParts | None:
    return None if counts is None else group_parts_along(counts, thresholds, rule)


def _known_on_all(search: PathSearch, paths: Mapping[str, ThresholdPath]) -> dict[str, PathFinder]:
    """Every method; on all documents its path is known."""

    # The methods are asked for one part of the documents after another: its surfaces are counted once.
    @lru_cache(maxsize=1)
    def search_in(source: Source) -> PathSearch:
        return replace(search, source=source)

    def finder(method: PathMethod) -> PathFinder:
        def find(source: Source) -> ThresholdPath:
            return paths[method.name] if source is search.source else method.find(search_in(source))

        return find

    return {method.name: finder(method) for method in PATH_METHODS}
