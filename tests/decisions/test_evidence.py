"""Compare the evidence in a record with pandas."""

import numpy as np
import pandas as pd
import pytest

from multiloss_core import RatedDocuments, simulate_population
from multiloss_core.decisions import evidence_of
from multiloss_core.decisions.evidence import MAX_SEGMENTS
from multiloss_core.formatting import Unit
from multiloss_core.inspection import calendar, daily_alerts, segment_counts, segmentation, weekly_counts

NAMES = ["a", "b"]


@pytest.fixture(scope="module")
def frame():
    generator = np.random.default_rng(5)
    documents = simulate_population(
        generator, documents=40_000, prevalence=0.01, names=tuple(NAMES), rated_share=0.03
    ).rated()
    made = pd.DataFrame(documents.scores, columns=NAMES)
    made["fraud"] = documents.labels
    made["amount"] = generator.integers(1, 500, len(made)).astype(float)
    made["day"] = np.datetime64("2026-01-05") + generator.integers(0, 70, len(made)) * np.timedelta64(1, "D")
    made["country"] = generator.choice([f"C{i}" for i in range(30)], len(made))
    return made


@pytest.fixture(scope="module")
def documents(frame):
    return RatedDocuments(frame[NAMES].to_numpy(), frame["fraud"].to_numpy(), names=tuple(NAMES))


@pytest.fixture(scope="module")
def thresholds(frame):
    return frame[NAMES].quantile(0.8).to_numpy(), frame[NAMES].quantile(0.6).to_numpy()


def reached(frame, values):
    return (frame[NAMES] >= values).any(axis=1)


def test_what_is_dropped_and_added_is_counted(frame, documents, thresholds):
    wanted, current = thresholds[0], np.array([thresholds[1][0], np.inf])
    found = evidence_of(documents, wanted, "any", current=current)
    before, after = reached(frame, current), reached(frame, wanted)
    for band, rows in ((found.dropped, before & ~after), (found.added, after & ~before)):
        assert (band.tp, band.fp) == (frame["fraud"][rows].sum(), (~frame["fraud"][rows].astype(bool)).sum())
        assert band.low < band.tp / (band.tp + band.fp) < band.high
    assert evidence_of(documents, wanted, "any").dropped is None


def test_money_and_documents_are_shown_together(frame, documents, thresholds):
    wanted, current = thresholds
    amounts, fraud = frame["amount"], frame["fraud"].astype(bool)
    money = evidence_of(documents, wanted, "any", current=current, amounts=amounts.to_numpy()).other_unit
    rows, before = reached(frame, wanted), reached(frame, current)
    sums = [amounts[rows & fraud], amounts[rows & ~fraud], amounts[before & fraud], amounts[before & ~fraud]]
    assert [money.tp, money.fp, money.current_tp, money.current_fp] == pytest.approx([part.sum() for part in sums])
    counted = evidence_of(documents, wanted, "any", unit=Unit.MONEY).other_unit
    assert (counted.tp, counted.fp) == ((rows & fraud).sum(), (rows & ~fraud).sum())
    assert counted.current_tp is None
    assert evidence_of(documents, wanted, "any").other_unit is None


def test_days_weeks_and_segments_are_those_of_the_thresholds(frame, documents, thresholds):
    wanted, _ = thresholds
    dates = calendar(frame["day"].to_numpy().astype("datetime64[D]"))
    segments = segment_counts(documents, segmentation(frame["country"].to_numpy(dtype=object)), wanted, "any")
    found = evidence_of(
        documents,
        wanted,
        "any",
        days=daily_alerts(documents, dates, wanted, "any"),
        weeks=weekly_counts(documents, dates, wanted, "any"),
        incomplete_from=8,
        segments=segments,
        columns=("amount", "day", "country"),
    )
    flagged = frame[reached(frame, wanted)]
    assert found.days.mean == pytest.approx(len(flagged) / 70)
    monday = flagged["day"].dt.to_period("W").dt.start_time.dt.strftime("%Y-%m-%d")
    weekly = flagged["fraud"].groupby(monday).agg(["sum", "size"])
    assert [(week.monday, week.tp, week.tp + week.fp) for week in found.weeks] == [
        (week, row["sum"], row["size"]) for week, row in weekly.iterrows()
    ]
    assert found.incomplete_from == weekly.index[8]
    assert len(found.segments) == MAX_SEGMENTS
    assert sum(segment.tp for segment in found.segments) == flagged["fraud"].sum()
    assert (found.amount, found.time, found.segment) == ("amount", "day", "country")
