"""Register the methods that find a path: a new method is one more entry here."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces, count_surfaces, largest_resolution
from multiloss_core.thresholds.data.counts import Rule, require_rule
from multiloss_core.thresholds.data.grid_counts import Spacing
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.analytic import analytic_path
from multiloss_core.thresholds.paths.benchmark import benchmark_path
from multiloss_core.thresholds.paths.graph import graph_path, mean_graph_path
from multiloss_core.thresholds.paths.smooth.path import path_of_fit
from multiloss_core.thresholds.paths.smooth.smooth_fit import SmoothFit, smooth_fit
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

# Default number of nodes of each axis when counted documents are thinned.
MAX_DRAWN_NODES = 100

# Offered numbers of nodes for each classifier, by the number of classifiers; the middle one is the default.
RESOLUTIONS = {1: (100, 300, 1000), 2: (50, 100, 200), 3: (30, 60, 100), 4: (16, 24, 40)}


@dataclass(frozen=True, eq=False)
class PathSearch:
    """Data, rule and grid of the search of paths; shared values are computed once.

    `resolution` and `spacing` are those of `count_surfaces`; a table of counts has its own grid and rule; counted cells
    are thinned to fewer nodes. `current`: thresholds (k,) that the smooth path stays beside, see `smooth_path`. Raises
    DataError for an unknown rule, or `all` beside alert rules.
    """

    source: RatedDocuments | CountSurfaces
    rule: Rule = "any"
    resolution: int = 100
    spacing: Spacing = "uniform"
    current: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        require_rule(self.rule)
        if self.rule == "all" and self.source.alert_rules:
            raise DataError("An alert rule raises alerts by itself, so that not every score can be needed; use 'any'.")

    @cached_property
    def scored(self) -> RatedDocuments | CountSurfaces:
        """Return the data that scores raised, without alert rules; they may be of one class.

        Raises DataError: there are none, or a score is the same in all of them.
        """
        source = self.source
        if isinstance(source, RatedCounts) and source.alert_rules:
            return source.without_alert_rules
        if not isinstance(source, RatedDocuments) or not source.alert_rules:
            return source
        scored = source.score_count
        kept = (source.scores[:, :scored] >= source.floors[:scored]).any(axis=1)
        if not kept.any():
            raise DataError("No document reaches the floor of a score: rules raised all of them; lower a floor.")
        return RatedDocuments(
            source.scores[kept, :scored],
            source.labels[kept],
            source.weights[kept],
            source.names[:scored],
            source.floors[:scored].tolist(),
            groups=None if source.groups is None else source.groups[kept],
            rows=source.rows[kept],
            one_class=True,
        )

    @cached_property
    def surfaces(self) -> CountSurfaces:
        """Return TP and FP on the grid of the scores; a table of counts is its own."""
        scored = self.scored
        if isinstance(scored, RatedCounts):
            return scored.thinned(min(self.resolution or MAX_DRAWN_NODES, largest_resolution(len(scored.names))))
        if isinstance(scored, CountSurfaces):
            return scored
        surfaces = count_surfaces(scored, rule=self.rule, resolution=self.resolution, spacing=self.spacing)
        return replace(surfaces, rated=self.source.totals)

    def with_rules(self, path: ThresholdPath) -> ThresholdPath:
        """Switch all alert rules off along a path of the scores, and on before it."""
        source = self.source
        if not source.alert_rules:
            return path
        off = np.full((len(path.thresholds), source.alert_rules), np.inf)
        thresholds = np.vstack([source.floors, np.hstack([path.thresholds, off])])
        counts = source.counts_along(thresholds, self.rule)
        return ThresholdPath(
            thresholds, counts.tp, counts.fp, path.method, self.rule, source.names,
            monotone=path.monotone, parameters=path.parameters, rated=source.totals,
        )  # fmt: skip

    @cached_property
    def fit(self) -> SmoothFit:
        """Return the smooth estimate of the precision."""
        return smooth_fit(self.source)


@dataclass(frozen=True, kw_only=True)
class PathMethod:
    """A method that finds a path in a search.

    `beyond`: the source of thresholds beside the vertices, for points of goals: the fit, or all nodes of a grid.
    """

    name: str
    find: Callable[[PathSearch], ThresholdPath]
    beyond: Literal["fit", "nodes"] | None = None


SMOOTH = PathMethod(
    name="smooth", find=lambda search: path_of_fit(search.source, search.fit, search.rule, search.current), beyond="fit"
)
GRAPH = PathMethod(name="graph", find=lambda search: search.with_rules(graph_path(search.surfaces)), beyond="nodes")
ANALYTIC = PathMethod(
    name="analytic power",
    find=lambda search: search.with_rules(analytic_path(search.scored, family="power", rule=search.rule)),
)
# Drawn from the start: the default and the two of Robles et al. 2020.
MAIN_METHODS = (SMOOTH, GRAPH, ANALYTIC)
# In the order in which they are offered; the first one is the default.
PATH_METHODS = (
    SMOOTH,
    GRAPH,
    PathMethod(
        name="mean graph",
        find=lambda search: search.with_rules(
            mean_graph_path(search.surfaces, np.random.default_rng(0), documents=search.scored.documents)
        ),
    ),
    ANALYTIC,
    PathMethod(
        name="analytic beta",
        find=lambda search: search.with_rules(analytic_path(search.scored, family="beta", rule=search.rule)),
    ),
    PathMethod(
        name="benchmark", find=lambda search: search.with_rules(benchmark_path(search.surfaces)), beyond="nodes"
    ),
)
