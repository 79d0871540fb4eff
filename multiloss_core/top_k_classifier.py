"""A scikit-learn estimator that predicts the optimal top k of a batch or of each row."""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.utils import assert_all_finite, get_tags, indexable
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from multiloss_core.errors import DataError
from multiloss_core.losses.batches import BatchTopK, batch_top_k
from multiloss_core.losses.multivariate import LOSSES, Loss, LossFunction
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.threshold_selector import positive_position

CALIBRATIONS = ("isotonic", "sigmoid")


class TopKClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Predict labels with the smallest expected loss under probabilities of a classifier.

    The prediction of an item depends on the others: for F1, a batch with few likely positives is cut lower than one
    with many. Labels are taken as independent given the features.

    Parameters
    ----------
    estimator : classifier, with `predict_proba` if `calibrate` is None. One clone is fitted for each label; of one
        for all labels at once, such as a `ClassifierChain`, a clone of the estimator in it.
    loss : name in `LOSSES`, a `Loss` such as `F(2.0)`, or a function phi(u, v, p).
    calibrate : "isotonic" or "sigmoid" calibrates the probabilities on held-out folds (`CalibratedClassifierCV`); None
        takes them as they are. The optimum needs true probabilities: without calibration it may lose 8 points of F1
        against one tuned threshold, with isotonic calibration it equals that. It gains where batches or rows differ in
        their share of positives.
    per : "batch" chooses one k for each label over all rows given to `predict`; "row" one k for each row over its
        labels (a vector has one label in each row).
    at_least : least number of items predicted positive in each batch or row, see `optimal_top_k`.
    cv : folds for calibration, as in scikit-learn. A number, at least 2, falls to the rows of the rarer class. For one
        row of it the label is not calibrated; without `predict_proba` each row then gets its share.
    pos_label : the label that means positive, as in `ThresholdSelector`; not for an indicator matrix.
    empty_rows : with per="row" and several labels, fit the probability of a row without any label by a classifier of
        its own (see `empty` of `batch_top_k`), as labels are seldom independent.

    Attributes
    ----------
    estimators_ : the fitted classifiers of the L labels (1 if `y` is a vector).
    empty_estimator_ : the fitted classifier of rows without any label, or None.
    classes_ : the two labels, sorted; for an indicator matrix, the L columns 0..L - 1.
    positive_ : the position of the positive label in `classes_`; 1 for an indicator matrix.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from multiloss_core import TopKClassifier
    >>> features, labels = make_classification(1_000, weights=[0.9], class_sep=0.7, flip_y=0.1, random_state=0)
    >>> classifier = TopKClassifier(LogisticRegression(), loss="F1").fit(features[:500], labels[:500])
    >>> int(classifier.predict(features[500:]).sum()), classifier.top_k(features[500:]).expected_loss.round(2).tolist()
    (56, [0.37])
    """

    estimators_: list[Any]
    empty_estimator_: Any
    classes_: NDArray[Any]
    positive_: int

    def __init__(
        self,
        estimator: Any,
        loss: str | Loss | LossFunction = "F1",
        calibrate: Literal["isotonic", "sigmoid"] | None = "isotonic",
        per: Literal["batch", "row"] = "batch",
        at_least: int = 0,
        cv: Any = 5,
        pos_label: Any = None,
        empty_rows: bool = True,
    ) -> None:
        self.estimator = estimator
        self.loss = loss
        self.calibrate = calibrate
        self.per = per
        self.at_least = at_least
        self.cv = cv
        self.pos_label = pos_label
        self.empty_rows = empty_rows

    def fit(
        self,
        X: Any,  # noqa: N803 - scikit-learn passes features and labels by these names
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit the estimator for each label.

        Parameters
        ----------
        X : (n, features), as the estimator takes them.
        y : (n,) labels of two values, or an indicator matrix (n, L) of 0 and 1.
        sample_weight : (n,) for estimators that take weights.

        Raises
        ------
        DataError : an unknown loss, calibration or `per`, a target of another kind, or probabilities that are missing.
        """
        self._loss()
        if self.calibrate not in (None, *CALIBRATIONS):
            raise DataError(f"calibrate is {self.calibrate!r}; choose None, 'isotonic' or 'sigmoid'.")
        if self.calibrate is None and not hasattr(self.estimator, "predict_proba"):
            raise DataError(f"{type(self.estimator).__name__} has no predict_proba; set calibrate to 'isotonic'.")
        if isinstance(self.cv, int | np.integer) and self.cv < 2:
            raise DataError(f"cv is {self.cv!r}; choose at least 2 folds.")
        X, y = indexable(X, y)  # noqa: N806
        positives = self._positives(y)
        self.estimators_ = [self._fitted(X, column.astype(int), sample_weight) for column in positives.T]
        self.empty_estimator_ = None
        if self.empty_rows and self.per == "row" and positives.shape[1] > 1:
            self.empty_estimator_ = self._fitted(X, (~positives.any(axis=1)).astype(int), sample_weight)
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self.estimators_[0], name):
                setattr(self, name, getattr(self.estimators_[0], name))
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Compute probabilities of both `classes_` (n, 2), or of each column (n, L)."""
        positive = self._probabilities(X)
        if self.multilabel_:
            return positive
        return np.hstack([1.0 - positive, positive] if self.positive_ else [positive, 1.0 - positive])

    def top_k(self, X: Any) -> BatchTopK:  # noqa: N803
        """Find the optimal top k of each label (per="batch") or row (per="row")."""
        probabilities = self._probabilities(X)
        rows = probabilities if self.per == "row" else np.ascontiguousarray(probabilities.T)
        empty = None if self.empty_estimator_ is None else _probability(self.empty_estimator_, X)
        return batch_top_k(rows, self._loss(), at_least=self.at_least, empty=empty)

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Label the rows, (n,) or an indicator (n, L): those of smallest expected loss."""
        selected = np.asarray(self.top_k(X).selected)
        if self.per == "batch":
            selected = selected.T
        if self.multilabel_:
            return selected.astype(self.dtype_)
        return self.classes_[np.where(selected[:, 0], self.positive_, 1 - self.positive_)]

    def __sklearn_tags__(self) -> Any:
        """Two classes or an indicator matrix; features as the estimator takes them."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def _loss(self) -> Loss | LossFunction:
        if not isinstance(self.loss, str):
            return self.loss
        if self.loss not in LOSSES:
            raise DataError(f"There is no loss {self.loss!r}; choose {', '.join(LOSSES)}, or give a loss.")
        return LOSSES[self.loss]

    def _positives(self, y: Any) -> Bools:
        """Check the target and return which labels are positive, (n, L)."""
        assert_all_finite(y if hasattr(y, "toarray") else np.asarray(y), input_name="y")
        check_classification_targets(y)
        kind = type_of_target(y, input_name="y")
        self.multilabel_ = kind == "multilabel-indicator"
        if self.per not in ("batch", "row"):
            raise DataError(f"per is {self.per!r}; choose 'batch' or 'row'.")
        if self.multilabel_:
            table = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
            if not np.isin(table, (0, 1)).all():
                raise DataError("The indicator matrix of the labels has other values than 0 and 1; give only these.")
            self.classes_, self.positive_, self.dtype_ = np.arange(table.shape[1]), 1, table.dtype
            return np.asarray(table == 1)
        known = column_or_1d(y, warn=True)
        self.classes_ = np.unique(known)
        self.positive_ = positive_position(self.classes_, self.pos_label, y)
        return np.asarray(known == self.classes_[self.positive_])[:, np.newaxis]

    def _fitted(self, X: Any, codes: Indices, sample_weight: ArrayLike | None) -> Any:  # noqa: N803
        """Fit a clone to codes (n,) of 0 and 1; a label with too few of one keeps its share."""
        fewest = int(np.bincount(codes, minlength=2).min())
        folds = min(self.cv, fewest) if isinstance(self.cv, int | np.integer) else self.cv
        if fewest == 0 or (folds == 1 and not hasattr(self.estimator, "predict_proba")):
            model = DummyClassifier(strategy="prior")
        elif self.calibrate is None or folds == 1:
            model = clone(_of_one_label(self.estimator))
        else:
            model = CalibratedClassifierCV(
                clone(_of_one_label(self.estimator)), method=self.calibrate, cv=folds, ensemble=False
            )
        return model.fit(X, codes, **({} if sample_weight is None else {"sample_weight": sample_weight}))

    def _probabilities(self, X: Any) -> Floats:  # noqa: N803
        """Compute the probability of each label, (n, L)."""
        check_is_fitted(self)
        return np.column_stack([_probability(model, X) for model in self.estimators_])


def _probability(model: Any, X: Any) -> Floats:  # noqa: N803
    """Compute the probability of code 1 (n,), 0 where the model has never seen it."""
    return np.asarray(model.predict_proba(X) @ (model.classes_ == 1), dtype=np.float64)


def _of_one_label(estimator: Any) -> Any:
    """Return the estimator of one label in one for all labels. Raises DataError: none."""
    if hasattr(estimator, "steps"):
        name, last = estimator.steps[-1]
        inner = _of_one_label(last)
        return estimator if inner is last else clone(estimator).set_params(**{name: inner})
    inner = getattr(estimator, "estimator", None) or getattr(estimator, "base_estimator", None)
    if hasattr(estimator, "__sklearn_tags__") and not get_tags(estimator).target_tags.single_output:
        if hasattr(inner, "fit"):
            return inner
    elif (
        not (hasattr(estimator, "param_grid") or hasattr(estimator, "param_distributions"))
        or _of_one_label(inner) is inner
    ):
        return estimator
    raise DataError(f"{type(estimator).__name__} takes all labels at once; give the estimator for one label.")
