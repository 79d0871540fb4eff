"""Test counts in segments against a pandas group-by."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiloss_core import DataError, RatedDocuments, flagged
from multiloss_core.inspection import Segmentation, folded, segment_counts, segmentation
from multiloss_core.numerics.proportions import share_interval
from multiloss_core.tables import document_segments


def segments_of(values, rows=None):
    frame = pd.DataFrame({"channel": values})
    return document_segments(frame, "channel", np.arange(len(frame)) if rows is None else np.asarray(rows))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["web", " web ", "", None, "Web"], ["web", "web", "(blank)", "(blank)", "Web"]),
        ([1, None, 20], ["1", "(blank)", "20"]),
        ([1_234_567.0, 1_234_568.0], ["1234567", "1234568"]),
        ([0.5, np.nan], ["0.5", "(blank)"]),
        ([True, False], ["True", "False"]),
        (pd.Series(["a", None], dtype="category"), ["a", "(blank)"]),
        ([None, None], ["(blank)", "(blank)"]),
        (["<b>", "=1+1"], ["<b>", "=1+1"]),
    ],
)
def test_values_are_read_as_text(values, expected):
    assert segments_of(values).tolist() == expected


def test_too_many_values_are_refused_with_their_number():
    values = ["a"] * 5 + [f"s{i}" for i in range(1000)]
    with pytest.raises(DataError) as error:
        segments_of(values)
    for words in ("'channel'", "1,001 different values", "limit of 200", "row 205", "no segment column"):
        assert words in str(error.value)
    with pytest.raises(DataError, match="no column 'shop'"):
        document_segments(pd.DataFrame({"channel": ["a"]}), "shop", np.arange(1))


def documents_of(generator, n, segments):
    labels = generator.random(n) < 0.5
    labels[:2] = [True, False]
    documents = RatedDocuments(
        generator.random((n, 2)), labels, generator.choice([0.5, 1.0, 4.0], n), floors=[0.0, 0.0]
    )
    return documents, np.array([f"s{i}" for i in generator.integers(0, segments, n)], dtype=object)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(2, 200),
    st.integers(1, 30),
    st.sampled_from(["any", "all"]),
    st.sampled_from([0.0, 0.6, 0.95, np.inf]),
)
def test_each_segment_is_that_of_a_group_by(seed, n, segments, rule, first):
    documents, names = documents_of(np.random.default_rng(seed), n, segments)
    thresholds = [first, 0.7]
    chosen = flagged(documents.scores, thresholds, rule)
    found = segment_counts(documents, segmentation(names), thresholds, rule)
    frame = pd.DataFrame(
        {
            "segment": names,
            "documents": documents.weights,
            "positives": documents.weights * documents.labels,
            "tp": documents.weights * (chosen & documents.labels),
            "fp": documents.weights * (chosen & ~documents.labels),
            "squares": documents.weights**2 * chosen,
        }
    )
    expected = frame.groupby("segment").sum()
    assert {segment.name for segment in found} == set(expected.index)
    for segment in found:
        row = expected.loc[segment.name]
        for part in ("documents", "positives", "tp", "fp"):
            assert getattr(segment, part) == pytest.approx(row[part])
        alerts = row["tp"] + row["fp"]
        if alerts:
            assert segment.precision == pytest.approx(row["tp"] / alerts)
            size = alerts**2 / row["squares"]
            assert segment.interval == pytest.approx(tuple(share_interval(segment.precision * size, size)))
        else:
            assert np.isnan(segment.precision)
            assert np.isnan(segment.interval).all()
            assert segment.differs is None
    assert [s.alerts for s in found] == sorted((s.alerts for s in found), reverse=True)

    shown = folded(found, 5)
    assert shown[:5] == found[:5]
    if len(found) <= 6:
        assert shown == found
        return
    (rest,) = shown[5:]
    others = expected.loc[[segment.name for segment in found[5:]]].sum()
    assert rest.name == f"({len(found) - 5} others)"
    for part in ("documents", "positives", "tp", "fp"):
        assert getattr(rest, part) == pytest.approx(others[part])
    if rest.alerts:
        size = rest.alerts**2 / others["squares"]
        assert rest.interval == pytest.approx(tuple(share_interval(rest.precision * size, size)))


def flags(precisions, counts, seed=0, repeats=1):
    """Draw segments of these precisions and numbers of alerts and return their differences."""
    generator = np.random.default_rng(seed)
    code = np.repeat(np.arange(len(counts)), counts)
    segments = Segmentation(tuple(f"s{i}" for i in range(len(counts))), code, np.empty(0, dtype=np.intp))
    result = []
    for _ in range(repeats):
        labels = generator.random(len(code)) < np.asarray(precisions)[code]
        labels[0], labels[-1] = True, False
        documents = RatedDocuments(np.linspace(0.1, 0.9, len(code)), labels, floors=[0.0])
        found = segment_counts(documents, segments, [0.0], "any")
        result.append({segment.name: segment.differs for segment in found})
    return result


@pytest.mark.slow
@pytest.mark.parametrize("counts", [[400, 100], [50] * 20, [1000, 30, 30, 5, 5, 1]])
def test_equal_segments_seldom_differ(counts):
    found = flags([0.5] * len(counts), counts, repeats=300)
    assert np.mean([any(one.values()) for one in found]) < 0.08


def test_a_segment_that_differs_is_named_with_its_side():
    (found,) = flags([0.5, 0.1, 0.9, 0.5], [1000, 200, 200, 20])
    assert found == {"s0": None, "s1": "below", "s2": "above", "s3": None}
