"""Search for the paths of a dataset, method by method, in the background."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

import streamlit as st

from multiloss_core import PATH_METHODS, CountSurfaces, RatedCounts, RatedDocuments, Unit
from multiloss_core.datasets import RatedDataset
from multiloss_core.thresholds import GRAPH, SMOOTH, PathSearch, Rule, Spacing
from ui.data.rated import in_money, is_built_in
from ui.operating_point.calculations import SECONDS_OF_METHODS, SECONDS_OF_OTHER_METHODS, FoundPath, find_path
from ui.server.queue import Task, shared_queue
from ui.shared.long_work import begin, wait_for
from ui.shared.session import session
from ui.shared.tasks import MAX_TASKS

# In the order in which they are offered.
METHODS = tuple(method.name for method in PATH_METHODS)
# In seconds: paths that come so soon after the first ones are shown with them.
MOMENT = 0.3
# Their searches give the fit and the surfaces, which everything else needs.
FIRST = (SMOOTH.name, GRAPH.name)


@dataclass(frozen=True)
class Settings:
    """How surfaces are counted and paths searched (`PathSearch`); what TP and FP count."""

    rule: Rule
    spacing: Spacing
    resolution: int
    unit: Unit = Unit.DOCUMENTS
    current: tuple[float, ...] | None = None

    def search(self, source: RatedDocuments | CountSurfaces) -> PathSearch:
        """Return the search for paths through data under these settings."""
        return PathSearch(source, self.rule, self.resolution, self.spacing, self.current)


@dataclass(eq=False)
class PathTasks:
    """The searches for the paths of a dataset, by method: those that were begun.

    `is_shared`: all sessions use them, so none cancels them.
    """

    dataset: RatedDataset
    rated: RatedDataset
    settings: Settings
    tasks: dict[str, Task[FoundPath]] = field(default_factory=dict)
    is_shared: bool = False
    lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, rated: RatedDataset, settings: Settings) -> "PathTasks":
        """Nothing is begun."""
        dataset = in_money(rated) if settings.unit is Unit.MONEY else rated
        if isinstance(dataset.source, RatedCounts):
            dataset = replace(dataset, source=dataset.source.under(settings.rule))
        return cls(dataset, rated, settings)

    @property
    def found(self) -> dict[str, FoundPath]:
        """Return the finished results in the order of the methods."""
        latest = {name: self.tasks[name].latest for name in METHODS if name in self.tasks}
        return {name: found for name, found in latest.items() if found is not None}

    @property
    def cancelled(self) -> bool:
        """Return whether something failed or was cancelled, and must be begun again."""
        return any(task.finished and task.latest is None for task in self.tasks.values())

    @property
    def place(self) -> int:
        """Count the calculations before the first unfinished one; 0 if all have finished."""
        return min((task.place for task in self.tasks.values() if not task.finished), default=0)

    def begin(self, methods: Sequence[str], *, behind: float = 0.0) -> None:
        """Queue the searches of methods; those queued within `behind` seconds overtake them."""
        search, add = self.settings.search(self.dataset.source), shared_queue().add if self.is_shared else begin
        # Sessions begin shared searches at the same time: none may replace a task that another waits for.
        with self.lock:
            for name in methods:
                if name not in self.tasks and name in METHODS:
                    seconds = SECONDS_OF_METHODS.get(name, SECONDS_OF_OTHER_METHODS)
                    self.tasks[name] = add(find_path, search, name, seconds=seconds, behind=behind)

    def wait(self, methods: Sequence[str]) -> None:
        """Wait for the searches of methods that were begun. Raises what went wrong."""
        tasks = [self.tasks[name] for name in methods if name in self.tasks]
        wait_for(tasks, "Counting the surfaces and finding the best paths …")

    def wait_a_moment(self) -> None:
        """Wait for what is nearly there: the page need not be drawn twice."""
        end = time.monotonic() + MOMENT
        for task in self.tasks.values():
            task.wait(max(end - time.monotonic(), 0.0))

    def cancel(self) -> None:
        """Cancel what is not finished, unless other sessions use it."""
        for task in () if self.is_shared else self.tasks.values():
            task.cancel()


def ask_paths(dataset: RatedDataset, settings: Settings) -> PathTasks:
    """Return the searches of this session: all sessions share those of a built-in sample."""
    return session().tasks.ask("paths", (dataset.key, settings), lambda: _tasks_of(dataset, settings))


def _tasks_of(dataset: RatedDataset, settings: Settings) -> PathTasks:
    if not is_built_in(dataset):
        return PathTasks.of(dataset, settings)
    if _shared_tasks(dataset.key, settings, dataset).cancelled:
        _shared_tasks.clear(dataset.key, settings, dataset)
    return _shared_tasks(dataset.key, settings, dataset)


@st.cache_resource(max_entries=MAX_TASKS, show_spinner=False)
def _shared_tasks(key: str, settings: Settings, _dataset: RatedDataset) -> PathTasks:
    return replace(PathTasks.of(_dataset, settings), is_shared=True)
