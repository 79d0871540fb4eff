"""Check the arrays of rated documents, complete their floors, and warn of doubts."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.formatting import plural
from multiloss_core.numerics.arrays import Bools, Floats, Indices, number_array
from multiloss_core.tables.column_values import MAX_SCORE, are_weights
from multiloss_core.thresholds.data.rating_floors import (
    FloorMethod,
    UncertainFloorsError,
    estimate_floors,
    floor_evidence,
    lowest_scores,
    suggest_floors,
)

HUGE_TIE_SHARE = 0.5


def checked_names(names: Sequence[str] | None, classifiers: int) -> tuple[str, ...]:
    """Complete the names of classifiers. Raises DataError for a wrong number or repeated names."""
    result = tuple(map(str, names)) if names is not None else tuple(f"score {j + 1}" for j in range(classifiers))
    if len(result) != classifiers:
        raise DataError(f"{len(result)} names were given for {classifiers} score columns.")
    if len(set(result)) != classifiers:
        raise DataError(f"The score columns need distinct names, not {quoted_names(result)}.")
    return result


def checked_labels(labels: ArrayLike, count: int, one_class: bool) -> Bools:
    """Turn labels (n,) into truth values. Raises DataError."""
    try:
        values = np.asarray(labels)
    except ValueError:
        raise DataError("Labels must be 0 or 1, one for each document.") from None
    if values.shape != (count,):
        raise DataError(f"There must be one label for each of the {count:,} documents, not shape {values.shape}.")
    other = ~np.isin(values, (0, 1))
    if other.any():
        raise DataError(f"Labels must be 0 or 1; row {first_row(other)} holds {values[other][0]!s}.")
    result = values.astype(bool)
    if (result.all() or not result.any()) and not one_class:
        raise DataError("All labels are the same; true and false positives are both needed.")
    return result


def checked_weights(weights: ArrayLike | None, count: int) -> Floats:
    """Complete the weights (n,). Raises DataError for one that is not above 0."""
    if weights is None:
        return np.ones(count)
    values = number_array(weights, "Weights")
    if values.shape != (count,):
        raise DataError(f"There must be one weight for each of the {count:,} documents, not shape {values.shape}.")
    bad = ~are_weights(values)
    if bad.any():
        raise DataError(f"Weights must be numbers above 0; row {first_row(bad)} holds {values[bad][0]!s}.")
    return values


def checked_ages(ages: ArrayLike, count: int) -> Floats:
    """Check ages in days (n,). Raises DataError for one that is negative or not finite."""
    values = number_array(ages, "Ages")
    if values.shape != (count,):
        raise DataError(f"There must be one age for each of the {count:,} documents, not shape {values.shape}.")
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        raise DataError(f"Ages must be days of 0 or more; row {first_row(bad)} holds {values[bad][0]:g}.")
    return values


def checked_rows(rows: ArrayLike | None, count: int) -> Indices:
    """Complete the positions (n,) of documents in their table. Raises DataError."""
    if rows is None:
        return np.arange(count)
    values = np.array(rows)
    if values.shape != (count,) or not np.issubdtype(values.dtype, np.integer) or (values < 0).any():
        raise DataError(f"There must be one row of a table, counted from 0, for each of the {count:,} documents.")
    return values.astype(np.intp)


def require_usable_scores(
    scores: Floats, names: tuple[str, ...], rows: Indices | None = None, *, alert_rules: int = 0
) -> None:
    """Refuse unusable numbers and constant scores (n, k), and alert rules that are not 0 or 1.

    Raises DataError.
    """
    scored = len(names) - alert_rules
    bad = ~(np.abs(scores) < MAX_SCORE)
    bad[:, :scored] &= ~np.isneginf(scores[:, :scored])
    if bad.any():
        row, column = np.argwhere(bad)[0]
        number = (rows[row] if rows is not None else row) + 1
        raise DataError(
            f"Column '{names[column]}' has {plural(int(bad[:, column].sum()), 'unusable number')} "
            f"(first: row {number:,}); correct or remove them."
        )
    other = ~np.isin(scores[:, scored:], (0, 1))
    if other.any():
        row, column = np.argwhere(other)[0]
        number = (rows[row] if rows is not None else row) + 1
        raise DataError(
            f"Column '{names[scored + column]}' is an alert rule, but holds {scores[row, scored + column]:g} in row "
            f"{number:,}; a rule is 0 or 1, so use the column as a score or correct it."
        )
    for j, name in enumerate(names[:scored]):
        if scores[:, j].max() == -np.inf:
            raise DataError(f"Column '{name}' is blank in every rated row; leave that column out.")
        lowest, highest = lowest_scores(scores[:, [j]])[0], scores[:, j].max()
        if lowest == highest:
            raise DataError(
                f"Column '{name}' holds the same score, {highest:g}, in all {len(scores):,} rows from row "
                f"{1 if rows is None else rows[0] + 1:,} on, so no threshold can be chosen on it; "
                "leave that column out."
            )


def complete_floors(
    scores: Floats,
    names: tuple[str, ...],
    floors: Sequence[float | None] | Mapping[str, float | None] | None,
    alert_rules: int = 0,
) -> tuple[Floats, list[str]]:
    """Suggest the floors (k,) that are not given, with a note where they are uncertain."""
    try:
        return estimated_floors(scores, names, floors, None, np.arange(len(scores)), alert_rules), []
    except UncertainFloorsError as question:
        given = dict(zip(names, _floors_by_position(names, floors, alert_rules), strict=True))
        suggested = dict(zip(question.estimate.names, question.estimate.corner.tolist(), strict=True))
        completed = suggested | {name: floor for name, floor in given.items() if floor is not None}
        return np.array([completed[name] for name in names]), [f"Rating floors are uncertain. {question.sentence}."]


def estimated_floors(
    scores: Floats,
    names: tuple[str, ...],
    floors: Sequence[float | None] | Mapping[str, float | None] | None,
    method: FloorMethod | None,
    rows: Indices,
    alert_rules: int = 0,
) -> Floats:
    """Estimate the floors (k,) that are not given by a method; that of an alert rule is 1.

    Raises UncertainFloorsError where the method is needed and missing.
    """
    if method not in (None, "corner", "jump"):
        raise DataError(f"There is no method '{method}' for floors; choose corner or jump.")
    given = _floors_by_position(names, floors, alert_rules)
    result = np.array(given, dtype=np.float64)
    for j, name in enumerate(names[: len(names) - alert_rules]):
        highest = scores[:, j].max()
        if result[j] > highest:
            raise DataError(
                f"The rating floor of '{name}', {result[j]:g}, lies above its largest score, {highest:g} (row "
                f"{scores[:, j].argmax() + 1:,} of the usable ones); lower the floor or leave that column out."
            )
    missing = np.isnan(result)
    if missing.any():
        evidence = floor_evidence(scores[:, : len(names) - alert_rules])
        scores, rows = scores[evidence], rows[evidence]
        # A document at or above a given floor was rated for it and is no evidence on others.
        unexplained = (scores[:, ~missing] < result[~missing]).all(axis=1)
        if not unexplained.any():
            result[missing] = lowest_scores(scores[:, missing])
        elif method == "corner":
            result[missing] = suggest_floors(scores[unexplained][:, missing])
        else:
            open_names = [name for name, is_missing in zip(names, missing, strict=True) if is_missing]
            estimate = estimate_floors(scores[unexplained][:, missing], open_names)
            if method is None and not estimate.is_certain:
                raise UncertainFloorsError(estimate, rows[unexplained][estimate.below])
            result[missing] = estimate.jump if method == "jump" else estimate.corner
    return result


def _floors_by_position(
    names: tuple[str, ...], floors: Sequence[float | None] | Mapping[str, float | None] | None, alert_rules: int
) -> list[float | None]:
    """List the floors (k,) that are given; those of the last `alert_rules` columns are 1."""
    scored = len(names) - alert_rules
    if floors is None:
        values: list[float | None] = [None] * scored
    elif isinstance(floors, Mapping):
        require_score_names(floors, names)
        values = [floors.get(name) for name in names[:scored]]
    else:
        if len(floors) not in (scored, len(names)):
            raise DataError(f"{len(floors)} floors were given for {scored} score columns; give one each.")
        values = list(floors)[:scored]
    values += [1.0] * alert_rules
    for name, value in zip(names, values, strict=True):
        if value is not None and not _is_usable(value):
            raise DataError(f"The rating floor of '{name}' must be a finite number, not {value}.")
    return values


def _is_usable(floor: Any) -> bool:
    return isinstance(floor, Real) and abs(float(floor)) < MAX_SCORE


def require_score_names(given: Iterable[str], scores: Sequence[str]) -> None:
    """Raise DataError where a floor is given for a name that is no score."""
    if unknown := {str(name) for name in given} - set(scores):
        raise DataError(f"A floor is given for {quoted_names(sorted(unknown))}, which is no score column.")


def cautions_about(
    scores: Floats, labels: Bools, names: tuple[str, ...], floors: Floats, alert_rules: int = 0
) -> list[str]:
    """Write the notes on ties, lone positives and scores far above all others."""
    result = []
    if alert_rules:
        scored = len(names) - alert_rules
        # A document below all floors of scores was raised by a rule alone.
        by_score = (scores[:, :scored] >= floors[:scored]).any(axis=1)
        if not by_score.any():
            return ["No document reaches the floor of a score: all of them were raised by rules."]
        scores, labels, names, floors = scores[by_score, :scored], labels[by_score], names[:scored], floors[:scored]
    if labels.sum() == 1:
        result.append("Only one document is positive: every threshold here rests on that single case; rate more.")
    for j, name in enumerate(names):
        values, counts = np.unique(scores[scores[:, j] > -np.inf, j], return_counts=True)
        if counts.max() > HUGE_TIE_SHARE * len(scores):
            result.append(
                f"{counts.max():,} of {len(scores):,} documents share the score {values[counts.argmax()]:g} in "
                f"'{name}'; ties are never split, so TP and FP jump there."
            )
        if _is_apart(values, counts):
            result.append(
                f"{plural(counts[-1], 'document', 'share')} the score {values[-1]:.15g} in '{name}', far above all "
                f"others (at most {values[-2]:.15g}), so that any threshold flags them; if it means that there is no "
                "score, make it blank."
            )
    # Documents reviewed for one score may lie below the floor of another.
    cut = np.isneginf(scores).any(axis=0) | (scores.min(axis=0) < floors)
    if (scores[:, cut] >= floors[cut]).any(axis=1).all():
        result += [
            f"No row was reviewed because of '{name}' alone: wherever it stands, another score reaches its floor."
            for name, has_floor in zip(names, cut, strict=True)
            if not has_floor
        ]
    return result


def _is_apart(values: Floats, counts: Indices) -> bool:
    """Whether documents share a highest score (v,) that lies far above all others.

    Far is three times the range of the others; half their range where it is 99, 999 and so on. Probabilities are never.
    """
    if values.size < 3 or counts[-1] < 2 or values[-1] <= 1:
        return False
    of_nines = values[-1] > 9 and set(f"{values[-1]:.15g}") == {"9"}
    return bool(values[-1] - values[-2] > (0.5 if of_nines else 3.0) * (values[-2] - values[0]))


def first_row(mask: Any) -> str:
    """Write the number of the first row of a mask, counted from 1."""
    return f"{mask.argmax() + 1:,}"


def quoted_names(names: Any) -> str:
    """Write names in quotes, with commas."""
    return ", ".join(f"'{name}'" for name in names)
