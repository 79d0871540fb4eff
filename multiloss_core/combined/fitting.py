"""Fit a combined score, P(positive | scores), to rated documents."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import block_diag
from scipy.optimize import brentq
from scipy.special import expit

from multiloss_core.combined.formula_code import formula_in_python, formula_in_sql
from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.numerics.penalised_logistic import penalised_logistic
from multiloss_core.numerics.proportions import effective_size
from multiloss_core.sql_dialects import Dialect, SqlDialect
from multiloss_core.tables.score_formula import COMBINED, ScoreFactors, ScoreFormula
from multiloss_core.thresholds.data.counts import Rule, require_rule
from multiloss_core.thresholds.data.folds import document_folds
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.smooth.precision_model import ramps, single_threaded
from multiloss_core.thresholds.paths.smooth.smooth_fit import limited_weights

MIN_POSITIVES = 10
FOLDS = 5
KNOTS, PIECES = 12, 8
# Positives and negatives that are fitted at most, drawn at random, as more change nothing.
MAX_FITTED = 20_000
# Penalties of slopes, of bends of the functions of the extremes, and of bends of each score's own function.
RIDGE, OF_EXTREMES, OF_CURVES, LEAST = 1e-2, 10.0, 30.0, 1e-3
# Every score raises the log odds by at least this for each e-fold rarer rank, so that no two regions tie.
LEAST_SLOPE = 1e-4
# Of a function, so that no product of factors leaves the range of numbers.
MOST = 100.0
DIGITS = 8
MAX_STEPS, SMALL_GAIN = 50, 1e-2
Model = Literal["extremes", "curves"]
MODELS: tuple[Model, ...] = ("extremes", "curves")


@dataclass(frozen=True, eq=False, kw_only=True)
class CombinedScore:
    """One score that combines several: P(positive | scores), rising in each of them.

    `formula` computes it; `model`: "extremes" for a slope of each score with functions of the highest and the lowest of
    its ranks, or "curves" for a curve of each score besides, where that predicts held-out documents better.
    `cross_fitted` (n,): the combined score of each fitted document by a formula that did not see it or its group.
    """

    formula: ScoreFormula
    model: Model
    cross_fitted: Floats
    fitted: RatedDocuments

    def apply(self, scores: ArrayLike) -> Floats:
        """Compute the combined score (n,), in [0, 1), of scores (n, k), higher = more suspicious.

        It is 0 where no score reaches its rating floor.
        """
        return self.formula.apply(scores)

    @property
    def floor(self) -> float:
        """The smallest combined score of a rated document: all others reach no floor, and have 0."""
        return self.formula.floor

    def documents(self, *, deployed: bool = False) -> RatedDocuments:
        """Return the rated documents with the combined score, and alert rules, as their only scores.

        The scores are cross-fitted; `deployed`: those of the formula itself, which exported code gives.
        """
        return with_combined_score(self.fitted, self.formula, None if deployed else self.cross_fitted)

    def to_sql(self, dialect: SqlDialect | Literal["sqlite"] | Dialect = "duckdb") -> str:
        """Write the combined score as an SQL value of the score columns; see `formula_in_sql`."""
        return formula_in_sql(self.formula, dialect)

    def to_python(self) -> str:
        """Write the source of a module with a function `combined_score(document)`."""
        return formula_in_python(self.formula)

    def to_json(self) -> str:
        """Write the formula as JSON; `ScoreFormula.from_json` reads it."""
        return self.formula.to_json()


def with_combined_score(
    documents: RatedDocuments, formula: ScoreFormula, scores: Floats | None = None
) -> RatedDocuments:
    """Return documents with the combined score, and alert rules, as their only scores.

    `scores` (n,): those of the documents in place of the formula's. Raises DataError: a floor below one of the formula,
    which is 0 there.
    """
    count, waiting = documents.score_count, documents.undecided.scores
    if (documents.floors[:count] < formula.floors).any():
        raise DataError("The combined score was fitted with higher rating floors; fit it again with these.")
    own = formula.apply(documents.scores[:, :count]) if scores is None else scores
    return RatedDocuments(
        np.column_stack([own, documents.scores[:, count:]]),
        documents.labels,
        documents.weights,
        (COMBINED, *documents.names[count:]),
        [formula.floor, *documents.floors[count:]],
        groups=documents.groups,
        rows=documents.rows,
        undecided=replace(
            documents.undecided, scores=np.column_stack([formula.apply(waiting[:, :count]), waiting[:, count:]])
        ),
        below_floors=documents.below_floors,
        funnel=documents.funnel,
        notes=documents.notes,
        one_class=True,
        alert_rules=documents.alert_rules,
        ages=documents.ages,
    )


@single_threaded
def combined_score(documents: RatedDocuments, *, rule: Rule = "any", seed: int = 0) -> CombinedScore:
    """Fit P(positive | scores) to rated documents, rising in every score.

    Theorem 1 of Natarajan et al. (2016): at any number of alerts the documents to flag are those with the largest
    P(positive | scores), and its threshold is the marginal precision of Robles et al. (2020). The log odds are a sum
    of functions of log(n / rank): a slope of each score, and rising piecewise-linear functions of the highest and the
    lowest of the ranks (penalised logistic regression). A curve of each score is added where it lowers the log loss of
    held-out documents by more than one standard error. Alert rules stay beside the combined score. Weights count as
    effective numbers of documents (Kish 1965). Time O(n k log n).

    Raises
    ------
    DataError : one score, one class, fewer than ten positives, one group, or, under the rule "all", no document that
        lies below a floor: those that reach only some floors were then not rated.

    Examples
    --------
    >>> import numpy as np
    >>> import multiloss_core as m
    >>> population = m.simulate_population(np.random.default_rng(0), documents=50_000, prevalence=0.01)
    >>> combined = m.combined_score(population.rated())
    >>> path = m.smooth_path(combined.documents())
    >>> len(m.operating_point(path, 0.2).thresholds)
    1
    """
    require_rule(rule)
    scores = _require_fitting(documents, rule)
    folds = document_folds(documents, FOLDS, seed)
    weights = limited_weights(documents.weights, documents.labels)
    given = _Given(scores, documents.labels, weights * effective_size(weights) / weights.sum())
    parts = [folds == number for number in range(int(folds.max()) + 1)]
    held_out: dict[Model, Floats] = {model: np.empty(len(scores)) for model in MODELS}
    for part in parts:
        others = given.part(~part).drawn(seed)
        for model, values in held_out.items():
            values[part] = _fit(documents, others, model).apply(scores[part])
    losses = [given.log_losses(held_out[model]) for model in MODELS]
    gain = losses[0] - losses[1]
    model = MODELS[int(gain.sum() > np.sqrt(len(gain)) * gain.std())]
    formula = _fit(documents, given.drawn(seed), model)
    # What a rule alone raised stays 0; a score below the floor is one of another formula.
    cross_fitted = np.where(held_out[model] > 0, np.fmax(held_out[model], formula.floor), 0.0)
    return CombinedScore(formula=formula, model=model, cross_fitted=cross_fitted, fitted=documents)


def _require_fitting(documents: RatedDocuments, rule: Rule) -> Floats:
    """Return the scores (n, k) without alert rules. Raises DataError: they cannot be fitted."""
    if not isinstance(documents, RatedDocuments):
        raise DataError("A combined score is fitted to rated documents; counts alone do not have their scores.")
    if documents.score_count < 2:
        raise DataError("A combined score needs two scores or more; choose another score column.")
    scores = documents.scores[:, : documents.score_count]
    positives = int(documents.labels.sum())
    if positives < MIN_POSITIVES or positives == len(scores):
        raise DataError(
            f"A combined score needs {MIN_POSITIVES} rated positives and some negatives, not "
            f"{positives:,} of {len(scores):,}; load more ratings."
        )
    if rule == "all" and (scores >= documents.floors[: documents.score_count]).all():
        raise DataError(
            "Every rated document reaches every floor, so those that reach only some were not rated and no combined "
            "score can be bounded; load documents that one score alone raised."
        )
    return scores


@dataclass(frozen=True, eq=False)
class _Given:
    """Scores (n, k), labels and effective weights (n,) to fit."""

    scores: Floats
    labels: Bools
    weights: Floats

    def part(self, rows: Bools | Indices) -> "_Given":
        return _Given(self.scores[rows], self.labels[rows], self.weights[rows])

    def drawn(self, seed: int) -> "_Given":
        """Draw at most MAX_FITTED of each class, which stand for all."""
        generator, weights, rows = np.random.default_rng(seed), self.weights, []
        for kind in (self.labels, ~self.labels):
            members = np.flatnonzero(kind)
            if members.size > MAX_FITTED:
                chosen = np.sort(generator.choice(members, MAX_FITTED, replace=False))
                weights = np.where(kind, weights * (weights[members].sum() / weights[chosen].sum()), weights)
                members = chosen
            rows.append(members)
        if sum(map(len, rows)) == len(weights):
            return self
        return replace(self, weights=weights).part(np.sort(np.concatenate(rows)))

    def log_losses(self, precision: Floats) -> Floats:
        """Compute the weighted log loss (n,) of each document."""
        right = np.where(self.labels, precision, 1 - precision)
        return np.asarray(-self.weights * np.log(np.fmax(right, np.finfo(float).tiny)))


def _fit(documents: RatedDocuments, given: _Given, model: Model) -> ScoreFormula:
    axes = [_axis(column, given.weights) for column in given.scores.T]
    ranks = [
        np.interp(np.fmax(column, knots[0]), knots, logs)
        for column, (knots, logs) in zip(given.scores.T, axes, strict=True)
    ]
    top = max(float(logs[-1]) for _, logs in axes) or 1.0
    pieces = np.linspace(0.0, top, PIECES + 1)
    highest, lowest = np.maximum.reduce(ranks), np.minimum.reduce(ranks)
    columns = [np.column_stack(ranks), ramps(highest, pieces), ramps(lowest, pieces)]
    bends = OF_EXTREMES * _bends(PIECES) + LEAST * np.eye(PIECES)
    penalties = [RIDGE * np.eye(len(ranks)), bends, bends]
    if model == "curves":
        columns += [ramps(x, logs) for x, (_, logs) in zip(ranks, axes, strict=True)]
        penalties += [_curve_penalty(logs) for _, logs in axes]
    design = np.hstack(columns)
    positives = given.labels * given.weights
    fitted = penalised_logistic(
        design,
        np.ones(design.shape[1], dtype=bool),
        positives,
        given.weights,
        block_diag(*penalties),
        None,
        max_steps=MAX_STEPS,
        small_gain=SMALL_GAIN,
    )
    sizes = np.cumsum([1, *(block.shape[1] for block in columns)])
    (_, slopes, of_highest, of_lowest, *of_curves) = np.split(fitted, sizes[:-1])
    factors = []
    for j, (knots, logs) in enumerate(axes):
        single = max(float(slopes[j]), LEAST_SLOPE) * logs
        if of_curves:
            single = single + ramps(logs, logs) @ of_curves[j]
        functions = (single, ramps(logs, pieces) @ of_highest, ramps(logs, pieces) @ of_lowest)
        tables = (_rounded(np.exp(-np.minimum(function, MOST))) for function in functions)
        factors.append(ScoreFactors(_rounded(knots), *tables))
    of_scores = slice(documents.score_count)
    floors = tuple(documents.floors[of_scores].tolist())
    formula = ScoreFormula(names=documents.names[of_scores], floors=floors, odds=1.0, factors=tuple(factors))
    return replace(formula, odds=_odds(formula, given))


def _odds(formula: ScoreFormula, given: "_Given") -> float:
    """Find the odds at which the combined score adds up to the positives."""
    # The tables are linear between knots, where the model is not.
    rated = (given.scores >= formula.floors).any(axis=1)
    against, weights = formula.odds_against(given.scores[rated]), given.weights[rated]
    positives = float(weights @ given.labels[rated])
    root = brentq(lambda log: float(weights @ expit(-log - np.log(against))) - positives, -700.0, 700.0, xtol=1e-9)
    return _rounded(np.exp([root]))[0]


def _axis(column: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Choose knots (m,) of a score, and log(n / rank) there, (m,), 0 at the lowest."""
    known = np.isfinite(column)
    order = np.argsort(column[known], kind="stable")
    scores, counts = column[known][order], weights[known][order]
    if not scores.size:
        return np.zeros(1), np.zeros(1)
    above = np.cumsum(counts[::-1])[::-1]
    total = float(above[0])
    wanted = total * np.exp(-np.linspace(0.0, max(np.log(total / 2), 1.0), KNOTS))
    places = np.searchsorted(-above, -wanted, side="right").clip(1, len(scores)) - 1
    knots = np.unique(np.array(_rounded(scores[places])))
    first, after = (np.searchsorted(scores, knots, side=side) for side in ("left", "right"))
    above = np.append(above, 0.0)
    middle = (above[first.clip(None, len(scores))] + above[after]) / 2
    logs = np.log((total + 1) / (middle + 0.5))
    logs = np.maximum.accumulate(logs - logs[0])
    distinct = np.append(True, np.diff(logs) > 0)
    return knots[distinct], logs[distinct]


def _bends(pieces: int) -> Floats:
    differences = np.diff(np.eye(pieces), axis=0)
    return np.asarray(differences.T @ differences)


def _curve_penalty(logs: Floats) -> Floats:
    """Penalise changes of the slope between the pieces of a curve."""
    lengths = np.diff(logs)
    if not lengths.size:
        return np.empty((0, 0))
    slopes = np.diff(np.diag(lengths.mean() / lengths), axis=0)
    return np.asarray(OF_CURVES * slopes.T @ slopes + LEAST * np.eye(len(lengths)))


def _rounded(values: Floats) -> tuple[float, ...]:
    return tuple(float(f"{value:.{DIGITS}g}") for value in values)
