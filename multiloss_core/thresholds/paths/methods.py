"""Register the methods that find a path: a new method is one more entry here."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from multiloss_core.thresholds.data.count_surfaces import CountSurfaces, count_surfaces, largest_resolution
from multiloss_core.thresholds.data.counts import Rule, require_rule
from multiloss_core.thresholds.data.grid_counts import Spacing
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.analytic import analytic_path
from multiloss_core.thresholds.paths.benchmark import benchmark_path
from multiloss_core.thresholds.paths.graph import graph_path, mean_graph_path
from multiloss_core.thresholds.paths.smooth import SmoothFit, path_of_fit, smooth_fit
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

# Default number of nodes of each axis when counted documents are thinned.
MAX_DRAWN_NODES = 100

Dash = Literal["solid", "dot", "dash", "dashdot"]
# Offered numbers of nodes for each classifier, by the number of classifiers; the middle one is the default.
RESOLUTIONS = {1: (100, 300, 1000), 2: (50, 100, 200), 3: (30, 60, 100), 4: (16, 24, 40)}


@dataclass(frozen=True, eq=False)
class PathSearch:
    """Data, a rule and a grid for the search of paths; values that several methods need are computed once.

    `resolution` and `spacing` are those of `count_surfaces`; a table of counts has its own grid and rule; counted cells
    are thinned to fewer nodes. Raises DataError for an unknown rule.
    """

    source: RatedDocuments | CountSurfaces
    rule: Rule = "any"
    resolution: int = 100
    spacing: Spacing = "uniform"

    def __post_init__(self) -> None:
        require_rule(self.rule)

    @cached_property
    def surfaces(self) -> CountSurfaces:
        """Return TP and FP on the grid; a table of counts is its own."""
        if isinstance(self.source, RatedCounts):
            return self.source.thinned(
                min(self.resolution or MAX_DRAWN_NODES, largest_resolution(len(self.source.names)))
            )
        if isinstance(self.source, CountSurfaces):
            return self.source
        return count_surfaces(self.source, rule=self.rule, resolution=self.resolution, spacing=self.spacing)

    @cached_property
    def fit(self) -> SmoothFit:
        """Return the smooth estimate of the precision."""
        return smooth_fit(self.source)


@dataclass(frozen=True, kw_only=True)
class PathLook:
    """Name, explanation (`help`, Markdown) and style of a path on every chart: `colour` as "#rrggbb"."""

    name: str
    help: str
    colour: str
    dash: Dash = "solid"


@dataclass(frozen=True, kw_only=True)
class PathMethod(PathLook):
    """A method that finds a path: `find` takes a search; methods that need documents are skipped without them.

    `beyond`: the source of thresholds beside the vertices, for points of goals: the fit, or all nodes of a grid.
    """

    find: Callable[[PathSearch], ThresholdPath]
    needs_documents: bool = False
    beyond: Literal["fit", "nodes"] | None = None

    def works_on(self, source: RatedDocuments | CountSurfaces) -> bool:
        """Return whether the method can find a path through these data."""
        return not self.needs_documents or source.documents is not None


SMOOTH = PathMethod(
    name="smooth",
    help="the best thresholds under an estimate of how precision rises with the scores, smooth but for jumps that the "
    "data show, blended with the counts. On simulated data it lost about a quarter less on new data than the graph or "
    "the power curve, whichever was better there, but in one case of four more; on halves of public files as much as "
    "that. A score that adds nothing here is switched off (*never*).",
    colour="#AA3377",
    find=lambda search: path_of_fit(search.source, search.fit, search.rule),
    beyond="fit",
)
GRAPH = PathMethod(
    name="graph",
    help="the best path over the nodes of the grid; may follow chance in the data.",
    colour="#D55E00",
    find=lambda search: graph_path(search.surfaces),
    beyond="nodes",
)
# In the order in which they are offered; the first one is the default.
PATH_METHODS = (
    SMOOTH,
    GRAPH,
    PathMethod(
        name="mean graph",
        help="the mean of best paths after random deletions; smoother.",
        colour="#999933",
        dash="dashdot",
        find=lambda search: mean_graph_path(
            search.surfaces, np.random.default_rng(0), documents=search.source.documents
        ),
    ),
    PathMethod(
        name="analytic power",
        help="the best smooth curve T_j = x^p_j.",
        colour="#0072B2",
        find=lambda search: analytic_path(search.source, family="power", rule=search.rule),
    ),
    PathMethod(
        name="analytic beta",
        help="the best smooth curve of regularised incomplete beta functions.",
        colour="#56B4E9",
        dash="dash",
        find=lambda search: analytic_path(search.source, family="beta", rule=search.rule),
    ),
    PathMethod(
        name="benchmark",
        help="the node that catches most in each hundredth of the false positives; no path, to compare with.",
        colour="#8C8C8C",
        dash="dot",
        find=lambda search: benchmark_path(search.surfaces),
        beyond="nodes",
    ),
)
CERTIFIED = PathLook(
    name="guaranteed",
    help="after a guarantee was asked for, the path that it was tested on.",
    colour="#7570B3",
)
_LOOKS: dict[str, PathLook] = {look.name: look for look in (*PATH_METHODS, CERTIFIED)}


def look_of(method: str) -> PathLook:
    """Look up how a path is drawn; all that no entry knows, such as paths of the user's own, share one look."""
    return _LOOKS.get(method) or PathLook(name=method, help="", colour="#CC79A7", dash="dash")
