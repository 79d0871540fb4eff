import base64
import json
import re
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from multiloss_core import (
    G_MEAN,
    JACCARD,
    LOSSES,
    F,
    count_surfaces,
    exhaustive_search,
    expected_losses,
    graph_path,
    optimal_top_k,
    simulate_population,
)
from multiloss_core.losses import NOT_MONOTONE, correlated_search, factor_loadings, sigmoid_items
from tests.pages.steps import opened as opened_app
from tests.pages.steps import state
from ui.shared.page_setup import HAS_RUN
from ui.shared.session import OwnItems
from ui.shared.widgets import LESSON
from ui.top_k.items import Settings
from ui.top_k.steps import MOVED, STEPS

PAGE = Path(__file__).parents[2] / "pages" / "top_k.py"


@pytest.fixture
def page():
    """The page with plain charts in place of what can be dragged."""
    return opened(plain="true")


def opened(**query):
    page = AppTest.from_file(PAGE, default_timeout=60)
    page.session_state[HAS_RUN] = True
    for name, value in query.items():
        page.query_params[name] = value
    return page


def open_part(page, name):
    page.session_state["step"] = name
    return page.run()


def by_key(elements, key):
    return next(element for element in elements if element.key == key)


def titles(page):
    return [json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in page.get("plotly_chart")]


def test_default_page_shows_optima_curve_formula_and_outcomes(page):
    open_part(page, "losses")
    assert not page.exception
    assert not page.error
    table = page.dataframe[0].value
    probabilities = sigmoid_items(np.random.default_rng(70), n=10).probabilities
    optima = [optimal_top_k(probabilities, loss) for loss in LOSSES.values()]
    assert list(table["Loss"]) == list(LOSSES)
    assert list(table["k*"]) == [optimum.k for optimum in optima]
    assert list(table["Cut"]) == [f"{optimum.cut:.4f}" if optimum.k else "none" for optimum in optima]
    np.testing.assert_allclose(table["Expected loss"], [optimum.expected_loss for optimum in optima])
    assert set(table["Is top-k"]) == {"yes"}
    best = optimal_top_k(probabilities, F())
    line, star = figure(page, "Expected F1 loss of every cut")["data"]
    np.testing.assert_allclose(decoded(line["y"]), expected_losses(probabilities, F()).values, atol=1e-12)
    assert decoded(star["x"]) == [best.k]
    assert metrics(page)["Optimum k*"] == f"{best.k}"

    open_part(page, "loss")
    assert not page.exception
    tp = probabilities[best.selected].sum()
    assert latex(page)[-1].endswith(f"= {1 - 2 * tp / (best.k + probabilities.sum()):.4f}")
    outcomes = next(element.value for element in page.dataframe if "Product" in element.value)
    few = np.sort(probabilities)[::-1][[0, 5, 9]]
    expected = expected_losses(few, F()).values
    assert len(outcomes) == 8
    assert outcomes["Probability"].sum() == pytest.approx(1)
    assert outcomes["Product"].sum() == pytest.approx(expected[1])
    listed = ", ".join(f"{k}: {value:.4f}" for k, value in enumerate(expected))
    assert any(listed in text.value for text in page.markdown)


def test_every_chart_has_its_own_key_and_a_description(page):
    charts = {"losses": 4 + len(LOSSES), "early": 5, "assumption": 6, "tangent": 4, "scores": 4}
    page.session_state["topk_best_predictions"] = True
    for name in STEPS:
        open_part(page, name)
        assert not page.exception
        shown = [chart.proto for chart in page.get("plotly_chart")]
        assert len(shown) == charts.get(name, 3), name
        assert len({chart.id for chart in shown}) == len(shown)
        assert all(chart.alt for chart in shown)
    assert set(titles(page)) == {
        "The best prediction under F1",
        "Expected F1 loss of every cut",
        "All 1,024 predictions under F1",
    }


