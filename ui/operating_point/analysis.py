"""Compute the expensive results of the core, cached by their inputs.

Each session has its own results, except those of the built-in samples.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from multiloss_core import PATH_METHODS, CountSurfaces, RatedCounts, RatedDocuments, ThresholdPath, Unit
from multiloss_core.datasets import OverTime, RatedDataset
from multiloss_core.engines import (
    By,
    CountedDataset,
    PathCounts,
    daily_alerts_along,
    over_time_along,
    segment_counts_along,
)
from multiloss_core.figures import CERTIFIED
from multiloss_core.generalisation import Certificate
from multiloss_core.inspection import DailyAlerts, Segment
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import (
    SMOOTH,
    AgeWeights,
    EarlierWeights,
    FlaggedCounts,
    Point,
    Rule,
    SmoothFit,
    money_at,
    slice_documents,
    slice_surfaces,
)
from multiloss_core.thresholds.targets import ThresholdChoices, threshold_choices
from ui.data.engine_connections import known_along
from ui.data.rated import is_built_in
from ui.operating_point.calculations import SECONDS_BEHIND
from ui.operating_point.path_tasks import FIRST, METHODS, PathTasks, Settings, ask_paths

T = TypeVar("T")

MAX_DOCUMENTS_SLICED = 200_000
SECONDS_BETWEEN_POLLS = 0.4
# Where others come first, looking takes the processor away from them.
SECONDS_BETWEEN_POLLS_IN_A_QUEUE = 2.0
MANY = 4


@dataclass(frozen=True, eq=False)
class Analysis:
    """Everything that does not depend on the marginal precision.

    `dataset` is what was counted, in money where the settings say so, and `rated` the same data as they were rated.
    `to_find` are the methods whose paths are not there yet.
    """

    dataset: RatedDataset
    settings: Settings
    surfaces: CountSurfaces
    paths: tuple[ThresholdPath, ...]
    fit: SmoothFit
    rated: RatedDataset
    certificate: Certificate | None = None
    to_find: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names (k,) of the thresholds: scores, then alert rules."""
        return self.rated.source.names

    @property
    def alert_rules(self) -> tuple[str, ...]:
        """The names of the alert rules."""
        return self.names[len(self.surfaces.names) :]

    @property
    def is_complete(self) -> bool:
        """Return whether every method has found its path."""
        return not self.to_find

    @property
    def found_methods(self) -> tuple[str, ...]:
        """The names of the paths that methods found, without a certificate's."""
        return tuple(method for method in self.methods if method != CERTIFIED.name)

    @property
    def offered_methods(self) -> tuple[str, ...]:
        """The names of all paths, also of those still to be found."""
        names = {*self.methods, *self.to_find}
        return (*(one.name for one in PATH_METHODS if one.name in names), *names.intersection([CERTIFIED.name]))

    @property
    def key(self) -> tuple[str, Settings, float, float]:
        """Return the cache key of all inputs."""
        asked = self.certificate
        return (self.dataset.key, self.settings, *((asked.precision, asked.confidence) if asked else (0.0, 0.0)))

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of the paths."""
        return tuple(path.method for path in self.paths)

    @property
    def in_documents(self) -> "Analysis":
        """For parts of the screen that count documents, whatever the paths were found on."""
        return replace(self, dataset=self.rated)

    def in_other_unit(self, points: Sequence[Point]) -> list[FlaggedCounts | None]:
        """Count points with any thresholds in the other unit, money or documents.

        None without amounts. The steps of a path are not counted.
        """
        amounts = self.rated.amounts
        if amounts is None:
            return [None] * len(points)
        documents = self.rated.documents
        values = np.ones_like(amounts) if self.settings.unit is Unit.MONEY else amounts
        everything = money_at(documents, values, documents.floors[np.newaxis], "any").at(0)
        thresholds = np.stack([documents.floors, *(point.thresholds for point in points)])
        # In the order of a path, which a slider's many targets share few vertices of.
        distinct, places = np.unique(thresholds, axis=0, return_inverse=True)
        counts = money_at(documents, values, distinct, self.settings.rule)
        reachable, *flagged = (counts.at(place) for place in places)
        return [
            FlaggedCounts(
                own.tp,
                own.fp,
                thresholds=point.thresholds,
                rule=point.rule,
                names=point.names,
                rated=everything,
                reachable=reachable,
            )
            for point, own in zip(points, flagged, strict=True)
        ]

    def over_time(self, point: Point) -> OverTime | None:
        """Count a point by week and day; None without times, or until it is counted in its engine."""
        return self._counted_by("day", point, over_time_along, self.rated.over_time)

    def alerts_per_day(self, point: Point) -> DailyAlerts | None:
        """Count the alerts of a point on each day; None as for `over_time`."""
        return self._counted_by("day", point, daily_alerts_along, self.rated.daily_alerts)

    def segment_counts(self, point: Point) -> tuple[Segment, ...] | None:
        """Count a point in each segment; None without segments, or until its engine counts it."""
        return self._counted_by("segment", point, segment_counts_along, self.rated.segment_counts)

    def _counted_by(
        self, by: By, point: Point, along: Callable[[PathCounts, int], T], count: Callable[[Floats, Rule], T]
    ) -> T | None:
        if isinstance(self.rated, CountedDataset):
            found = self.counted(point, by)
            return None if found is None else along(*found)
        is_known = self.rated.supports("time" if by == "day" else "segment")
        return count(self.deployable(point), self.settings.rule) if is_known else None

    def counted(self, point: Point, by: By) -> tuple[PathCounts, int] | None:
        """Return the counts along a point's path in an engine and its vertex, or None."""
        vertex = self.vertex(point)
        if vertex is None:
            return None
        path = self.path(point.method)
        counts = known_along(self.rated, path.thresholds, path.rule, by)
        return None if counts is None else (counts, vertex)

    @property
    def has_undecided(self) -> bool:
        """Return whether some documents of the data are not decided yet."""
        return self.rated.supports("documents") and len(self.rated.documents.undecided) > 0

    def undecided(self, points: Sequence[Point]) -> list[float]:
        """How many alerts (weights) without a decision there are at each point."""
        return self.undecided_at([point.thresholds for point in points])

    def undecided_at(self, thresholds: Sequence[ArrayLike]) -> list[float]:
        """How many alerts (weights) without a decision there are at each of some thresholds (k,)."""
        return self.rated.undecided_at(np.asarray(thresholds, dtype=np.float64), self.settings.rule).tolist()

    def with_certificate(self, certificate: Certificate) -> "Analysis":
        """With the path of a certificate, where it has one, among the paths."""
        if certificate.path is None:
            return self
        return replace(self, paths=(*self.paths, certificate.path), certificate=certificate)

    def path(self, method: str) -> ThresholdPath:
        """Return the path that a method found."""
        return next(path for path in self.paths if path.method == method)

    def weighting(self, point: Point) -> AgeWeights | EarlierWeights | None:
        """Return how older documents or files count for a point; None where all count alike."""
        if point.method != SMOOTH.name:
            return None
        ages = self.fit.age_weights
        return ages if ages is not None and ages.half_life is not None else self.fit.earlier_weights

    def vertex(self, point: Point) -> int | None:
        """Find the vertex of its path at which a point lies; None for thresholds set by hand."""
        if point.method not in self.methods:
            return None
        same = np.flatnonzero((self.path(point.method).thresholds == point.thresholds).all(axis=1))
        return int(same[0]) if same.size else None

    def choices(self, method: str) -> ThresholdChoices:
        """Return the thresholds that a goal chooses from where a method is chosen."""
        return threshold_choices(self.path(method), self.dataset.source, surfaces=self.surfaces, fit=self.fit)

    def deployable(self, point: Point) -> np.ndarray:
        """Return the point's thresholds in the fewest digits that flag the same documents."""
        return self.rounded(point.thresholds)

    def rounded(self, thresholds: np.ndarray) -> np.ndarray:
        """Thresholds (k,) in the fewest digits that flag the same documents."""
        return self.rated.source.round_thresholds(thresholds)

    def sliced(self, point: Point, pair: tuple[int, int]) -> CountSurfaces:
        """Return surfaces over two classifiers; others stay at the thresholds of a point."""
        if len(self.names) <= 2 and not self.alert_rules:
            return self.surfaces
        documents, settings = self.dataset.source.documents, self.settings
        shown = pair[: len(self.surfaces.names)]
        if documents is None or len(documents.labels) > MAX_DOCUMENTS_SLICED:
            return slice_surfaces(self.surfaces, point.thresholds, pair)
        return slice_documents(documents, point.thresholds, shown, rule=settings.rule, spacing=settings.spacing)


