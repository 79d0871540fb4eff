"""Replace the scores of a decision by new ones at the same number of alerts."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.datasets.rated import RatedDataset
from multiloss_core.decisions.making import columns_from_record, record_of
from multiloss_core.decisions.record import DecisionRecord, score_column
from multiloss_core.errors import DataError
from multiloss_core.formatting import count, percent, plural, score_name, score_value, shortened
from multiloss_core.numerics.arrays import Bools, Floats, Indices, ratio
from multiloss_core.numerics.proportions import NORMAL_95, share_interval
from multiloss_core.numerics.rounding import short_threshold
from multiloss_core.tables import frame_as_csv
from multiloss_core.tables.column_meanings import ColumnMeanings
from multiloss_core.tables.column_values import base_of
from multiloss_core.tables.rating_column import ratings_so_far, values_and_blanks
from multiloss_core.thresholds.data.counts import Rule, flagged
from multiloss_core.thresholds.data.document_columns import read_weights
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.operating_point import operating_point
from multiloss_core.thresholds.paths.smooth.path import smooth_path
from multiloss_core.thresholds.targets.goals import manual_point

__all__ = ["AlertSet", "ModelChange", "model_change", "record_of_change", "rows_to_rate"]

SEED = 0
# Fewer rated positives show no marginal precision.
MIN_POSITIVES = 10
# Of the interval of the precision of swapped-in alerts.
WIDTHS = (0.4, 0.2, 0.1)


@dataclass(frozen=True, kw_only=True)
class AlertSet:
    """Count alerts, and the positives and negatives among them; the others have no rating.

    `below` of them lie below all rating floors of the decision. Of these `below_rated` have a rating and
    `below_positives` are positive.
    """

    alerts: float
    positives: float
    negatives: float
    below: float
    below_rated: float
    below_positives: float

    @property
    def unrated(self) -> float:
        """The alerts without a rating."""
        return self.alerts - self.positives - self.negatives

    @property
    def precision(self) -> float:
        """The share of positives among the rated alerts; NaN without any."""
        return ratio(self.positives, self.positives + self.negatives)

    @property
    def bounds(self) -> tuple[float, float]:
        """The positives where no alert without a rating is positive, and where all of them are."""
        return self.positives, self.alerts - self.negatives

    @property
    def interval(self) -> tuple[float, float]:
        """A 95 % interval of the positives.

        Those rated below the floors count as a random sample of the alerts there. An alert above a floor
        without a rating may be either.
        """
        low, high = self.bounds
        if self.below_rated > 0:
            least, most = self.below * _sample_shares(self.below_positives, self.below_rated, self.below)
            low += max(float(least) - self.below_positives, 0.0)
            high -= max(self.below - self.below_rated + self.below_positives - float(most), 0.0)
        return low, high


def _sample_shares(positives: Floats | float, rated: Floats | float, alerts: float) -> Floats:
    """Compute Wilson bounds (2, ...) of a share from a random sample.

    `rated` (...) of the `alerts` are in it. The sample counts for the more the less is left of them (finite
    population correction).
    """
    some = np.asarray(rated, dtype=np.float64)
    size = some * max(alerts - 1.0, 1.0) / np.maximum(alerts - some, 1e-9)
    return share_interval(size * np.asarray(positives) / some, size)


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelChange:
    """Thresholds of new scores for a decision, and the alerts that they swap.

    `columns`: the meanings of the columns with the new scores. `thresholds` (k,), infinity for never. `old` and `new`:
    the rows of the table (n,) that the decision and the new thresholds flag; `old` is None without the old scores.
    `wanted` alerts were to be flagged, `alerts` are, and `alerts_interval` has 95 % of their number in as long a period
    to come. `at_marginal_precision` (k,): thresholds of the new scores at the marginal precision of the decision among
    the rated rows; None where this is not known. `to_rate`: rows of swapped-in alerts without a rating, those below the
    floors of the decision first, in random order.
    """

    columns: ColumnMeanings
    rule: Rule
    thresholds: Floats
    old: Bools | None
    new: Bools
    wanted: float
    alerts: float
    alerts_interval: tuple[float, float]
    at_marginal_precision: Floats | None
    both: AlertSet
    only_old: AlertSet
    only_new: AlertSet
    to_rate: Indices

    @property
    def precision_interval(self) -> tuple[float, float]:
        """Bounds of the precision of the new alerts; NaN without alerts.

        Once swapped-in alerts are rated, they are a 95 % interval.
        """
        low, high = np.sum([self.both.interval, self.only_new.interval], axis=0).tolist()
        return ratio(low, self.alerts), ratio(high, self.alerts)

    def ratings_for(self, width: float) -> int | None:
        """Count the ratings after which the precision of swapped-in alerts has a `width` (0, 1].

        Alerts are rated in the order of `to_rate`. They are enough whatever that precision is. None where
        alerts above a floor without a rating leave more doubt.
        """
        swapped = self.only_new
        low, high = swapped.interval
        if high - low <= width * swapped.alerts:
            return 0
        doubt = swapped.unrated - (swapped.below - swapped.below_rated)
        if doubt > width * swapped.alerts:
            return None
        rated = np.arange(1.0, swapped.below)
        least, most = _sample_shares(rated / 2, rated, swapped.below)
        enough = np.flatnonzero(swapped.below * (most - least) + doubt <= width * swapped.alerts)
        needed = float(rated[enough[0]]) if enough.size else swapped.below
        # One more at least: those with a rating were not enough.
        return max(round(needed - swapped.below_rated), 1)

    @property
    def words(self) -> str:
        """Describe the change in two sentences."""
        low, high = map(percent, self.precision_interval)
        known = f"Their precision is {low if low == high else f'{low} to {high}'}"
        if self.both.unrated + self.only_new.unrated == self.alerts:
            known = "None of them has a rating, so their precision is not known"
        if self.old is None:
            return f"The new scores flag {plural(self.alerts, 'alert')}. {known}."
        swapped = self.only_new
        never = f", {percent(swapped.unrated / swapped.alerts)} of these without a rating" if swapped.unrated else ""
        return (
            f"{plural(self.both.alerts, 'alert', 'stay')}, {count(self.only_old.alerts)} go and "
            f"{count(swapped.alerts)} come{never}: {plural(self.alerts, 'alert')} with the new scores. {known}."
        )

    def as_dict(self) -> dict[str, Any]:
        """Give what JSON can hold; thresholds are None for never, each on the scale of its score."""
        values = zip(self.columns.scores, self.thresholds, strict=False)
        low, high = self.precision_interval
        return {
            "thresholds": {score_name(name): _plain(score_value(name, value)) for name, value in values},
            "alerts": {"wanted": self.wanted, "flagged": self.alerts, "interval": [*self.alerts_interval]},
            "precision_interval": None if np.isnan(low) else [low, high],
            "sets": {name: asdict(getattr(self, name)) for name in ("both", "only_old", "only_new")},
            "rows_to_rate": self.to_rate.tolist(),
        }

    @property
    def rating_words(self) -> str:
        """List how many alerts to rate for some widths; empty where none is left to rate."""
        needed = {width: self.ratings_for(width) for width in WIDTHS} if len(self.to_rate) else {}
        parts = [f"within {round(100 * width)} points: {count(number)}" for width, number in needed.items() if number]
        if not parts:
            return ""
        return f"Ratings to know the precision of the swapped-in alerts {', '.join(parts)}."


def model_change(
    record: DecisionRecord, frame: pd.DataFrame, new_scores: Mapping[str, str], *, alerts: float | None = None
) -> ModelChange:
    """Find thresholds of new scores that flag as many alerts as a decision.

    `new_scores`: the new column of each score of the decision that changes, "minus column" where low values are
    suspicious. Other scores and alert rules keep their thresholds. With one factor for all changed scores, each new
    threshold is reached by that many times the rows that reach the old one; the factor is the one at which the rule
    flags the wanted number, or the nearest that ties allow. `alerts`: the wanted number, by default that of the
    decision in this table; without old scores in the table all new thresholds are reached by equally many rows.

    Time O(n k + n log n).

    Raises
    ------
    DataError : a decision by segment, with two cuts, of money or of counts; a score that the decision does not have; a
        column that is missing or holds text; a number of alerts that is not known.
    """
    columns = _new_columns(record, frame, new_scores)
    rows = _kept_rows(columns, frame)
    table, rule = frame.iloc[rows], record.settings.rule
    weights = read_weights(frame, columns.weight, rows)
    weights = np.ones(len(rows)) if weights is None else weights
    ratings = ratings_so_far(table, columns.rating, columns.known_meanings)
    has_old = all(base_of(frame, name) is not None for name in record.columns.read_columns)
    old = record.flags(table) if has_old else None
    if old is None and alerts is None:
        raise DataError(
            "The table does not have the scores of the decision, so that its number of alerts is not known; give that "
            "number, or a table with old and new scores."
        )
    wanted = float(weights[old].sum()) if alerts is None else float(alerts)
    scores = np.column_stack(
        [score_column(table, name) for name in columns.scores]
        + [score_column(table, name, is_rule=True) for name in columns.alert_rules]
    )
    places = _Places.of(record, table, new_scores, scores, weights, has_old)
    thresholds = places.thresholds(places.at_volume(wanted, weights))
    new = flagged(scores, thresholds, rule)
    precision = record.target.marginal_precision
    place = None if precision is None else places.at_precision(precision, ratings, weights)
    above = flagged(record.scores(table), record.columns.floors, "any") if has_old else np.ones(len(rows), dtype=bool)

    def counted(members: Bools) -> AlertSet:
        below = members & ~above
        return AlertSet(
            alerts=float(weights[members].sum()),
            positives=float(weights[members & (ratings == 1)].sum()),
            negatives=float(weights[members & (ratings == 0)].sum()),
            below=float(weights[below].sum()),
            below_rated=float(weights[below & ~np.isnan(ratings)].sum()),
            below_positives=float(weights[below & (ratings == 1)].sum()),
        )

    known = np.zeros_like(new) if old is None else old
    # One order of all rows, so that it stays when some have got a rating.
    order = np.random.default_rng(SEED).permutation(len(rows))
    order = order[np.argsort(above[order], kind="stable")]
    return ModelChange(
        columns=columns,
        rule=rule,
        thresholds=thresholds,
        old=None if old is None else _of_all(old, rows, len(frame)),
        new=_of_all(new, rows, len(frame)),
        wanted=wanted,
        alerts=float(weights[new].sum()),
        alerts_interval=_alerts_interval(weights * new, table, columns.group),
        at_marginal_precision=None if place is None else places.thresholds(place),
        both=counted(known & new),
        only_old=counted(known & ~new),
        only_new=counted(new & ~known),
        to_rate=rows[order[(new & ~known & np.isnan(ratings))[order]]],
    )


def _plain(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


def _new_columns(record: DecisionRecord, frame: pd.DataFrame, new_scores: Mapping[str, str]) -> ColumnMeanings:
    """Return the meanings of columns with the new scores in the place of the old ones."""
    recorded = record.columns
    for unfit, words in (
        (recorded.rating is None, "is of a table of counts"),
        (record.segments is not None, "has thresholds by segment"),
        (record.block is not None, "has two cuts"),
        (record.settings.amount is not None, "counts money"),
    ):
        if unfit:
            raise DataError(f"The decision {words}, so that new scores need a new choice on Operating point.")
    old = recorded.scores[: recorded.score_count]
    if not new_scores:
        raise DataError("No new score is given; name the new column of at least one score of the decision.")
    if unknown := [name for name in new_scores if name not in old]:
        listed = ", ".join(f"'{shortened(score_name(name))}'" for name in old)
        raise DataError(
            f"'{shortened(score_name(unknown[0]))}' is no score of the decision; name a new column for {listed}."
        )
    names = tuple(new_scores.get(name, name) for name in old)
    if len(set(names)) < len(names):
        raise DataError("One column is given for two scores; choose a column for each of them.")
    is_rated = recorded.rating in frame.columns
    ratings = values_and_blanks(frame[recorded.rating])[1] if is_rated else []
    return replace(
        columns_from_record(recorded, frame, ratings), scores=names, floors=(), combined=None, age_weights=False
    )


def _kept_rows(columns: ColumnMeanings, frame: pd.DataFrame) -> Indices:
    rating = columns.rating if columns.rating in frame.columns else None
    kept = None if columns.repeats is None else columns.repeats.kept(frame, rating)
    return np.arange(len(frame)) if kept is None else np.flatnonzero(kept)


@dataclass(frozen=True, eq=False)
class _Places:
    """The factors from which on rows (n,) are flagged and their scores (n, k) reached.

    `scores` (n, k), NaN for blank; `kept` (k,): thresholds that stay, NaN for those of changed scores.
    """

    of_scores: Floats
    of_rows: Floats
    scores: Floats
    kept: Floats

    @classmethod
    def of(
        cls,
        record: DecisionRecord,
        table: pd.DataFrame,
        new_scores: Mapping[str, str],
        scores: Floats,
        weights: Floats,
        has_old: bool,
    ) -> "_Places":
        old, kept = record.scores(table) if has_old else None, record.threshold_array
        places = np.where(scores >= kept, 0.0, np.inf)
        for j, name in enumerate(record.columns.scores):
            # A threshold that nothing reaches stays at never.
            if name in new_scores and kept[j] < np.inf:
                reach = 1.0 if old is None else float(weights[old[:, j] >= kept[j]].sum())
                places[:, j] = _weight_at_or_above(scores[:, j], weights) / reach if reach else np.inf
                kept[j] = np.nan
        of_rows = places.min(axis=1) if record.settings.rule == "any" else places.max(axis=1)
        return cls(places, of_rows, scores, kept)

    def at_volume(self, wanted: float, weights: Floats) -> float:
        """Find the factor that flags nearly the wanted weight; -1 flags by no changed score."""
        factors, each = np.unique(self.of_rows, return_inverse=True)
        volumes = np.concatenate([[0.0], np.cumsum(np.bincount(each, weights))[np.isfinite(factors)]])
        return float(np.append(-1.0, factors)[np.argmin(np.abs(volumes - wanted))])

    def at_precision(self, marginal_precision: float, ratings: Floats, weights: Floats) -> float | None:
        """Find the factor at a marginal precision of the rated rows; None if not known."""
        rated = ~np.isnan(ratings) & (self.of_rows > 0) & np.isfinite(self.of_rows)
        labels = ratings[rated] == 1
        if labels.sum() < MIN_POSITIVES or labels.all():
            return None
        documents = RatedDocuments(-np.log(self.of_rows[rated])[:, np.newaxis], labels, weights[rated])
        point = operating_point(smooth_path(documents), marginal_precision)
        return None if point.status != "inside" else float(np.exp(-point.thresholds[0])) * (1 + 1e-12)

    def thresholds(self, factor: float) -> Floats:
        """Find the thresholds (k,) that the scores up to a factor reach, infinity for none."""
        found = self.kept.copy()
        for j in np.flatnonzero(np.isnan(self.kept)):
            reaching = self.of_scores[:, j] <= factor
            column = np.sort(self.scores[:, j][~np.isnan(self.scores[:, j])])
            found[j] = short_threshold(self.scores[reaching, j].min(), column) if reaching.any() else np.inf
        return found


def _weight_at_or_above(scores: Floats, weights: Floats) -> Floats:
    """Sum the weight (n,) of the rows at or above each score; infinity for a blank."""
    values, each = np.unique(scores, return_inverse=True)
    above = np.cumsum(np.bincount(each, np.where(np.isnan(scores), 0.0, weights), len(values))[::-1])[::-1]
    return np.where(np.isnan(scores), np.inf, above[each])


def _alerts_interval(weights: Floats, table: pd.DataFrame, group: str | None) -> tuple[float, float]:
    """Compute a 95 % interval of the alerts in as long a period to come.

    Numbers of alerts, or of their groups, are Poisson variables. `weights` (n,) of alerts, 0 for other rows.
    """
    units, total = weights, float(weights.sum())
    if group is not None and group in table.columns:
        codes = pd.factorize(table[group])[0]
        units = np.append(np.bincount(codes + 1, weights)[1:], weights[codes < 0])
    if not total > 0:
        return 0.0, 0.0
    # How many alerts come together, on average over alerts.
    size = float(np.square(units).sum()) / total
    middle, reach = np.sqrt(total / size + 0.375), NORMAL_95 * np.sqrt(0.5)
    low, high = (size * (max(middle + sign * reach, 0.0) ** 2 - 0.375) for sign in (-1, 1))
    return max(float(low), 0.0), float(high)


def _of_all(flags: Bools, rows: Indices, length: int) -> Bools:
    found = np.zeros(length, dtype=bool)
    found[rows] = flags
    return found


def rows_to_rate(change: ModelChange, frame: pd.DataFrame) -> str:
    """Write the rows of a table that are to be rated as CSV, in their order, with their place."""
    rows = frame.iloc[change.to_rate].reset_index(drop=True)
    place = pd.DataFrame({"place": np.arange(1, len(rows) + 1)})
    return frame_as_csv(pd.concat([place, rows.drop(columns="place", errors="ignore")], axis=1))


def record_of_change(
    record: DecisionRecord,
    change: ModelChange,
    frame: pd.DataFrame,
    *,
    name: str = "table",
    fingerprint: str = "",
    author: str = "",
    reason: str = "",
) -> DecisionRecord:
    """Make a decision of the new thresholds, with the counts of the rated rows.

    Raises DataError: too few ratings, or those of one class alone.
    """
    rated = ~np.isnan(ratings_so_far(frame, change.columns.rating, change.columns.known_meanings))
    lowest = [np.nanmin(score_column(frame[rated], name), initial=np.inf) for name in change.columns.scores]
    floors = tuple(float(min(pair)) for pair in zip(lowest, change.thresholds, strict=False))
    columns = replace(change.columns, floors=floors)
    dataset = RatedDataset.from_frame(frame, columns, name=name, fingerprint=fingerprint, one_class=True)
    point = manual_point(dataset.source, smooth_path(dataset.documents, rule=change.rule), change.thresholds)
    return record_of(point, dataset, record.settings, author=author, reason=reason)
