"""Recorded audits: checks of the record, and their words in report and comparison."""

from dataclasses import replace

import pytest

from multiloss_core import DataError, DecisionRecord
from multiloss_core.decisions import Observed, RecordedAudit, Sizes, html_report, markdown_summary, recall_now
from multiloss_core.decisions.audits import AuditedStratum
from multiloss_core.decisions.record_fields import RecordedInterval
from tests.decisions.records import make_record


def interval(estimate, low, high):
    return RecordedInterval(estimate, low, high, 0.95)


AUDIT = RecordedAudit(
    (AuditedStratum("a 0.4 to 0.5", False, 9_000.0, 300.0, 6.0), AuditedStratum("a ≥ 0.9", True, 50.0, 25.0, 20.0)),
    caught=make_record().expected.tp,
    recall=interval(0.42, 0.31, 0.56),
    f1=interval(0.3, 0.2, 0.4),
    missed=interval(200.0, 120.0, 300.0),
    prevalence=interval(0.004, 0.003, 0.005),
    false_blocks=interval(10.0, 4.0, 18.0),
)
RECORD = replace(make_record(), audit=AUDIT)


def test_report_states_recall_only_with_an_audit():
    without = markdown_summary(make_record())
    assert "recall" in without
    assert "42.0" not in without
    for text in (markdown_summary(RECORD), html_report(RECORD)):
        assert "31.0" in text
        assert "56.0" in text
        assert "a 0.4 to 0.5" in text
        assert "cannot be computed" not in text


def test_record_is_restored_with_its_audit():
    assert DecisionRecord.from_json(RECORD.to_json()) == RECORD
    assert "audit" not in make_record().as_dict()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"recall": {"estimate": 0.5, "low": 0.4, "high": 1.2, "level": 0.95}}, "recall"),
        ({"strata": []}, "strata"),
        ({"missed": None}, "missed"),
    ],
)
def test_unusable_audits_are_rejected(change, message):
    import json

    content = RECORD.as_dict()
    content["audit"] |= change
    with pytest.raises(DataError, match=message):
        DecisionRecord.from_json(json.dumps(content))


@pytest.mark.parametrize("counts", [(100.0, 50.0, 60.0), (100.0, 0.0, 0.0), (10.0, 20.0, 5.0)])
def test_strata_hold_parts(counts):
    with pytest.raises((DataError, ValueError)):
        replace(AUDIT, strata=(AuditedStratum("a", False, *counts),))


def test_recall_of_newer_data_scales_what_is_missed():
    now = Observed(tp=70.0, fp=9.0, bounds={}, rows=1.0, documents=1.0, days=15.0)
    found = recall_now(RECORD, now, Sizes(unit="a day", then=30.0, now=15.0))
    # Half the days: half of the missed and of the blocked positives, 50 x 20 / 25.
    assert found.estimate == pytest.approx((70 + 20) / (70 + 20 + 100))
    assert found.low == pytest.approx((70 + 20) / (70 + 20 + 150))
    assert found.high == pytest.approx((70 + 20) / (70 + 20 + 60))
    assert recall_now(RECORD, now, None) is None
    assert recall_now(make_record(), now, Sizes(unit="a day", then=30.0, now=15.0)) is None
