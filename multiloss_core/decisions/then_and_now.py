"""Compare expectations of a decision with counts of its thresholds on other data."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from multiloss_core.datasets import RatedDataset
from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.record_fields import RecordedFilter, RecordedInterval
from multiloss_core.decisions.segments import FlaggedDocuments, flagged_documents, values_in_words
from multiloss_core.errors import DataError
from multiloss_core.formatting import NEUTRAL, Vocabulary, percent, score_name, short_percent, shortened
from multiloss_core.generalisation.bootstrap import bootstrap_thresholds
from multiloss_core.generalisation.marginal_interval import Interval
from multiloss_core.generalisation.new_data_intervals import PointIntervals
from multiloss_core.numerics.arrays import UNDEFINED, Bools, Floats
from multiloss_core.numerics.proportions import NORMAL_95, precision_interval
from multiloss_core.tables.column_values import column_of, numbers
from multiloss_core.thresholds.data.counts import Counts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

Bounds = tuple[float, float]
UNKNOWN: Bounds = (UNDEFINED, UNDEFINED)
LEVEL = 0.95
# Differences are tested at this level, as looks are repeated: each week two tests, so one false alarm in two years.
ALARM_LEVEL = 0.995
ALARM_WORDS = (
    f"Differences are tested at {short_percent(ALARM_LEVEL)}: looked at each week, chance alone raises about one alarm "
    "in two years."
)
_ALARM = float(ndtri((1 + ALARM_LEVEL) / 2)) / NORMAL_95
MIN_WEEKS = 6
OTHER_SCALE = 10.0
PER_DAY, PER_THOUSAND, PER_THOUSAND_ROWS = "a day", "per 1,000 documents rated", "per 1,000 rows rated"


@dataclass(frozen=True, eq=False, kw_only=True)
class Observed(Counts[float]):
    """Counts of the recorded thresholds on other data, with 95 % bounds, NaN if unknown.

    `rows` rated rows represent `documents` over `days` (None without times). `undecided`:
    weight of the alerts without a decision, None where that is not known. `unlisted`: segments of these data that have
    no thresholds of their own, most rows first. `typical`: the median of each score, where it is known.
    """

    bounds: Mapping[str, Bounds]
    rows: float
    documents: float
    days: float | None
    undecided: float | None = 0.0
    unlisted: tuple[str, ...] = ()
    typical: Mapping[str, float] = field(default_factory=dict)

    @property
    def all_alerts(self) -> float:
        """The alerts, undecided ones included as far as these are known."""
        return self.alerts + (self.undecided or 0.0)


def observe(
    record: DecisionRecord, dataset: RatedDataset, intervals: Callable[[FlaggedDocuments], PointIntervals] | None = None
) -> Observed:
    """Count the thresholds of a record on other data, documents or a table of counts.

    `intervals` may keep the resampled counts at the recorded thresholds; by default they are drawn with a fixed seed.

    Raises DataError: thresholds for segments on a table of counts, or data without the recorded columns.
    """
    data = dataset.source if record.settings.amount is None else dataset.in_money().source
    segments, documents = record.segments, data.documents
    unlisted: tuple[str, ...] = ()
    if documents is None:
        if segments is not None:
            raise DataError(
                f"'{dataset.name}' is a table of counts, and the decision has thresholds for {segments.listed_words}; "
                "choose data with a row for each document."
            )
        counts = data.counts_at(record.threshold_array, record.settings.rule)
        bounds = {"precision": precision_interval(counts.precision, counts.alerts)}
    else:
        at = flagged_documents(documents, dataset.frame, record.threshold_array, record.settings.rule, segments)
        counts = at.documents.counts_at(at.thresholds, at.rule)
        bounds = bounds_of((intervals or _resampled)(at))
        unlisted = () if segments is None else segments.unlisted(segments.names(dataset.frame, documents.rows))
    return Observed(
        tp=counts.tp,
        fp=counts.fp,
        bounds=bounds,
        rows=data.totals.alerts if documents is None else float(len(documents.labels)),
        documents=dataset.source.totals.alerts,
        days=dataset.days,
        undecided=undecided_alerts(record, dataset.source.documents, dataset.frame),
        unlisted=unlisted,
        typical={} if documents is None else typical_scores(record, dataset.frame),
    )


def _resampled(at: FlaggedDocuments) -> PointIntervals:
    return bootstrap_thresholds(at.documents, at.thresholds, at.rule, generator=np.random.default_rng(0)).intervals()


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Old and new amounts of data, in days or thousands of documents, to divide counts by.

    `arrived`: old and new numbers of rated rows if these are random, as in a fixed number of days.
    `undecided`: weight of the alerts without a decision then and now, 0 where only rated ones are compared.
    `unit_weight`: how many documents a row stands for then and now. `dispersion`: the variance of the alerts of a week
    over that of a Poisson number, at least 1.
    """

    unit: str
    then: float
    now: float
    arrived: tuple[float, float] | None = None
    undecided: tuple[float, float] = (0.0, 0.0)
    unit_weight: tuple[float, float] = (1.0, 1.0)
    dispersion: float = 1.0

    def scale(self, vocabulary: Vocabulary = NEUTRAL) -> str:
        """Describe the unit that counts are divided by."""
        return f"per 1,000 {vocabulary.documents} rated" if self.unit == PER_THOUSAND else self.unit


