"""Count methods on documents that did not choose their thresholds (cross-fitting)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import UNDEFINED, Bools, Floats, ratio
from multiloss_core.thresholds.data.counts import Counts, Rule, flagged_weights
from multiloss_core.thresholds.data.folds import document_folds
from multiloss_core.thresholds.data.rated_counts import CellCounts, RatedCounts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.operating_point import operating_points
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

Method = Callable[[Any], ThresholdPath]


@dataclass(frozen=True, eq=False, kw_only=True)
class CrossFittedCounts(Counts[Floats]):
    """Cross-fitted TP and FP (m,) at targets (m,), adjusted for the smaller sample.

    Plain cross-fitting (`plain`, `plain_area`) flags each fold's documents by thresholds chosen without them. Those
    come from fewer documents and differ from the choice from all, so the counts themselves and `area` are adjusted by
    how much the choice from all and, on average, those without a fold differ when both are counted on all documents
    (the corrected cross-validation of Burman 1989, Biometrika 76). The counts stand for all documents: if only some
    folds were counted they are scaled up, positives and negatives each by their weight.

    The plain area is the share of (positive, negative) pairs within one fold that the path fitted on the other folds
    orders correctly, tied pairs counting half, pooled over folds by weight: the normalised area of the path
    on the fold, in [0, 1]. `in_sample` and `in_sample_area` are of the path fitted on all documents, counted on the
    same documents; their excess over the others is optimism.

    `thresholds` (f, m, k): those chosen without each fold, NaN where it was not counted.

    `folds_counted` of `folds` were counted. `folds_left_out` could not be: the other folds had too few documents to
    choose thresholds (no positive or no negative, one score only, or none at a floor). Numbers are NaN if no positive
    (or no negative) was counted.
    """

    targets: Floats
    area: float
    plain: Counts[Floats]
    plain_area: float
    in_sample: Counts[Floats]
    in_sample_area: float
    thresholds: Floats
    folds: int
    folds_counted: int
    folds_left_out: int


@dataclass(frozen=True, eq=False, kw_only=True)
class CrossFittingStep:
    """Progress after `done` of `total` fits, the last of `method`, with the counts so far."""

    done: int
    total: int
    method: str
    counts: Mapping[str, CrossFittedCounts]


def cross_fit(
    documents: RatedDocuments | RatedCounts,
    methods: Mapping[str, Method],
    targets: Sequence[float] | Floats,
    *,
    folds: int = 5,
    seed: int = 0,
) -> dict[str, CrossFittedCounts]:
    """Cross-fit methods: TP, FP and area at target marginal precisions (m,).

    For each fold, `methods[name]` finds a path on the other folds, its operating point at each target is counted on the
    fold left out, and the counts are summed over folds. A target has the same meaning on fewer documents, so thresholds
    carry over; the counts are adjusted for the smaller number of documents. Groups stay whole (see `document_folds`).
    Each method is fitted once more than there are folds; the first fit is on `documents` itself, for which a method
    may return a known path. Documents that were counted in cells are dealt to the folds at random.

    Raises DataError: a target outside (0, 1), fewer than two folds, one group only, or a method that cannot be fitted
    on all documents.
    """
    counts: Mapping[str, CrossFittedCounts] = {}
    for step in cross_fit_steps(documents, methods, targets, folds=folds, seed=seed):
        counts = step.counts
    return dict(counts)


def cross_fit_steps(
    documents: RatedDocuments | RatedCounts,
    methods: Mapping[str, Method],
    targets: Sequence[float] | Floats,
    *,
    folds: int = 5,
    seed: int = 0,
) -> Iterator[CrossFittingStep]:
    """Cross-fit step by step; the last step holds the counts of `cross_fit`.

    First each method is fitted on all documents, then fold by fold on the others; the counts so far always stand for
    all documents.
    """
    wanted = np.asarray(targets, dtype=np.float64)
    parts = _parts(documents, folds, seed)
    total = (len(parts) + 1) * len(methods)
    tallies: dict[str, _Tally] = {}
    done = 0

    def step(name: str) -> CrossFittingStep:
        counts = {known: tally.counts() for known, tally in tallies.items()}
        return CrossFittingStep(done=done, total=total, method=name, counts=counts)

    for name, method in methods.items():
        tallies[name] = _Tally(documents, method(documents), wanted, len(parts))
        done += 1
        yield step(name)
    for part in parts:
        for name, method in methods.items():
            tallies[name].add(part, _path_or_none(method, part.others))
            done += 1
            yield step(name)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Part:
    """A held-out fold: its count function for thresholds (m, k), class weights (2,), the rest.

    `others` is None if these are too few to choose thresholds.
    """

    counts: Callable[[Floats, Rule], Floats]
    weights: Floats
    others: RatedDocuments | RatedCounts | None


def _parts(source: RatedDocuments | RatedCounts, folds: int, seed: int) -> list[_Part]:
    if isinstance(source, RatedCounts):
        generator = np.random.default_rng(seed)
        return [_part_of_cells(source, part) for part in source.counted.dealt(folds, generator)]
    fold = document_folds(source, folds, seed)
    return [_part_of_documents(source, fold == number) for number in range(int(fold.max()) + 1)]


def _part_of_documents(documents: RatedDocuments, rows: Bools) -> _Part:
    labels, weights = documents.labels[rows], documents.weights[rows]
    try:
        others = documents.part(~rows)
    except DataError:
        others = None
    return _Part(
        counts=lambda thresholds, rule: _counts(documents, rows, thresholds, rule),
        weights=np.array([weights[labels].sum(), weights[~labels].sum()]),
        others=others,
    )


def _part_of_cells(source: RatedCounts, cells: CellCounts) -> _Part:
    part, others = source.of(cells), source.of(source.counted.without(cells))
    kinds = others.counted.documents.sum(axis=0)
    return _Part(
        counts=lambda thresholds, rule: np.array([*part.counts_along(thresholds, rule)]),
        weights=np.array([*part.totals]),
        others=others if kinds.all() else None,
    )


class _Tally:
    """Sums over the folds of one method."""

    def __init__(
        self, documents: RatedDocuments | RatedCounts, path: ThresholdPath, targets: Floats, folds: int
    ) -> None:
        self.documents, self.targets, self.folds = documents, targets, folds
        points = operating_points(path, targets)
        self.in_sample = np.array([[point.tp for point in points], [point.fp for point in points]])
        self.in_sample_area = float(path.normalised_area)
        self.outside, self.on_all = np.zeros((2, len(targets))), np.zeros((2, len(targets)))
        self.weight_outside = np.zeros(2)
        self.area_outside = self.pairs_outside = self.area_on_all = 0.0
        self.thresholds = np.full((folds, len(targets), len(path.names)), UNDEFINED)
        self.counted = self.left_out = 0

    def add(self, part: _Part, path: ThresholdPath | None) -> None:
        """Count a fold with the path found without it, if there is one."""
        number = self.counted + self.left_out
        if path is None:
            self.left_out += 1
            return
        self.counted += 1
        self.weight_outside += part.weights
        chosen = [point.thresholds for point in operating_points(path, self.targets)]
        thresholds = np.reshape(chosen, (len(self.targets), len(path.names)))
        self.thresholds[number] = thresholds
        self.outside += part.counts(thresholds, path.rule)
        self.on_all += np.array([*self.documents.counts_along(thresholds, path.rule)])
        area, pairs = _area(*part.counts(path.thresholds, path.rule))
        self.area_outside += area
        self.pairs_outside += pairs
        area, pairs = _area(*self.documents.counts_along(path.thresholds, path.rule))
        self.area_on_all += area / pairs if pairs else UNDEFINED

    def counts(self) -> CrossFittedCounts:
        """Compute the counts that stand for all documents."""
        totals = self.documents.totals
        whole = np.array([totals.tp, totals.fp])
        counted = max(self.counted, 1)
        plain = self.outside
        if self.counted < self.folds:
            plain = plain * ratio(whole, self.weight_outside)[:, np.newaxis]
        adjusted = (plain + (self.in_sample - self.on_all / counted)).clip(0.0, whole[:, np.newaxis])
        plain_area = self.area_outside / self.pairs_outside if self.pairs_outside else UNDEFINED
        return CrossFittedCounts(
            *adjusted,
            targets=self.targets,
            area=float(np.clip(plain_area + (self.in_sample_area - self.area_on_all / counted), 0.0, 1.0)),
            plain=Counts(*plain.copy()),
            plain_area=plain_area,
            in_sample=Counts(*self.in_sample),
            in_sample_area=self.in_sample_area,
            thresholds=self.thresholds.copy(),
            folds=self.folds,
            folds_counted=self.counted,
            folds_left_out=self.left_out,
        )


def _path_or_none(method: Method, documents: RatedDocuments | RatedCounts | None) -> ThresholdPath | None:
    if documents is None:
        return None
    try:
        return method(documents)
    except DataError:
        return None


def _counts(documents: RatedDocuments, rows: Bools, thresholds: Floats, rule: Rule) -> Floats:
    """Count TP and FP, (2, m), among some rows at thresholds (m, k)."""
    kinds = rows & documents.labels, rows & ~documents.labels
    return np.array(
        [flagged_weights(documents.scores[kind], documents.weights[kind], thresholds, rule) for kind in kinds]
    )


def _area(tp: Floats, fp: Floats) -> tuple[float, float]:
    """Integrate TP dFP along counts (m,); returned with the number of pairs at the floors.

    Documents that even the last thresholds flag stay tied at the top.
    """
    tp, fp = np.append(tp, 0.0), np.append(fp, 0.0)
    return float(np.sum(-np.diff(fp) * (tp[1:] + tp[:-1]) / 2)), float(tp[0] * fp[0])
