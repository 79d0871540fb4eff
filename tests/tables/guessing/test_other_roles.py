import numpy as np
import pandas as pd
import pytest
from pydantic import TypeAdapter

from multiloss_core.tables import ColumnGuess, guess_columns


def guessed(alerts, **columns):
    return guess_columns(pd.DataFrame({"score": alerts.probability(), "label": alerts.marks(), **columns}))


class TestWeight:
    @pytest.mark.parametrize("name", ["weight", "sample_weight", "Gewicht", "poids d'échantillonnage", "Peso amostral"])
    def test_weights_of_a_sample(self, alerts, name):
        guess = guessed(alerts, **{name: alerts.words(1.0, 2.5, 40.0).astype(float)})
        assert (guess.weight, guess.unsure) == (name, frozenset())

    @pytest.mark.parametrize("name", ["weight", "peso", "Gewicht"])
    def test_a_mass_is_asked_about(self, alerts, name):
        assert guessed(alerts, **{name: alerts.between(0.1, 30, 2)}).unsure == {"weight"}
        assert guessed(alerts, **{name: alerts.words(0.5, 2.0).astype(float)}).unsure == {"weight"}

    @pytest.mark.parametrize("name", ["parcel_weight_kg", "weight_group_id", "weighted_total", "weight_class"])
    def test_other_weights_are_none(self, alerts, name):
        guess = guessed(alerts, **{name: alerts.whole(1, 6)})
        assert guess.weight is None
        assert "weight" not in guess.unsure

    @pytest.mark.parametrize("name", ["w", "rule_weight"])
    def test_what_may_be_a_weight_is_asked_about_and_not_used(self, alerts, name):
        guess = guessed(alerts, **{name: alerts.whole(1, 6)})
        assert (guess.weight, guess.unsure) == (None, {"weight"})

    @pytest.mark.parametrize("name", ["sampling_rate", "selection_probability", "Stichprobenquote", "tasa de muestreo"])
    def test_a_sampling_rate_is_turned_and_asked_about(self, alerts, name):
        guess = guessed(alerts, **{name: alerts.words(0.1, 0.5, 1.0).astype(float)})
        assert (guess.weight, guess.scores) == (f"1 / {name}", ("score",))
        assert guess.unsure == {"weight"}


class TestAmount:
    @pytest.mark.parametrize(
        "name", ["amount", "TransactionAmt", "Betrag", "Rechnungsbetrag", "montant", "importe", "valor da transação"]
    )
    def test_names_of_amounts(self, alerts, name):
        guess = guessed(alerts, **{name: alerts.amounts(), "avg_amount_30d": alerts.amounts()})
        assert (guess.amount, guess.unsure) == (name, frozenset())

    @pytest.mark.parametrize("name", ["value", "total", "price", "refund_amount", "amount_cents", "Schaden"])
    def test_what_may_be_another_amount_is_asked_about(self, alerts, name):
        guess = guessed(alerts, **{name: alerts.amounts()})
        assert (guess.amount, guess.unsure) == (name, {"amount"})

    def test_unusable_amounts_are_listed(self, alerts):
        for amounts in (np.append(alerts.amounts()[1:], -1.0), -alerts.amounts()):
            guess = guessed(alerts, amount=amounts)
            assert (guess.amount, guess.unsure) == (None, {"amount"})
            assert "'-" in guess.reasons["amount"]

    @pytest.mark.parametrize("name", ["amount_band", "credit_limit", "balance", "amount_count_7d", "shipping_fee"])
    def test_what_is_no_amount(self, alerts, name):
        guess = guessed(alerts, **{name: alerts.whole(1, 90)})
        assert guess.amount is None
        assert "amount" not in guess.unsure