@dataclass(frozen=True, kw_only=True)
class Change:
    """An old and a new number on one scale, and their difference; bounds are NaN if unknown."""

    then: float
    then_bounds: Bounds
    now: float
    now_bounds: Bounds

    @property
    def difference(self) -> float:
        """Return the new number less the old one."""
        return self.now - self.then

    @property
    def bounds(self) -> Bounds:
        """Return bounds of the difference, at the level of the bounds of both numbers.

        The distances from each number to its bounds are added as squares (MOVER: Zou, Donner 2008), so the data must
        not share documents.
        """
        (then_low, then_high), (now_low, now_high) = self.then_bounds, self.now_bounds
        low = self.difference - math.hypot(self.now - now_low, then_high - self.then)
        high = self.difference + math.hypot(now_high - self.now, self.then - then_low)
        return low, high

    @property
    def is_beyond_chance(self) -> bool:
        """Return whether 0 lies outside bounds of the difference at `ALARM_LEVEL`."""
        low, high = (self.difference + _ALARM * (bound - self.difference) for bound in self.bounds)
        return low > 0 or high < 0


def kept_rows(frame: pd.DataFrame, filters: Sequence[RecordedFilter]) -> Bools:
    """Mark the rows (n,) of a table that the filters keep.

    Raises DataError: a column that is missing, or no row that is kept.
    """
    kept = np.ones(len(frame), dtype=bool)
    for entry in filters:
        wanted = list(entry.values)
        if entry.column not in frame.columns:
            raise DataError(
                f"There is no column '{shortened(entry.column)}', by which the decision chose its rows "
                f"({entry.words}); choose a table that has it."
            )
        column = frame[entry.column]
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            times = pd.to_datetime(pd.Series(wanted, dtype="string"), errors="coerce", utc=True)
            kept &= pd.to_datetime(column, utc=True).isin(times).to_numpy()
        else:
            as_text = column.astype("string").isin([*map(str, wanted)]).fillna(value=False)
            kept &= column.isin(wanted).to_numpy() | as_text.to_numpy(dtype=bool)
    if len(frame) and not kept.any():
        conditions = "; ".join(f"'{shortened(entry.column)}' is {entry.words}" for entry in filters)
        raise DataError(f"The decision is of rows where {conditions}, and the table has none; choose another table.")
    return np.asarray(kept)


def bounds_of(intervals: PointIntervals) -> dict[str, Bounds]:
    """Take the bounds of each number at thresholds that were fixed before the data were seen."""
    expected = intervals.expected
    each = {"tp": expected.tp, "fp": expected.fp, "alerts": expected.alerts, "precision": expected.precision}
    return {name: (found.low, found.high) for name, found in each.items()}


def changes_of(record: DecisionRecord, now: Observed, sizes: Sizes | None) -> dict[str, Change]:
    """Compare old and new numbers on one scale; without a scale only the precision."""
    then, changes = record.expected, {}
    for name in ("tp", "fp", "alerts") if sizes is not None else ():
        interval = _interval_then(record, name)
        bounds = now.bounds.get(name, UNKNOWN)
        scale = sizes if name == "alerts" or sizes is None else replace(sizes, undecided=(0.0, 0.0))
        changes[name] = change_of(getattr(then, name), interval, getattr(now, name), bounds, scale)
    if then.precision is not None:
        interval = _interval_then(record, "precision")
        changes["precision"] = change_of(then.precision, interval, now.precision, now.bounds["precision"])
    return changes


