import json

import numpy as np
import pandas as pd
import pytest

from multiloss_core import read_table
from multiloss_core.tables import guess_columns, is_count_table

ROWS = [(0.5, 12.25, "fraud"), (0.75, 3.0, "ok"), (0.125, 7.5, "fraud")]


class TestGuesses:
    @pytest.mark.parametrize("file", ["bssr1_two_scores_rated", "bssr1_four_scores_rated"])
    def test_rated_documents_are_recognised(self, rated_folder, file):
        facts = json.loads((rated_folder / f"{file}.json").read_text())
        frame = read_table((rated_folder / f"{file}.csv").read_bytes(), file)
        assert not is_count_table(frame)
        guess = guess_columns(frame)
        assert guess.scores == tuple(facts["scores"])
        assert (guess.rating, guess.positive, guess.weight, guess.group) == (facts["label"], "1", None, "person")

    @pytest.mark.parametrize(
        ("columns", "expected"),
        [
            (["T1", "T2", "TP", "FP"], True),
            (["threshold a", "threshold b", "tp", "fp"], True),
            (["model a", " TP ", "Fp"], True),
            (["TP", "FP"], False),
            (["T1", "T2", "TP"], False),
            (["score", "rating"], False),
        ],
    )
    def test_count_tables_by_their_columns(self, columns, expected):
        assert is_count_table(pd.DataFrame([range(len(columns))] * 2, columns=columns)) is expected

    @pytest.fixture
    def frame(self):
        generator = np.random.default_rng(1)
        n = 300
        return pd.DataFrame(
            {
                "row": np.arange(n),
                "case_id": generator.permutation(n) + 10_000,
                "timestamp": 1_700_000_000 + generator.integers(0, 10**6, n),
                "day": pd.date_range("2024-01-01", periods=n),
                "note": ["text"] * n,
                "model_a": generator.random(n),
                "model_b": generator.random(n) * 100,
                "verdict": np.where(generator.random(n) < 0.3, "Fraud", "ok"),
                "sampling_weight": generator.choice([1.0, 2.5], n),
            }
        )

    def test_only_scores_are_taken_for_scores(self, frame):
        guess = guess_columns(frame)
        assert (guess.scores, guess.more_scores) == (("model_a", "model_b"), ())
        assert (guess.rating, guess.positive, guess.weight) == ("verdict", "fraud", "sampling_weight")
        assert (guess.group, guess.amount, guess.segment) == (None, None, None)

    def test_of_two_times_one_is_asked_about(self, frame):
        guess = guess_columns(frame)
        assert guess.time in {"day", "timestamp"}
        assert guess.unsure == {"time"}
        guess = guess_columns(frame.drop(columns="timestamp"))
        assert (guess.time, guess.unsure) == ("day", frozenset())

    def test_columns_of_other_names_are_guessed_by_values(self, frame):
        frame = frame.rename(columns={"model_a": "alpha", "model_b": "beta", "verdict": "answer", "case_id": "user id"})
        guess = guess_columns(frame)
        assert (guess.scores, guess.rating) == (("alpha", "beta"), "answer")

    @pytest.mark.parametrize("name", ["customer", "account_id"])
    def test_group_is_guessed_by_name_and_is_no_score(self, frame, name):
        frame.insert(0, name, np.arange(len(frame)) // 3)
        guess = guess_columns(frame)
        assert guess.group == name
        assert guess.scores == ("model_a", "model_b")
        frame[name] = "only one"
        assert guess_columns(frame).group is None
        frame[name] = [f"c{i}" for i in range(len(frame))]
        assert guess_columns(frame).group is None
        assert guess_columns(frame.rename(columns={name: f"{name} of some kind"})).group is None

    def test_at_most_four_scores_are_guessed(self):
        generator = np.random.default_rng(0)
        frame = pd.DataFrame({f"score {j}": generator.random(20) for j in range(6)} | {"label": [0, 1] * 10})
        guess = guess_columns(frame)
        assert len(guess.scores) == 4
        assert {*guess.scores, *guess.more_scores} == {f"score {j}" for j in range(6)}

    @pytest.mark.parametrize("name", ["amount", "Betrag", "amt_eur", "transaction value", "Loss", "exposure"])
    def test_an_amount_is_no_score(self, frame, name):
        frame = frame.rename(columns={"model_a": "alpha", "model_b": "beta"})
        frame[name] = np.linspace(0, 5000, len(frame)).round(2)
        guess = guess_columns(frame)
        assert (guess.scores, guess.amount) == (("alpha", "beta"), name)

    @pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
    def test_an_amount_that_would_be_refused_is_not_guessed(self, frame, bad):
        frame["amount"] = 12.5
        frame.loc[211, "amount"] = bad
        guess = guess_columns(frame)
        assert (guess.scores, guess.amount) == (("model_a", "model_b"), None)

    @pytest.mark.parametrize("name", ["price model", "loss score", "valuation", "inexposure"])
    def test_scores_with_the_name_of_an_amount_stay_scores(self, frame, name):
        frame = frame.rename(columns={"model_b": name})
        guess = guess_columns(frame)
        assert (guess.amount, guess.scores[0]) == (None, "model_a")

    @pytest.mark.parametrize(
        ("name", "values", "expected"),
        [
            ("created_at", "2026-03-14 10:30", True),
            ("Date", "2026-03-14", True),
            ("created_at", "some day", False),
            ("datum", "2026-03-14", True),
            ("heard", "2026-03-14", True),
            ("fecha", "14.03.2026 08:15", True),
        ],
    )
    def test_times_are_guessed_by_name_and_value(self, frame, name, values, expected):
        frame = frame.drop(columns=["day", "timestamp"])
        frame[name] = values
        assert guess_columns(frame).time == (name if expected else None)
        frame.loc[211, name] = None
        assert guess_columns(frame).time is None

    def test_segments_are_few_words(self, frame):
        frame["channel"] = np.resize(["web", "app", "phone"], len(frame))
        assert guess_columns(frame).segment == "channel"
        assert guess_columns(frame.astype({"channel": "category"})).segment == "channel"
        frame["channel"] = [f"c{i % 31}" for i in range(len(frame))]
        assert guess_columns(frame).segment is None
        frame["channel"] = np.arange(len(frame)) % 3
        assert guess_columns(frame).segment is None

    def test_a_segment_is_never_the_rating(self, frame):
        guess = guess_columns(frame.rename(columns={"verdict": "type"}))
        assert (guess.rating, guess.segment) == ("type", None)