class TestTime:
    @pytest.mark.parametrize(
        ("name", "written"),
        [
            ("created_at", "%Y-%m-%d %H:%M"),
            ("Buchungsdatum", "%d.%m.%Y"),
            ("date de l'opération", "%d/%m/%Y"),
            ("fecha", "%Y-%m-%d"),
            ("data", "%d/%m/%Y %H:%M"),
            ("TRN_DT", "%Y%m%d"),
        ],
    )
    def test_times_in_five_languages(self, alerts, name, written):
        guess = guessed(alerts, **{name: alerts.times(written), "date_of_birth": alerts.times(start="1980-01-01")})
        assert (guess.time, guess.unsure) == (name, frozenset())

    @pytest.mark.parametrize("cells", [lambda a: a.whole(0, 24), lambda a: a.words("10:30", "11:15")])
    def test_hours_are_no_times(self, alerts, cells):
        guess = guessed(alerts, time=cells(alerts))
        assert (guess.time, guess.scores, guess.unsure) == (None, ("score",), frozenset())


class TestGroupAndSegment:
    @pytest.mark.parametrize("name", ["customer_id", "Kundennummer", "id_client", "user", "CUST_NBR", "id_cliente"])
    def test_groups(self, alerts, name):
        assert guessed(alerts, **{name: alerts.owners()}).group == name
        assert guessed(alerts, **{name: [f"c{i}" for i in range(alerts.rows)]}).group is None

    @pytest.mark.parametrize("name", ["age_group", "weight_group_id", "customer_segment", "new_customer", "user_agent"])
    def test_what_is_no_group(self, alerts, name):
        assert guessed(alerts, **{name: alerts.owners()}).group is None

    @pytest.mark.parametrize("write", ["{:.5e}".format, "{:.3E}".format, lambda number: number // 10 * 10 * 10**4])
    def test_rounded_identifiers_are_asked_about(self, alerts, write):
        numbers = [4_100_310_000_000_000 + 10**9 * (row // 3) for row in range(alerts.rows)]
        for cells in ([write(number) for number in numbers], [float(write(number)) for number in numbers]):
            guess = guessed(alerts, customer_id=cells)
            assert guess.group is None
            assert "group" in guess.unsure
            assert "'customer_id' are rounded" in guess.reasons["group"]

    def test_identifiers_of_fifteen_digits_and_zeros_are_asked_about(self, alerts):
        numbers = [str(4_100_310_000_000_001 + 7 * (row // 3)) for row in range(alerts.rows)]
        assert guessed(alerts, customer_id=numbers).group == "customer_id"
        assert "group" in guessed(alerts, customer_id=[f"{number[:15]}0" for number in numbers]).unsure

    @pytest.mark.parametrize("name", ["country", "Kanal", "merchant category", "pays", "producto", "região"])
    def test_segments(self, alerts, name):
        assert guessed(alerts, **{name: alerts.words("a", "b", "c")}).segment == name

    @pytest.mark.parametrize("name", ["fraud_type", "decision_type", "review_channel", "reason_category", "rule_type"])
    def test_what_goes_with_the_rating_is_no_segment(self, alerts, name):
        assert guessed(alerts, **{name: alerts.words("a", "b", "c")}).segment is None


def test_a_guess_goes_through_json(alerts):
    guess = guessed(alerts, amount=alerts.amounts(), closed_at=alerts.times(), country=alerts.words("DE", "FR"))
    adapter = TypeAdapter(ColumnGuess)
    assert adapter.validate_json(adapter.dump_json(guess)) == guess


@pytest.mark.parametrize("none", ["0000-00-00", "1900-01-01", "9999-12-31"])
@pytest.mark.parametrize("row", [0, 5, 60])
def test_day_that_stands_for_none_is_named(alerts, none, row):
    days = [none if place == row else f"2026-02-{1 + place % 28:02d}" for place in range(alerts.rows)]
    guess = guessed(alerts, created=days)
    assert guess.time is None
    assert f"'{none}' in row {row + 1}" in guess.reasons["time"]


def test_column_of_times_that_cannot_be_read_has_a_reason(alerts):
    guess = guessed(alerts, created=[None, *["2026-Q1"] * (alerts.rows - 1)])
    assert guess.time is None
    assert "'2026-Q1' in row 2" in guess.reasons["time"]


def test_numbers_that_can_be_read_in_two_ways_are_proposed(alerts):
    frame = pd.DataFrame({"model score": [f"{1 + i % 9},{100 + i}" for i in range(90)], "rating": ["Fraud", "ok"] * 45})
    assert guess_columns(frame).scores == ()
    assert guess_columns(frame, ["model score"]).scores == ("model score",)