@pytest.mark.parametrize("link", re.findall(r"top_k[?](\S+step=loss)", LESSON.read_text(encoding="utf-8")))
def test_lesson_step_of_expected_loss_shows_two_numbers(link):
    page = opened(plain="true", **{name: value for name, (value,) in parse_qs(link).items()}).run()
    assert metrics(page)["Optimum k*"] in ("1", "2")
    _, at_means = latex(page)[-1].rsplit("= ", 1)
    (about,) = [caption.value for caption in page.caption if "mean outcome" in caption.value]
    assert at_means not in about
    assert about.endswith("another number.")
    assert "step=loss" in link


@pytest.mark.parametrize(("loss", "values"), [("Jaccard", "0.9,0.9,0.9"), ("AM", "0.5,0.5"), ("F", "1,1,0")])
def test_expected_loss_is_called_another_number_where_it_is(loss, values):
    page = opened(plain="true", topk_loss=loss, topk_p=values, topk_n=str(values.count(",") + 1), step="loss").run()
    _, at_means = latex(page)[-1].rsplit("= ", 1)
    (about,) = [caption.value for caption in page.caption if "mean outcome" in caption.value]
    assert ("another number" in about) == (at_means not in about)


def test_changing_the_controls_changes_the_result(page):
    open_part(page, "losses")
    by_key(page.number_input, "topk_n").set_value(6)
    by_key(page.number_input, "topk_seed").set_value(5)
    by_key(page.number_input, "topk_scale").set_value(2.5)
    by_key(page.number_input, "topk_beta").set_value(2.0)
    page.run()
    assert not page.exception
    table = page.dataframe[0].value
    probabilities = sigmoid_items(np.random.default_rng(5), n=6, scale=2.5).probabilities
    assert table["Loss"][1] == "F2"
    assert table["k*"][1] == optimal_top_k(probabilities, F(2.0)).k
    assert {"The best prediction under F2", "All 64 predictions under F2"} <= {*titles(page)}
    by_key(page.selectbox, "topk_loss").select("G-Mean").run()
    assert {"The best prediction under G-Mean", "All 64 predictions under G-Mean"} <= {*titles(page)}


def test_a_link_restores_the_choices(page):
    for key, value in {"n": "4", "seed": "9", "scale": "3.0", "beta": "0.5", "loss": "Jaccard", "draws": "30"}.items():
        page.query_params[f"topk_{key}"] = value
    page.query_params["step"] = "draws"
    page.run()
    assert not page.exception
    assert [element.value for element in page.number_input] == [0.5, 4, 9, 3.0, 30]
    assert {"The best prediction under Jaccard", "All 16 predictions under Jaccard"} <= {*titles(page)}
    assert open_part(page, "losses").dataframe[0].value["Loss"][1] == "F0.5"
    # Another step keeps the choices of the first.
    assert by_key(open_part(page, "draws").number_input, "topk_draws").value == 30


@pytest.mark.parametrize("step", ["", "loss,losses"])
def test_wrong_step_of_link_is_removed(page, step):
    page.query_params["step"] = step
    page.run()
    assert not page.exception
    assert "step" not in page.query_params
    assert page.session_state["step"] == "loss"


def test_choices_of_link_out_of_range_are_the_defaults(page):
    wrong = {"n": "99", "seed": "-1", "scale": "nan", "beta": "0", "loss": "none", "draws": "5", "early": "none"}
    wrong |= {"broken": "none", "ties": "none", "tied_loss": "F1", "strength": "2", "tied_draw": "-1"}
    for key, value in wrong.items():
        page.query_params[f"topk_{key}"] = value
    page.query_params["step"] = "assumption"
    page.run()
    assert not page.exception
    assert not page.error
    assert [element.value for element in page.number_input] == [1.0, 10, 70, 1.0, 143]
    assert by_key(page.slider, "topk_strength").value == 0.9
    assert "The best prediction under F1" in titles(page)
    assert any("Top-k fails here" in warning.value for warning in page.warning)


