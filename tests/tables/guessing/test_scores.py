import numpy as np
import pandas as pd
import pytest

from multiloss_core.formatting import MINUS
from multiloss_core.tables import find_falling, guess_columns
from tests.tables.exports.cells import Alerts
from tests.tables.exports.decoys import DECOYS


def guessed(alerts, **columns):
    return guess_columns(pd.DataFrame({**columns, "label": alerts.marks()}))


@pytest.mark.slow
@pytest.mark.parametrize("decoy", [name for name, make in DECOYS.items() if name != "Geschlecht"])
def test_decoys_are_no_scores(alerts, decoy):
    guess = guessed(alerts, risk_score=alerts.hundred(), **{decoy: DECOYS[decoy](alerts)})
    assert {*guess.scores, *guess.more_scores} == {"risk_score"}
    assert "scores" not in guess.unsure


@pytest.mark.parametrize(
    "name",
    [
        *("weighted_score", "velocity_score", "age_score", "amount model", "Betrugswahrscheinlichkeit", "Punktzahl"),
        *(
            "score de risque",
            "probabilidad_fraude",
            "pontuação",
            "p",
            "FRAUD_SCR",
            "xgb",
            "P(fraud)",
            "falcon",
            "risco",
        ),
    ],
)
def test_names_of_scores(alerts, name):
    guess = guessed(alerts, **{name: alerts.probability()})
    assert (guess.scores, guess.unsure) == ((name,), frozenset())


@pytest.mark.parametrize("name", ["zeta", "credit_score", "merchant_risk", "avg_score_30d", "score_24h", "risk_index"])
def test_what_may_be_a_score_is_asked_about(alerts, name):
    guess = guessed(alerts, fraud_score=alerts.probability(), **{name: alerts.probability()})
    assert "fraud_score" in guess.scores
    assert guess.unsure == {"scores"}
    assert name in guess.reasons["scores"]


class TestFalling:
    def test_a_score_that_falls_with_risk_is_noticed(self):
        alerts = Alerts(np.random.default_rng(1), 2_000)
        guess = guessed(alerts, fraud_score=alerts.thousand(), safety_model=alerts.safe_thousand())
        assert guess.scores == ("fraud_score", "minus safety_model")
        assert not guess.unsure
        frame = pd.DataFrame({"a": alerts.log_odds(), "b": -alerts.log_odds(), "r": alerts.marks("x", "y")})
        assert find_falling(frame, ["a", "b"], "r", {"x": "positive", "y": "negative"}) == ("b",)
        assert find_falling(frame, ["a", "b"], "r", {"x": "negative", "y": "positive"}) == ("a",)

    def test_rising_scores_are_left_alone(self):
        for seed in range(20):
            alerts = Alerts(np.random.default_rng(seed), 400)
            guess = guessed(alerts, one_score=alerts.thousand(), two_score=alerts.probability())
            assert set(guess.scores) == {"one_score", "two_score"}

    def test_a_weak_score_beside_a_strong_one_only_seems_to_fall(self):
        rng = np.random.default_rng(4)
        fraud = rng.random(100_000) < 0.02
        strong, weak = 3 * fraud + rng.normal(size=100_000), 0.8 * fraud + rng.normal(size=100_000)
        seen = (strong > np.quantile(strong, 0.985)) | (weak > np.quantile(weak, 0.97))
        strong, weak, fraud = strong[seen], weak[seen], fraud[seen]
        assert np.corrcoef(weak, fraud)[0, 1] < -0.2
        frame = pd.DataFrame({"strong_score": strong, "weak_score": weak, "is_fraud": fraud.astype(int)})
        assert not any(name.startswith(MINUS) for name in guess_columns(frame).scores)
        turned = frame.assign(weak_score=-weak)
        assert "minus weak_score" in guess_columns(turned).scores or np.corrcoef(-weak, fraud)[0, 1] > 0
