"""A scikit-learn estimator that chooses thresholds."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.numerics.arrays import Floats
from multiloss_core.tables.rating_column import guess_meanings
from multiloss_core.thresholds.data.counts import Rule, turning_points
from multiloss_core.thresholds.data.document_checks import checked_names, estimated_floors, require_usable_scores
from multiloss_core.thresholds.data.grid_counts import Spacing
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.data.rating_floors import FloorMethod
from multiloss_core.thresholds.paths.methods import PATH_METHODS, SMOOTH, PathSearch
from multiloss_core.thresholds.paths.operating_point import OperatingPoint, operating_point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

NUMBER_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
# Weights beyond this sum are not repeated as rows, which would fill the memory.
MAX_REPEATED = 10_000_000


class ThresholdSelector(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Choose one threshold for each of k classifiers at a target marginal precision.

    Parameters
    ----------
    marginal_precision : share in (0, 1) of the last documents added that must be positive.
    rule : "any" or "all" of the scores must reach their thresholds.
    method : name of a method of `PATH_METHODS` whose thresholds rise along the path (all but the benchmark).
    resolution, spacing : grid of the methods that need one, see `count_surfaces`.
    floors : (k,) rating floors, or names of scores -> floors; those that are not given are estimated.
    floor_method : "corner" or "jump", where both estimates of floors differ (see `estimate_floors`).
    pos_label : the label that means positive. Left out, it is the larger one of two numbers, also in words ("one",
        "two"), and of other words the one that means fraud (see `guess_meanings`).

    Attributes
    ----------
    thresholds_ : (k,), infinity for never. `path_` : the `ThresholdPath`. `point_` : the `OperatingPoint`.
    classes_ : the two labels, sorted. `positive_` : the position of the positive one.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import ThresholdSelector, simulate_population
    >>> documents = simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    >>> selector = ThresholdSelector(marginal_precision=0.2, floors=documents.floors)
    >>> selector = selector.fit(documents.scores, documents.labels)
    >>> int(selector.predict(documents.scores).sum())
    155
    """

    classes_: NDArray[Any]
    positive_: int
    thresholds_: Floats
    path_: ThresholdPath
    point_: OperatingPoint

    def __init__(
        self,
        marginal_precision: float = 0.2,
        rule: Rule = "any",
        method: str = SMOOTH.name,
        resolution: int = 100,
        spacing: Spacing = "positives",
        pos_label: Any = None,
        floors: ArrayLike | Mapping[str, float] | None = None,
        floor_method: FloorMethod | None = None,
    ) -> None:
        self.marginal_precision = marginal_precision
        self.rule = rule
        self.method = method
        self.resolution = resolution
        self.spacing = spacing
        self.pos_label = pos_label
        self.floors = floors
        self.floor_method = floor_method

    def fit(
        self,
        X: Any,  # noqa: N803 - scikit-learn passes scores and labels by these names
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the thresholds from rated documents; those below all floors are left out.

        Parameters
        ----------
        X : (n, k) scores, higher = more suspicious, NaN where blank; columns of a DataFrame give the names.
        y : (n,) labels of two values, of which one means positive (see `pos_label`).
        sample_weight : (n,) numbers >= 0, how many documents each stands for; those of 0 are left out. As anywhere in
            scikit-learn, whole numbers without groups repeat a document; others are weights of a sample.
        groups : (n,) which documents belong together.

        Raises
        ------
        UncertainFloorsError : both estimates of floors that are not given differ.
        DataError : data that cannot be used, words of which it is not certain which one means positive, an unknown
            method, a target outside (0, 1).
        """
        table, known = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        table = _with_blanks(table)
        check_classification_targets(known)
        self.classes_, codes = np.unique(known, return_inverse=True)
        self.positive_ = positive_position(self.classes_, self.pos_label, y)
        weights = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if weights.shape != codes.shape:
            raise DataError(f"There must be one weight for each of the {len(codes):,} documents.")
        counted = weights != 0
        if not counted.any():
            raise DataError("All sample weights are zero; give at least one document of each class a weight.")
        if len(np.unique(codes[counted])) != 2:
            raise DataError("Documents of one class only have a weight above 0; both classes are needed.")
        if groups is None and weights.sum() <= MAX_REPEATED and (weights == np.rint(weights)).all():
            counted, weights = np.repeat(np.arange(len(codes)), weights.astype(np.intp)), np.ones(len(codes))
        rows = counted if counted.dtype.kind == "i" else np.flatnonzero(counted)
        names = checked_names(getattr(self, "feature_names_in_", None), table.shape[1])
        require_usable_scores(table[rows], names)
        is_listed = self.floors is not None and not isinstance(self.floors, Mapping)
        known_floors: Any = np.asarray(self.floors, dtype=np.float64).tolist() if is_listed else self.floors
        floors = estimated_floors(table[rows], names, known_floors, self.floor_method, rows)
        kept = (table[rows] >= floors).any(axis=1)
        documents = RatedDocuments(
            table[rows][kept],
            codes[rows][kept] == self.positive_,
            weights[counted][kept],
            names,
            floors.tolist(),
            groups=None if groups is None else np.asarray(groups)[rows][kept],
        )
        method = next((method for method in PATH_METHODS if method.name == self.method), None)
        if method is None:
            raise DataError(f"There is no method '{self.method}'; choose {', '.join(m.name for m in PATH_METHODS)}.")
        self.path_ = method.find(PathSearch(documents, self.rule, self.resolution, self.spacing))
        if not self.path_.monotone:
            raise DataError(f"Method '{self.method}' finds no path along which thresholds rise; choose another.")
        self.point_ = operating_point(self.path_, self.marginal_precision)
        self.thresholds_ = self.point_.thresholds
        return self

    def decision_function(self, X: Any) -> Floats:  # noqa: N803
        """Score documents (n,) by the number of vertices beyond the chosen one that flag each.

        Above 0 where the chosen thresholds flag it; the larger, the stricter the thresholds that still would. Negated
        where the positive label is the first of `classes_`, as scikit-learn's scores stand for the second.
        """
        check_is_fitted(self)
        table = _with_blanks(validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan"))
        chosen = int(np.flatnonzero((self.path_.thresholds == self.thresholds_).all(axis=1))[0])
        # A document is flagged at every vertex before its turning point.
        beyond = turning_points(table, self.path_.thresholds, self.rule) - (chosen + 0.5)
        return np.asarray(beyond if self.positive_ else -beyond, dtype=np.float64)

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Label documents (n,): the positive class where the chosen thresholds flag them."""
        check_is_fitted(self)
        table = _with_blanks(validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan"))
        return self.classes_[np.where(self.point_.flags(table), self.positive_, 1 - self.positive_)]

    def __sklearn_tags__(self) -> Any:
        """Two classes only, and scores for features: a poor classifier of arbitrary data."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags


def _with_blanks(scores: Floats) -> Floats:
    """Replace NaN, of a blank score, by a number that reaches no threshold."""
    return np.where(np.isnan(scores), -np.inf, scores)


def positive_position(labels: NDArray[Any], pos_label: Any, y: Any) -> int:
    """Find which of two labels (2,) of `y` means positive, by its words or its name.

    Raises DataError for another number of labels, and where that is not certain.
    """
    if len(labels) != 2:
        raise DataError(f"Only binary classification is supported: two classes, not {len(labels)} classes.")
    shown = f"'{shortened(str(labels[0]))}' and '{shortened(str(labels[1]))}'"
    if pos_label is not None:
        if not (labels == pos_label).any():
            raise DataError(f"The labels are {shown}; set pos_label to one of them, not to {pos_label!r}.")
        return int((labels == pos_label).argmax())
    if labels.dtype.kind in "biuf":
        return 1
    words = [str(label).strip().lower() for label in labels]
    if set(words) <= set(NUMBER_WORDS):
        return int(NUMBER_WORDS.index(words[1]) > NUMBER_WORDS.index(words[0]))
    meanings = [*guess_meanings(words, str(getattr(y, "name", None) or "label")).values()]
    if set(meanings) == {"positive", "negative"}:
        return meanings.index("positive")
    raise DataError(f"Which of the labels {shown} means positive is not certain; set pos_label to the one that does.")
