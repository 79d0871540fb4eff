"""Decision records for tests: one by hand, and any that can be made."""

from dataclasses import fields, replace
from datetime import UTC, datetime

from hypothesis import strategies as st

from multiloss_core import DecisionRecord
from multiloss_core.decisions import (
    SET_MANUALLY,
    CurrentThresholds,
    ExpectedCounts,
    GoalValue,
    RecordedColumns,
    RecordedData,
    RecordedInterval,
    RecordedSettings,
    RecordedTarget,
)
from multiloss_core.decisions.audits import AuditedStratum, RecordedAudit
from multiloss_core.decisions.evidence import (
    RecordedAlerts,
    RecordedChance,
    RecordedDays,
    RecordedEvidence,
    RecordedSegment,
    RecordedUnit,
    RecordedWeek,
)
from multiloss_core.thresholds import DataFunnel

HOSTILE_NAMES = (
    'a"b',
    "two words",
    "line\nbreak\r\nand more",
    "ünïcode 分数 🕵",
    "'; DROP TABLE documents; --",
    "</script><script>alert(1)</script>",
    "<img src=http://evil.example/x onerror=alert(1)>",
    '"""\nimport os\n"""',
    "{thresholds} %s %(x)s :name \\",
    '=HYPERLINK("http://evil.example")',
    "| cell | `code` **bold** [link](http://evil.example)",
    "\u2028 separator \u202e turned",
)


def make_record(names=("transaction model", "account model"), thresholds=(0.75, 0.5), *, rule="any", **changes):
    """A record of two classifiers, or of others with thresholds of theirs."""
    record = DecisionRecord(
        created=datetime(2026, 1, 31, 9, 30, tzinfo=UTC),
        author="A. Nalyst",
        reason="Fewer false alerts.\nThe team is small.",
        data=RecordedData(
            "alerts.csv",
            "ab" * 32,
            DataFunnel(read=5000, rated=4900, complete=4890, at_or_above_floor=4800, positives=400),
        ),
        columns=RecordedColumns(tuple(names), (0.25,) * len(names), "rating", "fraud", None, "customer"),
        settings=RecordedSettings(rule, "smooth", "positives", 100),
        target=RecordedTarget("marginal precision", (GoalValue("marginal precision", 0.2),), 0.2, "inside"),
        thresholds=tuple(thresholds),
        expected=ExpectedCounts(
            300.0,
            1100.0,
            1400.0,
            300 / 1400,
            RecordedInterval(295.0, 270.0, 320.0, 0.95),
            RecordedInterval(1105.0, 1040.0, 1170.0, 0.95),
            RecordedInterval(1400.0, 1320.0, 1480.0, 0.95),
            RecordedInterval(0.21, 0.19, 0.23, 0.95),
        ),
        current=CurrentThresholds((0.5,) * len(names), 320.0, 1500.0),
    )
    return replace(record, **changes)


finite = st.floats(allow_nan=False, allow_infinity=False)
counts = st.floats(0, 1e12) | st.integers(0, 10**9).map(float)
shares = st.floats(0, 1, exclude_min=True, exclude_max=True)
# Null characters and halves of surrogate pairs can be stored nowhere.
characters = st.characters(exclude_categories=("Cs",), exclude_characters="\0")
names = st.text(characters, min_size=1, max_size=30).filter(str.strip) | st.sampled_from(HOSTILE_NAMES)
thresholds = st.none() | finite
texts = st.text(characters, max_size=60)


@st.composite
def intervals(draw, most=1e12):
    low, estimate, high = sorted(draw(st.tuples(*[st.floats(0, most)] * 3)))
    return RecordedInterval(estimate, low, high, draw(shares))


