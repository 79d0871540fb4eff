import numpy as np
import pandas as pd
import pytest

from experiments.robles.data import OutcomeTable, drawn_split, numeric_features, two_views
from experiments.robles.draws import (
    KINDS,
    METHODS,
    MODES,
    UNION,
    chosen_parameters,
    outcomes_of_draw,
    scores_of,
    trained,
    usual_decisions,
)


def test_a_split_uses_every_row_once():
    split = drawn_split(np.zeros(1001, dtype=bool), 3)
    assert np.array_equal(np.sort(np.concatenate([split.train, split.count, split.held_out])), np.arange(1001))
    assert (len(split.held_out), len(split.count)) == (250, 250)
    assert not np.array_equal(split.held_out, drawn_split(np.zeros(1001, dtype=bool), 4).held_out)


def test_words_become_columns_and_days_points_on_a_circle():
    columns = pd.DataFrame({"age": [1.0, np.nan, 3.0], "day_of_week": ["mon", "tue", "sun"], "job": ["a", "b", "a"]})
    features = numeric_features(OutcomeTable("made", columns, np.zeros(3, dtype=bool), np.ones(3)))
    assert features.shape == (3, 5)
    assert features[:, 0] == pytest.approx([1, 2, 3])
    assert (features[:, 1:3] ** 2).sum(axis=1) == pytest.approx(1)
    between = np.linalg.norm(features[0, 1:3] - features[1:, 1:3], axis=1)
    assert between[0] == pytest.approx(between[1])
    assert features[:, 3:].sum(axis=1) == pytest.approx(1)


def test_two_views_share_a_fifth_and_know_training_rows_only():
    features = np.random.default_rng(0).normal(size=(200, 11)) @ np.diag(np.arange(1, 12))
    features[:, 10] = features[:, 9]
    training = np.arange(150)
    first, second = two_views(features, training)
    assert (first.shape[1], second.shape[1]) == (6, 6)
    assert np.array_equal(first[:, :2], second[:, :2])
    changed = features.copy()
    changed[150:] += 100
    assert np.allclose(two_views(changed, training)[0][:150], first[:150])
    assert np.abs(np.corrcoef(first[:150], rowvar=False) - np.eye(6)).max() < 1e-8


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_scores_as_it_decides(kind):
    generator = np.random.default_rng(1)
    features = generator.normal(size=(300, 3))
    labels = features[:, 0] + 0.5 * generator.normal(size=300) > 0
    parameters = chosen_parameters(kind, features, labels, np.ones(300))
    classifier = trained(kind, parameters, features, labels, np.ones(300))
    scores = scores_of(classifier, features)
    decisions = usual_decisions(classifier, features, scores)
    assert np.array_equal(decisions, classifier.predict(features))
    assert scores[decisions].min() >= scores[~decisions].max()


def test_one_draw_of_mammography(papers_data):
    outcomes = outcomes_of_draw("mammography", "Naive Bayes", 0)
    assert len(outcomes) == len(MODES) * (3 + len(METHODS))
    held_out = {(sum(one.rows), one.rows[0] + one.rows[2]) for one in outcomes}
    assert len(held_out) == 1
    rows, positives = held_out.pop()
    assert (rows, 40 < positives < 90) == (2796, True)
    for one in outcomes:
        if one.status == "unreachable":
            assert one.rows[:2] == (0, 0)
    union = next(one for one in outcomes if one.row == UNION)
    for one in outcomes[:2]:
        assert one.rows[0] <= union.rows[0]
