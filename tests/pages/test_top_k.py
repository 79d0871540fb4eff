import json
from pathlib import Path

import numpy as np
import pytest
import streamlit
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

from multiloss_core.losses.multivariate import LOSSES, F
from multiloss_core.losses.top_k import optimal_top_k
from multiloss_core.simulate_items import sigmoid_items

PAGE = Path(__file__).parents[2] / "pages" / "top_k.py"


@pytest.fixture
def page():
    return AppTest.from_file(PAGE, default_timeout=60)


def by_key(elements, key):
    return next(element for element in elements if element.key == key)


def titles(page):
    return [json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in page.get("plotly_chart")]


def test_default_run_shows_the_optimum_of_every_loss(page):
    page.run()
    assert not page.exception
    assert not page.error
    table = page.dataframe[0].value
    probabilities = sigmoid_items(np.random.default_rng(70), n=10).probabilities
    optima = [optimal_top_k(probabilities, loss) for loss in LOSSES.values()]
    assert list(table["loss"]) == list(LOSSES)
    assert list(table["k"]) == [optimum.k for optimum in optima]
    assert list(table["cut"]) == [f"{optimum.cut:.4f}" if optimum.k else "none" for optimum in optima]
    np.testing.assert_allclose(table["expected_loss"], [optimum.expected_loss for optimum in optima])
    assert set(table["is_top_k"]) == {"yes"}


def test_every_chart_has_its_own_key_and_a_description(page):
    page.run()
    shown = [chart.proto for chart in page.get("plotly_chart")]
    assert len(shown) == 9
    assert len({chart.id for chart in shown}) == 9
    assert all(chart.alt for chart in shown)
    assert titles(page)[:2] == ["The best prediction under F1", "All 1,024 predictions under F1"]


def test_changing_the_controls_changes_the_result(page):
    page.run()
    by_key(page.number_input, "topk_n").set_value(6)
    by_key(page.number_input, "topk_seed").set_value(5)
    by_key(page.number_input, "topk_scale").set_value(2.5)
    by_key(page.number_input, "topk_beta").set_value(2.0)
    page.run()
    assert not page.exception
    table = page.dataframe[0].value
    probabilities = sigmoid_items(np.random.default_rng(5), n=6, scale=2.5).probabilities
    assert table["loss"][1] == "F2"
    assert table["k"][1] == optimal_top_k(probabilities, F(2.0)).k
    assert titles(page)[:2] == ["The best prediction under F2", "All 64 predictions under F2"]
    by_key(page.selectbox, "topk_loss").select("G-Mean").run()
    assert titles(page)[:2] == ["The best prediction under G-Mean", "All 64 predictions under G-Mean"]


def test_a_link_restores_the_choices(page):
    for key, value in {"n": "4", "seed": "9", "scale": "3.0", "beta": "0.5", "loss": "Jaccard", "draws": "30"}.items():
        page.query_params[f"topk_{key}"] = value
    page.run()
    assert not page.exception
    assert [element.value for element in page.number_input] == [4, 9, 3.0, 0.5, 30]
    assert titles(page)[:2] == ["The best prediction under Jaccard", "All 16 predictions under Jaccard"]
    assert page.dataframe[0].value["loss"][1] == "F0.5"


@pytest.mark.parametrize(
    ("key", "value"),
    [("n", "99"), ("n", "x"), ("seed", "-1"), ("scale", "nan"), ("beta", "0"), ("loss", "none"), ("draws", "5")],
)
def test_a_link_that_is_out_of_range_never_breaks_the_page(page, key, value):
    page.query_params[f"topk_{key}"] = value
    page.run()
    assert not page.exception
    assert not page.error
    assert [element.value for element in page.number_input] == [10, 70, 1.0, 1.0, 200]
    assert titles(page)[0] == "The best prediction under F1"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("topk_n", 15, "Items (n) is 15; choose 2 to 14."),
        ("topk_seed", -1, "Random seed is -1; choose 0 to 1,000,000."),
        ("topk_scale", 11.0, "Scale of w is 11.0; choose 0 to 10."),
        ("topk_beta", 0.05, "Beta of F is 0.05; choose 0.1 to 10."),
    ],
)
def test_values_that_got_past_the_widget_are_checked_again(page, monkeypatch, key, value, message):
    widget_returns(monkeypatch, key, value)
    page.run()
    assert not page.exception
    assert [error.value for error in page.error] == [message]
    assert not page.get("plotly_chart")


def test_too_many_draws_leave_the_rest_of_the_page(page, monkeypatch):
    widget_returns(monkeypatch, "topk_draws", 5000)
    page.run()
    assert [error.value for error in page.error] == ["Number of draws is 5,000; choose 10 to 1,000."]
    assert page.get("plotly_chart")


def widget_returns(monkeypatch, key, value):
    original = DeltaGenerator.number_input

    def number_input(*arguments, **keywords):
        shown = original(*arguments, **keywords)
        return value if keywords["key"] == key else shown

    monkeypatch.setattr(DeltaGenerator, "number_input", number_input)
    monkeypatch.setattr(streamlit, "number_input", lambda *a, **k: number_input(streamlit._main, *a, **k))


def test_verify_reports_counts_and_forgets_them_for_other_settings(page):
    page.run()
    by_key(page.number_input, "topk_n").set_value(5)
    by_key(page.number_input, "topk_draws").set_value(20)
    page.run()
    assert len(page.dataframe) == 1
    by_key(page.button, "topk_verify").click().run()
    assert not page.exception
    assert [message.value for message in page.success] == [
        "On all 20 draws and under all 7 losses, the best of the 32 predictions was a top-k set."
    ]
    result = page.dataframe[1].value
    assert list(result["Loss"]) == list(LOSSES)
    assert set(result["Result"]) == {"20 of 20 draws were top-k"}
    by_key(page.selectbox, "topk_loss").select("AM").run()
    assert len(page.dataframe) == 2
    by_key(page.number_input, "topk_seed").set_value(8).run()
    assert len(page.dataframe) == 1


def test_large_searches_say_how_many_dots_are_drawn(page):
    page.query_params["topk_n"] = "14"
    page.run()
    assert not page.exception
    assert any("of 16,384 dots drawn" in caption.value for caption in page.caption)