def test_verification_is_forgotten_for_other_settings(page):
    open_part(page, "draws")
    by_key(page.number_input, "topk_n").set_value(5)
    by_key(page.number_input, "topk_draws").set_value(20)
    page.run()
    assert len(page.dataframe) == 0
    by_key(page.button, "topk_verify").click().run()
    assert not page.exception
    assert [message.value for message in page.success] == [
        "On all 20 draws and under all 7 losses, the best of the 32 predictions was a top-k set."
    ]
    result = page.dataframe[0].value
    assert list(result["Loss"]) == list(LOSSES)
    assert set(result["Result"]) == {"20 of 20 draws were top-k"}
    by_key(page.selectbox, "topk_loss").select("AM").run()
    assert len(page.dataframe) == 1
    by_key(page.number_input, "topk_seed").set_value(8).run()
    assert len(page.dataframe) == 0


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ("F1, seven items", "flags 1 item, with an expected F1 loss of 0.4017. The optimum flags 5, with 0.3896."),
        ("Jaccard, seven items", "The optimum flags 3, with 0.3958. The early stop loses 0.0143."),
        ("G-TP/PR, ten items", "The optimum flags 9, with 0.3625. The early stop loses 0.1157."),
    ],
)
def test_what_the_early_stop_loses(page, items, words):
    page.query_params["topk_early"] = items
    open_part(page, "early")
    assert not page.exception
    assert any(words in text.value for text in page.markdown)
    curve = figure(page, f"Expected {items.split(',')[0]} loss of every cut", -1)
    names = {trace["name"] for trace in curve["data"]}
    assert "stop at the first rise (k = 1)" in names
    assert any(name.startswith("optimum (k = ") for name in names)


def test_a_draw_on_which_tied_labels_break_the_theorem(page):
    open_part(page, "assumption")
    search = correlated_search(eight_items(143), factor_loadings("ring", 8, 0.9), G_MEAN)
    (message,) = [warning.value for warning in page.warning]
    assert "Top-k fails here" in message
    assert f"{search.expected_loss:.4f}" in message
    assert f"{search.top_k_values.min():.4f}" in message
    assert "It costs 0.0237 more." in message
    flagged = figure(page, f"Best of all: loss {search.expected_loss:.4f}")["data"][0]
    assert sorted(np.array(decoded(flagged["customdata"])) - 1) == list(np.flatnonzero(search.best))
    assert set(flagged["marker"]["pattern"]["shape"]) == {"/", ""}


def test_independent_labels_and_labels_all_tied_alike_keep_it(page):
    open_part(page, "assumption")
    by_key(page.slider, "topk_strength").set_value(0.0).run()
    assert not page.warning
    assert any(
        "Top-k is best here" in message.value and "Nothing guarantees" not in message.value for message in page.success
    )
    by_key(page.slider, "topk_strength").set_value(1.0)
    by_key(page.selectbox, "topk_ties").select("All items alike").run()
    assert not page.exception
    assert not page.warning
    assert any("top-k never fails" in caption.value for caption in page.caption)


def test_the_next_failing_draw_is_found(page):
    open_part(page, "assumption")
    by_key(page.selectbox, "topk_ties").select("Two rival rings")
    by_key(page.selectbox, "topk_tied_loss").select("Jaccard").run()
    by_key(page.button, "topk_tied_draw_find").click().run()
    assert not page.exception
    draw = by_key(page.number_input, "topk_tied_draw").value
    fails = [
        not correlated_search(eight_items(seed), factor_loadings("rivals", 8, 0.9), JACCARD).is_top_k
        for seed in range(144, draw + 1)
    ]
    assert fails == [False] * (draw - 144) + [True]
    assert any(f"Draw {draw} was found after {draw - 143} draw" in message.value for message in page.info)
    assert any("Top-k fails here" in warning.value for warning in page.warning)


