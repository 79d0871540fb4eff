"""Describe a column by its name and at most 10,000 cells, and find falling scores."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from multiloss_core.numerics.arrays import Bools, Floats, Indices
from multiloss_core.tables.column_values import is_numeric, sampled, sampled_numbers
from multiloss_core.tables.rating_column import values_and_blanks
from multiloss_core.tables.vocabulary import name_words

MAX_RATINGS = 20


@dataclass(frozen=True, eq=False)
class Column:
    """Describe a column by `cells` (m,), at most 10,000 spread evenly over the table."""

    name: str
    cells: "pd.Series[Any]"

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the name."""
        return name_words(self.name)

    @cached_property
    def distinct(self) -> int:
        """Number of distinct cells that are not blank."""
        return int(self.cells.nunique())

    @cached_property
    def filled(self) -> int:
        """Number of cells that are not blank."""
        return int(self.cells.count())

    @cached_property
    def is_text(self) -> bool:
        """Whether the cells are words."""
        cells = self.cells
        known = cells.cat.categories if isinstance(cells.dtype, pd.CategoricalDtype) else cells
        return bool(pd.api.types.is_string_dtype(known.dtype))

    @cached_property
    def is_number(self) -> bool:
        """Whether the cells are numbers; digits with leading zeros are identifiers."""
        if not is_numeric(self.cells):
            return False
        return not self.is_text or not any(re.match(r"\s*0\d", str(cell)) for cell in pd.unique(self.cells))

    @cached_property
    def numbers(self) -> Floats:
        """The finite numbers among the cells."""
        values = self.all_numbers
        return values[np.isfinite(values)]

    @cached_property
    def all_numbers(self) -> Floats:
        """The cells as numbers (m,), NaN where they are none."""
        return sampled_numbers(self.cells)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all numbers are whole."""
        return bool((self.numbers == np.rint(self.numbers)).all())

    @cached_property
    def ratings(self) -> tuple[Indices, list[str]]:
        """The cells as `values_and_blanks`; none where there are too many different ones."""
        if not 1 <= self.distinct <= MAX_RATINGS or (self.is_number and not self.is_whole):
            return np.full(len(self.cells), -1), []
        return values_and_blanks(self.cells)


def columns_of(frame: pd.DataFrame) -> list[Column]:
    """Describe the columns of a table by at most 10,000 rows."""
    sample, found = sampled(frame), []
    for position, name in enumerate(sample.columns):
        cells: pd.Series[Any] = sample.iloc[:, position]
        if isinstance(cells.dtype, pd.CategoricalDtype):
            cells = cells.cat.remove_unused_categories()
        found.append(Column(str(name), cells))
    return found


# Standard errors by which a score must fall to be asked about, and for certain.
PERHAPS, CLEARLY = 2.0, 3.0
# Ratings of each kind that show whether a column is a score, and other scores that are taken as given.
MIN_RATED, MAX_OTHERS = 20, 6
MAX_STEPS, SMALL_STEP, MAX_STEP, PENALTY = 30, 1e-6, 2.0, 1e-5


def falling_scores(scores: Mapping[str, Floats], positive: Floats) -> dict[str, bool]:
    """Find scores (m,) clearly lower for positives (1) than negatives (0), and how surely.

    A document that another score brought to review has a low value of this one, and may well be a positive. So a score
    must fall among documents of equal other scores, too: which documents were reviewed depends on the scores alone, and
    makes no difference once these are given. Logistic regression on its ranks, with cubics of the others. NaN is left
    out.
    """
    found = {name: _fall(scores, name, positive) for name in scores}
    return {name: fall < -CLEARLY for name, fall in found.items() if fall < 0}


def area(values: Floats, positive: Floats) -> float:
    """Compute the share of pairs in which the positive has a higher score than the negative."""
    usable = np.isfinite(values) & np.isfinite(positive)
    wins, pairs, _ = _wins(values[usable], positive[usable] == 1)
    return wins / pairs if pairs else 0.5


def slopes(scores: Mapping[str, Floats], positive: Floats) -> dict[str, float]:
    """Estimate the slope of positives on each score (m,) given the others, in standard errors.

    `positive` (m,): 1 or 0. NaN where there are too few ratings.
    """
    found = {}
    for name, values in scores.items():
        usable = np.isfinite(values) & np.isfinite(positive)
        is_positive = positive[usable] == 1
        fewest = min(int(is_positive.sum()), int((~is_positive).sum()))
        others = [_standing(other[usable]) for known, other in scores.items() if known != name][:MAX_OTHERS]
        found[name] = _slope(_standing(values[usable]), others, is_positive) if fewest >= MIN_RATED else np.nan
    return found


def _fall(scores: Mapping[str, Floats], name: str, positive: Floats) -> float:
    """Estimate the slope of a score given the others, in standard errors; 0 unless it falls."""
    usable = np.isfinite(scores[name]) & np.isfinite(positive)
    values, is_positive = scores[name][usable], positive[usable] == 1
    wins, pairs, variance = _wins(values, is_positive)
    if not pairs or wins - pairs / 2 > -PERHAPS * np.sqrt(variance):
        return 0.0
    others = [_standing(other[usable]) for known, other in scores.items() if known != name]
    return _slope(_standing(values), others, is_positive) if others else -np.inf


def _wins(values: Floats, is_positive: Bools) -> tuple[float, float, float]:
    """Count pairs in which the positive is higher, all pairs, and the variance by chance."""
    positives, negatives = float(is_positive.sum()), float((~is_positive).sum())
    wins = float(pd.Series(values).rank()[is_positive].sum()) - positives * (positives + 1) / 2
    return wins, positives * negatives, positives * negatives * (positives + negatives + 1) / 12


def _standing(values: Floats) -> Floats:
    """Rank each value from -1 to 1; a missing one gets the middle."""
    known = np.isfinite(values)
    standing = np.zeros(len(values))
    standing[known] = (pd.Series(values[known]).rank().to_numpy() - 0.5) / max(known.sum(), 1) * 2 - 1
    return standing


def _slope(tested: Floats, others: list[Floats], is_positive: Bools) -> float:
    """Estimate the coefficient of `tested` (m,) in standard errors, given the other scores."""
    columns = np.column_stack(
        [tested, np.ones(len(tested)), *(other**power for other in others for power in (1, 2, 3))]
    )
    penalty = PENALTY * len(tested) * np.eye(columns.shape[1])
    coefficients = np.zeros(columns.shape[1])
    for _ in range(MAX_STEPS):
        precision = expit(columns @ coefficients)
        curvature = columns.T @ (columns * (precision * (1 - precision))[:, np.newaxis]) + penalty
        step = np.linalg.solve(curvature, columns.T @ (is_positive - precision) - penalty @ coefficients)
        coefficients += step.clip(-MAX_STEP, MAX_STEP)
        if np.abs(step).max() < SMALL_STEP:
            break
    return float(coefficients[0] / np.sqrt(np.linalg.inv(curvature)[0, 0]))