@st.composite
def evidence(draw):
    """Draw the optional evidence of a record."""
    alerts = {"tp": counts, "fp": counts, "low": st.none() | shares, "undecided": counts}
    days = st.dates().map(str)
    bounds = st.tuples(counts, counts)
    return RecordedEvidence(
        *draw(st.tuples(*[st.none() | names] * 3)),
        undecided=draw(counts),
        current_undecided=draw(st.none() | counts),
        chance=draw(st.none() | st.builds(RecordedChance, bounds, bounds, st.none() | st.tuples(shares, shares))),
        other_unit=draw(st.none() | st.builds(RecordedUnit, counts, counts, st.none() | counts, st.none() | counts)),
        days=draw(st.none() | st.builds(RecordedDays, counts, counts, counts)),
        dropped=draw(st.none() | st.builds(RecordedAlerts, **alerts)),
        added=draw(st.none() | st.builds(RecordedAlerts, **alerts)),
        weeks=tuple(draw(st.lists(st.builds(RecordedWeek, **alerts, monday=days), max_size=3))),
        incomplete_from=draw(st.none() | days),
        segments=tuple(draw(st.lists(st.builds(RecordedSegment, **alerts, name=names), max_size=3))),
    )


@st.composite
def audits(draw):
    """Draw a random audit with its estimates."""
    sizes = [sorted(draw(st.tuples(*[st.integers(0, 10**6)] * 3))) for _ in range(draw(st.integers(1, 8)))]
    strata = tuple(
        AuditedStratum(draw(texts), draw(st.booleans()), float(most + 1), float(middle + 1), float(least))
        for least, middle, most in sizes
    )
    return RecordedAudit(
        strata,
        caught=draw(counts),
        recall=draw(intervals(1.0)),
        f1=draw(intervals(1.0)),
        missed=draw(intervals()),
        prevalence=draw(intervals(1.0)),
        false_blocks=draw(st.none() | intervals()),
    )


@st.composite
def records(draw):
    """Any record."""
    scores = tuple(draw(st.lists(names, min_size=1, max_size=4, unique=True)))
    each = st.tuples(*[thresholds] * len(scores))
    tp, fp = draw(counts), draw(counts)
    rows = sorted(draw(st.lists(st.integers(0, 10**9), min_size=5, max_size=5)), reverse=True)
    funnel = DataFunnel(**{step.name: number for step, number in zip(fields(DataFunnel), rows, strict=True)})
    by_hand = draw(st.booleans())
    goal = SET_MANUALLY if by_hand else draw(names.filter(lambda name: name != SET_MANUALLY))
    goal_values = () if by_hand else tuple(draw(st.lists(st.builds(GoalValue, names, finite), min_size=1, max_size=3)))
    return DecisionRecord(
        record_id=str(draw(st.uuids())),
        created=draw(st.datetimes(timezones=st.just(UTC))),
        program_version=draw(names),
        author=draw(texts),
        reason=draw(texts),
        data=RecordedData(
            draw(names),
            draw(st.text("0123456789abcdef", min_size=64, max_size=64)),
            draw(st.none() | st.just(funnel)),
        ),
        columns=RecordedColumns(
            scores,
            tuple(draw(st.tuples(*[finite] * len(scores)))),
            *draw(st.tuples(*[st.none() | names] * 4)),
            leave_out_unusable=draw(st.booleans()),
        ),
        settings=RecordedSettings(
            draw(st.sampled_from(["any", "all"])),
            draw(names),
            draw(st.sampled_from(["uniform", "quantile", "positives"])),
            draw(st.integers(0, 4_000_000)),
        ),
        target=RecordedTarget(
            goal,
            goal_values,
            draw(st.none() | shares),
            draw(st.sampled_from([None, "inside", "at_floor", "unreachable"])),
        ),
        thresholds=draw(each),
        expected=replace(
            ExpectedCounts.of(tp, fp),
            tp_interval=draw(st.none() | intervals()),
            precision_interval=draw(st.none() | intervals(1.0)),
        ),
        audit=draw(st.none() | audits()),
        evidence=draw(st.none() | evidence()),
        current=draw(
            st.none() | st.builds(CurrentThresholds, each) | st.builds(CurrentThresholds, each, counts, counts)
        ),
    )