@pytest.mark.parametrize("example", NOT_MONOTONE.values(), ids=lambda example: example.loss.name)
def test_a_draw_on_which_another_loss_breaks_it(page, example):
    page.query_params["topk_broken"] = "A loss that true positives do not lower"
    page.query_params["topk_other_loss"] = example.loss.name
    open_part(page, "assumption")
    assert not page.exception
    search = exhaustive_search(eight_items(example.draw), example.loss)
    (message,) = [warning.value for warning in page.warning]
    assert f"{search.expected_loss:.4f}" in message
    assert f"It costs {search.top_k_values.min() - search.expected_loss:.4f} more." in message
    assert any("it is not true that each additional true positive" in text.value for text in page.markdown)
    find = next(button for button in page.button if button.label == "Find another draw where it fails")
    find.click().run()
    assert not page.exception
    assert any("was found after" in message.value for message in page.info)


def eight_items(draw):
    return sigmoid_items(np.random.default_rng(draw), n=8).probabilities


def figure(page, title, position=0):
    """The chart with this title, of several the one at `position`."""
    specs = [json.loads(chart.proto.spec) for chart in page.get("plotly_chart")]
    return [spec for spec in specs if spec["layout"]["title"]["text"] == title][position]


def decoded(values):
    """Numbers of a chart, as a list or packed."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"]).tolist()
    return values


@pytest.mark.parametrize("step", MOVED)
def test_moved_steps_open_on_papers(step):
    page = opened_app("top_k", step=step, topk_loss="Jaccard", topk_graph_steps="4")
    assert not page.exception
    assert page.title[0].value == "Papers"
    key = {"classes": "topk_loss", "training": "topk_train", "graph": "topk_graph_steps"}[step]
    assert page.get_by_key(key).value == {"classes": "Jaccard", "training": False, "graph": 4}[step]


def test_threshold_graph_shows_its_shortest_path():
    page = opened_app("papers", paper="robles", robles_part="search", topk_graph_steps="4")
    assert "The search for the shortest path" in titles(page)
    slider = by_key(page.slider, "topk_step")
    slider.set_value(slider.max).run()
    assert not page.exception
    assert "Threshold graph and its shortest path" in titles(page)
    (said,) = [text for text in captions(page) if "Bellman" in text]
    assert said.startswith("16 nodes, 24 edges.")
    areas = re.findall(r"([\d,]+\.\d)", said)
    assert len(areas) == 2
    assert areas[0] == areas[1]


def captions(page):
    return [element.value for element in page.caption]


def moved(page, number, probabilities):
    """Send a drag as the browser does: the number of the move and every bar."""
    settings = Settings(len(probabilities), 70, 1.0, 1.0)
    state(page).top_k.last_move = number
    state(page).top_k.own = OwnItems(settings[:3], tuple(probabilities))
    return page.run()


def metrics(page):
    return {metric.label: metric.value for metric in page.metric}


def latex(page):
    return [element.value.strip("$\n") for element in page.get("latex")]


@pytest.mark.parametrize("said", ["0.5", "nan," * 9 + "1", "0.5," * 500])
def test_an_address_with_items_that_do_not_fit_shows_those_drawn(said):
    page = opened(topk_p=said).run()
    assert not page.exception
    assert "topk_p" not in page.query_params


def population():
    return simulate_population(np.random.default_rng(4), documents=200_000).rated()


def test_tangent_shows_counts_of_each_step(page):
    open_part(page, "tangent")
    assert not page.exception
    path = graph_path(count_surfaces(population(), resolution=60, spacing="positives"))
    slider = by_key(page.slider, "topk_tangent_at")
    precisions = path.majorant.marginal_precisions
    assert (slider.min, slider.max) == (1, len(precisions))
    for step in (1, len(precisions) // 2, len(precisions)):
        by_key(page.slider, "topk_tangent_at").set_value(step).run()
        start, end = path.majorant.vertices[step - 1 : step + 1]
        tp, fp = path.tp[end] - path.tp[start], path.fp[end] - path.fp[start]
        shown = f"{100 * tp / (tp + fp):.3g}\N{NO-BREAK SPACE}%"
        assert metrics(page)["Marginal precision"] == shown
        assert any(f"**{tp:,.0f} true positive" in text.value for text in page.markdown)