def _interval_then(record: DecisionRecord, name: str) -> RecordedInterval | None:
    """Return the recorded interval of a number, else its bounds, or those of its count.

    Both take the thresholds for given, and the last takes rows for independent, so they are narrower. None for money
    without bounds, as counts do not show its spread.
    """
    then, data, evidence = record.expected, record.data, record.evidence
    recorded: RecordedInterval | None = getattr(then, f"{name}_interval")
    # Bounds of another level than those of now cannot be put together with them.
    if recorded is not None and then.level == LEVEL:
        return recorded
    estimate = getattr(then, name) or 0.0
    bounds = None if evidence is None or evidence.chance is None else getattr(evidence.chance, name, None)
    rows = data.funnel.at_or_above_floor if data.funnel is not None else 0
    weight = data.rated / rows if data.rated and rows else 1.0
    if bounds is not None:
        low, high = bounds
    elif record.settings.amount is not None:
        return None
    elif name == "precision":
        low, high = precision_interval(estimate, then.alerts / weight)
    else:
        by_chance = NORMAL_95 * math.sqrt(estimate * weight)
        low, high = max(estimate - by_chance, 0.0), estimate + by_chance
    return RecordedInterval(estimate, min(low, estimate), max(high, estimate), LEVEL)


def _scale_note(record: DecisionRecord, typical: Mapping[str, float]) -> str:
    # Ten times a threshold, or a tenth of it, is no usual score.
    found = [
        f"'{shortened(score_name(name))}' (usually {typical[name]:.4g}, threshold {abs(value):.4g})"
        for name, value in zip(record.columns.scores[: record.columns.score_count], record.thresholds, strict=False)
        if value and name in typical and not 1 / OTHER_SCALE < abs(typical[name] / value) < OTHER_SCALE
    ]
    if not found:
        return ""
    return f"The scale of the scores may have changed: {', '.join(found)}. Check how these data were made."


# The numbers that decide: what is caught and missed besides follows from these.
TESTED = ("precision", "alerts")
AS_DECIDED, LOOK_AT_IT, DECIDE_ANEW = "As decided", "Look at it", "Decide anew"


def is_tested(changes: Mapping[str, Change]) -> bool:
    """Return whether it is known what chance explains, of precision or alerts."""
    return any(not math.isnan(change.bounds[0]) for name, change in changes.items() if name in TESTED)


def is_as_expected(changes: Mapping[str, Change]) -> bool:
    """Return whether chance explains the changes of precision and alerts."""
    return not any(change.is_beyond_chance for name, change in changes.items() if name in TESTED)


def advice_of(changes: Mapping[str, Change]) -> str:
    """Advise to decide anew where precision fell by more than chance."""
    precision = changes.get("precision")
    if precision is not None and precision.is_beyond_chance and precision.difference < 0:
        return DECIDE_ANEW
    return AS_DECIDED if is_tested(changes) and is_as_expected(changes) else LOOK_AT_IT


def verdict(changes: Mapping[str, Change]) -> str:
    """Summarise whether precision and alerts have changed by more than chance."""
    if not is_tested(changes):
        return "Chance cannot be tested: the record has no intervals, or nothing is flagged."
    sentences = []
    precision, alerts = changes.get("precision"), changes.get("alerts")
    if precision is not None and not math.isnan(precision.bounds[0]):
        if not precision.is_beyond_chance:
            sentences.append("The precision is within what was expected: chance explains the difference.")
        elif precision.difference < 0:
            sentences.append("The precision has fallen by more than chance explains: choose the point anew.")
        else:
            sentences.append("The precision has risen by more than chance explains: looser thresholds may be worth it.")
    if alerts is not None and alerts.is_beyond_chance:
        sentences.append(f"There are {'more' if alerts.difference > 0 else 'fewer'} alerts than chance explains.")
    return " ".join(sentences)


