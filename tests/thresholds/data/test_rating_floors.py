"""Test estimated rating floors, with alerts that other sources raised."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from multiloss_core import DataError, RatedDocuments
from multiloss_core.thresholds import UncertainFloorsError
from multiloss_core.thresholds.data.rating_floors import FEW_VALUES, estimate_floors, suggest_floors


def rated_file(seed, classifiers, *, elsewhere=0.0, levels=None, correlation=0.3):
    """Draw alerts; return scores, labels, true floors, and the alerts of another source.

    `elsewhere`: the share of genuine documents that another source raises; of fraud it raises 50 times as many.
    `levels`: how many values a score has.
    """
    generator = np.random.default_rng(seed)
    documents = 120_000
    fraud = generator.random(documents) < 0.003
    shared = generator.standard_normal((documents, 1))
    own = generator.standard_normal((documents, classifiers))
    latent = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own + np.where(fraud, 1.5, 0.0)[:, np.newaxis]
    scores = expit(latent - 2.5) if seed % 2 else 600 + 80 * latent
    if levels:
        low, high = scores.min(axis=0), scores.max(axis=0)
        scores = np.round((scores - low) / (high - low) * levels)
    floors = np.quantile(scores, 0.99, axis=0, method="higher")
    raised = generator.random(documents) < elsewhere * np.where(fraud, 50, 1)
    alert = (scores >= floors).any(axis=1)
    kept = alert | raised
    return scores[kept], fraud[kept], floors, (raised & ~alert)[kept]


def ranks_apart(scores, first, second):
    return np.abs((scores < first).mean(axis=0) - (scores < second).mean(axis=0)).max()


def estimated(scores):
    return estimate_floors(scores, [f"score {j}" for j in range(scores.shape[1])])


@pytest.mark.parametrize("levels", [None, 30])
@pytest.mark.parametrize("classifiers", [1, 2, 3, 4])
def test_clean_floors_are_exact_and_certain(classifiers, levels):
    for seed in (31, 32):
        scores, _, floors, _ = rated_file(seed, classifiers, levels=levels)
        found = estimated(scores)
        assert found.is_certain
        # The lowest document that a score brought to review alone lies just above its floor.
        assert (found.corner >= floors).all()
        assert ranks_apart(scores, found.corner, floors) <= 0.001
        assert not found.below.any()


@pytest.mark.slow
@pytest.mark.parametrize("elsewhere", [0.0003, 0.004])
@pytest.mark.parametrize("levels", [None, 30])
@pytest.mark.parametrize("classifiers", [1, 2, 3, 4])
def test_alerts_from_elsewhere_are_asked_about(classifiers, levels, elsewhere):
    for seed in (41, 42):
        scores, _, floors, foreign = rated_file(seed, classifiers, levels=levels, elsewhere=elsewhere)
        found = estimated(scores)
        assert foreign.sum() > 20
        assert not found.is_certain
        assert ranks_apart(scores, found.jump, floors) <= 0.03
        # The rows that are shown as evidence are those that another source raised.
        assert (found.below & foreign).sum() >= 0.9 * foreign.sum()
        assert (found.below & ~foreign).sum() <= 0.1 * foreign.sum()


def test_one_alert_from_elsewhere_decides_no_single_floor():
    scores, _, floors, _ = rated_file(5, 1)
    found = estimated(np.vstack([scores, [[scores.min() / 3]]]))
    assert not found.is_certain
    np.testing.assert_array_equal(found.jump, floors)


@pytest.mark.parametrize(("classifiers", "documents"), [(10, 56), (12, 200)])
def test_corner_of_many_scores_is_empty_and_soon_found(classifiers, documents):
    """All maximal corners of ten scores do not fit into the memory."""
    scores = np.random.default_rng(classifiers).random((documents, classifiers))
    assert not (scores < suggest_floors(scores)).all(axis=1).any()


def test_a_band_that_was_reviewed_at_random_is_asked_about():
    scores, _, floors, _ = rated_file(7, 1, elsewhere=0.0)
    band = np.random.default_rng(1).uniform(0.7 * floors[0], floors[0], (60, 1))
    assert not estimated(np.vstack([scores, band])).is_certain


def test_scores_that_rise_together_have_certain_floors():
    score = np.random.default_rng(3).random(120)
    found = estimated(np.column_stack([score, score / 2]))
    assert found.is_certain
    np.testing.assert_array_equal(found.corner, [score.min(), score.min() / 2])


@pytest.mark.parametrize("few", [False, True])
def test_a_value_of_many_documents_is_no_floor(few):
    generator = np.random.default_rng(11)
    score = generator.uniform(0.6, 1.0, 3_000).round(2 if few else 6)
    score[:400] = 0.85
    assert (len(np.unique(score)) <= FEW_VALUES) == few
    assert estimated(score[:, np.newaxis]).corner == score.min()
    assert few or estimated(score[:, np.newaxis]).is_certain


class TestFromFrame:
    @pytest.fixture
    def frame(self):
        scores, fraud, floors, foreign = rated_file(9, 2, elsewhere=0.002)
        frame = pd.DataFrame(scores, columns=["a", "b"])
        frame["rating"] = np.where(fraud, "fraud", "ok")
        frame.attrs = {"floors": floors, "foreign": foreign}
        return frame

    def read(self, frame, **options):
        return RatedDocuments.from_frame(frame, ["a", "b"], "rating", **options)

    def test_uncertain_floors_are_an_error_that_names_rows(self, frame):
        with pytest.raises(UncertainFloorsError) as caught:
            self.read(frame)
        assert isinstance(caught.value, DataError)
        rows = caught.value.rows
        assert f"{len(rows):,} rated documents" in str(caught.value)
        assert f"row {rows[0] + 1:,}" in str(caught.value)
        assert set(rows) <= {*np.flatnonzero(frame.attrs["foreign"])}

    def test_jump_excludes_and_names_documents_below_all_floors(self, frame):
        documents = self.read(frame, floor_method="jump")
        below = (frame[["a", "b"]].to_numpy() < documents.floors).all(axis=1)
        np.testing.assert_array_equal(documents.below_floors, np.flatnonzero(below))
        assert documents.funnel.at_or_above_floor == len(frame) - below.sum() == len(documents.labels)
        assert ranks_apart(frame[["a", "b"]].to_numpy(), documents.floors, frame.attrs["floors"]) <= 0.03
        # The precision that is promised at the floors is that of the alerts that the scores raise.
        own = ~frame.attrs["foreign"]
        promised = documents.totals.precision
        assert promised == pytest.approx((frame["rating"][own] == "fraud").mean(), rel=0.05)

    def test_corner_and_given_floors_ask_nothing(self, frame):
        assert not self.read(frame, floor_method="corner").below_floors.size
        given = frame.attrs["floors"].tolist()
        assert self.read(frame, floors=given).below_floors.size == frame.attrs["foreign"].sum()
