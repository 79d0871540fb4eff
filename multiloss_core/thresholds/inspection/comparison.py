"""Current against proposed thresholds: both counts, and the documents that lie between the two."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices, ratio
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces, node_index
from multiloss_core.thresholds.data.flagging import Rule, checked_thresholds, flagged, rated_in_full, require_rule
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.inspection.document_subset import Selection, counted_selection, selection


@dataclass(frozen=True, eq=False)
class CountedThresholds:
    """Thresholds (k,), infinity for never, with the TP and FP (weights) of the rated documents that they flag.

    For a table of counts the thresholds are those of the node that was counted. `complete` is false where they also flag
    documents that were never rated: then the counts are lower bounds and the precision is not known.
    """

    thresholds: Floats
    tp: float
    fp: float
    complete: bool

    @property
    def alerts(self) -> float:
        """TP + FP: how many rated documents are flagged."""
        return self.tp + self.fp

    @property
    def precision(self) -> float:
        """TP / (TP + FP); not a number where nothing is flagged or some of it was never rated."""
        return ratio(self.tp, self.alerts) if self.complete else float("nan")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two sets of thresholds under one rule. Differences are proposed less current.

    `added`: flagged by the proposed thresholds only; `dropped`: by the current ones only. Where thresholds reach below
    the floors, these are the rated ones among them.
    """

    current: CountedThresholds
    proposed: CountedThresholds
    added: Selection
    dropped: Selection
    rule: Rule

    @property
    def tp_difference(self) -> float:
        """True positives more (or, below 0, fewer)."""
        return self.proposed.tp - self.current.tp

    @property
    def fp_difference(self) -> float:
        """False positives more."""
        return self.proposed.fp - self.current.fp

    @property
    def alerts_difference(self) -> float:
        """Alerts more."""
        return self.proposed.alerts - self.current.alerts

    @property
    def precision_difference(self) -> float:
        """Precision more, as a share; not a number where either is not known."""
        return self.proposed.precision - self.current.precision


def compare(source: RatedDocuments | CountSurfaces, current: ArrayLike, proposed: ArrayLike, rule: Rule) -> Comparison:
    """Current and proposed thresholds (k,) of the same data, infinity for never, and what lies between them.

    Of documents everything is exact, also which ones. A table of counts tells no documents, and thresholds between its
    nodes are counted at the next node up; how many lie between is still known: what either flags is, under `any`, what
    the lower of each two thresholds flags, and what both flag is, under `all`, what the higher ones flag.

    Raises
    ------
    DataError : not one usable threshold for each classifier, another rule than the table's, or a threshold below the
        first node of a table.
    """
    require_rule(rule)
    first, second = (checked_thresholds(values, source.names) for values in (current, proposed))
    if isinstance(source, CountSurfaces):
        return _compare_on_surfaces(source, first, second, rule)
    before, after = flagged(source.scores, first, rule), flagged(source.scores, second, rule)
    return Comparison(
        _counted(source, first, before, rule),
        _counted(source, second, after, rule),
        selection(source, after & ~before),
        selection(source, before & ~after),
        rule,
    )


def _counted(documents: RatedDocuments, thresholds: Floats, chosen: Bools, rule: Rule) -> CountedThresholds:
    tp, fp = (float(documents.weights[chosen & kind].sum()) for kind in (documents.labels, ~documents.labels))
    return CountedThresholds(thresholds, tp, fp, rated_in_full(documents.floors, thresholds, rule))


def _compare_on_surfaces(surfaces: CountSurfaces, current: Floats, proposed: Floats, rule: Rule) -> Comparison:
    if rule != surfaces.rule:
        raise DataError(f"The table of counts is for rule '{surfaces.rule}', not '{rule}'.")
    for thresholds in (current, proposed):
        for name, floor, value in zip(surfaces.names, surfaces.floors, thresholds, strict=True):
            if value < floor:
                raise DataError(
                    f"The threshold of '{name}', {value:g}, lies below the first one of the table, {floor:g}; what it "
                    "flags is not known."
                )
    nodes = node_index(surfaces.axes, np.array([current, proposed]))
    meeting = nodes.min(axis=0) if rule == "any" else nodes.max(axis=0)
    (before, after), common = (_at(surfaces, node) for node in nodes), _at(surfaces, meeting)
    more, fewer = (before, after) if rule == "any" else (after, before)
    added, dropped = (
        counted_selection(abs(common.tp - other.tp), abs(common.fp - other.fp)) for other in (more, fewer)
    )
    return Comparison(before, after, added, dropped, rule)


def _at(surfaces: CountSurfaces, node: Indices) -> CountedThresholds:
    index = tuple(int(i) for i in node)
    thresholds = np.array([axis[i] for axis, i in zip(surfaces.axes, index, strict=True)])
    return CountedThresholds(thresholds, float(surfaces.tp[index]), float(surfaces.fp[index]), True)