def comparison_notes(record: DecisionRecord, now: Observed, changes: Mapping[str, Change]) -> tuple[str, ...]:
    """Name unlisted segments, scores of another scale, missing intervals and the level of tests."""
    differs = any(change.is_beyond_chance for change in changes.values())
    notes = [_unlisted_note(record, now), _scale_note(record, now.typical) if differs else ""]
    if record.expected.precision_interval is None and record.settings.amount is None:
        notes.append("The record has no intervals for new data: those of its counts alone are used.")
    notes.append(ALARM_WORDS)
    return tuple(filter(None, notes))


def typical_scores(record: DecisionRecord, frame: pd.DataFrame) -> dict[str, float]:
    """Find the median of each score in a table, absolute and without blanks."""
    names = record.columns.score_columns
    columns = {name: np.abs(numbers(column_of(frame, name))[0]) for name in names}
    return {name: float(np.nanmedian(column)) for name, column in columns.items() if np.isfinite(column).any()}


def _unlisted_note(record: DecisionRecord, now: Observed) -> str:
    if record.segments is None or not now.unlisted:
        return ""
    column, values = shortened(record.segments.column), values_in_words(now.unlisted)
    return f"Values of '{column}' without thresholds of their own use the common thresholds: {values}."


def recall_now(record: DecisionRecord, now: Observed, sizes: Sizes | None) -> Interval | None:
    """Estimate recall on other data if as much is missed as in the audit of a decision.

    Missed and blocked positives are those of the audit, scaled to the size of these data; only what is caught is
    observed, less the share that was blocked as well. None without an audit or a scale.
    """
    audit = record.audit
    if audit is None or sizes is None or record.settings.amount is not None or not sizes.then > 0:
        return None
    growth = sizes.now / sizes.then
    blocked = sum(one.documents * one.positives / one.ratings for one in audit.strata if one.blocked and one.ratings)
    then = record.expected.tp
    caught = now.tp * (audit.caught / then if then > 0 else 1.0) + growth * blocked

    def recall(missed: float) -> float:
        everything = caught + growth * missed
        return caught / everything if everything > 0 else UNDEFINED

    missed = audit.missed
    return Interval(estimate=recall(missed.estimate), low=recall(missed.high), high=recall(missed.low))


def recall_note(record: DecisionRecord, now: Observed, sizes: Sizes | None) -> str:
    """Compare recall by the audit of a decision with that of other data; empty without an audit."""
    if record.audit is None:
        return ""
    then, found = record.audit.recall, recall_now(record, now, sizes)
    sentence = f"Recall was {percent(then.estimate)} ({percent(then.low)} to {percent(then.high)}) by the random audit"
    if found is None or math.isnan(found.estimate):
        return f"{sentence}."
    return (
        f"{sentence}; if as much is missed now, it is {percent(found.estimate)} ({percent(found.low)} to "
        f"{percent(found.high)})."
    )


def undecided_alerts(
    record: DecisionRecord, documents: RatedDocuments | None, frame: pd.DataFrame | None = None
) -> float | None:
    """Count undecided alerts at the thresholds of a record; None for money.

    `frame`: the table of the documents; without it, thresholds per segment leave the number unknown (None).
    """
    if documents is None or not len(documents.undecided):
        return 0.0
    if record.settings.amount is not None:
        return None
    thresholds, rule, segments = record.threshold_array, record.settings.rule, record.segments
    if segments is None:
        return float(documents.undecided.count_along(thresholds[np.newaxis], rule)[0])
    if frame is None:
        return None
    at = flagged_documents(documents, frame, thresholds, rule, segments)
    return float(at.documents.undecided.count_along(at.thresholds[np.newaxis], at.rule)[0])


def compared_sizes(
    record: DecisionRecord, *, rows: float, documents: float, days: float | None, undecided: float | None = 0.0
) -> Sizes | None:
    """Find the scale of both data: days, else rated documents; None if unknown.

    `rows` rated rows of the new data represent `documents` over `days`; `undecided` alerts wait for a
    decision. Alerts a day include these. Where their number then or now is not known, rated documents are the size:
    the newest data are always the least reviewed, so that fewer rated alerts a day mean nothing.
    """
    data = record.data
    waiting = _undecided_then(record)
    if data.days and days and waiting is not None and undecided is not None:
        before = data.funnel.at_or_above_floor if data.funnel is not None else data.rated or 0.0
        weight = (data.rated or before) / before if before else 1.0
        return Sizes(
            unit=PER_DAY,
            then=data.days,
            now=days,
            arrived=(before, rows),
            undecided=(waiting, undecided),
            unit_weight=(weight, documents / rows if rows else 1.0),
            dispersion=_dispersion_then(record, weight),
        )
    if data.rated and documents:
        return Sizes(unit=PER_THOUSAND, then=data.rated / 1_000, now=documents / 1_000)
    if data.funnel is not None and data.funnel.at_or_above_floor and rows:
        # Records that were made before the sum of weights was kept.
        return Sizes(unit=PER_THOUSAND_ROWS, then=data.funnel.at_or_above_floor / 1_000, now=rows / 1_000)
    return None


