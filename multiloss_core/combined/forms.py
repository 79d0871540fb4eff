"""Compare forms of rule at the same number of alerts, on documents that they did not see."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, cast, get_args

import numpy as np

from multiloss_core.combined.fitting import FOLDS, combined_score
from multiloss_core.errors import DataError
from multiloss_core.generalisation.marginal_interval import Interval
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.tables.score_formula import ScoreFormula
from multiloss_core.thresholds.data.counts import Rule, require_rule, turning_points
from multiloss_core.thresholds.data.folds import document_folds
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.smooth.path import path_of_fit
from multiloss_core.thresholds.paths.smooth.smooth_fit import smooth_fit

Form = Literal["single", "any", "all", "combined"]
FORMS: tuple[Form, ...] = ("single", "any", "all", "combined")
_NORMAL_95 = 1.96


@dataclass(frozen=True, kw_only=True)
class FormOfRule:
    """The catches of a form of rule among new documents.

    `caught`: positives with their 95 % interval; `difference`: those less the positives of the present form.
    `score`: the name of the best single score, which most folds chose; None for other forms.
    """

    form: Form
    caught: Interval
    difference: Interval
    score: str | None = None


@dataclass(frozen=True, kw_only=True)
class FormsCompared:
    """Forms of rule at `alerts` alerts of rated documents, the present one among them.

    `formula`: the combined score, fitted to all documents, and `level` its lowest value among as many alerts.
    """

    alerts: float
    present: Rule
    forms: tuple[FormOfRule, ...]
    formula: ScoreFormula
    level: float

    def form(self, name: Form) -> FormOfRule:
        """Find a form by its name. Raises KeyError: it was not compared."""
        return {one.form: one for one in self.forms}[name]

    @property
    def better(self) -> FormOfRule | None:
        """The form that certainly catches more than the present one; None without any."""
        certain = [one for one in self.forms if one.form != self.present and one.difference.low > 0]
        return max(certain, key=lambda one: one.difference.estimate, default=None)


def compare_forms(documents: RatedDocuments, alerts: float, rule: Rule = "any", *, seed: int = 0) -> FormsCompared:
    """Compare forms of rule at a number of alerts (weight).

    The forms are the best single score, union, intersection and combined score.
    Documents are held out fold by fold, groups whole: paths (`smooth_path`) and formula come from the other folds. Of
    the documents of each fold every form flags the same share, those that lie highest: along its path, by the score
    that catches most on the other folds, or by the combined score; where some tie at the end, each in part. A
    difference is of the same documents: its variance is that of the positives which one form alone flags (McNemar
    1947), summed by group. With alert rules there is no intersection, and their documents are left out.

    Raises DataError: no combined score can be fitted, or no number of alerts within those that were rated.
    """
    require_rule(rule)
    combined = combined_score(documents, rule=rule, seed=seed)
    scored = _scored(documents)
    source = _by_scores(documents, scored)
    total = float(source.weights.sum())
    if not 0 < alerts <= total:
        raise DataError(f"Forms are compared at 1 to {total:,.0f} alerts, the rated ones, not at {alerts:,.0f}.")
    folds = document_folds(documents, FOLDS, seed)[scored]
    forms = [form for form in FORMS if form != "all" or not documents.alert_rules or rule == "all"]
    flags = {form: np.zeros(len(source.labels)) for form in forms}
    cross_fitted, best = combined.cross_fitted[scored], []
    share = alerts / total
    for number in range(int(folds.max()) + 1):
        held = folds == number
        others = source.part(~held)
        scores, weights = source.scores[held], source.weights[held]
        best.append(_best_score(others, share))
        orders: dict[Form, Floats] = {"single": scores[:, best[-1]], "combined": cross_fitted[held]}
        fit = smooth_fit(others)
        for form in forms:
            if form in get_args(Rule):
                path = path_of_fit(others, fit, cast(Rule, form))
                orders[form] = turning_points(scores, path.thresholds, path.rule).astype(np.float64)
            flags[form][held] = _flagged_shares(orders[form], weights, share * float(weights.sum()))
    name = source.names[int(np.bincount(best).argmax())]
    worth = source.weights * source.labels
    return FormsCompared(
        alerts=alerts,
        present=rule,
        forms=tuple(
            FormOfRule(
                form=form,
                caught=_sum_with_error(flags[form] * worth, source.groups),
                difference=_sum_with_error(
                    (flags[form] - flags[rule]) * worth, source.groups, at_least=float(form != rule)
                ),
                score=name if form == "single" else None,
            )
            for form in forms
        ),
        formula=combined.formula,
        level=_level(combined.apply(source.scores), source.weights, alerts),
    )


def _level(scores: Floats, weights: Floats, alerts: float) -> float:
    """Find the lowest of the highest scores (n,) that make up `alerts` (weight)."""
    order = np.argsort(-scores, kind="stable")
    place = int(np.searchsorted(np.cumsum(weights[order]), alerts))
    return float(scores[order][min(place, len(order) - 1)])


def _scored(documents: RatedDocuments) -> Bools:
    """Return which documents (n,) a score raised, and not a rule alone."""
    count = documents.score_count
    return np.asarray((documents.scores[:, :count] >= documents.floors[:count]).any(axis=1))


def _by_scores(documents: RatedDocuments, kept: Bools) -> RatedDocuments:
    """Return the documents that a score raised (n,), without alert rules."""
    if not documents.alert_rules:
        return documents
    count = documents.score_count
    return RatedDocuments(
        documents.scores[kept, :count],
        documents.labels[kept],
        documents.weights[kept],
        documents.names[:count],
        documents.floors[:count].tolist(),
        groups=None if documents.groups is None else documents.groups[kept],
    )


def _best_score(documents: RatedDocuments, share: float) -> int:
    """Find the score that catches most positives at a share of the alerts."""
    alerts, worth = share * float(documents.weights.sum()), documents.weights * documents.labels
    return int(np.argmax([worth @ _flagged_shares(column, documents.weights, alerts) for column in documents.scores.T]))


def _flagged_shares(order: Floats, weights: Floats, alerts: float) -> Floats:
    """Flag documents (n,) from the highest of an order, up to a weight; last ties in part."""
    distinct, places = np.unique(-order, return_inverse=True)
    sizes = np.bincount(places, weights, len(distinct))
    before = np.cumsum(sizes) - sizes
    return np.asarray(((alerts - before) / sizes).clip(0.0, 1.0)[places])


def _sum_with_error(values: Floats, groups: Indices | None, *, at_least: float = 0.0) -> Interval:
    """Sum values (n,) of independent documents or groups, with a 95 % interval.

    `at_least`: variance where nothing was seen, as one more document may come.
    """
    parts = values if groups is None else np.bincount(groups, values)
    total = float(values.sum())
    half = _NORMAL_95 * float(np.sqrt(parts @ parts + at_least))
    return Interval(estimate=total, low=total - half, high=total + half)


class Corner(NamedTuple):
    """Two thresholds, infinity for never, and the items (n,) that reach one of them."""

    thresholds: tuple[float, float]
    flagged: Bools


def best_corner(scores: Floats, probabilities: Floats, k: int) -> Corner:
    """Find the union of two thresholds that flags k items with the largest sum of probabilities.

    All n + 1 thresholds of the first score are tried; the second one then fills up to k. `scores` (n, 2) are distinct
    in each column. Time O(n^2 log n).

    Raises DataError: k outside 0..n.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core.combined import best_corner
    >>> scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.7]])
    >>> best_corner(scores, np.array([0.5, 0.4, 0.9]), 1).flagged
    array([ True, False, False])
    """
    count = len(scores)
    if not 0 <= k <= count:
        raise DataError(f"From 0 to {count} items can be flagged, not {k}.")
    falling = np.append(np.inf, np.sort(scores[:, 0])[::-1])
    best, most = None, -1.0
    for first in falling[: k + 1]:
        flagged = scores[:, 0] >= first
        others = np.sort(scores[~flagged, 1])[::-1]
        missing = k - int(flagged.sum())
        second = float(others[missing - 1]) if missing else np.inf
        flagged = flagged | (scores[:, 1] >= second)
        if flagged.sum() == k and (sum_of := float(probabilities[flagged].sum())) > most:
            best, most = Corner((float(first), second), flagged), sum_of
    assert best is not None
    return best
