"""What the chosen points do on data that did not choose them: resamples and held-out counts, found in the background."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from multiloss_core import (
    RatedDocuments,
    ThresholdPath,
    analytic_path,
    benchmark_path,
    count_surfaces,
    graph_path,
    mean_graph_path,
    smooth_path,
)
from multiloss_core.thresholds.held_out import HeldOutCounts, Method, held_out_steps
from multiloss_core.thresholds.intervals import PathBands, PointBootstrap, PointIntervals, bootstrap_points
from multiloss_core.thresholds.paths.smooth import smooth_fit
from ui.analysis import Analysis, Settings
from ui.background import Job
from ui.target import HIGHEST, LOWEST, STEP

TARGETS = np.arange(LOWEST, HIGHEST + STEP / 2, STEP) / 100
MOST_JOBS = 4


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known so far; `share_done` in [0, 1]. `bootstrap` is complete when `resampled`."""

    share_done: float
    doing: str
    bootstrap: PointBootstrap | None = None
    resampled: bool = False
    bands: PathBands | None = None
    held_out: Mapping[str, HeldOutCounts] | None = None

    def intervals(self, target: float) -> PointIntervals | None:
        """At one step of the slider; None for values between its steps and before all resamples are there."""
        if self.bootstrap is None or not self.resampled or not np.isclose(self.bootstrap.targets, target).any():
            return None
        return self.bootstrap.intervals(target)

    def cloud(self, target: float) -> np.ndarray:
        """The thresholds (b, k) chosen at a target from each resample."""
        if self.bootstrap is None or not self.resampled:
            return np.empty((0, 0))
        near = np.flatnonzero(np.isclose(self.bootstrap.targets, target))
        return self.bootstrap.cloud[:, near[0]] if len(near) else np.empty((0, 0))


def evidence_job(analysis: Analysis) -> Job[Evidence]:
    """The job for an analysis, begun at the first call; only the latest few of a visitor are kept."""
    jobs: dict[tuple[str, Settings], Job[Evidence]] = st.session_state.setdefault("evidence", {})
    key = (analysis.dataset.key, analysis.settings)
    if key not in jobs:
        for other in jobs.values():
            other.cancel()
        while len(jobs) >= MOST_JOBS:
            jobs.pop(next(iter(jobs)))
        jobs[key] = Job(lambda: _steps(analysis))
    elif jobs[key].cancelled and not jobs[key].failure and st.session_state.get("evidence_again"):
        jobs[key] = Job(lambda: _steps(analysis))
    return jobs[key]


def begin_again(analysis: Analysis) -> None:
    """Drop what was found for an analysis, so that the next look begins anew."""
    st.session_state.get("evidence", {}).pop((analysis.dataset.key, analysis.settings), None)


def _steps(analysis: Analysis) -> Iterator[Evidence]:
    source = analysis.dataset.source
    evidence = Evidence(0.0, "resampling")
    whole = 0.5 if isinstance(source, RatedDocuments) else 1.0
    path = analysis.path("smooth")
    for bootstrap in bootstrap_points(source, smooth_fit(source), path, TARGETS, generator=np.random.default_rng(0)):
        evidence = Evidence(whole * bootstrap.done / bootstrap.requested, "resampling", bootstrap)
        yield evidence
    if evidence.bootstrap is not None:
        evidence = replace(evidence, resampled=True, bands=evidence.bootstrap.bands())
        yield evidence
    if isinstance(source, RatedDocuments):
        for step in held_out_steps(source, _methods(analysis.settings), TARGETS):
            done = whole + (1 - whole) * step.done / step.total
            evidence = replace(evidence, share_done=done, doing=f"holding out, {step.method}")
            if step.done == step.total:
                evidence = replace(evidence, held_out=step.counts)
            yield evidence


def _methods(settings: Settings) -> dict[str, Method]:
    """How each method finds its path on part of the data."""

    def surfaces(documents: RatedDocuments) -> ThresholdPath:
        return graph_path(_surfaces(documents))

    def _surfaces(documents: RatedDocuments):  # type: ignore[no-untyped-def]
        return count_surfaces(
            documents, rule=settings.rule, resolution=settings.resolution, spacing=settings.spacing
        )

    return {
        "smooth": lambda documents: smooth_path(documents, rule=settings.rule),
        "graph": surfaces,
        "mean graph": lambda documents: mean_graph_path(
            _surfaces(documents), np.random.default_rng(0), documents=documents
        ),
        "analytic power": lambda documents: analytic_path(documents, family="power", rule=settings.rule),
        "analytic beta": lambda documents: analytic_path(documents, family="beta", rule=settings.rule),
        "benchmark": lambda documents: benchmark_path(_surfaces(documents)),
    }