def change_of(
    then: float, interval: RecordedInterval | None, now: float, now_bounds: Bounds, sizes: Sizes | None = None
) -> Change:
    """Put an old and a new number on the scale of `sizes`; without it they are shares.

    Where the record holds an interval, its estimate is what was expected: it is corrected for the choice of thresholds.
    Undecided alerts of the sizes are added to both.
    """
    size_then, size_now = (1.0, 1.0) if sizes is None else (sizes.then, sizes.now)
    expected = then if interval is None else interval.estimate
    bounds = UNKNOWN if interval is None else (interval.low, interval.high)
    arrived_then, arrived_now = (None, None) if sizes is None or sizes.arrived is None else sizes.arrived
    if sizes is not None:
        expected, bounds = _with_undecided(expected, bounds, sizes.undecided[0], sizes.unit_weight[0])
        now, now_bounds = _with_undecided(now, now_bounds, sizes.undecided[1], sizes.unit_weight[1])
    units = (0.0, 0.0) if sizes is None else tuple((sizes.dispersion - 1) * weight for weight in sizes.unit_weight)
    return Change(
        then=expected / size_then,
        then_bounds=_scaled(expected, bounds, size_then, arrived_then, units[0]),
        now=now / size_now,
        now_bounds=_scaled(now, now_bounds, size_now, arrived_now, units[1]),
    )


def dispersion_of(alerts: Floats, unit_weight: float = 1.0) -> float:
    """Estimate the dispersion of the alerts of weeks (w,), at least 1.

    It is 1 with fewer than six weeks, else the variance over the mean and the documents that a row stands for. The
    fewer the weeks, the more it is raised, as the tails of Student's t lie beyond those of the normal distribution.
    """
    if len(alerts) < MIN_WEEKS or not alerts.any():
        return 1.0
    raised = float(stdtrit(len(alerts) - 1, (1 + ALARM_LEVEL) / 2)) / (_ALARM * NORMAL_95)
    return max(float(alerts.var(ddof=1)) * raised**2 / float(alerts.mean()) / unit_weight, 1.0)


def _dispersion_then(record: DecisionRecord, unit_weight: float) -> float:
    weeks = () if record.evidence is None or record.settings.amount is not None else record.evidence.weeks
    return dispersion_of(np.array([week.tp + week.fp + week.undecided for week in weeks if week.complete]), unit_weight)


def _undecided_then(record: DecisionRecord) -> float | None:
    """Find the weight of the undecided alerts of a record; None where it is not known."""
    funnel = record.data.funnel
    if funnel is None or funnel.read == funnel.rated:
        return 0.0
    return record.evidence.undecided if record.evidence is not None and record.settings.amount is None else None


def _with_undecided(value: float, bounds: Bounds, undecided: float, unit_weight: float) -> tuple[float, Bounds]:
    """Add undecided alerts, a Poisson number of rows, to a number and its bounds."""
    by_chance, total = NORMAL_95 * math.sqrt(undecided * unit_weight), value + undecided
    low, high = (math.hypot(value - bound, by_chance) for bound in bounds)
    return total, (total - low, total + high)


def _scaled(value: float, bounds: Bounds, size: float, arrived: float | None, unit: float) -> Bounds:
    """Scale bounds for a fixed number of rated documents, wider for a random number.

    Where documents arrive one by one, their number varies by its square root. What busy weeks add to the variance is
    `unit` times the number.
    """
    by_chance = NORMAL_95 * math.sqrt(value**2 / arrived + unit * value) if arrived else 0.0
    low, high = value - math.hypot(value - bounds[0], by_chance), value + math.hypot(bounds[1] - value, by_chance)
    return max(low, 0.0) / size, high / size
