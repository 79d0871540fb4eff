"""Choose thresholds for each value of a column, where they gain over common ones."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from operator import add
from typing import Self

import numpy as np

from multiloss_core.command_line.reading import CountedTable
from multiloss_core.datasets import RatedDataset
from multiloss_core.decisions import RecordedSegments, flagged_documents, recorded_segments, segment_key, segment_kind
from multiloss_core.engines import count_segments
from multiloss_core.errors import DataError
from multiloss_core.formatting import WITHIN_CHANCE, plural, shortened
from multiloss_core.generalisation import PointBootstrap, bootstrap_flagged, bootstrap_thresholds
from multiloss_core.numerics import Floats
from multiloss_core.segments import SegmentPaths, SegmentPoints, segment_paths
from multiloss_core.thresholds import Rule
from multiloss_core.thresholds.data.rated_counts import RatedCounts


@dataclass(frozen=True, kw_only=True, eq=False)
class ChoiceBySegment:
    """Own and common thresholds of the segments of a dataset at one marginal precision.

    `counted`: the counts of each segment where documents are counted in their engine, else empty.
    """

    column: str
    dataset: RatedDataset
    paths: SegmentPaths
    points: SegmentPoints
    counted: Mapping[str, RatedCounts]

    @classmethod
    def find(cls, dataset: RatedDataset, table: CountedTable | None, rule: Rule, target: float) -> Self:
        """Find thresholds for each value of the segment column, in `table` where it is counted.

        Raises DataError: a column that cannot be used, or groups that are counted in place.
        """
        column, source = dataset.columns.segment or "", dataset.source
        name_of = partial(segment_key, kind=segment_kind(dataset.frame[column]))
        if table is None or not isinstance(source, RatedCounts):
            decided, undecided = (
                np.array([name_of(cell) for cell in cells], dtype=object)
                for cells in (dataset.segments, dataset.undecided_segments)
                if cells is not None
            )
            paths, counted = segment_paths(dataset.documents, decided, rule=rule, undecided=undecided), {}
        else:
            if table.columns.group is not None:
                raise DataError(
                    f"Thresholds per value of '{shortened(column)}' need rows that are fetched where they come in "
                    "groups; choose a shorter range of dates with --since, or leave out --segment."
                )
            counted = count_segments(table.engine, table.table, table.columns, source, name_of=name_of)
            paths = segment_paths(source, counted, rule=rule)
        return cls(column=column, dataset=dataset, paths=paths, points=paths.points_at(target), counted=counted)

    @cached_property
    def recorded(self) -> RecordedSegments | None:
        """The own thresholds of each segment; None where common ones stay."""
        found = recorded_segments(self.column, self.paths, self.points, self.dataset.source.round_thresholds)
        return None if found is None else replace(found, kind=segment_kind(self.dataset.frame[self.column]))

    def bootstrap(self, common: Floats, segments: RecordedSegments) -> PointBootstrap:
        """Resample at the recorded thresholds of segments, and at `common` (k,) for other values."""
        rule, generator = self.paths.common.rule, np.random.default_rng(0)
        if not self.counted:
            documents = self.dataset.documents
            at = flagged_documents(documents, self.dataset.frame, documents.round_thresholds(common), rule, segments)
            return bootstrap_thresholds(at.documents, at.thresholds, at.rule, generator=generator)
        each = [
            self.counted[name].flagged_or_not(point.thresholds, rule)
            for names, point in zip(self.paths.members, self.points.own, strict=True)
            for name in names
        ]
        return bootstrap_flagged(reduce(add, each), common, rule, generator=generator)

    @property
    def note(self) -> str:
        """Whether own thresholds gain on held-out alerts, in a sentence."""
        values = plural(sum(map(len, self.paths.members)), "value")
        subject = f"Own thresholds for {values} of '{shortened(self.column)}'"
        gain = self.points.held_out_gain
        if gain.reason:
            return f"{subject} cannot be compared with common ones, as {gain.reason}; one set of thresholds stays."
        estimate, low, high = (
            f"{value:,.1f}".replace("-", "\N{MINUS SIGN}") for value in (gain.estimate, gain.low, gain.high)
        )
        words = f"{estimate} frauds net of false alerts at this target on held-out alerts (95 %: {low} to {high})"
        if self.recorded is not None:
            return f"{subject} gain {words}.{f' {WITHIN_CHANCE}' if gain.low <= 0 else ''}"
        return f"{subject} would gain {words}: no clear gain over all targets, so one set of thresholds stays."
