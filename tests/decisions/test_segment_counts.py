"""Test records, reports and evidence of thresholds per segment on a table of documents."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from multiloss_core import operating_point, smooth_path
from multiloss_core.datasets import RatedDataset
from multiloss_core.decisions import (
    RecordedGain,
    RecordedSegments,
    RecordedSettings,
    SegmentThresholds,
    evidence_of,
    first_page,
    flagged_documents,
    html_report,
    markdown_summary,
    record_of,
    segment_kind,
    undecided_alerts,
)
from multiloss_core.decisions.reporting.summary import sections
from multiloss_core.errors import DataError
from multiloss_core.formatting import NEUTRAL, Unit
from multiloss_core.generalisation import bootstrap_flagged, bootstrap_thresholds
from multiloss_core.tables import ColumnMeanings
from multiloss_core.thresholds import flagged_by_segment
from multiloss_core.thresholds.data.counts import Counts
from multiloss_core.thresholds.data.rated_counts import CellCounts
from tests.decisions.samples import rated_frame
from tests.segments.test_counted import surfaces

OWN = {"7": (0.9, 0.8), "8": (0.9, 0.8), "(blank)": (None, 0.7)}
SCORES = ("card", "device")


@pytest.fixture(scope="module")
def frame():
    frame, generator = rated_frame(), np.random.default_rng(4)
    frame["code"] = generator.choice([5.0, 7.0, 8.0, np.nan], len(frame), p=[0.5, 0.2, 0.2, 0.1])
    frame["amount"] = generator.integers(0, 90, len(frame))
    frame["verdict"] = frame["verdict"].mask(generator.random(len(frame)) < 0.1, "pending")
    return frame


@pytest.fixture(scope="module")
def dataset(frame):
    meanings = (("fraud", "positive"), ("ok", "negative"), ("pending", "undecided"))
    columns = ColumnMeanings(scores=SCORES, rating="verdict", meanings=meanings, floors=(0.5, 0.5), amount="amount")
    return RatedDataset.from_frame(frame, columns)


@pytest.fixture(scope="module")
def point(dataset):
    return operating_point(smooth_path(dataset.documents), 0.3)


def by_row(frame, common, rule="any"):
    """Flag each row by a loop."""
    found = []
    for code, *scores in frame[["code", *SCORES]].itertuples(index=False):
        own = OWN.get("(blank)" if np.isnan(code) else f"{code:.0f}", common)
        reached = [limit is not None and score >= limit for score, limit in zip(scores, own, strict=True)]
        found.append(any(reached) if rule == "any" else all(reached))
    return np.array(found)


def segments_of(frame, common, rule="any"):
    flags, own = by_row(frame, common, rule), []
    for values in (("7", "8"), ("(blank)",)):
        here = flags & (frame["code"].isin([7, 8]) if len(values) > 1 else frame["code"].isna()).to_numpy()
        tp, fp = (float((here & (frame["verdict"] == word)).sum()) for word in ("fraud", "ok"))
        own.append(SegmentThresholds(values, OWN[values[0]], tp, fp))
    return RecordedSegments("code", own, gain=RecordedGain(-1.25, -9.5, 4.0))


@pytest.fixture(scope="module", params=["any", "all"])
def made(request, frame, dataset, point):
    rule = request.param
    segments = segments_of(frame, dataset.documents.round_thresholds(point.thresholds).tolist(), rule)
    current = np.array([0.8, np.inf if rule == "any" else 0.6])
    return record_of(
        point, dataset, RecordedSettings(rule, "smooth", "positives", 50), segments=segments, current=current
    )


def test_record_counts_all_segments(made, frame):
    flags, rule = by_row(frame, made.thresholds, made.settings.rule), made.settings.rule
    inside = (frame[list(SCORES)] >= 0.5).any(axis=1)
    counted = {word: float((flags & inside & (frame["verdict"] == word)).sum()) for word in ("fraud", "ok", "pending")}
    assert made.flags(frame).tolist() == flags.tolist()
    assert made.segments.kind == "number"
    assert (made.expected.tp, made.expected.fp) == (counted["fraud"], counted["ok"])
    assert made.expected.tp_interval is None
    assert made.evidence.undecided == counted["pending"]
    current = frame[list(SCORES)].to_numpy() >= [0.8, np.inf if rule == "any" else 0.6]
    current = (current.any(axis=1) if rule == "any" else current.all(axis=1)) & inside
    pending = (frame["verdict"] == "pending").to_numpy()
    assert made.evidence.current_undecided == (current & pending).sum()
    for found, only in ((made.evidence.added, flags & ~current), (made.evidence.dropped, current & ~flags)):
        alerts = [(only & inside & (frame["verdict"] == word)).sum() for word in ("fraud", "ok", "pending")]
        assert [found.tp, found.fp, found.undecided] == alerts


def test_fingerprint_is_that_without_segments(made, dataset, point):
    plain = record_of(point, dataset, made.settings)
    assert plain.data == made.data
    assert plain.columns == made.columns
    assert plain.segments is None


def test_resamples_at_segments_give_the_intervals(made, dataset, point):
    rule, segments = made.settings.rule, made.segments
    at = flagged_documents(dataset.documents, dataset.frame, made.threshold_array, rule, segments)
    drawn = bootstrap_thresholds(at.documents, at.thresholds, at.rule, generator=np.random.default_rng(0))
    record = record_of(point, dataset, made.settings, segments=segments, evidence=drawn)
    interval = record.expected.tp_interval
    assert interval.low < record.expected.tp < interval.high
    common = bootstrap_thresholds(dataset.documents, point.thresholds, rule, generator=np.random.default_rng(0))
    assert record_of(point, dataset, made.settings, segments=segments, evidence=common).expected.tp_interval is None
    assert "corrected" not in markdown_summary(record)


def test_counted_data_take_the_counts_of_all_segments(made, dataset):
    counts, _ = surfaces(dataset.documents, np.zeros(len(dataset.documents.labels)), rule=made.settings.rule)
    counted, point = replace(dataset, source=counts), operating_point(smooth_path(counts, rule=counts.rule), 0.3)
    flags = CellCounts(np.array([[0], [1]]), *[np.array([[90, 10], [30, 10]])] * 3)
    drawn = bootstrap_flagged(flags, point.thresholds, counts.rule, generator=np.random.default_rng(0))
    segments = replace(made.segments, own=[replace(one, tp=0.0, fp=0.0) for one in made.segments.own])
    total = Counts(10.0, 30.0)
    record = record_of(point, counted, made.settings, segments=segments, segment_counts=total, evidence=drawn)
    assert (record.expected.tp, record.expected.fp, record.evidence) == (10.0, 30.0, None)
    assert record.expected.tp_interval.low < 10 < record.expected.tp_interval.high
    assert record.segments.kind == "number"
    without = record_of(point, counted, made.settings, segments=segments, segment_counts=total)
    assert without.expected.tp_interval is None
    # Documents are counted themselves.
    assert record_of(point, dataset, made.settings, segments=segments, segment_counts=total).expected.tp != 10
    with pytest.raises(DataError, match="need the documents themselves"):
        record_of(point, counted, made.settings, segments=segments)


def test_undecided_alerts_follow_the_segments(made, dataset, frame):
    assert undecided_alerts(made, dataset.documents, frame) == made.evidence.undecided
    assert undecided_alerts(made, dataset.documents) is None
    assert undecided_alerts(replace(made, segments=None), dataset.documents) is not None


def test_money_is_counted_by_segment(made, dataset, frame):
    in_money = dataset.in_money().source
    point = operating_point(smooth_path(in_money), 0.3)
    settings = replace(made.settings, amount="amount")
    segments = replace(made.segments, own=[replace(one, tp=0.0, fp=0.0) for one in made.segments.own])
    record = record_of(point, dataset, settings, counted=in_money, segments=segments)
    inside = (frame[list(SCORES)] >= 0.5).any(axis=1) & (frame["verdict"] == "fraud")
    flags = by_row(frame, record.thresholds, record.settings.rule)
    assert record.expected.tp == frame["amount"][flags & inside].sum()
    assert sections(record)[1].rows[-1][3] == Unit.MONEY.number(record.expected.tp)


def test_report_shows_the_thresholds_of_each_segment(made):
    written = {section.key: section for section in sections(made)}
    table = written["segment thresholds"]
    assert [row[:2] for row in table.rows] == [
        ("7, 8", "0.9"),
        ("(blank)", "never"),
        ("All others", written["thresholds"].rows[0][1]),
    ]
    assert table.header[:3] == ("code", *SCORES)
    assert sum(float(row[3]) for row in table.rows) == made.expected.tp
    assert sum(float(row[4]) for row in table.rows) == made.expected.fp
    assert "−1.2" in table.sentences[1]
    assert "chance" in table.sentences[1]
    assert "3 values of 'code' have other ones" in written["thresholds"].sentences[1]
    assert "3 values of 'code'" in repr(made)
    assert "other thresholds for 3 values of 'code'" in first_page(made, NEUTRAL).headline
    for text in (markdown_summary(made), html_report(made)):
        assert "Thresholds per segment" in text
    plain = replace(made, segments=None)
    assert "segment thresholds" not in {section.key for section in sections(plain)}
    assert "other thresholds" not in first_page(plain, NEUTRAL).headline


def test_headline_counts_changes_of_segments_alone(made):
    current = replace(made.current, thresholds=made.thresholds, tp=made.expected.tp + 2, fp=made.expected.fp)
    headline = first_page(replace(made, current=current), NEUTRAL).headline
    assert "other thresholds for 3 values of 'code'" in headline
    assert "2 positives given up" in headline


def test_data_without_documents_or_column_are_refused(made, dataset, point):
    with pytest.raises(DataError, match="no column 'code'"):
        record_of(
            point, replace(dataset, frame=dataset.frame.drop(columns="code")), made.settings, segments=made.segments
        )


def test_evidence_in_money_follows_the_segments(made, dataset, frame):
    at = flagged_documents(
        dataset.documents, frame, made.threshold_array, made.settings.rule, made.segments, np.array([0.8, 0.6])
    )
    found = evidence_of(at.documents, at.thresholds, at.rule, current=at.current, amounts=dataset.amounts)
    inside = (frame[list(SCORES)] >= 0.5).any(axis=1).to_numpy()
    flags, fraud = by_row(frame, made.thresholds, made.settings.rule) & inside, (frame["verdict"] == "fraud").to_numpy()
    assert found.other_unit.tp == frame["amount"][flags & fraud].sum()
    reached = frame[list(SCORES)].to_numpy() >= [0.8, 0.6]
    current = reached.any(axis=1) if made.settings.rule == "any" else reached.all(axis=1)
    assert found.other_unit.current_tp == frame["amount"][current & inside & fraud].sum()


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (pd.Series(["a", None]), "text"),
        (pd.Series(["1", "2"]), "text"),
        (pd.Series([1, None], dtype="Int64"), "number"),
        (pd.Series([Decimal("1.50"), None]), "number"),
        (pd.Series([1, "a"], dtype=object), "text"),
        (pd.Series([True, None], dtype=object), "boolean"),
        (pd.Series([True, None], dtype="boolean"), "boolean"),
        (pd.Series([2, 3], dtype="category"), "number"),
        (pd.Series([None, None], dtype=object), "text"),
    ],
)
def test_kind_of_a_segment_column(cells, kind):
    assert segment_kind(cells) == kind


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("dtype", [None, object])
def test_times_are_no_segments(zone, dtype):
    cells = pd.Series(pd.to_datetime(["2026-01-31", None]).tz_localize(zone), name="day").astype(dtype or "category")
    for column in (cells, pd.Series([date(2026, 1, 31), None], name="day")):
        with pytest.raises(DataError, match="Column 'day' holds times"):
            segment_kind(column)


def test_every_document_may_be_flagged(dataset, frame):
    segments = RecordedSegments("code", [SegmentThresholds(("7",), (0.0, 0.0), 0.0, 0.0)], "number")
    at = flagged_documents(dataset.documents, frame, np.zeros(2), "any", segments)
    assert tuple(at.documents.counts_at(at.thresholds, at.rule)) == tuple(dataset.documents.totals)


@pytest.mark.parametrize("rule", ["any", "all"])
def test_count_by_segment_is_that_of_each_row(rule):
    generator = np.random.default_rng(1)
    scores, names = generator.random((300, 3)).round(1), np.array(list("abcd"), dtype=object)
    segments, common = names[generator.integers(0, 4, 300)], np.array([0.5, np.inf, 0.3])
    own = {"a": np.array([0.2, 0.9, 0.4]), "c": np.full(3, np.inf), "not there": np.zeros(3)}
    expected = [
        (any if rule == "any" else all)(s >= t for s, t in zip(row, own.get(name, common), strict=True))
        for row, name in zip(scores.tolist(), segments, strict=True)
    ]
    assert flagged_by_segment(scores, segments, common, own, rule).tolist() == expected
    assert flagged_by_segment(scores[:0], segments[:0], common, own, rule).shape == (0,)
    assert pd.Series(expected).nunique() == 2 or rule == "all"
