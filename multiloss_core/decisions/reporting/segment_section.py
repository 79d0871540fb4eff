"""Describe thresholds per segment: a sentence on them, their table, and what they gain."""

from collections.abc import Iterator

from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.reporting.evidence_sections import Row, Section
from multiloss_core.decisions.segments import RecordedGain
from multiloss_core.formatting import Unit, Vocabulary, score_name, share, shortened
from multiloss_core.numerics.arrays import ratio


def listed_sentences(record: DecisionRecord) -> Iterator[str]:
    """Limit the common thresholds to the values without thresholds of their own."""
    if record.segments is not None:
        yield (
            f"These are the common thresholds; {record.segments.listed_words} "
            f"{'has' if record.segments.count == 1 else 'have'} other ones, see thresholds per segment."
        )


def segment_sections(record: DecisionRecord, vocabulary: Vocabulary) -> Iterator[Section]:
    """Write the table of thresholds per segment; nothing where there are only common ones."""
    segments = record.segments
    if segments is None:
        return
    unit = Unit.DOCUMENTS if record.settings.amount is None else Unit.MONEY
    yield Section(
        "segment thresholds",
        "Thresholds per segment",
        (
            f"The value of '{shortened(segments.column)}' decides which thresholds a {vocabulary.document} must reach; "
            "values that are not listed use the common ones.",
            _gain_sentence(segments.gain),
        ),
        header=(
            shortened(segments.column),
            *map(score_name, record.columns.scores),
            "Caught (TP)",
            "False alerts (FP)",
            "Precision",
        ),
        rows=tuple(_row(record, unit, *row) for row in segment_rows(record)),
    )


def segment_rows(record: DecisionRecord) -> Iterator[tuple[str, tuple[float | None, ...], float, float]]:
    """List values, thresholds (k,), TP and FP of each segment, all others last."""
    if record.segments is None:
        return
    tp, fp = record.expected.tp, record.expected.fp
    for one in record.segments.own:
        tp, fp = tp - one.tp, fp - one.fp
        yield one.words, one.thresholds, one.tp, one.fp
    # Sums of weights differ by rounding.
    yield "All others", record.thresholds, max(0.0, tp), max(0.0, fp)


def _row(
    record: DecisionRecord, unit: Unit, name: str, thresholds: tuple[float | None, ...], tp: float, fp: float
) -> Row:
    written = record.columns.threshold_words(thresholds)
    base = tp + fp if unit is Unit.DOCUMENTS else 1_000.0
    return name, *written, unit.number(tp), unit.number(fp), share(ratio(tp, tp + fp), base)


def _gain_sentence(gain: RecordedGain | None) -> str:
    if gain is None:
        return "What they gain over common thresholds on new data is unknown."
    estimate, low, high = (
        f"{value:,.1f}".replace("-", "\N{MINUS SIGN}") for value in (gain.estimate, gain.low, gain.high)
    )
    chance = ", so that chance may explain it" if gain.low <= 0 <= gain.high else ""
    return (
        f"On held-out data, the gain in value over common thresholds is {estimate}, with bounds from {low} to {high}"
        f"{chance}."
    )