def documents_or_counts(source: RatedDocuments | CountSurfaces) -> RatedDocuments | RatedCounts | None:
    """Return the data to resample and split; None for a table of counts."""
    return source if isinstance(source, RatedDocuments | RatedCounts) else None


def analyse(
    dataset: RatedDataset, settings: Settings, *, method: str | None = None, shows_all: bool = False
) -> Analysis:
    """Surfaces and paths of a dataset: the first path, the graph's and that of a method.

    Others follow as they are found; a page that shows all of them waits for a moment. Raises DataError where these
    settings suit no data.
    """
    search, awaited = ask_paths(dataset, settings), (*FIRST, *([method] if method else ()))
    search.begin(awaited)
    search.begin(METHODS, behind=SECONDS_BEHIND)
    search.wait(awaited)
    if shows_all:
        search.wait_a_moment()
    return _analysis_of(search, dataset.name)  # The same file may have been loaded under another name before.


def prepare(dataset: RatedDataset, settings: Settings) -> None:
    """Start the first path before a page asks for it."""
    ask_paths(dataset, settings).begin(FIRST)


def find_the_rest(analysis: Analysis) -> None:
    """While paths are being found, look for them, and have the page show what was found since."""
    if not analysis.is_complete:
        search = ask_paths(analysis.rated, analysis.settings)
        seconds = SECONDS_BETWEEN_POLLS_IN_A_QUEUE if search.place > MANY else SECONDS_BETWEEN_POLLS
        st.fragment(_show_found, run_every=seconds)(search, len(analysis.found_methods))


def _show_found(search: PathTasks, shown: int) -> None:
    if len(search.found) > shown:
        st.rerun()


def _analysis_of(tasks: PathTasks, name: str) -> Analysis:
    """Return the current results. The first methods must have finished."""
    found = tasks.found
    fit, surfaces = (found[first] for first in FIRST)
    if fit.fit is None or surfaces.surfaces is None:
        raise TypeError("The first methods give the fit and the surfaces.")
    return Analysis(
        tasks.dataset.named(name),
        tasks.settings,
        surfaces.surfaces,
        tuple(one.path for one in found.values()),
        fit.fit,
        tasks.rated.named(name),
        to_find=tuple(method for method in METHODS if method not in found),
    )


def of_sample(_analysis: Analysis) -> bool:
    """Return whether all sessions share what is computed from an analysis."""
    return is_built_in(_analysis.rated)
