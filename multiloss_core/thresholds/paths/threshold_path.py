"""Represent a path through threshold space: a partial ROC curve with its majorant."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.formatting import as_html_table, score_name
from multiloss_core.numerics.arrays import Floats, Indices, number_array, rounding_tolerance
from multiloss_core.numerics.concave_majorant import concave_majorant
from multiloss_core.thresholds.data.counts import Counts, Rule


@dataclass(frozen=True, eq=False)
class ConcaveMajorant:
    """Corners of a path's upper concave hull in the TP-FP plane, strictest first.

    `vertices` (b + 1,) are positions in the path; `marginal_precisions` (b,) falls: entry i is the share of positives
    among the documents that the step from corner i to corner i + 1 adds.
    """

    vertices: Indices
    marginal_precisions: Floats


@dataclass(frozen=True, eq=False)
class ThresholdPath:
    """Threshold vectors from the loosest (floors) to the strictest, with validated counts.

    `thresholds` (m, k) never fall from one vertex to the next (except for the benchmark, see `monotone`), so `tp` and
    `fp` (m,) never rise. `method`: name of the path method; `parameters`: its fitted values. An infinite threshold
    is never. `smooth_tp` and `smooth_fp` (m,) are optional counts expected by a fit; tangent points are then taken on
    them. `rated` counts all rated documents under any rule, by default those that the first vertex flags.

    Raises DataError: fewer than two vertices, shapes that do not fit, thresholds that fall or counts that rise.

    Examples
    --------
    >>> from multiloss_core import ThresholdPath, operating_point
    >>> path = ThresholdPath([[0.5], [0.7], [0.9]], [9, 6, 1], [30, 6, 0], "by hand", "any", ("model",))
    >>> operating_point(path, 0.3).thresholds.tolist()
    [0.7]
    """

    thresholds: Floats
    tp: Floats
    fp: Floats
    method: str
    rule: Rule
    names: tuple[str, ...]
    monotone: bool = True
    parameters: Mapping[str, float] = field(default_factory=dict)
    smooth_tp: Floats | None = None
    smooth_fp: Floats | None = None
    rated: Counts[float] | None = None

    def __post_init__(self) -> None:
        for name in ("thresholds", "tp", "fp"):
            if not isinstance(getattr(self, name), np.ndarray):
                object.__setattr__(self, name, number_array(getattr(self, name), f"The {name} of a path"))
        count = self.thresholds.size // max(len(self.names), 1)
        if count < 2 or self.thresholds.shape != (count, len(self.names)):
            raise DataError(f"A path needs two vertices of {len(self.names)} thresholds, not {self.thresholds.shape}.")
        if self.tp.shape != (count,) or self.fp.shape != (count,):
            raise DataError(
                f"A path of {count} vertices needs as many counts, not {self.tp.shape} and {self.fp.shape}."
            )
        # Compared, not subtracted: the difference of two infinities is NaN.
        if self.monotone and (self.thresholds[1:] < self.thresholds[:-1]).any():
            raise DataError("Thresholds may not fall along a path.")
        for counts in (self.tp, self.fp, *self._smooth_counts):
            if (np.diff(counts) > rounding_tolerance(counts)).any():
                raise DataError("Counts may not rise along a path.")

    def __repr__(self) -> str:
        return (
            f"ThresholdPath({self.method}: {len(self.tp)} vertices of {', '.join(self.names)}; rule {self.rule}; "
            f"normalised area {self.normalised_area:.4f})"
        )

    def _repr_html_(self) -> str:
        cells = {"classifiers": ", ".join(map(score_name, self.names)), "rule": self.rule, "vertices": len(self.tp)}
        return as_html_table(f"Path: {self.method}", cells | {"normalised area": f"{self.normalised_area:.4f}"})

    @property
    def reachable(self) -> Counts[float]:
        """Return TP and FP at the first vertex, the maximum under this rule."""
        return Counts(float(self.tp[0]), float(self.fp[0]))

    @property
    def totals(self) -> Counts[float]:
        """Return the weights of rated positives and negatives, under any rule."""
        return self.rated or self.reachable

    @property
    def _smooth_counts(self) -> tuple[Floats, ...]:
        return () if self.smooth_tp is None or self.smooth_fp is None else (self.smooth_tp, self.smooth_fp)

    @property
    def area(self) -> float:
        """Integrate TP dFP: the area under the path's partial ROC curve, in documents squared."""
        return self.area_up_to(np.inf)

    def area_up_to(self, most_fp: float) -> float:
        """Integrate TP dFP up to an FP; a step across it counts with that part of its width."""
        return float(np.sum(-np.diff(np.minimum(self.fp, most_fp)) * (self.tp[1:] + self.tp[:-1]) / 2))

    @property
    def normalised_area(self) -> float:
        """Divide the area by TP x FP at the floors: a share in [0, 1], NaN where that is 0."""
        whole = float(self.tp[0] * self.fp[0])
        return self.area / whole if whole > 0 else float("nan")

    @cached_property
    def majorant(self) -> ConcaveMajorant:
        """Compute the concave majorant, with falling marginal precision along the path.

        Its corners are the tangent points of Robles et al. 2020. Computed once; O(m log m).
        """
        tp, fp = self._smooth_counts or (self.tp, self.fp)
        # Strictest first: of vertices with equal counts it is kept.
        corners, precisions = concave_majorant((tp + fp)[::-1], tp[::-1])
        return ConcaveMajorant(len(self.tp) - 1 - corners, precisions.clip(0.0, 1.0))
