from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import CountSurfaces, DataError, RatedDocuments, count_surfaces
from multiloss_core.inspection import compare
from multiloss_core.numerics.proportions import effective_size, share_interval
from tests.brute_force import HIGHEST, RULES, close, count, is_flagged, rated_documents

rules = st.sampled_from(RULES)


@st.composite
def documents_and_thresholds(draw):
    """Documents, and two sets of thresholds at or above their floors, some of them never."""
    documents = draw(rated_documents())
    both = []
    for _ in range(2):
        values = [
            draw(st.one_of(st.just(np.inf), st.integers(int(floor), HIGHEST + 1), st.floats(floor, HIGHEST + 1)))
            for floor in documents.floors
        ]
        both.append(np.array(values, dtype=float))
    return documents, *both


def only_flagged_by(documents, one, other, rule):
    """Positions of the documents that the first thresholds flag and the others do not."""
    return [
        i
        for i, scores in enumerate(documents.scores.tolist())
        if is_flagged(scores, one, rule) and not is_flagged(scores, other, rule)
    ]


def assert_holds(band, documents, positions):
    assert band.positions.tolist() == positions
    tp = sum(documents.weights[i] for i in positions if documents.labels[i])
    fp = sum(documents.weights[i] for i in positions if not documents.labels[i])
    assert close(band.tp, tp)
    assert close(band.fp, fp)
    assert close(band.alerts, tp + fp)
    if not positions:
        assert np.isnan([band.precision, *band.interval]).all()
        return
    assert band.precision == pytest.approx(tp / (tp + fp))
    size = effective_size(documents.weights[positions])
    assert band.interval == pytest.approx(tuple(share_interval(size * tp / (tp + fp), size)))
    assert band.interval[0] <= band.precision + 1e-9
    assert band.precision <= band.interval[1] + 1e-9


@given(documents_and_thresholds(), rules)
def test_counts_and_bands_are_as_counted_document_by_document(drawn, rule):
    documents, current, proposed = drawn
    found = compare(documents, current, proposed, rule)
    for side, thresholds in ((found.current, current), (found.proposed, proposed)):
        tp, fp = count(documents, thresholds.tolist(), rule)
        assert close(side.tp, tp)
        assert close(side.fp, fp)
        assert close(side.alerts, tp + fp)
        assert side.complete
        assert side.precision == pytest.approx(tp / (tp + fp)) if tp + fp else np.isnan(side.precision)
        np.testing.assert_array_equal(side.thresholds, thresholds)
    assert_holds(found.added, documents, only_flagged_by(documents, proposed, current, rule))
    assert_holds(found.dropped, documents, only_flagged_by(documents, current, proposed, rule))


@given(rated_documents(weighted=False), rules, st.data())
def test_a_table_of_counts_knows_how_many_lie_between_two_nodes(documents, rule, data):
    surfaces = count_surfaces(documents, rule=rule, resolution=6, spacing="quantile")
    current, proposed = (
        np.array([data.draw(st.sampled_from(axis.tolist())) for axis in surfaces.axes]) for _ in range(2)
    )
    found, exact = compare(surfaces, current, proposed, rule), compare(documents, current, proposed, rule)
    for name in ("current", "proposed", "added", "dropped"):
        ours, theirs = getattr(found, name), getattr(exact, name)
        assert (ours.tp, ours.fp) == (theirs.tp, theirs.fp)
    assert found.added.positions is found.dropped.positions is None
    assert found.added.interval == pytest.approx(exact.added.interval, nan_ok=True)
    np.testing.assert_array_equal(found.current.thresholds, current)


@pytest.mark.parametrize("rule", RULES)
def test_thresholds_between_nodes_count_the_next_node(rule):
    axes = (np.array([0.0, 1.0, 2.0]), np.array([0.0, 10.0]))
    tp = np.array([[9.0, 5.0], [7.0, 4.0], [3.0, 1.0]])
    surfaces = CountSurfaces(axes, tp, 2 * tp, rule, ("a", "b"))
    found = compare(surfaces, [0.5, 10.0], [1.5, np.inf], rule)
    np.testing.assert_array_equal(found.current.thresholds, [1.0, 10.0])
    np.testing.assert_array_equal(found.proposed.thresholds, [2.0, 10.0])
    assert (found.current.tp, found.proposed.tp, found.proposed.fp) == (4.0, 1.0, 2.0)
    assert (found.added.alerts, found.dropped.alerts) == (0.0, 9.0)


def flags_something_unrated(floors, thresholds, rule):
    """Search a fine grid of scores for a flagged document below all floors."""
    grid = [np.arange(-1.0, 6.0, 0.5).tolist()] * len(floors)
    return any(
        is_flagged(scores, thresholds, rule)
        for scores in product(*grid)
        if all(score < floor for score, floor in zip(scores, floors, strict=True))
    )


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=3), rules)
def test_counts_are_complete_if_nothing_unrated_can_be_flagged(pairs, rule):
    floors, thresholds = zip(*pairs, strict=True)
    k = len(floors)
    documents = RatedDocuments([[5.0] * k, list(floors)], [1, 0], floors=floors)
    found = compare(documents, thresholds, [5.0] * k, rule)
    assert found.current.complete == (not flags_something_unrated(floors, thresholds, rule))
    assert found.proposed.complete
    if not found.current.complete:
        assert np.isnan([found.current.precision, found.proposed.precision - found.current.precision]).all()
        assert found.current.alerts == sum(count(documents, thresholds, rule))


@pytest.mark.parametrize(
    ("current", "message"),
    [
        ([1.0], "one threshold for each of 2 classifiers"),
        ([1.0, np.nan], "'b' must be a number"),
        ([-np.inf, 1.0], "'a' must be a number"),
        ([1e101, 1.0], "'a' must be a number"),
    ],
)
def test_unusable_thresholds_are_refused_by_name(current, message):
    documents = RatedDocuments([[0.0, 1.0], [1.0, 0.0]], [0, 1], names=("a", "b"))
    for pair in ((current, [1.0, 1.0]), ([1.0, 1.0], current)):
        with pytest.raises(DataError, match=message):
            compare(documents, *pair, "any")
